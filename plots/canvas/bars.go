package canvas

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/analysis"
	"spmvtune/store"
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
	Look         Look
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
	least, single := vg.Length(30), vg.Length(17)
	if Narrow() {
		least, single = 25, 14
	}
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

	label := At(Typeface(LabelSize, false, SoftColor), text.XCenter, text.YBottom)
	mid := (c.Min.X + left + c.Max.X) / 2
	if half := label.Width(b.Label) / 2; mid+half > c.Max.X { // too long for the data: it may start further left
		mid = max(c.Max.X-half, (c.Min.X+c.Max.X)/2)
	}
	c.FillText(label, vg.Point{X: mid, Y: c.Min.Y}, Fit(label, b.Label, c.Max.X-c.Min.X))
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
	name := Typeface(LabelSize, false, InkColor)
	soft := Typeface(TickSize-0.5, false, SoftColor)

	var notes vg.Length
	for i := range b.Rows {
		names = max(names, name.Width(b.Rows[i].Name))
		notes = max(notes, soft.Width(b.Rows[i].Note))
	}

	names = min(max(names, 70), 190)
	if Narrow() {
		names = min(names, mostNarrow)
	}
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
	left, names := b.sides()
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

// drawColumn draws the i-th column: heading, axis, grid and marks.
func (b *Bars) drawColumn(c draw.Canvas, i int) {
	x := func(v float64) vg.Length {
		return c.Min.X + vg.Length(b.part)*(c.Max.X-c.Min.X)*b.along(v)
	}
	low, high := c.Min.Y+barsBottom, c.Max.Y-headingHeight
	heading{Text: b.Columns[i]}.Plot(draw.Crop(c, 0, 0, barsBottom, -headingHeight), nil)

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
		c.StrokeLine2(draw.LineStyle{Color: LineColor, Width: 1, Dashes: []vg.Length{4, 3}}, x(b.Roof), low,
			x(b.Roof), high)
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

// drawCell draws the marks of a cell around the height mid, and the number of the highest
// mark.
func (b *Bars) drawCell(c draw.Canvas, cell []Mark, x func(float64) vg.Length, mid vg.Length, behind color.Color) {
	if len(cell) == 0 {
		return
	}
	b.drawStems(c, cell, x, mid)
	for k := range cell {
		if m := &cell[k]; m.Slot >= 0 || b.Dots {
			b.drawMark(c, m, x, b.height(m, mid))
		}
	}
	best, reach := b.numbered(cell, x)
	if best.Slot >= 0 || b.Dots { // above the others
		b.drawMark(c, best, x, b.height(best, mid))
	}
	b.drawNumber(c, best, vg.Point{X: reach + numberGap, Y: b.numberAt(best, mid)}, behind)
}

// numbered returns the mark of a cell that has the number, and where what is drawn on its line ends.
func (b *Bars) numbered(cell []Mark, x func(float64) vg.Length) (best *Mark, reach vg.Length) {
	best, reach = &cell[0], vg.Length(math.Inf(-1))
	for k := range cell {
		m := &cell[k]
		if m.First || m.V > best.V && !best.First {
			best = m
		}
		if m.Slot >= 0 || b.Dots {
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

// numberAt is the height of a mark's number.
func (b *Bars) numberAt(m *Mark, mid vg.Length) vg.Length {
	if b.Tight {
		return mid
	}
	return b.height(m, mid)
}

// end is the right end of a mark with its interval. Numbers may cover its range if that is thin.
func (m *Mark) end(x func(float64) vg.Length) vg.Length {
	end := x(max(m.V, m.High))
	if m.Faint {
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
	const leastPart = 0.55
	width, part := b.columnWidth(body), vg.Length(1)
	for i := range b.Rows {
		for _, cell := range b.Rows[i].Cells {
			if len(cell) == 0 {
				continue
			}
			best, reach := b.numbered(cell, func(v float64) vg.Length { return width * b.along(v) })
			if room := width + overhang - numberGap - b.wordsWidth(best); reach*part > room {
				part = room / reach
			}
		}
	}
	return max(float64(part), leastPart)
}

// wordsWidth returns the width of a mark's number and words.
func (b *Bars) wordsWidth(m *Mark) vg.Length {
	width := Typeface(TickSize, true, InkColor).Width(b.Number(m.V))
	if m.Words != "" {
		words := Typeface(TickSize-0.5, false, SoftColor).Width(m.Words)
		if b.Dots && len(b.Columns) > 1 {
			words = min(words, mostWords)
		}
		width += wordsGap + words
	}
	return width
}

const (
	overhang  = columnGap - 8 // How far numbers and words may reach beyond a column.
	numberGap = vg.Length(6)  // The distance from a mark to its number.
	wordsGap  = vg.Length(5)  // The distance from the number to its words.
	mostWords = vg.Length(86) // The longest words beside dots in several columns.

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
	c.FillText(number, p, s)
	if m.Words != "" {
		at := p.X + number.Width(s) + wordsGap
		c.FillText(soft, vg.Point{X: at, Y: p.Y}, Fit(soft, m.Words, min(c.Max.X+overhang, end+0.1)-at))
	}
}

func (b *Bars) drawMark(c draw.Canvas, m *Mark, x func(float64) vg.Length, y vg.Length) {
	if m.Faint {
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
		m.Look.Marker.Outline(c, vg.Point{X: x(m.Hollow), Y: y}, radius, ink)
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
