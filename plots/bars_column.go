package plots

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawColumn draws the i-th column: heading, axis, grid, and the marks.
func (b *bars) drawColumn(c draw.Canvas, i int) {
	x := func(v float64) vg.Length { return c.X(b.axis.norm.Normalize(b.axis.min, b.axis.max, v)) }
	low, high := c.Min.Y+barsBottom, c.Max.Y-headingHeight
	heading{text: b.columns[i]}.Plot(draw.Crop(c, 0, 0, barsBottom, -headingHeight), nil)

	tick := at(typeface(tickSize, false, softColor), text.XCenter, text.YTop)
	for _, t := range spaced(b.axis.ticks, x, tick) {
		style := draw.LineStyle{Color: gridColor, Width: 0.7}
		if t.Value == b.origin {
			style = draw.LineStyle{Color: lineColor, Width: 1.2}
		}
		c.StrokeLine2(style, x(t.Value), low, x(t.Value), high)
		c.FillText(tick, vg.Point{X: x(t.Value), Y: low - 4}, t.Label)
	}
	if b.hasRoof() {
		c.StrokeLine2(draw.LineStyle{Color: lineColor, Width: 1, Dashes: []vg.Length{4, 3}}, x(b.roof), low, x(b.roof), high)
	}
	height := b.rowHeight()
	for j := range b.rows {
		b.drawCell(c, b.rows[j].cells[i], x, high-vg.Length(j)*height-height/2, background(j))
	}
}

// drawCell draws the marks of a cell about the height mid, and the number of the
// highest beside it.
func (b *bars) drawCell(c draw.Canvas, cell []mark, x func(float64) vg.Length, mid vg.Length, behind color.Color) {
	pitch := b.pitch()
	var best *mark
	bestY, reach := mid, vg.Length(math.Inf(-1))
	for k := range cell {
		m := &cell[k]
		y := mid
		if m.slot >= 0 {
			y += pitch * (vg.Length(b.slots-1)/2 - vg.Length(m.slot))
		}
		if best == nil || m.v > best.v {
			best, bestY = m, y
		}
		if m.slot >= 0 {
			b.drawMark(c, m, x, y)
			reach = max(reach, x(m.high))
			if !math.IsNaN(m.hollow) {
				reach = max(reach, x(m.hollow)+3)
			}
		}
	}
	if best == nil {
		return
	}
	if pitch >= 4 {
		reach = x(best.high)
		if !math.IsNaN(best.hollow) {
			reach = max(reach, x(best.hollow)+3)
		}
	} else {
		bestY = mid
	}
	b.drawNumber(c, best, vg.Point{X: max(reach, x(best.v)) + numberGap, Y: bestY}, behind)
}

// roomForWords is where the axis is to end in a body of this width, so that number and
// words fit beside a bar that ends at 1.
func (b *bars) roomForWords(body vg.Length) float64 {
	var most vg.Length
	for i := range b.rows {
		for _, cell := range b.rows[i].cells {
			for _, m := range cell {
				most = max(most, numberGap+b.wordsWidth(&m))
			}
		}
	}
	width := b.columnWidth(body)
	return float64(width / max(width-most, width/3))
}

// wordsWidth is that of the number of a mark and its words.
func (b *bars) wordsWidth(m *mark) vg.Length {
	width := typeface(tickSize, true, inkColor).Width(b.number(m.v))
	if m.words != "" {
		width += wordsGap + typeface(tickSize-0.5, false, softColor).Width(m.words)
	}
	return width
}

const (
	numberGap = vg.Length(6) // from a mark to its number
	wordsGap  = vg.Length(5) // from there to its words
)

// drawNumber writes the number of a mark to the right of p, over the lines of grid
// and roof, and its words after it.
func (b *bars) drawNumber(c draw.Canvas, m *mark, p vg.Point, behind color.Color) {
	number := at(typeface(tickSize, true, inkColor), text.XLeft, text.YCenter)
	soft := at(typeface(tickSize-0.5, false, softColor), text.XLeft, text.YCenter)
	s := b.number(m.v)
	end := p.X + b.wordsWidth(m)
	p.Y++ // what has no descenders stands in the middle of its upper part
	c.SetColor(behind)
	c.Fill(vg.Rectangle{Min: vg.Point{X: p.X - 1, Y: p.Y - 5}, Max: vg.Point{X: end + 1, Y: p.Y + 4}}.Path())
	c.FillText(number, p, s)
	if m.words != "" {
		c.FillText(soft, vg.Point{X: p.X + number.Width(s) + wordsGap, Y: p.Y}, m.words)
	}
}

func (b *bars) drawMark(c draw.Canvas, m *mark, x func(float64) vg.Length, y vg.Length) {
	pitch, ink := b.pitch(), m.look.Color
	whisker := ink
	switch {
	case pitch < 4:
	case math.IsNaN(b.origin):
		c.StrokeLine2(draw.LineStyle{Color: lineColor, Width: 0.6}, c.Min.X, y, x(m.v), y)
	default:
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: pitch * 0.36}, x(b.origin), y, x(m.v), y)
		whisker = inkColor // against the bar
	}
	c.StrokeLine2(draw.LineStyle{Color: whisker, Width: 0.9}, x(m.low), y, x(m.high), y)
	radius := min(3.4, max(3, pitch*0.42))
	m.look.Marker.draw(c, vg.Point{X: x(m.v), Y: y}, radius, ink)
	hover(c, vg.Point{X: x(m.v), Y: y}, func() string { return b.about(m) })
	if !math.IsNaN(m.hollow) {
		m.look.Marker.outline(c, vg.Point{X: x(m.hollow), Y: y}, radius, ink)
	}
}

// about says what a mark is.
func (b *bars) about(m *mark) string {
	value := between(b.number, m.v, m.low, m.high)
	if m.row == nil {
		return strings.TrimPrefix(m.name+": ", ": ") + value + " " + b.label
	}
	return value + " " + b.label + ". " + about(m.row)
}

// spaced leaves out ticks whose labels would touch, keeping 1.
func spaced(ticks []plot.Tick, x func(float64) vg.Length, style text.Style) []plot.Tick {
	const gap = vg.Length(7)
	var kept []plot.Tick
	free := func(t plot.Tick) bool {
		for _, k := range kept {
			if d := x(t.Value) - x(k.Value); max(d, -d) < (style.Width(t.Label)+style.Width(k.Label))/2+gap {
				return false
			}
		}
		return true
	}
	decade := func(v float64) bool { e := math.Log10(v); return math.Abs(e-math.Round(e)) < 1e-9 }
	for _, pick := range []func(float64) bool{
		func(v float64) bool { return v == 1 },
		decade,
		func(float64) bool { return true },
	} {
		for _, t := range ticks {
			if pick(t.Value) && free(t) {
				kept = append(kept, t)
			}
		}
	}
	return kept
}
