// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Panel is a plot under a heading: its scales, and its layers in the order in which they are drawn.
type Panel struct {
	Heading, Note string // The note stands in grey after the heading.
	X, Y          Scale
	Layers        []plot.Plotter
}

// Add adds layers above the others.
func (p *Panel) Add(layers ...plot.Plotter) { p.Layers = append(p.Layers, layers...) }

func (p *Panel) plot() *plot.Plot {
	drawn := NewPlot()
	p.X.Apply(&drawn.X)
	p.Y.Apply(&drawn.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal = draw.LineStyle{Color: GridColor, Width: 0.7}
	drawn.Add(grid)
	if p.Heading != "" || p.Note != "" {
		drawn.Add(heading{p.Heading, p.Note})
	}
	drawn.Add(p.Layers...)
	return drawn
}

// Panels stand in columns, with their data areas aligned, and share the labels of their axes.
type Panels struct {
	List []Panel
	X, Y string
}

// Height returns the height of the body.
func (p Panels) Height() vg.Length {
	columns := ColumnsFor(len(p.List))
	return vg.Length((len(p.List)+columns-1)/columns)*PanelHeight(columns) + 24
}

// ColumnsFor returns how many of n panels stand side by side.
func ColumnsFor(n int) int {
	switch {
	case Narrow():
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
	if Narrow() {
		return map[int]vg.Length{1: 200, 2: 112}[min(columns, 2)]
	}
	return map[int]vg.Length{1: 300, 2: 220, 3: 165}[min(columns, 3)] - vg.Length(max(0, columns-3))*20
}

// labelsApart leaves out labels of the axes that would touch others.
func labelsApart(p *plot.Plot, data draw.Canvas) *plot.Plot {
	tx, ty := p.Transforms(&data)
	copied := *p
	if p.X.Tick.Label.Rotation == 0 {
		thin(&copied.X, func(ticks []plot.Tick) []plot.Tick { return Spaced(ticks, tx, p.X.Tick.Label) })
	}
	thin(&copied.Y, func(ticks []plot.Tick) []plot.Tick {
		return spacedBy(ticks, ty, func(plot.Tick) vg.Length { return TickSize })
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

// Draw fills a body of any height.
func (p Panels) Draw(c draw.Canvas) {
	columns := ColumnsFor(len(p.List))
	const bottom = 20
	page := c
	// In a column, the label of y stands above.
	c = draw.Crop(c, Here[vg.Length](20, 0), 0, bottom, Here[vg.Length](0, -17))

	var plots [][]*plot.Plot
	for row := range slices.Chunk(p.List, columns) {
		drawn := make([]*plot.Plot, columns)
		for i := range row {
			drawn[i] = row[i].plot()
		}
		plots = append(plots, drawn)
	}

	tiles := draw.Tiles{Rows: len(plots), Cols: columns, PadX: 16, PadY: 12}
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

	p.label(page, data)
}

// label writes what the axes are about beside the data.
func (p Panels) label(c draw.Canvas, data vg.Rectangle) {
	label := Typeface(LabelSize, false, SoftColor)
	mid := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
	c.FillText(At(label, text.XCenter, text.YBottom), vg.Point{X: mid.X, Y: c.Min.Y},
		Fit(label, p.X, 2*min(mid.X-c.Min.X, c.Max.X-mid.X)))
	if Narrow() {
		c.FillText(At(label, text.XLeft, text.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y},
			Fit(label, p.Y, c.Max.X-c.Min.X))
		return
	}
	up := At(label, text.XCenter, text.YTop)
	up.Rotation = QuarterTurn
	c.FillText(up, vg.Point{X: c.Min.X, Y: mid.Y}, Fit(up, p.Y, 2*min(mid.Y-c.Min.Y, c.Max.Y-mid.Y)))
}
