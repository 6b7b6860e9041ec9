package canvas

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Key is an entry of a legend.
type Key struct {
	Text string
	Look Look
	Dot  bool // The key is a marker without a line.
	Bar  bool // The key is a bar with a marker at its end.
}

// KeysOf returns the keys of kernels.
func KeysOf(names []string, dot bool) []Key {
	keys := make([]Key, len(names))
	for i, name := range names {
		keys[i] = Key{Text: name, Look: LookOf(name), Dot: dot}
	}
	return keys
}

// The legend stands above the panels, where it can't cover data: keys in as
// many columns as fit, filled row by row.
// legendRow is the distance of lines.
func legendRow() vg.Length {
	if Narrow() {
		return 13
	}
	return 16
}

// legendRoom returns the width of a line with its marker, and the room between columns.
func legendRoom() (swatch, gap vg.Length) {
	if Narrow() {
		return 18, 6
	}
	return 28, 16
}

// legendColumns returns the widths of as many columns as fit. The keys are spread evenly over
// the rows that these need.
func legendColumns(keys []Key, width vg.Length) []vg.Length {
	for n := len(keys); n > 1; n-- {
		if columns, fits := legendWidths(keys, n, width); fits {
			rows := (len(keys) + n - 1) / n
			if even, fits := legendWidths(keys, (len(keys)+rows-1)/rows, width); fits {
				return even
			}
			return columns
		}
	}

	columns, _ := legendWidths(keys, 1, width)
	return columns
}

func legendWidths(keys []Key, n int, width vg.Length) (columns []vg.Length, fits bool) {
	style := Typeface(legendSize, false, InkColor)
	swatch, gap := legendRoom()
	columns = make([]vg.Length, n)
	for i, k := range keys {
		columns[i%n] = max(columns[i%n], swatch+style.Width(k.Text)+gap)
	}
	total := -gap

	for _, w := range columns {
		total += w
	}
	return columns, total <= width
}

func legendHeight(keys []Key, width vg.Length) vg.Length {
	if len(keys) == 0 {
		return 0
	}
	n := len(legendColumns(keys, width))
	return legendRow()*vg.Length((len(keys)+n-1)/n) + 4
}

// drawLegend draws the keys. The first row's top is at y.
func drawLegend(c draw.Canvas, keys []Key, y vg.Length) {
	if len(keys) == 0 {
		return
	}
	columns := legendColumns(keys, c.Max.X-c.Min.X)
	style := At(Typeface(legendSize, false, InkColor), text.XLeft, text.YCenter)
	x := c.Min.X
	swatch, _ := legendRoom()

	for i, k := range keys {
		column := i % len(columns)
		if column == 0 {
			x = c.Min.X
		}
		mid := y - legendRow()*(vg.Length(i/len(columns))+0.5) - 2
		l := k.Look
		at := x + swatch/2 - 3
		switch {
		case k.Bar:
			at = x + swatch - 9
			c.StrokeLine2(draw.LineStyle{Color: l.Color, Width: 3}, x, mid, at, mid)
		case !k.Dot:
			c.StrokeLine2(l.Line(1.8), x, mid, x+swatch-6, mid)
		}
		l.Mark(c, vg.Point{X: at, Y: mid}, 3.6)
		// Text is centred on its line box, markers on the small letters.
		c.FillText(style, vg.Point{X: x + swatch, Y: mid + 1}, Fit(style, k.Text, c.Max.X-x-swatch))
		x += columns[column]
	}
}
