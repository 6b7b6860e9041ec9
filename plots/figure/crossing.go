package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A crossing is a figure of throughput over what matrices are like, dots of a kernel alike, as in
// csr-five-algorithms.
type crossing struct {
	id, title string
	order     ordering
	unit      data.Unit
	lines     bool // The unit is a share of the roof.
}

const fewestStops = 2 // The fewest matrices that are worth a page.

// draw draws a picture for each condition, in the papers' precision if it was measured.
func (f crossing) draw(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := slices.DeleteFunc(singlePrecision(d, at), func(p data.Panel) bool { return !f.shows(&p) })
		if f.order.differ(panels) {
			pages = append(pages, f.page(d, panels))
		}
	}
	return pages, nil
}

// shows reports whether there is something to draw on a matrix: what an imported trial moved, and
// the roof of its device, are not known.
func (f crossing) shows(p *data.Panel) bool {
	return slices.ContainsFunc(p.Rows, func(r store.Row) bool { return f.unit.Of(&r) > 0 })
}

// singlePrecision returns the panels of a condition in float32, or in the first precision that
// there is.
func singlePrecision(d *data.Report, at data.Condition) []data.Panel {
	var other []data.Panel
	for _, s := range d.Setups() {
		if s.Condition != at {
			continue
		}
		if s.Precision == kernels.Float32 {
			return d.In(s)
		}
		if other == nil {
			other = d.In(s)
		}
	}

	return other
}

func (f crossing) page(d *data.Report, panels []data.Panel) *canvas.Picture {
	s := panels[0].Setup()
	stops := f.order.stops(panels)
	names := f.named(panels, len(stops) >= chart.FewestForTrend)
	all := data.KernelsOf(panels)
	cited := citationsOf(d)

	var sets, others []chart.Set
	for _, kernel := range all {
		set := chart.SetOf(overMatrices(panels, f.order, kernel, f.unit))
		if !slices.Contains(names, kernel) {
			others = append(others, set)
			continue
		}
		for _, q := range set.Points {
			set.Published = append(set.Published,
				cited.beside(f.unit, q.Row, func(*data.Publication) (float64, bool) { return q.X, true })...)
		}
		sets = append(sets, set)
	}

	p := &canvas.Picture{
		Name: fileStem(d, f.id, s.Device, string(s.Precision), string(s.Cache)),
		Alt: fmt.Sprintf("%s of %s over %s by %s: %s", f.unit.Label,
			term.GroupedCount(len(all), "kernel", "kernels"), term.GroupedCount(len(stops), "matrix", "matrices"),
			f.order.by, data.MatrixNames(panels)),
		Kernels:  names,
		Keys:     []canvas.Key{},
		Subtitle: "Each kernel in its fastest configuration on each matrix.",
	}
	cl := chart.Cloud{Sets: sets, Others: others, X: f.order.axis(stops, 12), Stems: f.order.stems(stops),
		Roof: data.RoofOf(panels, f.unit)}
	if trends := slices.ContainsFunc(sets, hasTrend); trends {
		f.many(p, cl, stops)
	} else {
		f.few(p, cl)
	}
	p.Subtitle += unnamed(len(all)-len(names), "grey") + cited.Caption()
	entitle(p, f.order.leads(d, panels), fmt.Sprintf("%s, %s", f.title, d.Words(s)))
	return p
}

// named lists the kernels that have colours: those that are the fastest most often, and the
// fastest of cuSPARSE.
func (f crossing) named(panels []data.Panel, many bool) []string {
	most := mostSmallLines
	if many {
		most = mostOverMany
	}
	names := data.LeadersOf(panels, most)
	library := map[string]int{}
	best := ""
	for i := range panels {
		if r := panels[i].CuSPARSE(); r != nil {
			if library[r.Kernel]++; library[r.Kernel] > library[best] {
				best = r.Kernel
			}
		}
	}
	if best != "" && !slices.Contains(names, best) {
		names = append(names, best)
		data.SortKernels(names)
	}
	return names
}

func hasTrend(s chart.Set) bool { return s.Trend != nil }

// few draws named matrices in one panel.
func (f crossing) few(p *canvas.Picture, cl chart.Cloud) {
	cl.Y = throughputScale(cl.Sets, cl.Roof, false)
	p.Keys = canvas.KeysOf(p.Kernels, true)
	p.Subtitle += " Whiskers: " + chart.Interval + "." + cloudRoof(&cl)
	p.Height = 330 + chart.StemHeight(cl.Stems)
	p.Body = func(c draw.Canvas) { chart.DrawClouds(c, []chart.Cloud{cl}, 1, f.order.by, f.unit.Label) }
}

// many draws the running medians together and, below them, a panel for each kernel.
func (f crossing) many(p *canvas.Picture, cl chart.Cloud, stops []stop) {
	cl.Medians = true
	cl.Y = throughputScale(slices.Concat(trends(cl.Sets), trends(cl.Others)), cl.Roof, true)
	columns := chart.ColumnsFor(len(cl.Sets))
	y := throughputScale(cl.Sets, cl.Roof, true)
	if f.lines {
		cl.Y.Max, y.Max = max(cl.Y.Max, 1.05), max(y.Max, 1.05)
		cl.Y, y = shareLines(cl.Y), shareLines(y)
	}

	var panels []chart.Cloud
	for i, own := range cl.Sets {
		rest := slices.Concat(trends(cl.Sets[:i]), trends(cl.Sets[i+1:]))
		panels = append(panels, chart.Cloud{Heading: own.Name, Sets: []chart.Set{own}, Others: rest,
			X: f.order.axis(stops, 14/columns), Y: y, Roof: cl.Roof})
	}

	top := vg.Length(270)
	if canvas.Narrow() {
		top = 205
	}
	rows := (len(panels) + columns - 1) / columns
	p.Height = top + 24 + vg.Length(rows)*chart.PanelHeight(columns)
	p.Subtitle += " Lines: running medians over neighbouring matrices. Below, each kernel: dots are matrices, the " +
		"band holds half of them, and grey are the medians of the other named kernels." + cloudRoof(&cl)
	p.Body = func(c draw.Canvas) {
		upper, lower := c, c
		upper.Min.Y, lower.Max.Y = c.Max.Y-top, c.Max.Y-top-12
		chart.DrawClouds(upper, []chart.Cloud{cl}, 1, f.order.by, f.unit.Label)
		chart.DrawClouds(lower, panels, columns, f.order.by, f.unit.Label)
	}
}

// trends returns the running medians of sets as their points.
func trends(sets []chart.Set) []chart.Set {
	var list []chart.Set
	for _, s := range sets {
		if s.Trend != nil {
			s.Points, s.Published = nil, nil
			for _, q := range s.Trend {
				s.Points = append(s.Points, chart.Point{X: q.X, Y: q.Y, Low: q.Y, High: q.Y})
			}
			list = append(list, s)
		}
	}
	return list
}

// overMatrices returns one kernel at its best on each matrix that it was measured on.
func overMatrices(panels []data.Panel, o ordering, kernel string, u data.Unit) chart.Line {
	l := chart.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	for i := range panels {
		if r := data.Fastest(panels[i].ByKernel(kernel)); r != nil {
			if x, v := o.value(r), u.Of(r); x > 0 && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, chart.Throughput(r, x, v))
			}
		}
	}
	return l
}

// throughputScale is linear from zero for a few matrices, and logarithmic for many: these differ
// by orders of magnitude. The roof is on it if it is near the data.
func throughputScale(sets []chart.Set, roof float64, many bool) canvas.Scale {
	low, high, whiskers := math.Inf(1), 0.0, 0.0
	for _, s := range sets {
		for _, q := range s.Points {
			low, high, whiskers = min(low, q.Y), max(high, q.Y), max(whiskers, q.High)
		}
	}
	high = chart.Top(high, whiskers)
	if roof > 0 && roof <= chart.RoofWithin*high {
		high = max(high, roof*1.02)
	}
	if !many {
		return canvas.FromZero(high, 7)
	}
	return canvas.LogBetween(max(low/1.1, high/1e3), high*1.1, 5)
}

// cloudWords explains the marks of a cloud.
func cloudWords(trends bool) string {
	if trends {
		return " Dots: matrices; lines: the running median over neighbouring matrices; bands: their quartiles."
	}
	return " Whiskers: " + chart.Interval + "."
}

func cloudRoof(cl *chart.Cloud) string {
	if cl.ShowsRoof() {
		return " Grey dashes: measured memory bandwidth."
	}
	return ""
}

// unnamed says how many kernels are drawn without a name, and how.
func unnamed(n int, how string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" Colour: the kernels that are most often the fastest; %s: the other %d.", how, n)
}
