// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/store"
)

// Bars are marks in rows, from top to bottom, and columns that share an axis. A few marks of a
// cell are horizontal bars below each other, with their intervals; more are dots on one line.
type Bars struct {
	Rows    []BarRow
	Columns []string // Headings of the columns.
	Slots   int      // The number of bars that a row has room for.
	Dots    bool     // Marks are dots on one line.
	Tight   bool     // Marks of a cell are close to each other, each at its height, without bars.
	Axis    Scale
	Label   string  // The label of the axis.
	Origin  float64 // Where bars start; NaN for the left end.
	Number  func(v float64) string
	Roof    Roof    // The bandwidth of the device, drawn if it is within reach.
	part    float64 // The part of a column's width that its axis takes, see axisPart.
}

// A BarRow is a matrix or a kernel with its marks, by column.
type BarRow struct {
	Name, Note string
	Cells      [][]Mark
}

// A Mark is a value with its interval.
type Mark struct {
	Slot         int // The slot from the top; −1 for a small mark without an interval, or no bar.
	Look         Look
	V, Low, High float64
	Least, Most  float64    // A range around the interval, drawn as a thin line; equal for none.
	Hollow       float64    // Another value to compare with, a hollow marker or, where Thick, a line; NaN for none.
	Words        string     // Words after the number of the highest.
	First        bool       // It has the number, whatever the values are.
	Thick        bool       // The interval is of many values, and drawn thick.
	Row          *store.Row // The trial that it shows, nil for several or none.
	Name         string     // The name of what it shows if that is not a trial.
}

// Faint reports whether the mark is small and without an interval, or no bar.
func (m *Mark) Faint() bool { return m.Slot < 0 }

// MostBars is the most marks of a cell that are bars: more colours are not told apart, and more
// bars not compared with their neighbours' in the next row.
const MostBars = 6

// pitch is the distance between two marks of a cell.
func (b *Bars) pitch() vg.Length {
	if b.Tight {
		return 3.4
	}
	return 8
}

// barWidth is the width of a bar.
const barWidth = vg.Length(2.9)

// oneLine reports whether the marks of a cell are on one line.
func (b *Bars) oneLine() bool { return b.Dots || b.Slots == 1 }

// low reports whether rows are so low that name and note stand side by side.
func (b *Bars) low() bool { return b.oneLine() || b.Tight }

// free reports whether marks have no bars.
func (b *Bars) free() bool { return b.Dots || b.Tight || math.IsNaN(b.Origin) }

func (b *Bars) rowHeight() vg.Length {
	least, single := Here[vg.Length](30, 25), Here[vg.Length](17, 14)
	switch {
	case b.oneLine():
		return single
	case b.Tight:
		return max(single, b.pitch()*vg.Length(b.Slots)+6)
	}
	return max(least, b.pitch()*vg.Length(b.Slots)+9)
}

const barsBottom = vg.Length(36) // for the ticks and the label of the axis

// stacked reports whether columns stand below each other, because they have no room side by side.
func (b *Bars) stacked() bool { return Narrow() && len(b.Columns) > 1 }

// columnHeight returns the height of a column with its heading and axis.
func (b *Bars) columnHeight() vg.Length {
	return b.rowHeight()*vg.Length(len(b.Rows)) + headingHeight + barsBottom
}

// Height returns the height of the body.
func (b *Bars) Height() vg.Length {
	switch {
	case len(b.Columns) == 0:
		return 0
	case b.stacked():
		return (b.columnHeight()+columnPad)*vg.Length(len(b.Columns)) - columnPad
	}
	return b.columnHeight()
}

func (b *Bars) Draw(c draw.Canvas) {
	fitted := *b
	fitted.part = b.axisPart(c.Max.X - c.Min.X)
	fitted.draw(c)
}

func (b *Bars) draw(c draw.Canvas) {
	if b.stacked() {
		for i, single := range b.apart() {
			of := c
			of.Max.Y = c.Max.Y - vg.Length(i)*(b.columnHeight()+columnPad)
			of.Min.Y = of.Max.Y - b.columnHeight()
			single.draw(of)
		}
		return
	}

	left, _ := b.Sides()
	b.drawRows(c)
	width := b.columnWidth(c.Max.X - c.Min.X)

	for i := range b.Columns {
		column := c
		column.Min.X = c.Min.X + left + vg.Length(i)*(width+columnGap) + 8
		column.Max.X = column.Min.X + width
		b.drawColumn(column, i)
	}

	label := At(Typeface(LabelSize, false, SoftColor), text.XCenter, text.YBottom)
	mid := (c.Min.X + left + c.Max.X) / 2
	if half := label.Width(b.Label) / 2; mid+half > c.Max.X { // too long for the data: it may start further left
		mid = max(c.Max.X-half, (c.Min.X+c.Max.X)/2)
	}
	c.FillText(label, vg.Point{X: mid, Y: c.Min.Y}, Fit(label, b.Label, c.Max.X-c.Min.X))
}

// apart returns the columns as bars of their own.
func (b *Bars) apart() (list []*Bars) {
	for i, name := range b.Columns {
		single := *b
		single.Columns, single.Rows = []string{name}, nil
		for _, r := range b.Rows {
			r.Cells = r.Cells[i : i+1]
			single.Rows = append(single.Rows, r)
		}
		list = append(list, &single)
	}
	return list
}

const (
	columnGap = vg.Length(22)
	columnPad = vg.Length(10) // between columns below each other
)

// columnWidth returns the width of a column's data in a body of this width.
func (b *Bars) columnWidth(body vg.Length) vg.Length {
	left, _ := b.Sides()
	if b.stacked() {
		return body - left - columnGap
	}
	return (body-left)/vg.Length(len(b.Columns)) - columnGap
}

// mostNarrow is the room for names in a narrow column: it holds the longest name of a kernel.
const mostNarrow = vg.Length(156)

// Sides returns the width of the rows' names and notes, and of the names alone.
func (b *Bars) Sides() (left, names vg.Length) {
	name := Typeface(LabelSize, false, InkColor)
	soft := Typeface(TickSize-0.5, false, SoftColor)

	var notes vg.Length
	for i := range b.Rows {
		names = max(names, name.Width(b.Rows[i].Name))
		notes = max(notes, soft.Width(b.Rows[i].Note))
	}

	names = min(max(names, 70), Here(190, mostNarrow))
	left = names + 8
	if b.low() && !Narrow() {
		left += notes + 6
	}
	return left, names
}

// drawRows draws the names of the rows. Every other row has a band.
func (b *Bars) drawRows(c draw.Canvas) {
	name := Typeface(LabelSize, false, InkColor)
	soft := Typeface(TickSize-0.5, false, SoftColor)
	left, names := b.Sides()
	height, top := b.rowHeight(), c.Max.Y-headingHeight

	for i := range b.Rows {
		r, y := &b.Rows[i], top-vg.Length(i)*height
		c.SetColor(background(i))
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y - height}, Max: vg.Point{X: c.Max.X, Y: y}}.Path())
		mid := y - height/2
		if b.low() {
			c.FillText(At(name, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + 3, Y: mid + 1},
				Fit(name, r.Name, names))
			if !Narrow() {
				c.FillText(At(soft, text.XRight, text.YCenter), vg.Point{X: c.Min.X + left - 2, Y: mid + 1}, r.Note)
			}
			continue
		}
		c.FillText(At(name, text.XLeft, text.YBottom), vg.Point{X: c.Min.X + 3, Y: mid - 1.5},
			Fit(name, r.Name, names))
		c.FillText(At(soft, text.XLeft, text.YTop), vg.Point{X: c.Min.X + 3, Y: mid - 2.5},
			Fit(soft, r.Note, left-4))
	}
}

// background returns the colour behind the i-th row.
func background(i int) color.Color {
	if i%2 == 0 {
		return BandColor
	}
	return PaperColor
}

// NewRows makes rows of these names with the marks of each in every column. note may be nil.
func NewRows(names []string, note func(name string) string, columns int, marks func(name string, column int) []Mark) []BarRow {
	rows := make([]BarRow, len(names))
	for i, name := range names {
		rows[i] = BarRow{Name: name}
		if note != nil {
			rows[i].Note = note(name)
		}
		for column := range columns {
			rows[i].Cells = append(rows[i].Cells, marks(name, column))
		}
	}
	return rows
}

// Cells goes through the cells of all rows that have marks.
func (b *Bars) Cells(yield func([]Mark) bool) {
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
			if len(cell) > 0 && !yield(cell) {
				return
			}
		}
	}
}

// Reach returns the range of all marks, with the part of the intervals that the axis shows.
func (b *Bars) Reach() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	shortest, longest := low, high // the ends of whiskers
	for cell := range b.Cells {
		for _, m := range cell {
			low, high = min(low, m.V), max(high, m.V)
			shortest, longest = min(shortest, m.Low), max(longest, m.High)
			if m.Least < m.Most {
				low, high = min(low, m.Least), max(high, m.Most)
			}
			if !math.IsNaN(m.Hollow) {
				low, high = min(low, m.Hollow), max(high, m.Hollow)
			}
		}
	}

	return min(low, max(shortest, low/whiskerRoom)), Top(high, longest)
}

// Usual is the range of the marks without those that are far from nearly all others.
func (b *Bars) Usual() (low, high float64) {
	var all []float64
	for cell := range b.Cells {
		for _, m := range cell {
			all = append(all, m.V)
		}
	}
	low, high = b.Reach()
	if len(all) == 0 {
		return low, high
	}
	slices.Sort(all)
	const far = 3
	return max(low, quantile(all, 0.05)/far), min(high, quantile(all, 0.95)*far)
}

// beyond is −1 for a mark below the axis, 1 for one above it, and 0 for others.
func (b *Bars) beyond(m *Mark) int {
	switch {
	case m.V < b.Axis.Min:
		return -1
	case m.V > b.Axis.Max:
		return 1
	}
	return 0
}

// HasRoof reports whether the roof is within the axis.
func (b *Bars) HasRoof() bool { return b.Roof.High > b.Axis.Min && b.Roof.High < b.Axis.Max }

// drawColumn draws the i-th column: heading, axis, grid and marks.
func (b *Bars) drawColumn(c draw.Canvas, i int) {
	x := func(v float64) vg.Length {
		return c.Min.X + vg.Length(b.part)*(c.Max.X-c.Min.X)*b.along(v)
	}
	low, high := c.Min.Y+barsBottom, c.Max.Y-headingHeight
	heading{Text: b.Columns[i]}.Plot(draw.Crop(c, 0, 0, barsBottom, -headingHeight), nil)

	if b.HasRoof() {
		c.SetColor(BandColor)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(b.Roof.Low), Y: low}, Max: vg.Point{X: x(b.Roof.High), Y: high}}.Path())
	}
	tick := At(Typeface(TickSize, false, SoftColor), text.XCenter, text.YTop)
	for _, t := range Spaced(b.Axis.Ticks, x, tick) {
		style := draw.LineStyle{Color: GridColor, Width: 0.7}
		if t.Value == b.Origin {
			style = draw.LineStyle{Color: LineColor, Width: 1.2}
		}
		c.StrokeLine2(style, x(t.Value), low, x(t.Value), high)
		c.FillText(tick, vg.Point{X: x(t.Value), Y: low - 4}, t.Label)
	}

	if b.HasRoof() {
		c.StrokeLine2(dashed, x(b.Roof.High), low, x(b.Roof.High), high)
	}

	height := b.rowHeight()
	for j := range b.Rows {
		b.drawCell(c, b.Rows[j].Cells[i], x, high-vg.Length(j)*height-height/2, background(j))
	}
}

// along is where a value lies on the axis, from 0 to 1.
func (b *Bars) along(v float64) vg.Length {
	return vg.Length(b.Axis.Norm.Normalize(b.Axis.Min, b.Axis.Max, min(max(v, b.Axis.Min), b.Axis.Max)))
}
