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

// endLabels write the names of sets to the right of the data, near the ends of their running
// medians.
type endLabels []Set

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
	ends := make([]vg.Length, len(e))
	for i, s := range e {
		ends[i] = ty(s.Trend[len(s.Trend)-1].Y)
	}

	for i, y := range spread(ends, endPitch, c.Min.Y, c.Max.Y) {
		s := e[i]
		from := vg.Point{X: tx(s.Trend[len(s.Trend)-1].X), Y: ends[i]}
		mark := vg.Point{X: c.Max.X + endRoom - 9, Y: y}
		c.StrokeLines(draw.LineStyle{Color: s.Look.Color, Width: 0.6},
			[]vg.Point{from, {X: max(from.X, c.Max.X-4), Y: from.Y}, {X: mark.X - 7, Y: y}, mark})
		s.Look.Mark(c, mark, 3.2)
		c.FillText(style, vg.Point{X: c.Max.X + endRoom, Y: y + 1}, s.Name)
	}
}

func (e endLabels) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var width vg.Length
	for _, s := range e {
		width = max(width, endRoom+endStyle().Width(s.Name))
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
