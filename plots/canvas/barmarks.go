// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/analysis"
)

// drawCell draws the marks of a cell around the height mid, and the number of the highest
// mark.
func (b *Bars) drawCell(c draw.Canvas, cell []Mark, x func(float64) vg.Length, mid vg.Length, behind color.Color) {
	if len(cell) == 0 {
		return
	}
	b.drawStems(c, cell, x, mid)
	for k := range cell {
		if m := &cell[k]; b.draws(m) {
			b.drawMark(c, m, x, b.height(m, mid))
		}
	}
	best, reach := b.numbered(cell, x)
	if b.draws(best) { // above the others
		b.drawMark(c, best, x, b.height(best, mid))
	}
	at := vg.Point{X: reach + numberGap, Y: mid}
	if !b.Tight {
		at.Y = b.height(best, mid)
	}
	b.drawNumber(c, best, at, behind)
}

// draws reports whether a mark is drawn.
func (b *Bars) draws(m *Mark) bool { return b.Dots || !m.Faint() }

// Numbered returns the mark of a cell that has the number: the highest, if none is the first.
func Numbered(cell []Mark) *Mark {
	best := &cell[0]
	for k := range cell {
		if m := &cell[k]; m.First || m.V > best.V && !best.First {
			best = m
		}
	}
	return best
}

// numbered returns the mark of a cell that has the number, and where what is drawn on its line ends.
func (b *Bars) numbered(cell []Mark, x func(float64) vg.Length) (best *Mark, reach vg.Length) {
	best, reach = Numbered(cell), vg.Length(math.Inf(-1))
	for k := range cell {
		if m := &cell[k]; b.draws(m) {
			reach = max(reach, m.end(x))
		}
	}
	if !b.low() {
		reach = best.end(x)
	}
	if !b.free() {
		reach = max(reach, x(b.Origin)) // beside a bar to the left
	}
	return best, max(reach, x(best.V))
}

// height is where a mark is in a cell around the height mid.
func (b *Bars) height(m *Mark, mid vg.Length) vg.Length {
	if b.oneLine() || m.Slot < 0 {
		return mid
	}
	return mid + b.pitch()*(vg.Length(b.Slots-1)/2-vg.Length(m.Slot))
}

// end is the right end of a mark with its interval. Numbers may cover its range if that is thin.
func (m *Mark) end(x func(float64) vg.Length) vg.Length {
	end := x(max(m.V, m.High))
	if m.Faint() {
		end = x(m.V)
	}
	if m.Thick {
		return max(end, x(m.Most))
	}
	const near = 40 // where a number would cover it
	if !math.IsNaN(m.Hollow) && (m.Least == m.Most || x(m.Hollow) < end+near) {
		end = max(end, x(m.Hollow)+3)
	}
	return end
}

// drawStems draws thin lines to dots from where bars would start.
func (b *Bars) drawStems(c draw.Canvas, cell []Mark, x func(float64) vg.Length, mid vg.Length) {
	if !b.free() || b.Tight || slices.ContainsFunc(cell, func(m Mark) bool { return m.Thick }) {
		return
	}
	from := c.Min.X
	if !math.IsNaN(b.Origin) {
		from = x(b.Origin)
	}
	for k := range cell {
		y := b.height(&cell[k], mid)
		c.StrokeLine2(draw.LineStyle{Color: LineColor, Width: 0.6}, from, y, x(cell[k].V), y)
	}
}

// axisPart returns the part of a column's width that its axis takes in a body of this width. Numbers
// and words stand to the right of marks; words that would leave the axis less than leastPart are cut.
func (b *Bars) axisPart(body vg.Length) float64 {
	const leastPart = 0.4
	width, part := b.columnWidth(body), vg.Length(1)
	for cell := range b.Cells {
		best, reach := b.numbered(cell, func(v float64) vg.Length { return width * b.along(v) })
		if room := width + overhang - numberGap - b.wordsWidth(best); reach*part > room {
			part = room / reach
		}
	}
	return max(float64(part), leastPart)
}

// wordsWidth returns the width of a mark's number and words.
func (b *Bars) wordsWidth(m *Mark) vg.Length {
	width := Typeface(TickSize, true, InkColor).Width(b.Number(m.V))
	if b.Tight && m.First {
		width += markGap
	}
	if m.Words != "" {
		width += wordsGap + Typeface(TickSize-0.5, false, SoftColor).Width(m.Words)
	}
	return width
}

const (
	overhang  = columnGap - 8 // How far numbers and words may reach beyond a column.
	numberGap = vg.Length(6)  // The distance from a mark to its number.
	wordsGap  = vg.Length(5)  // The distance from the number to its words.
	markGap   = vg.Length(8)  // What a mark takes that stands again before its number, since others may be nearer.

	medianHalf = vg.Length(6) // Half the height of the line at a median, which a mark does not hide.
)

// drawNumber writes the number of a mark to the right of p and the words after it, over the
// lines of grid and roof.
func (b *Bars) drawNumber(c draw.Canvas, m *Mark, p vg.Point, behind color.Color) {
	number := At(Typeface(TickSize, true, InkColor), text.XLeft, text.YCenter)
	soft := At(Typeface(TickSize-0.5, false, SoftColor), text.XLeft, text.YCenter)
	s := b.Number(m.V)
	p.X = min(p.X, c.Max.X+overhang-number.Width(s))
	end := p.X + b.wordsWidth(m)
	p.Y++ // what has no descenders stands in the middle of its upper part
	c.SetColor(behind)
	c.Fill(vg.Rectangle{Min: vg.Point{X: p.X - 1, Y: p.Y - 5}, Max: vg.Point{X: end + 1, Y: p.Y + 4}}.Path())
	if b.Tight && m.First {
		m.Look.Mark(c, vg.Point{X: p.X + 3, Y: p.Y - 0.5}, 2.6)
		p.X += markGap
	}
	c.FillText(number, p, s)
	if m.Words != "" {
		at := p.X + number.Width(s) + wordsGap
		c.FillText(soft, vg.Point{X: at, Y: p.Y}, Fit(soft, m.Words, min(c.Max.X+overhang, end+0.1)-at))
	}
}

func (b *Bars) drawMark(c draw.Canvas, m *Mark, x func(float64) vg.Length, y vg.Length) {
	if m.Faint() {
		if side := b.beyond(m); side != 0 {
			Arrow(c, vg.Point{X: x(m.V), Y: y}, side, m.Look)
			return
		}
		m.Look.Mark(c, vg.Point{X: x(m.V), Y: y}, 1.6)
		return
	}
	if m.Least < m.Most {
		c.StrokeLine2(draw.LineStyle{Color: LineColor, Width: 0.7}, x(m.Least), y, x(m.Most), y)
	}
	ink := m.Look.Color
	whisker := ink
	if !b.free() {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: barWidth}, x(b.Origin), y, x(m.V), y)
		whisker = InkColor // against the bar
	}

	width := vg.Length(0.9)
	if m.Thick {
		width = 4
		whisker = Fade(whisker)
	}
	c.StrokeLine2(draw.LineStyle{Color: whisker, Width: width}, x(m.Low), y, x(m.High), y)
	if m.High > b.Axis.Max {
		head(c, vg.Point{X: x(m.High), Y: y}, vg.Point{X: 1}, whisker)
	}
	if m.Low < b.Axis.Min {
		head(c, vg.Point{X: x(m.Low), Y: y}, vg.Point{X: -1}, whisker)
	}
	if m.Thick { // below the mark, which may be at the same place
		c.StrokeLine2(draw.LineStyle{Color: InkColor, Width: 1.3}, x(m.Hollow), y-medianHalf, x(m.Hollow),
			y+medianHalf)
	}
	const radius = 3.4
	if side := b.beyond(m); side != 0 {
		Arrow(c, vg.Point{X: x(m.V), Y: y}, side, m.Look)
	} else {
		m.Look.Mark(c, vg.Point{X: x(m.V), Y: y}, radius)
	}
	Hover(c, vg.Point{X: x(m.V), Y: y}, func() string { return b.about(m) })
	if !math.IsNaN(m.Hollow) && !m.Thick {
		hollow := m.Look
		hollow.Hollow = true
		hollow.Mark(c, vg.Point{X: x(m.Hollow), Y: y}, radius)
	}
}

// Arrow stands for a mark beyond the axis, to the left (−1) or the right (1).
func Arrow(c draw.Canvas, at vg.Point, side int, l Look) {
	way := vg.Length(side)
	c.StrokeLine2(draw.LineStyle{Color: l.Color, Width: 1.4}, at.X-9*way, at.Y, at.X-3*way, at.Y)
	c.FillPolygon(l.Color, []vg.Point{{X: at.X + way, Y: at.Y}, {X: at.X - 5*way, Y: at.Y + 3.4},
		{X: at.X - 5*way, Y: at.Y - 3.4}})
}

// about returns the tip of a mark.
func (b *Bars) about(m *Mark) string {
	value := Between(b.Number, m.V, m.Low, m.High)
	if m.Row == nil {
		return strings.TrimPrefix(m.Name+": ", ": ") + value + " " + b.Label
	}
	return value + " " + b.Label + ". " + analysis.About(m.Row)
}

// Between prints a value with its interval.
func Between(number func(float64) string, v, low, high float64) string {
	if low == v && high == v {
		return number(v)
	}
	return number(v) + " (" + number(low) + " to " + number(high) + ")"
}
