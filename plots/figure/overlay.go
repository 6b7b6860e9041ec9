package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/tuner/stat"
)

// draw draws throughput over block or grid size and, for each setup, a picture with the
// matrices over each other.
func (dim dimension) draw(d *data.Report) ([]*canvas.Picture, []error) {
	pages, warnings := drawThroughput(d, dim)
	var overlays []*canvas.Picture
	units := dim.units(d.Panels)
	for _, s := range d.Setups() {
		for _, of := range units {
			dim.only = of
			p := dim.overlay(d, s, dim.ofUnit(dim.varied(d.In(s))))
			if p == nil {
				continue
			}
			if len(units) > 1 {
				p.Name += "-" + canvas.Slug(of)
			}
			overlays = append(overlays, p)
		}
	}

	first := slices.IndexFunc(pages, func(p *canvas.Picture) bool { return p.Detail })
	if first < 0 {
		first = len(pages)
	}
	return slices.Insert(pages, first, overlays...), warnings
}

// overlay draws the matrices of one setup over each other, a panel per kernel, and their
// geometric mean. Each line is a share of its own highest throughput, so that shapes can be
// compared. It is nil if there are fewer than two matrices.
func (dim dimension) overlay(d *data.Report, s data.Setup, panels []data.Panel) *canvas.Picture {
	var charts []chart.Chart
	names := data.LeadersOf(panels, mostKernels.here())
	for _, kernel := range names {
		if ch, ok := dim.overlaid(panels, kernel); ok {
			charts = append(charts, ch)
		}
	}

	if len(charts) == 0 {
		return nil
	}
	columns := chart.ColumnsFor(len(charts))

	var xs []int
	for i := range charts {
		for _, l := range charts[i].Faint {
			for _, q := range l.Points {
				xs = append(xs, int(q.X))
			}
		}
	}

	for i := range charts {
		charts[i].X = canvas.Sizes(xs, 9-columns-columns/4)
		charts[i].Markers = 24 / columns
	}

	return &canvas.Picture{
		Name: fileStem(d, "throughput-vs-"+dim.name, s.Device, string(s.Precision), string(s.Cache), "overlay"),
		Title: fmt.Sprintf("%s size (%s) on all matrices, %s", strings.ToUpper(dim.name[:1])+dim.name[1:], dim.only,
			d.Words(s)),
		Subtitle: fmt.Sprintf("Thin: a matrix, as a share of the kernel's highest throughput on it, at the %s of "+
			"its best configuration. "+
			"Thick: geometric mean of the matrices, where all were measured.", dim.other),
		Alt: fmt.Sprintf("a panel per kernel, %s over each other: %s",
			term.GroupedCount(len(panels), "matrix", "matrices"), data.MatrixNames(panels)),
		Keys:   []canvas.Key{},
		Height: vg.Length((len(charts)+columns-1)/columns)*chart.PanelHeight(columns) + 24,
		Body: func(c draw.Canvas) {
			chart.DrawCharts(c, charts, columns, dim.axisLabel(names), "share of the highest throughput")
		},
	}
}

// overlaid returns the panel of one kernel, false if fewer than two matrices have several
// sizes of it.
func (dim dimension) overlaid(panels []data.Panel, kernel string) (chart.Chart, bool) {
	ch := chart.Chart{Heading: kernel, Top: 1, Steps: 5}
	means := map[float64]stat.GeometricMean{} // by X
	for i := range panels {
		own := panels[i]
		own.Rows = own.ByKernel(kernel)
		for _, l := range dim.lines(&own, data.GFLOPS) {
			if len(l.Points) < fewestSizes {
				continue
			}
			best := slices.MaxFunc(l.Points, func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) }).Y
			for j := range l.Points {
				q := &l.Points[j]
				*q = chart.Point{X: q.X, Y: q.Y / best, Low: q.Y / best, High: q.Y / best}
				m := means[q.X]
				m.Add(q.Y)
				means[q.X] = m
			}
			ch.Faint = append(ch.Faint, l)
		}
	}

	if len(ch.Faint) < 2 {
		return chart.Chart{}, false
	}
	mean := chart.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	mean.Look.Dashes = nil

	for _, q := range ch.Faint[0].Points { // what all have is among these
		if m := means[q.X]; m.Count() == len(ch.Faint) {
			y := m.Value()
			mean.Points = append(mean.Points, chart.Point{X: q.X, Y: y, Low: y, High: y})
		}
	}

	if len(mean.Points) > 1 {
		ch.Lines = []chart.Line{mean}
	}
	return ch, true
}
