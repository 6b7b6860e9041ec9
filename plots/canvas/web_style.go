package canvas

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"
)

// WebStyles are the classes of the pictures in a report, in the order of their first use.
type WebStyles struct {
	names map[string]string
	tones map[Tone]string
	Rules strings.Builder
}

// class returns the name of the class with these declarations.
func (s *WebStyles) class(declarations string) string {
	name, known := s.names[declarations]
	if !known {
		if s.names == nil {
			s.names = map[string]string{}
		}
		name = "s" + strconv.FormatInt(int64(len(s.names)), 36)
		s.names[declarations] = name
		fmt.Fprintf(&s.Rules, ".%s{%s}", name, declarations)
	}

	return name
}

// paint declares the colour of a property. Colours of the theme and tones are variables, which
// differ between light and dark pages.
func (s *WebStyles) paint(property string, k color.Color) string {
	opacity := ""
	if f, ok := k.(faded); ok {
		k, opacity = f.Color, fmt.Sprintf(";%s-opacity:%.2g", property, fadedOpacity/255.0)
	}
	if t, ok := k.(Tone); ok {
		return property + ":var(--" + s.variable(t) + ")" + opacity
	}

	c := color.NRGBAModel.Convert(k).(color.NRGBA)
	text := hex(color.RGBA{c.R, c.G, c.B, 0xFF})
	for name, grey := range Greys {
		if k == color.Color(grey) {
			text = "var(--" + name + ")"
		}
	}
	return property + ":" + text + opacity
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// variable returns the name of a tone's variable, which it declares for light, dark and printed
// pages.
func (s *WebStyles) variable(t Tone) string {
	name, known := s.tones[t]
	if !known {
		if s.tones == nil {
			s.tones = map[Tone]string{}
		}
		name = "t" + strconv.FormatInt(int64(len(s.tones)), 36)
		s.tones[t] = name
		light, dark := ":root{--"+name+":"+hex(t.Light)+"}", ":root{--"+name+":"+hex(t.Dark)+"}"
		fmt.Fprintf(&s.Rules, "%s@media (prefers-color-scheme:dark){%s}@media print{%s}", light, dark, light)
	}
	return name
}

// Kernel returns the name of the variable that colours a kernel on the page.
func (s *WebStyles) Kernel(name string) string {
	if t, ok := LookOf(name).Color.(Tone); ok {
		return s.variable(t)
	}
	return ""
}

// webPathData builds the data of a path in relative coordinates.
type webPathData struct {
	strings.Builder
	x, y           int
	startX, startY int // The start of the current part.
	started        bool
	last           byte // The command in force, 0 if there is none.
}

func (b *webPathData) move(x, y int) {
	if b.started {
		b.command('m', x-b.x, y-b.y)
	} else {
		b.command('M', x, y)
	}
	b.started, b.last = true, 0
	b.x, b.y, b.startX, b.startY = x, y, x, y
}

func (b *webPathData) Line(x, y int) {
	switch dx, dy := x-b.x, y-b.y; {
	case dx == 0 && dy == 0 && b.last != 0:
	case dy == 0:
		b.command('h', dx)
	case dx == 0:
		b.command('v', dy)
	default:
		b.command('l', dx, dy)
	}

	b.x, b.y = x, y
}

func (b *webPathData) arc(radius int, clockwise bool, x, y int) {
	sweep := 0 // y grows downwards on a page, and angles the other way round
	if clockwise {
		sweep = 1
	}
	b.last = 0
	b.command('a', radius, radius, 0, 0, sweep, x-b.x, y-b.y)
	b.x, b.y = x, y
}

func (b *webPathData) close() {
	b.WriteByte('z')
	b.x, b.y, b.last = b.startX, b.startY, 0
}

// command writes a command. The letter is left out if the command is the same as before.
func (b *webPathData) command(letter byte, values ...int) {
	separator := b.last == letter
	if !separator {
		b.WriteByte(letter)
	}
	for _, v := range values {
		if separator && v >= 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(v))
		separator = true
	}

	b.last = letter
}
