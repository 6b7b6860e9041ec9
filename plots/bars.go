package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/store"
)

// bars are what a page of horizontal bars shows: rows from top to bottom, and
// columns that share an axis. A cell holds marks beneath each other, each a bar
// with its interval, or a dot where they are many.
type bars struct {
	rows    []barRow
	columns []string // their headings
	slots   int      // places for marks in a row
	axis    scale
	label   string  // of the axis
	origin  float64 // where bars start; NaN: nowhere, and marks are dots on thin lines
	number  func(v float64) string
	roof    float64 // drawn where it is within reach; 0: none
}

// A barRow is a matrix or a kernel with its marks, by column.
type barRow struct {
	name, note string
	cells      [][]mark
}

// A mark is a value with its interval.
type mark struct {
	slot         int // from the top; −1: not drawn, but it may be the row's highest
	look         look
	v, low, high float64
	hollow       float64    // another value to compare with, as a hollow marker; NaN: none
	words        string     // written after the number of the highest
	row          *store.Row // that it shows; nil: several, or none
	name         string     // of what it shows where that is no trial
}

// pitch is the distance between two marks of a cell: bars while they are few,
// dots on nearly one line when they are many.
func (b *bars) pitch() vg.Length {
	switch marks := len(b.rows) * b.slots; {
	case b.slots == 1, marks <= 120:
		return 8
	case marks <= 200:
		return 5
	}
	return 2
}

// oneLine says that rows are so low that name and note stand beside each other.
func (b *bars) oneLine() bool { return b.slots == 1 }

func (b *bars) rowHeight() vg.Length {
	if b.oneLine() {
		return 17
	}
	return max(30, b.pitch()*vg.Length(b.slots)+9)
}

const barsBottom = vg.Length(36) // for the ticks and the label of the axis

// height is that of the body of a page.
func (b *bars) height() vg.Length {
	if len(b.columns) == 0 {
		return 0
	}
	return b.rowHeight()*vg.Length(len(b.rows)) + headingHeight + barsBottom
}

func (b *bars) draw(c draw.Canvas) {
	left, _ := b.sides()
	b.drawRows(c)
	width := b.columnWidth(c.Max.X - c.Min.X)
	for i := range b.columns {
		column := c
		column.Min.X = c.Min.X + left + vg.Length(i)*(width+columnGap) + 8
		column.Max.X = column.Min.X + width
		b.drawColumn(column, i)
	}
	label := at(typeface(labelSize, false, softColor), text.XCenter, text.YBottom)
	c.FillText(label, vg.Point{X: (c.Min.X + left + c.Max.X) / 2, Y: c.Min.Y}, fit(label, b.label, c.Max.X-c.Min.X-left))
}

const columnGap = vg.Length(22)

// columnWidth is that of the data of a column, of a body of this width.
func (b *bars) columnWidth(body vg.Length) vg.Length {
	left, _ := b.sides()
	return (body-left)/vg.Length(len(b.columns)) - columnGap
}

// sides is the width that rows take for their names and notes, and for names alone.
func (b *bars) sides() (left, names vg.Length) {
	name := typeface(labelSize, false, inkColor)
	soft := typeface(tickSize-0.5, false, softColor)
	var notes vg.Length
	for i := range b.rows {
		names = max(names, name.Width(b.rows[i].name))
		notes = max(notes, soft.Width(b.rows[i].note))
	}
	names = min(max(names, 70), 190)
	left = names + 8
	if b.oneLine() {
		left += notes + 6
	}
	return left, names
}

// drawRows draws the names of the rows, every other one on a band.
func (b *bars) drawRows(c draw.Canvas) {
	name := typeface(labelSize, false, inkColor)
	soft := typeface(tickSize-0.5, false, softColor)
	left, names := b.sides()
	height, top := b.rowHeight(), c.Max.Y-headingHeight
	for i := range b.rows {
		r, y := &b.rows[i], top-vg.Length(i)*height
		c.SetColor(background(i))
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y - height}, Max: vg.Point{X: c.Max.X, Y: y}}.Path())
		mid := y - height/2
		if b.oneLine() {
			c.FillText(at(name, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + 3, Y: mid + 1}, fit(name, r.name, names))
			c.FillText(at(soft, text.XRight, text.YCenter), vg.Point{X: c.Min.X + left - 2, Y: mid + 1}, r.note)
			continue
		}
		c.FillText(at(name, text.XLeft, text.YBottom), vg.Point{X: c.Min.X + 3, Y: mid - 1.5}, fit(name, r.name, names))
		c.FillText(at(soft, text.XLeft, text.YTop), vg.Point{X: c.Min.X + 3, Y: mid - 2.5}, fit(soft, r.note, left-4))
	}
}

// background is the colour behind the i-th row.
func background(i int) color.Color {
	if i%2 == 0 {
		return bandColor
	}
	return paperColor
}

// reach is the range of all that is drawn.
func (b *bars) reach() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range b.rows {
		for _, cell := range b.rows[i].cells {
			for _, m := range cell {
				low, high = min(low, m.low), max(high, m.high)
				if !math.IsNaN(m.hollow) {
					low, high = min(low, m.hollow), max(high, m.hollow)
				}
			}
		}
	}
	return low, high
}

// hasRoof reports whether the roof is on the page.
func (b *bars) hasRoof() bool { return b.roof > b.axis.min && b.roof < b.axis.max }
