package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
	"spmvtune/store"
)

// Bars are marks in rows, from top to bottom, and columns that share an axis. A few marks of a
// cell are horizontal bars below each other, with their intervals; more are dots on one line.
type Bars struct {
	Rows    []BarRow
	Columns []string // Headings of the columns.
	Slots   int      // The number of bars that a row has room for.
	Dots    bool     // Marks are dots on one line.
	Axis    canvas.Scale
	Label   string  // The label of the axis.
	Origin  float64 // Where bars start; NaN for the left end.
	Number  func(v float64) string
	Roof    float64 // The bandwidth of the device, drawn if it is within reach; 0 for none.
	part    float64 // The part of a column's width that its axis takes, see axisPart.
}

// A BarRow is a matrix or a kernel with its marks, by column.
type BarRow struct {
	Name, Note string
	Cells      [][]Mark
}

// A Mark is a value with its interval.
type Mark struct {
	Slot         int // The slot from the top; −1 for no bar. The mark may be the row's highest all the same.
	Look         canvas.Look
	V, Low, High float64
	Least, Most  float64    // A range around the interval, drawn as a thin line; equal for none.
	Hollow       float64    // Another value to compare with, a hollow marker or, where Thick, a line; NaN for none.
	Words        string     // Words after the number of the highest.
	First        bool       // It has the number, whatever the values are.
	Faint        bool       // It is small and without an interval.
	Thick        bool       // The interval is of many values, and drawn thick.
	Row          *store.Row // The trial that it shows, nil for several or none.
	Name         string     // The name of what it shows if that is not a trial.
}

// MostBars is the most marks of a cell that are bars: more colours are not told apart, and more
// bars not compared with their neighbours' in the next row.
const MostBars = 6

// pitch is the distance between two bars of a cell.
const pitch = vg.Length(8)

// oneLine reports whether rows are so low that name and note stand side by side.
func (b *Bars) oneLine() bool { return b.Dots || b.Slots == 1 }

func (b *Bars) rowHeight() vg.Length {
	least, single := vg.Length(30), vg.Length(17)
	if canvas.Narrow() {
		least, single = 25, 14
	}
	if b.oneLine() {
		return single
	}
	return max(least, pitch*vg.Length(b.Slots)+9)
}

const barsBottom = vg.Length(36) // for the ticks and the label of the axis

// stacked reports whether columns stand below each other, because they have no room side by side.
func (b *Bars) stacked() bool { return canvas.Narrow() && len(b.Columns) > 1 }

// columnHeight returns the height of a column with its heading and axis.
func (b *Bars) columnHeight() vg.Length {
	return b.rowHeight()*vg.Length(len(b.Rows)) + HeadingHeight + barsBottom
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
		for i, name := range b.Columns {
			single := *b
			single.Columns, single.Rows = []string{name}, nil
			for _, r := range b.Rows {
				r.Cells = r.Cells[i : i+1]
				single.Rows = append(single.Rows, r)
			}
			of := c
			of.Max.Y = c.Max.Y - vg.Length(i)*(b.columnHeight()+columnPad)
			of.Min.Y = of.Max.Y - b.columnHeight()
			single.draw(of)
		}
		return
	}

	left, _ := b.sides()
	b.drawRows(c)
	width := b.columnWidth(c.Max.X - c.Min.X)

	for i := range b.Columns {
		column := c
		column.Min.X = c.Min.X + left + vg.Length(i)*(width+columnGap) + 8
		column.Max.X = column.Min.X + width
		b.drawColumn(column, i)
	}

	label := canvas.At(canvas.Typeface(canvas.LabelSize, false, canvas.SoftColor), text.XCenter, text.YBottom)
	mid := (c.Min.X + left + c.Max.X) / 2
	if half := label.Width(b.Label) / 2; mid+half > c.Max.X { // too long for the data: it may start further left
		mid = max(c.Max.X-half, (c.Min.X+c.Max.X)/2)
	}
	c.FillText(label, vg.Point{X: mid, Y: c.Min.Y}, canvas.Fit(label, b.Label, c.Max.X-c.Min.X))
}

const (
	columnGap = vg.Length(22)
	columnPad = vg.Length(10) // between columns below each other
)

// columnWidth returns the width of a column's data in a body of this width.
func (b *Bars) columnWidth(body vg.Length) vg.Length {
	left, _ := b.sides()
	if b.stacked() {
		return body - left - columnGap
	}
	return (body-left)/vg.Length(len(b.Columns)) - columnGap
}

// mostNarrow is the room for names in a narrow column: it holds the longest name of a kernel.
const mostNarrow = vg.Length(144)

// sides returns the width of the rows' names and notes, and of the names alone.
func (b *Bars) sides() (left, names vg.Length) {
	name := canvas.Typeface(canvas.LabelSize, false, canvas.InkColor)
	soft := canvas.Typeface(canvas.TickSize-0.5, false, canvas.SoftColor)

	var notes vg.Length
	for i := range b.Rows {
		names = max(names, name.Width(b.Rows[i].Name))
		notes = max(notes, soft.Width(b.Rows[i].Note))
	}

	names = min(max(names, 70), 190)
	if canvas.Narrow() {
		names = min(names, mostNarrow)
	}
	left = names + 8
	if b.oneLine() && !canvas.Narrow() {
		left += notes + 6
	}
	return left, names
}

// drawRows draws the names of the rows. Every other row has a band.
func (b *Bars) drawRows(c draw.Canvas) {
	name := canvas.Typeface(canvas.LabelSize, false, canvas.InkColor)
	soft := canvas.Typeface(canvas.TickSize-0.5, false, canvas.SoftColor)
	left, names := b.sides()
	height, top := b.rowHeight(), c.Max.Y-HeadingHeight

	for i := range b.Rows {
		r, y := &b.Rows[i], top-vg.Length(i)*height
		c.SetColor(background(i))
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y - height}, Max: vg.Point{X: c.Max.X, Y: y}}.Path())
		mid := y - height/2
		if b.oneLine() {
			c.FillText(canvas.At(name, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + 3, Y: mid + 1},
				canvas.Fit(name, r.Name, names))
			if !canvas.Narrow() {
				c.FillText(canvas.At(soft, text.XRight, text.YCenter), vg.Point{X: c.Min.X + left - 2, Y: mid + 1}, r.Note)
			}
			continue
		}
		c.FillText(canvas.At(name, text.XLeft, text.YBottom), vg.Point{X: c.Min.X + 3, Y: mid - 1.5},
			canvas.Fit(name, r.Name, names))
		c.FillText(canvas.At(soft, text.XLeft, text.YTop), vg.Point{X: c.Min.X + 3, Y: mid - 2.5},
			canvas.Fit(soft, r.Note, left-4))
	}
}

// background returns the colour behind the i-th row.
func background(i int) color.Color {
	if i%2 == 0 {
		return canvas.BandColor
	}
	return canvas.PaperColor
}

// Reach returns the range of all marks, with the part of the intervals that the axis shows.
func (b *Bars) Reach() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	shortest, longest := low, high // the ends of whiskers
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
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
	}

	return min(low, max(shortest, low/whiskerRoom)), Top(high, longest)
}

// Usual is the range of the marks without those that are far from nearly all others.
func (b *Bars) Usual() (low, high float64) {
	var all []float64
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
			for _, m := range cell {
				all = append(all, m.V)
			}
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

// Clips reports whether a mark lies beyond the axis.
func (b *Bars) Clips() bool {
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
			for k := range cell {
				if b.beyond(&cell[k]) != 0 {
					return true
				}
			}
		}
	}
	return false
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

// Left is the width of the names of the rows.
func (b *Bars) Left() vg.Length {
	left, _ := b.sides()
	return left
}

// HasRoof reports whether the roof is within the axis.
func (b *Bars) HasRoof() bool { return b.Roof > b.Axis.Min && b.Roof < b.Axis.Max }
