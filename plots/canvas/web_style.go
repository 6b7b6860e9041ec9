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

// paint declares the colour of a property. Colours of the theme are variables of the style
// sheet, which differ between light and dark pages.
func paint(property string, k color.Color) string {
	c := color.NRGBAModel.Convert(k).(color.NRGBA)
	solid := color.RGBA{c.R, c.G, c.B, 0xFF}
	text := fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)

	for name, grey := range Greys {
		if grey == solid {
			text = "var(--" + name + ")"
		}
	}

	for i, hue := range Hues {
		if hue == solid {
			text = "var(--k" + strconv.Itoa(i) + ")"
		}
	}

	if c.A < 0xFF {
		return fmt.Sprintf("%s:%s;%s-opacity:%.2g", property, text, property, float64(c.A)/0xFF)
	}
	return property + ":" + text
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
