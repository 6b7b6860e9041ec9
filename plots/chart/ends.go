package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
)

// endLabels write the names of lines to the right of the data, near their ends.
type endLabels struct {
	list   []lineEnd
	beside vg.Length // What is taken to the right of the data.
}

// A lineEnd is where a line ends. One of a kernel without a choice has no X.
type lineEnd struct {
	name string
	look canvas.Look
	at   Point
	flat bool
}

const (
	endRoom  = vg.Length(26) // from the data to the names
	endPitch = vg.Length(12) // from name to name
)

func endStyle() text.Style {
	return canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.InkColor), text.XLeft, text.YCenter)
}

func (e endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := endStyle()
	right := c.Max.X + e.beside
	ends := make([]vg.Length, len(e.list))
	for i := range e.list {
		ends[i] = ty(min(max(e.list[i].at.Y, p.Y.Min), p.Y.Max))
	}

	for i, y := range spread(ends, endPitch, c.Min.Y, c.Max.Y) {
		end := e.list[i]
		from := vg.Point{X: right, Y: ends[i]}
		if !end.flat {
			from.X = tx(end.at.X)
		}
		mark := vg.Point{X: right + endRoom - 9, Y: y}
		c.StrokeLines(draw.LineStyle{Color: end.look.Color, Width: 0.6},
			[]vg.Point{from, {X: max(from.X, right-4), Y: from.Y}, {X: mark.X - 7, Y: y}, mark})
		end.look.Mark(c, mark, 3.2)
		c.FillText(style, vg.Point{X: right + endRoom, Y: y + 1}, end.name)
	}
}

func (e endLabels) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var width vg.Length
	for _, end := range e.list {
		width = max(width, e.beside+endRoom+endStyle().Width(end.name))
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width}}}}
}

// spread moves positions apart to at least this pitch, in their order and as little as that
// takes, within low and high if there is room.
func spread(at []vg.Length, pitch, low, high vg.Length) []vg.Length {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
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
	return within(moved, order, pitch, low, high)
}

// within pushes positions, which are apart, from the ends inwards.
func within(moved []vg.Length, order []int, pitch, low, high vg.Length) []vg.Length {
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
