package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
)

// A cloud is a picture of values over what matrices are like, dots of a kernel alike, as in
// csr-five-algorithms. Matrices are unrelated, so no line joins dots; many have running medians.
type cloud struct {
	over  ordering
	stops []stop
	sets  []set
	grey  []set   // Sets without a name, behind the others.
	label string  // The label of the y axis.
	names bool    // The matrices are named.
	roof  float64 // The measured bandwidth, 0 to leave it out.
}

// A set is what is drawn alike, with its running median, see canvas.Trend.
type set struct {
	canvas.Line
	trend []canvas.Point
}

func setOf(l canvas.Line) set { return set{l, canvas.Trend(l.Points)} }

const rowLengthLabel = "mean row length (nonzeros)"

// A crossing is a figure of the throughput of kernels over what matrices are like.
type crossing struct {
	id   string
	over ordering
	unit analysis.Unit
}

var (
	overRows               = crossing{"gflops-vs-rows", byRows, analysis.GFLOPS}
	overNonzeros           = crossing{"gflops-vs-nnz", byNonzeros, analysis.GFLOPS}
	overRowLength          = crossing{"gflops-vs-row-length", byRowLength, analysis.GFLOPS}
	bandwidthOverRowLength = crossing{"bandwidth-vs-row-length", byRowLength, analysis.GBPS}
)

// draw draws a picture for each condition, in the papers' precision if it was measured.
func (f crossing) draw(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := slices.DeleteFunc(singlePrecision(d, at), func(p analysis.Panel) bool { // imported, with times alone
			return !slices.ContainsFunc(p.Rows, func(r store.Row) bool { return f.unit.Of(&r) > 0 })
		})
		if stops := f.over.stops(panels); differ(stops) {
			pages = append(pages, f.page(d, panels, stops))
		}
	}
	return pages, nil
}

// singlePrecision returns the panels of a condition in float32, or in the first precision that
// there is.
func singlePrecision(d *analysis.Data, at analysis.Condition) []analysis.Panel {
	setups := slices.DeleteFunc(d.Setups(), func(s analysis.Setup) bool { return s.Condition != at })
	single := slices.IndexFunc(setups, func(s analysis.Setup) bool { return s.Precision == kernels.Float32 })
	return d.In(setups[max(0, single)])
}

func (f crossing) page(d *analysis.Data, panels []analysis.Panel, stops []stop) *canvas.Picture {
	s := panels[0].Setup()
	names := named(panels, len(stops) >= canvas.FewestForTrend)
	all := analysis.KernelsOf(panels)
	cited := citationsOf(d)
	cl := cloud{over: f.over, stops: stops, label: f.unit.Label, names: true}
	for _, kernel := range all {
		set := setOf(overMatrices(panels, f.over, kernel, f.unit))
		if !slices.Contains(names, kernel) {
			cl.grey = append(cl.grey, set)
			continue
		}
		for _, q := range set.Points {
			set.Published = append(set.Published,
				cited.beside(f.unit, q.Row, func(*analysis.Publication) (float64, bool) { return q.X, true })...)
		}
		cl.sets = append(cl.sets, set)
	}

	p := &canvas.Picture{
		Name:  fileStem(d, f.id, s),
		About: s,
		Alt: fmt.Sprintf("%s of %s over %s by %s: %s", cl.label, term.GroupedCount(len(all), "kernel", "kernels"),
			term.GroupedCount(len(stops), "matrix", "matrices"), f.over.by, analysis.MatrixNames(panels)),
		Subtitle: "Each kernel in its fastest configuration on each matrix.",
	}
	if roof := analysis.RoofOf(panels, f.unit); roof <= canvas.RoofWithin*cl.scale(cl.sets, false).Max {
		cl.roof = roof
	}
	cl.fill(p)
	if cl.roof > 0 {
		p.Subtitle += " Grey dashes: measured memory bandwidth."
	}
	p.Subtitle += unnamed(len(all)-len(names), "grey") + cited.Caption()
	p.Title = wordsOf(f.id).Title + ", " + d.Words(s)
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
	panel := cl.panel(12, cl.sets, false)
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
		panel.Add(s.layers()...)
	}
	for _, s := range cl.sets {
		p.Keys = append(p.Keys, canvas.Key{Text: s.Kernel, Look: s.Look, Dot: true})
	}
	p.Subtitle += " Whiskers: " + canvas.Interval + "."
	p.Height = 330 + stems.Height()
	p.Body = canvas.Panels{List: []canvas.Panel{panel}, X: cl.over.by, Y: cl.label}.Draw
}

// panel is one for these sets, with about this many labels along x.
func (cl *cloud) panel(labels int, sets []set, many bool) canvas.Panel {
	p := canvas.Panel{X: cl.axis(labels), Y: cl.scale(sets, many)}
	if cl.roof > 0 {
		p.Add(canvas.Level(cl.roof))
	}
	return p
}

// layers are the marks of a set. Around a running median they are small.
func (s *set) layers() []plot.Plotter {
	dots := canvas.Marks{Points: s.Points, Look: s.Look, Radius: 3, Whiskers: 0.9}
	if s.trend == nil {
		return []plot.Plotter{dots, canvas.PublishedOf(s.Line)}
	}
	dots.Radius, dots.Whiskers = 1.6, 0
	return []plot.Plotter{canvas.Band{Points: s.trend, Color: s.Look.Color}, dots, canvas.PublishedOf(s.Line),
		trendCurve(trendsOf([]set{*s})[0])}
}

// many draws the running medians together and, below them, a panel for each kernel.
func (cl *cloud) many(p *canvas.Picture) {
	trends, grey := trendsOf(cl.sets), trendsOf(cl.grey)
	above := cl.panel(12, slices.Concat(trends, grey), true)
	ends := canvas.Ends{}
	for _, s := range grey {
		above.Add(greyCurve(s))
	}
	for _, s := range trends {
		above.Add(trendCurve(s))
		ends.Lines = append(ends.Lines, s.Line)
	}
	above.Add(ends)

	below := canvas.Panels{X: cl.over.by, Y: cl.label}
	for _, own := range cl.sets {
		panel := cl.panel(14/canvas.ColumnsFor(len(cl.sets)), cl.sets, true)
		panel.Heading = own.Kernel
		for _, s := range trends {
			if s.Kernel != own.Kernel {
				panel.Add(greyCurve(s))
			}
		}
		panel.Add(own.layers()...)
		below.List = append(below.List, panel)
	}

	top := canvas.Here[vg.Length](270, 205)
	p.Height = top + below.Height()
	p.Subtitle += " Lines: running medians over neighbouring matrices. Below, each kernel: dots are matrices, the " +
		"band holds half of them, and grey are the medians of the other named kernels."
	p.Body = func(c draw.Canvas) {
		upper, lower := c, c
		upper.Min.Y, lower.Max.Y = c.Max.Y-top, c.Max.Y-top-12
		canvas.Panels{List: []canvas.Panel{above}, X: cl.over.by, Y: cl.label}.Draw(upper)
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
func overMatrices(panels []analysis.Panel, over ordering, kernel string, u analysis.Unit) canvas.Line {
	l := canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	for i := range panels {
		if r := analysis.Fastest(panels[i].ByKernel(kernel)); r != nil {
			if x, v := over.value(r), u.Of(r); x > 0 && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, canvas.Throughput(r, x, v))
			}
		}
	}
	return l
}

// scale is linear from zero for a few matrices, and logarithmic for many: these differ
// by orders of magnitude.
func (cl *cloud) scale(sets []set, many bool) canvas.Scale {
	low, high, whiskers := math.Inf(1), 0.0, 0.0
	for _, s := range sets {
		for _, q := range s.Points {
			low, high, whiskers = min(low, q.Y), max(high, q.Y), max(whiskers, q.High)
		}
	}
	high = max(canvas.Top(high, whiskers), cl.roof)
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

// An ordering sorts matrices along an axis with a label.
type ordering struct {
	by    string
	value func(*store.Row) float64
}

var (
	byRows      = ordering{"number of rows", func(r *store.Row) float64 { return float64(r.Rows) }}
	byNonzeros  = ordering{"number of nonzeros", func(r *store.Row) float64 { return float64(r.NNZ) }}
	byRowLength = ordering{rowLengthLabel, func(r *store.Row) float64 { return float64(r.NNZ) / float64(max(r.Rows, 1)) }}
)

// A stop is a matrix on the axis.
type stop struct {
	Matrix string
	Value  float64
}

// stops lists the matrices of some panels in order, each once. A logarithmic axis has no place for empty ones.
func (o ordering) stops(panels []analysis.Panel) []stop {
	var list []stop
	for i := range panels {
		s := stop{panels[i].Matrix, o.value(&panels[i].Rows[0])}
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

// drawKernels draws throughput over row length with a panel for each kernel and marks for each precision.
func drawKernels(d *analysis.Data) (pages []*canvas.Picture, _ []error) {
	for _, at := range d.Conditions() {
		panels := d.Under(at)
		if stops := byRowLength.stops(panels); differ(stops) {
			cl := cloud{over: byRowLength, stops: stops, label: analysis.GFLOPS.Label}
			pages = append(pages, paged(analysis.KernelsOf(panels), mostKernels.here(), func(names []string) *canvas.Picture {
				return cl.kernels(d, panels, names)
			})...)
		}
	}
	return pages, nil
}

func (cl *cloud) kernels(d *analysis.Data, panels []analysis.Panel, names []string) *canvas.Picture {
	at, precisions := panels[0].Condition(), precisionsOf(panels)
	drawn := canvas.Panels{X: cl.over.by, Y: cl.label}
	marks, lines := "Whiskers: "+canvas.Interval+".", false
	for _, kernel := range names {
		var sets []set
		for _, precision := range precisions {
			l := overMatrices(slices.DeleteFunc(slices.Clone(panels),
				func(p analysis.Panel) bool { return p.Precision != precision }), cl.over, kernel, analysis.GFLOPS)
			l.Look = precisionLook(l.Look.Color, precision)
			sets = append(sets, setOf(l))
		}
		many := slices.ContainsFunc(sets, func(s set) bool { return s.trend != nil })
		if many {
			marks = "Dots: matrices; lines: the running median over neighbouring matrices; bands: their quartiles."
		}
		lines = lines || many
		panel := cl.panel(14/canvas.ColumnsFor(len(names)), sets, many)
		panel.Heading = kernel
		for _, s := range sets {
			panel.Add(s.layers()...)
		}
		drawn.List = append(drawn.List, panel)
	}

	p := pictureOf(d, "kernel-gflops-vs-row-length", analysis.Setup{Condition: at},
		"a panel per kernel: "+strings.Join(names, ", "), drawn)
	p.Title = "Throughput of each kernel over row length, " + d.ConditionWords(at)
	p.Subtitle = "Fastest configuration on each matrix. " + marks + " Each panel has its own y axis."
	for _, precision := range precisions {
		look := precisionLook(canvas.SoftColor, precision)
		p.Keys = append(p.Keys, canvas.Key{Text: string(precision), Look: look, Dot: !lines})
	}
	return p
}

// precisionLook tells precisions of one colour apart: float64 is hollow and dashed.
func precisionLook(c color.Color, p kernels.Precision) canvas.Look {
	if p == kernels.Float64 {
		return canvas.Look{Color: c, Hollow: true, Dashes: []vg.Length{5, 3}}
	}
	return canvas.Look{Color: c}
}
