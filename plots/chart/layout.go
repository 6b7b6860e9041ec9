package chart

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
)

// ColumnsFor returns how many of n panels stand side by side.
func ColumnsFor(n int) int {
	switch {
	case canvas.Narrow():
		return max(min(n, 2), 1)
	case n <= 2:
		return max(n, 1)
	case n <= 4:
		return 2
	case n <= 9:
		return 3
	}
	return 4
}

// PanelHeight returns the height of panels that keeps them near the golden ratio.
func PanelHeight(columns int) vg.Length {
	if canvas.Narrow() {
		return map[int]vg.Length{1: 200, 2: 112}[min(columns, 2)]
	}
	return map[int]vg.Length{1: 300, 2: 220, 3: 165}[min(columns, 3)] - vg.Length(max(0, columns-3))*20
}

// DrawCharts lays out charts as DrawPlots does.
func DrawCharts(c draw.Canvas, charts []Chart, columns int, xLabel, yLabel string) {
	list := make([]*plot.Plot, len(charts))
	for i := range charts {
		list[i] = charts[i].plot()
	}
	DrawPlots(c, list, columns, xLabel, yLabel)
}

// labelsApart leaves out labels of the axes that would touch others.
func labelsApart(p *plot.Plot, data draw.Canvas) *plot.Plot {
	tx, ty := p.Transforms(&data)
	copied := *p
	if p.X.Tick.Label.Rotation == 0 {
		thin(&copied.X, func(ticks []plot.Tick) []plot.Tick { return Spaced(ticks, tx, p.X.Tick.Label) })
	}
	thin(&copied.Y, func(ticks []plot.Tick) []plot.Tick {
		return spacedBy(ticks, ty, func(plot.Tick) vg.Length { return canvas.TickSize })
	})
	return &copied
}

// thin takes the labels from the ticks that are not kept.
func thin(a *plot.Axis, keep func([]plot.Tick) []plot.Tick) {
	ticks, ok := a.Tick.Marker.(plot.ConstantTicks)
	if !ok {
		return
	}
	kept := keep(slices.DeleteFunc(slices.Clone(ticks), func(t plot.Tick) bool { return t.Label == "" }))
	thinned := slices.Clone(ticks)
	for i := range thinned {
		if !slices.ContainsFunc(kept, func(t plot.Tick) bool { return t.Value == thinned[i].Value }) {
			thinned[i].Label = ""
		}
	}
	a.Tick.Marker = thinned
}

// DrawPlots lays out plots in columns with aligned data areas, and labels the axes once for
// all of them.
func DrawPlots(c draw.Canvas, list []*plot.Plot, columns int, xLabel, yLabel string) {
	side, bottom, above := vg.Length(20), vg.Length(20), vg.Length(0)
	if canvas.Narrow() { // the label of y stands above
		side, above = 0, 17
	}
	page := c
	c = draw.Crop(c, side, 0, bottom, -above)

	rows := (len(list) + columns - 1) / columns
	plots := make([][]*plot.Plot, rows)
	for j := range plots {
		plots[j] = make([]*plot.Plot, columns)
		for i := range plots[j] {
			if k := j*columns + i; k < len(list) {
				plots[j][i] = list[k]
			}
		}
	}

	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 16, PadY: 12}
	var data vg.Rectangle // The area of the data of all plots.
	for j, row := range plot.Align(plots, tiles, c) {
		for i, tile := range row {
			if plots[j][i] == nil {
				continue
			}
			apart := labelsApart(plots[j][i], plots[j][i].DataCanvas(tile))
			apart.Draw(tile)
			own := apart.DataCanvas(tile).Rectangle
			if i == 0 && j == 0 {
				data = own
			}
			data.Min.Y, data.Max.X = min(data.Min.Y, own.Min.Y), max(data.Max.X, own.Max.X)
		}
	}

	label := canvas.Typeface(canvas.LabelSize, false, canvas.SoftColor)
	mid := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
	c.FillText(canvas.At(label, text.XCenter, text.YBottom), vg.Point{X: mid.X, Y: page.Min.Y},
		canvas.Fit(label, xLabel, 2*min(mid.X-c.Min.X, c.Max.X-mid.X)))
	if above > 0 {
		c.FillText(canvas.At(label, text.XLeft, text.YTop), vg.Point{X: page.Min.X, Y: page.Max.Y},
			canvas.Fit(label, yLabel, page.Max.X-page.Min.X))
		return
	}
	up := canvas.At(label, text.XCenter, text.YTop)
	up.Rotation = canvas.QuarterTurn
	c.FillText(up, vg.Point{X: page.Min.X, Y: mid.Y}, canvas.Fit(up, yLabel, 2*min(mid.Y-page.Min.Y, page.Max.Y-mid.Y)))
}
