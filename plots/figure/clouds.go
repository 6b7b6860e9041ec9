package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
)

// A cloud is a picture of values over the row length of matrices, dots of a kernel alike, as in
// csr-five-algorithms. Matrices are unrelated, so no line joins dots; many have running medians.
type cloud struct {
	stops []stop
	sets  []set
	grey  []set  // Sets without a name, behind the others.
	label string // The label of the y axis.
	names bool   // The matrices are named.
}

// A set is what is drawn alike, with its running median, see canvas.Trend.
type set struct {
	canvas.Line
	trend []canvas.Point
}

func setOf(l canvas.Line) set { return set{l, canvas.Trend(l.Points)} }

const rowLengthLabel = "mean row length (nonzeros)"

// drawOverRowLength draws a picture of throughput for each condition, in the papers' precision if it was measured.
func drawOverRowLength(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := slices.DeleteFunc(singlePrecision(d, at), func(p analysis.Panel) bool {
			return !slices.ContainsFunc(p.Rows, func(r store.Row) bool { return r.GFLOPS > 0 })
		})
		if stops := stopsOf(panels); differ(stops) {
			pages = append(pages, overRowLength(d, panels, stops))
		}
	}
	return pages, nil
}

// singlePrecision returns the panels of a condition in float32, or in the first precision that
// there is.
func singlePrecision(d *analysis.Data, at analysis.Condition) []analysis.Panel {
	var other []analysis.Panel
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

func overRowLength(d *analysis.Data, panels []analysis.Panel, stops []stop) *canvas.Picture {
	s := panels[0].Setup()
	names := named(panels, len(stops) >= canvas.FewestForTrend)
	all := analysis.KernelsOf(panels)
	cited := citationsOf(d)
	cl := cloud{stops: stops, label: analysis.GFLOPS.Label, names: true}
	for _, kernel := range all {
		set := setOf(overMatrices(panels, kernel))
		if !slices.Contains(names, kernel) {
			cl.grey = append(cl.grey, set)
			continue
		}
		for _, q := range set.Points {
			set.Published = append(set.Published,
				cited.beside(analysis.GFLOPS, q.Row, func(*analysis.Publication) (float64, bool) { return q.X, true })...)
		}
		cl.sets = append(cl.sets, set)
	}

	p := &canvas.Picture{
		Name: fileStem(d, "gflops-vs-row-length", s.Device, string(s.Precision), string(s.Cache)),
		Alt: fmt.Sprintf("%s of %s over %s by %s: %s", cl.label, term.GroupedCount(len(all), "kernel", "kernels"),
			term.GroupedCount(len(stops), "matrix", "matrices"), rowLengthLabel, analysis.MatrixNames(panels)),
		Kernels:  names,
		Keys:     []canvas.Key{},
		Subtitle: "Each kernel in its fastest configuration on each matrix.",
	}
	cl.fill(p)
	p.Subtitle += unnamed(len(all)-len(names), "grey") + cited.Caption()
	p.Title = "Throughput over row length, " + d.Words(s)
	return p
}

// named lists the kernels that have colours: those that are the fastest most often, and the
// fastest of cuSPARSE.
func named(panels []analysis.Panel, many bool) []string {
	most := mostSmallLines
	if many {
		most = mostOverMany
	}
	names := analysis.LeadersOf(panels, most)
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
		analysis.SortKernels(names)
	}
	return names
}

// fill draws into a picture: named matrices in one panel or, of many, their running medians.
func (cl *cloud) fill(p *canvas.Picture) {
	if slices.ContainsFunc(cl.sets, func(s set) bool { return s.trend != nil }) {
		cl.many(p)
	} else {
		cl.few(p)
	}
}

func (cl *cloud) few(p *canvas.Picture) {
	panel := canvas.Panel{X: cl.axis(12), Y: throughputScale(cl.sets, false)}
	var stems canvas.Stems
	if cl.names && len(cl.stops) < canvas.FewestForTrend {
		for _, s := range cl.stops {
			stems = append(stems, canvas.Stem{Name: s.Matrix, X: s.Value})
		}
		panel.Add(stems)
	}
	for _, s := range cl.grey {
		panel.Add(canvas.Marks{Points: s.Points, Look: canvas.Look{Color: canvas.LineColor}, Radius: 1.5})
	}
	for _, s := range cl.sets {
		panel.Add(s.dots(), canvas.PublishedOf(s.Line))
	}
	p.Keys = canvas.KeysOf(p.Kernels, true)
	p.Subtitle += " Whiskers: " + canvas.Interval + "."
	p.Height = 330 + stems.Height()
	p.Body = canvas.Panels{List: []canvas.Panel{panel}, X: rowLengthLabel, Y: cl.label}.Draw
}

// dots are the marks of a set. Around a running median they are small.
func (s *set) dots() canvas.Marks {
	if s.trend != nil {
		return canvas.Marks{Points: s.Points, Look: s.Look, Radius: 1.6}
	}
	return canvas.Marks{Points: s.Points, Look: s.Look, Radius: 3, Whiskers: 0.9}
}

// many draws the running medians together and, below them, a panel for each kernel.
func (cl *cloud) many(p *canvas.Picture) {
	trends, grey := trendsOf(cl.sets), trendsOf(cl.grey)
	above := canvas.Panel{X: cl.axis(12), Y: throughputScale(slices.Concat(trends, grey), true)}
	ends := canvas.Ends{}
	for _, s := range grey {
		above.Add(greyCurve(s))
	}
	for _, s := range trends {
		above.Add(trendCurve(s))
		ends.Lines = append(ends.Lines, s.Line)
	}
	above.Add(ends)

	below := canvas.Panels{X: rowLengthLabel, Y: cl.label}
	x, y := cl.axis(14/canvas.ColumnsFor(len(cl.sets))), throughputScale(cl.sets, true)
	for _, own := range cl.sets {
		panel := canvas.Panel{Heading: own.Kernel, X: x, Y: y}
		for _, s := range trends {
			if s.Kernel != own.Kernel {
				panel.Add(greyCurve(s))
			}
		}
		panel.Add(canvas.Band{Points: own.trend, Color: own.Look.Color}, own.dots(), canvas.PublishedOf(own.Line))
		for _, s := range trendsOf([]set{own}) {
			panel.Add(trendCurve(s))
		}
		below.List = append(below.List, panel)
	}

	top := vg.Length(270)
	if canvas.Narrow() {
		top = 205
	}
	p.Height = top + below.Height()
	p.Subtitle += " Lines: running medians over neighbouring matrices. Below, each kernel: dots are matrices, the " +
		"band holds half of them, and grey are the medians of the other named kernels."
	p.Body = func(c draw.Canvas) {
		upper, lower := c, c
		upper.Min.Y, lower.Max.Y = c.Max.Y-top, c.Max.Y-top-12
		canvas.Panels{List: []canvas.Panel{above}, X: rowLengthLabel, Y: cl.label}.Draw(upper)
		below.Draw(lower)
	}
}

func greyCurve(s set) canvas.Curve {
	return canvas.Curve{Points: s.Points, Look: canvas.Look{Color: canvas.LineColor}, Width: 0.7}
}

func trendCurve(s set) canvas.Curve {
	return canvas.Curve{Points: s.Points, Look: s.Look, Width: 1.8, Rim: true}
}

// trendsOf returns the running medians of sets as their points.
func trendsOf(sets []set) []set {
	var list []set
	for _, s := range sets {
		if s.trend != nil {
			s.Points, s.Published = nil, nil
			for _, q := range s.trend {
				s.Points = append(s.Points, canvas.Exact(q.X, q.Y))
			}
			list = append(list, s)
		}
	}
	return list
}

// overMatrices returns the throughput of one kernel at its best on each matrix that it was measured on.
func overMatrices(panels []analysis.Panel, kernel string) canvas.Line {
	l := canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	for i := range panels {
		if r := analysis.Fastest(panels[i].ByKernel(kernel)); r != nil {
			if x, v := rowLength(r), r.GFLOPS; x > 0 && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, canvas.Throughput(r, x, v))
			}
		}
	}
	return l
}

// throughputScale is linear from zero for a few matrices, and logarithmic for many: these differ
// by orders of magnitude.
func throughputScale(sets []set, many bool) canvas.Scale {
	low, high, whiskers := math.Inf(1), 0.0, 0.0
	for _, s := range sets {
		for _, q := range s.Points {
			low, high, whiskers = min(low, q.Y), max(high, q.Y), max(whiskers, q.High)
		}
	}
	high = canvas.Top(high, whiskers)
	if !many {
		return canvas.FromZero(high, 7)
	}
	return canvas.LogBetween(max(low/1.1, high/1e3), high*1.1, 5)
}

// unnamed says how many kernels are drawn without a name, and how.
func unnamed(n int, how string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" Colour: the kernels that are most often the fastest; %s: the other %d.", how, n)
}

// rowLength is the mean row length of a trial's matrix.
func rowLength(r *store.Row) float64 { return float64(r.NNZ) / float64(max(r.Rows, 1)) }

// A stop is a matrix on the axis.
type stop struct {
	Matrix string
	Value  float64
}

// stopsOf lists the matrices of some panels by row length, each once. A logarithmic axis has no place
// for empty ones.
func stopsOf(panels []analysis.Panel) []stop {
	var list []stop
	for i := range panels {
		s := stop{panels[i].Matrix, rowLength(&panels[i].Rows[0])}
		if s.Value > 0 && !slices.ContainsFunc(list, func(other stop) bool { return other.Matrix == s.Matrix }) {
			list = append(list, s)
		}
	}

	slices.SortStableFunc(list, func(a, b stop) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

const fewestStops = 2 // The fewest matrices that are worth a page.

// differ reports whether an axis would tell matrices apart.
func differ(stops []stop) bool {
	const least = 1.1 // the highest value over the lowest
	return len(stops) >= fewestStops && stops[len(stops)-1].Value >= least*stops[0].Value
}

// axis is logarithmic and has at most about n labels.
func (cl *cloud) axis(n int) canvas.Scale {
	low, high := cl.stops[0].Value, cl.stops[len(cl.stops)-1].Value
	pad := max(1.06, math.Pow(high/low, 0.03))
	return canvas.LogBetween(low/pad, high*pad, n)
}
