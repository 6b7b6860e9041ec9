package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
)

// drawSizes draws throughput over block or grid size, and for each setup a page with
// the matrices over each other.
func drawSizes(d *data, dim dimension) ([]*page, []error) {
	pages, warnings := drawThroughput(d, dim)
	var overlays []*page
	for _, s := range d.setups() {
		if p := dim.overlay(d, s, dim.varied(d.of(s))); p != nil {
			overlays = append(overlays, p)
		}
	}
	first := slices.IndexFunc(pages, func(p *page) bool { return p.Detail })
	if first < 0 {
		first = len(pages)
	}
	return slices.Insert(pages, first, overlays...), warnings
}

// overlay lays the matrices of one setup over each other, a panel per kernel: each
// line as a share of its own highest throughput, so that their shapes can be
// compared, and their geometric mean. It is nil where there are no two matrices.
func (dim dimension) overlay(d *data, s setup, panels []panel) *page {
	var charts []chart
	names := leadersOf(panels, mostKernels)
	for _, kernel := range names {
		if ch, ok := dim.overlaid(panels, kernel); ok {
			charts = append(charts, ch)
		}
	}
	if len(charts) == 0 {
		return nil
	}
	columns := columnsFor(len(charts))
	var xs []int
	for i := range charts {
		for _, l := range charts[i].faint {
			for _, q := range l.Points {
				xs = append(xs, int(q.X))
			}
		}
	}
	for i := range charts {
		charts[i].x = sizes(xs, 9-columns-columns/4)
		charts[i].markers = 24 / columns
	}
	return &page{
		Name:  d.fileStem("throughput-vs-"+dim.name, s.Device, string(s.Precision), s.Cache, "overlay"),
		Title: fmt.Sprintf("%s size on all matrices: %s", strings.ToUpper(dim.name[:1])+dim.name[1:], d.words(s)),
		Subtitle: fmt.Sprintf("Thin: a matrix, as a share of the kernel's highest throughput on it, at the %s of its best configuration. "+
			"Thick: geometric mean of the matrices, where all were measured.", dim.other),
		Alt:    fmt.Sprintf("a panel per kernel, %s over each other: %s", term.GroupedCount(len(panels), "matrix", "matrices"), matrixNames(panels)),
		keys:   []key{},
		height: vg.Length((len(charts)+columns-1)/columns)*panelHeight(columns) + 24,
		body: func(c draw.Canvas) {
			drawCharts(c, charts, columns, dim.axisLabel(names), "share of the highest throughput")
		},
	}
}

// overlaid is the panel of one kernel, false where fewer than two matrices have
// several sizes of it.
func (dim dimension) overlaid(panels []panel, kernel string) (chart, bool) {
	ch := chart{heading: kernel, top: 1, steps: 5}
	logs, count := map[float64]float64{}, map[float64]int{}
	for i := range panels {
		own := panels[i]
		own.rows = own.byKernel(kernel)
		for _, l := range dim.lines(&own, gflops) {
			if len(l.Points) < 2 {
				continue
			}
			best := slices.MaxFunc(l.Points, func(a, b point) int { return cmp.Compare(a.Y, b.Y) }).Y
			for j := range l.Points {
				q := &l.Points[j]
				*q = point{X: q.X, Y: q.Y / best, Low: q.Y / best, High: q.Y / best}
				logs[q.X] += math.Log(q.Y)
				count[q.X]++
			}
			ch.faint = append(ch.faint, l)
		}
	}
	if len(ch.faint) < 2 {
		return chart{}, false
	}
	mean := line{Kernel: kernel, Look: lookOf(kernel)}
	mean.Look.Dashes = nil
	for _, q := range ch.faint[0].Points { // what all have is among these
		if count[q.X] == len(ch.faint) {
			y := math.Exp(logs[q.X] / float64(count[q.X]))
			mean.Points = append(mean.Points, point{X: q.X, Y: y, Low: y, High: y})
		}
	}
	if len(mean.Points) > 1 {
		ch.lines = []line{mean}
	}
	return ch, true
}
