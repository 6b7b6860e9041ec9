// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/internal/base/lists"
)

// A heading names a panel above its data.
type heading struct{ Text, Note string }

const headingHeight = vg.Length(18)

func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	style := At(Typeface(LabelSize, true, InkColor), text.XLeft, text.YBottom)
	soft := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YBottom)
	width, gap := c.Max.X-c.Min.X, vg.Length(5)
	if style.Width(h.Text) > width { // a name is rather small than cut
		style = At(Typeface(TickSize, false, InkColor), text.XLeft, text.YBottom)
	}
	name, y := Fit(style, h.Text, width), c.Max.Y+5
	c.FillText(style, vg.Point{X: c.Min.X, Y: y}, name)
	// The name comes first: a note that it leaves no room for can do without.
	if after := style.Width(name) + gap; after+soft.Width(h.Note) <= width {
		c.FillText(soft, vg.Point{X: c.Min.X + after, Y: y}, h.Note)
	}
}

func (heading) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: headingHeight}}}}
}

// Ends write the names of lines to the right of the data, near their ends.
type Ends struct {
	Lines []Line
	Slots int // The number of slots beside the data, see Slot.
}

const (
	endRoom  = vg.Length(26) // from the data to the names
	endPitch = vg.Length(12) // from name to name
)

func endStyle() text.Style {
	return At(Typeface(TickSize, false, InkColor), text.XLeft, text.YCenter)
}

func (e Ends) Plot(c draw.Canvas, p *plot.Plot) {
	style := endStyle()
	right := c.Max.X + slotWidth*vg.Length(e.Slots)
	from, heights := make([]vg.Point, len(e.Lines)), make([]vg.Length, len(e.Lines))
	for i, l := range e.Lines {
		last := slices.MaxFunc(l.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		from[i] = places(c, p, []Point{last})[0]
		if l.Flat() {
			from[i].X = right
		}
		heights[i] = from[i].Y
	}

	for i, y := range spread(heights, endPitch, c.Min.Y, c.Max.Y) {
		l, mark := e.Lines[i], vg.Point{X: right + endRoom - 9, Y: y}
		c.StrokeLines(draw.LineStyle{Color: l.Look.Color, Width: 0.6},
			[]vg.Point{from[i], {X: max(from[i].X, right-4), Y: from[i].Y}, {X: mark.X - 7, Y: y}, mark})
		l.Look.Mark(c, mark, 3.2)
		c.FillText(style, vg.Point{X: right + endRoom, Y: y + 1}, l.Kernel)
	}
}

func (e Ends) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	width := slotWidth*vg.Length(e.Slots) + endRoom +
		lists.Most(e.Lines, func(l Line) vg.Length { return endStyle().Width(l.Kernel) })
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width}}}}
}

// spread moves positions apart to at least this pitch, in their order and as little as that
// takes, within low and high if there is room.
func spread(at []vg.Length, pitch, low, high vg.Length) []vg.Length {
	order := lists.Indices(len(at))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })

	// Isotonic regression of where the positions are without the pitch: neighbours in the wrong
	// order share their mean.
	type block struct{ sum, n vg.Length }
	mean := func(b block) vg.Length { return b.sum / b.n }
	var blocks []block
	for k, i := range order {
		blocks = append(blocks, block{at[i] - vg.Length(k)*pitch, 1})
		for n := len(blocks); n > 1 && mean(blocks[n-2]) > mean(blocks[n-1]); n = len(blocks) {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].n += blocks[n-1].n
			blocks = blocks[:n-1]
		}
	}

	moved := make([]vg.Length, len(at))
	k := 0
	for _, b := range blocks {
		for range int(b.n) {
			moved[order[k]] = mean(b) + vg.Length(k)*pitch
			k++
		}
	}
	return inRange(moved, order, pitch, low, high)
}

// inRange pushes positions, which are apart, from the ends inwards.
func inRange(moved []vg.Length, order []int, pitch, low, high vg.Length) []vg.Length {
	for k := len(order) - 1; k >= 0; k-- {
		high = min(high, moved[order[k]])
		moved[order[k]] = high
		high -= pitch
	}
	for _, i := range order {
		low = max(low, moved[i])
		moved[i] = low
		low += pitch
	}
	return moved
}
