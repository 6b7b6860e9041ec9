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
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A crossing is a figure of throughput over what matrices are like, dots of a kernel alike, as in
// csr-five-algorithms.
type crossing struct {
	id, title string
	order     ordering
	unit      analysis.Unit
}

const fewestStops = 2 // The fewest matrices that are worth a page.

// draw draws a picture for each condition, in the papers' precision if it was measured.
func (f crossing) draw(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := slices.DeleteFunc(singlePrecision(d, at), func(p analysis.Panel) bool { return !f.shows(&p) })
		if f.order.differ(panels) {
			pages = append(pages, f.page(d, panels))
		}
	}
	return pages, nil
}

// shows reports whether there is something to draw on a matrix: what an imported trial moved, and
// the roof of its device, are not known.
func (f crossing) shows(p *analysis.Panel) bool {
	return slices.ContainsFunc(p.Rows, func(r store.Row) bool { return f.unit.Of(&r) > 0 })
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

func (f crossing) page(d *analysis.Data, panels []analysis.Panel) *canvas.Picture {
	s := panels[0].Setup()
	stops := f.order.stops(panels)
	names := f.named(panels, len(stops) >= canvas.FewestForTrend)
	all := analysis.KernelsOf(panels)
	cited := citationsOf(d)

	var sets, others []canvas.Set
	for _, kernel := range all {
		set := canvas.SetOf(overMatrices(panels, f.order, kernel, f.unit))
		if !slices.Contains(names, kernel) {
			others = append(others, set)
			continue
		}
		for _, q := range set.Points {
			set.Published = append(set.Published,
				cited.beside(f.unit, q.Row, func(*analysis.Publication) (float64, bool) { return q.X, true })...)
		}
		sets = append(sets, set)
	}

	p := &canvas.Picture{
		Name: fileStem(d, f.id, s.Device, string(s.Precision), string(s.Cache)),
		Alt: fmt.Sprintf("%s of %s over %s by %s: %s", f.unit.Label,
			term.GroupedCount(len(all), "kernel", "kernels"), term.GroupedCount(len(stops), "matrix", "matrices"),
			f.order.by, analysis.MatrixNames(panels)),
		Kernels:  names,
		Keys:     []canvas.Key{},
		Subtitle: "Each kernel in its fastest configuration on each matrix.",
	}
	cl := canvas.Cloud{Sets: sets, Others: others, X: f.order.axis(stops, 12), Stems: f.order.stems(stops),
		Roof: analysis.RoofOf(panels, f.unit)}
	if trends := slices.ContainsFunc(sets, hasTrend); trends {
		f.many(p, cl, stops)
	} else {
		f.few(p, cl)
	}
	p.Subtitle += unnamed(len(all)-len(names), "grey") + cited.Caption()
	p.Title = fmt.Sprintf("%s, %s", f.title, d.Words(s))
	return p
}

// named lists the kernels that have colours: those that are the fastest most often, and the
// fastest of cuSPARSE.
func (f crossing) named(panels []analysis.Panel, many bool) []string {
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

func hasTrend(s canvas.Set) bool { return s.Trend != nil }

// few draws named matrices in one panel.
func (f crossing) few(p *canvas.Picture, cl canvas.Cloud) {
	cl.Y = throughputScale(cl.Sets, cl.Roof, false)
	p.Keys = canvas.KeysOf(p.Kernels, true)
	p.Subtitle += " Whiskers: " + canvas.Interval + "." + cloudRoof(&cl)
	p.Height = 330 + canvas.StemHeight(cl.Stems)
	p.Body = func(c draw.Canvas) { canvas.DrawClouds(c, []canvas.Cloud{cl}, 1, f.order.by, f.unit.Label) }
}

// many draws the running medians together and, below them, a panel for each kernel.
func (f crossing) many(p *canvas.Picture, cl canvas.Cloud, stops []stop) {
	cl.Medians = true
	cl.Y = throughputScale(slices.Concat(trends(cl.Sets), trends(cl.Others)), cl.Roof, true)
	columns := canvas.ColumnsFor(len(cl.Sets))
	y := throughputScale(cl.Sets, cl.Roof, true)

	var panels []canvas.Cloud
	for i, own := range cl.Sets {
		rest := slices.Concat(trends(cl.Sets[:i]), trends(cl.Sets[i+1:]))
		panels = append(panels, canvas.Cloud{Heading: own.Name, Sets: []canvas.Set{own}, Others: rest,
			X: f.order.axis(stops, 14/columns), Y: y, Roof: cl.Roof})
	}

	top := vg.Length(270)
	if canvas.Narrow() {
		top = 205
	}
	rows := (len(panels) + columns - 1) / columns
	p.Height = top + 24 + vg.Length(rows)*canvas.PanelHeight(columns)
	p.Subtitle += " Lines: running medians over neighbouring matrices. Below, each kernel: dots are matrices, the " +
		"band holds half of them, and grey are the medians of the other named kernels." + cloudRoof(&cl)
	p.Body = func(c draw.Canvas) {
		upper, lower := c, c
		upper.Min.Y, lower.Max.Y = c.Max.Y-top, c.Max.Y-top-12
		canvas.DrawClouds(upper, []canvas.Cloud{cl}, 1, f.order.by, f.unit.Label)
		canvas.DrawClouds(lower, panels, columns, f.order.by, f.unit.Label)
	}
}

// trends returns the running medians of sets as their points.
func trends(sets []canvas.Set) []canvas.Set {
	var list []canvas.Set
	for _, s := range sets {
		if s.Trend != nil {
			s.Points, s.Published = nil, nil
			for _, q := range s.Trend {
				s.Points = append(s.Points, canvas.Point{X: q.X, Y: q.Y, Low: q.Y, High: q.Y})
			}
			list = append(list, s)
		}
	}
	return list
}

// overMatrices returns one kernel at its best on each matrix that it was measured on.
func overMatrices(panels []analysis.Panel, o ordering, kernel string, u analysis.Unit) canvas.Line {
	l := canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	for i := range panels {
		if r := analysis.Fastest(panels[i].ByKernel(kernel)); r != nil {
			if x, v := o.value(r), u.Of(r); x > 0 && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, canvas.Throughput(r, x, v))
			}
		}
	}
	return l
}

// throughputScale is linear from zero for a few matrices, and logarithmic for many: these differ
// by orders of magnitude. The roof is on it if it is near the data.
func throughputScale(sets []canvas.Set, roof float64, many bool) canvas.Scale {
	low, high, whiskers := math.Inf(1), 0.0, 0.0
	for _, s := range sets {
		for _, q := range s.Points {
			low, high, whiskers = min(low, q.Y), max(high, q.Y), max(whiskers, q.High)
		}
	}
	high = canvas.Top(high, whiskers)
	if roof > 0 && roof <= canvas.RoofWithin*high {
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
	return " Whiskers: " + canvas.Interval + "."
}

func cloudRoof(cl *canvas.Cloud) string {
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

// An ordering sorts matrices along an axis.
type ordering struct {
	name  string // "nnz", in names of files
	by    string // "nonzeros", after "matrices by rising"
	value func(*store.Row) float64
	print func(float64) string
}

var (
	byRows = ordering{
		name: "rows", by: "number of rows",
		value: func(r *store.Row) float64 { return float64(r.Rows) },
		print: term.Abbreviated,
	}
	byNonzeros = ordering{
		name: "nnz", by: "number of nonzeros",
		value: func(r *store.Row) float64 { return float64(r.NNZ) },
		print: term.Abbreviated,
	}
	byRowLength = ordering{
		name: "row-length", by: "mean row length (nonzeros)",
		value: func(r *store.Row) float64 { return float64(r.NNZ) / float64(max(r.Rows, 1)) },
		print: func(v float64) string { return term.Significant(v, 3) },
	}
)

// A stop is a matrix on the axis.
type stop struct {
	Matrix string
	Value  float64
}

// stops lists the matrices of some panels in order, each once. A logarithmic axis has no place
// for those without a value.
func (o ordering) stops(panels []analysis.Panel) []stop {
	var list []stop
	for i := range panels {
		p := &panels[i]
		if o.value(&p.Rows[0]) > 0 && !slices.ContainsFunc(list, func(s stop) bool { return s.Matrix == p.Matrix }) {
			list = append(list, stop{p.Matrix, o.value(&p.Rows[0])})
		}
	}

	slices.SortStableFunc(list, func(a, b stop) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

// differ reports whether an axis over some panels would tell their matrices apart.
func (o ordering) differ(panels []analysis.Panel) bool {
	const least = 1.1 // the highest value over the lowest
	stops := o.stops(panels)
	return len(stops) >= fewestStops && stops[len(stops)-1].Value >= least*stops[0].Value
}

// mostStems is the most matrices that are named on an axis.
const mostStems = canvas.FewestForTrend - 1

// stems names matrices on the axis, if there are few.
func (o ordering) stems(stops []stop) []canvas.Stem {
	if len(stops) > mostStems {
		return nil
	}
	list := make([]canvas.Stem, len(stops))
	for i, s := range stops {
		list[i] = canvas.Stem{Name: s.Matrix, X: s.Value}
	}
	return list
}

// axis is logarithmic and has at most about n labels.
func (o ordering) axis(stops []stop, n int) canvas.Scale {
	low, high := stops[0].Value, stops[len(stops)-1].Value
	pad := max(1.06, math.Pow(high/low, 0.03))
	return roundedLog(low/pad, high*pad, n)
}

// roundedLog is canvas.LogBetween with short labels.
func roundedLog(low, high float64, n int) canvas.Scale {
	s := canvas.LogBetween(low, high, n)
	for i := range s.Ticks {
		if t := &s.Ticks[i]; t.Label != "" {
			t.Label = rounded(t.Value)
		}
	}
	return s
}

// rounded prints the value of a tick.
func rounded(v float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if v >= unit.size {
			return term.Plain(v/unit.size) + unit.name
		}
	}
	return term.Plain(v)
}

// drawKernels draws throughput over matrices by row length with a panel for each kernel, for each
// condition.
func drawKernels(d *analysis.Data) ([]*canvas.Picture, []error) {
	var overviews []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := d.Under(at)
		if !byRowLength.differ(panels) {
			continue
		}
		names := analysis.KernelsOf(panels)
		pages := (len(names) + mostKernels.here() - 1) / mostKernels.here()
		for n := range pages {
			p := kernelOverview(d, panels, names[n*mostKernels.here():min(len(names), (n+1)*mostKernels.here())])
			if pages > 1 {
				p.Name += fmt.Sprintf("-%d", n+1)
				p.Title += fmt.Sprintf(" (%d of %d)", n+1, pages)
			}
			overviews = append(overviews, p)
		}
	}

	return overviews, nil
}

// precisionLook keeps a kernel's colour and tells precisions apart: float64 is hollow and dashed.
func precisionLook(l canvas.Look, p kernels.Precision) canvas.Look {
	l.Marker = nil // a circle, which shows best whether it is hollow
	if p == kernels.Float64 {
		l.Hollow, l.Dashes = true, []vg.Length{5, 3}
	}
	return l
}

// byPrecision returns a set for each precision of one kernel.
func byPrecision(panels []analysis.Panel, kernel string) []canvas.Set {
	var sets []canvas.Set
	for _, p := range precisionsOf(panels) {
		of := slices.DeleteFunc(slices.Clone(panels), func(other analysis.Panel) bool { return other.Precision != p })
		l := overMatrices(of, byRowLength, kernel, analysis.GFLOPS)
		l.Look = precisionLook(l.Look, p)
		if len(l.Points) > 0 {
			set := canvas.SetOf(l)
			set.Name = string(p)
			sets = append(sets, set)
		}
	}

	return sets
}

// precisionsOf lists the precisions of some panels.
func precisionsOf(panels []analysis.Panel) []kernels.Precision {
	var list []kernels.Precision
	for _, p := range panels {
		if !slices.Contains(list, p.Precision) {
			list = append(list, p.Precision)
		}
	}
	return list
}

// precisionKeys are those of the precisions of some panels. Marks of many matrices have lines.
func precisionKeys(panels []analysis.Panel, look func(kernels.Precision) canvas.Look, lines bool) []canvas.Key {
	keys := []canvas.Key{}
	for _, p := range precisionsOf(panels) {
		keys = append(keys, canvas.Key{Text: string(p), Look: look(p), Dot: !lines})
	}
	if len(keys) == 1 { // the heading says it
		return []canvas.Key{}
	}
	return keys
}

func kernelOverview(d *analysis.Data, panels []analysis.Panel, names []string) *canvas.Picture {
	at := panels[0].Condition()
	stops := byRowLength.stops(panels)
	columns := canvas.ColumnsFor(len(names))
	clouds := make([]canvas.Cloud, len(names))
	trends := false
	for i, kernel := range names {
		sets := byPrecision(panels, kernel)
		of := slices.ContainsFunc(sets, hasTrend)
		trends = trends || of
		clouds[i] = canvas.Cloud{Heading: kernel, Sets: sets, X: byRowLength.axis(stops, 14/columns),
			Y: throughputScale(sets, 0, of)}
	}

	p := &canvas.Picture{
		Name: fileStem(d, "kernel-gflops-vs-row-length", at.Device, string(at.Cache)),
		Subtitle: "Fastest configuration on each matrix." + cloudWords(trends) +
			" Each panel has its own y axis.",
		Alt: "a panel per kernel: " + fmt.Sprint(names),
		Keys: precisionKeys(panels, func(p kernels.Precision) canvas.Look {
			return precisionLook(canvas.Look{Color: canvas.SoftColor}, p)
		}, trends),
	}
	axes := "Throughput of each kernel over row length, "
	if precisions := precisionsOf(panels); len(precisions) == 1 {
		axes += string(precisions[0]) + ", "
	}
	entitle(p, keepsWords(panels, names), axes+d.ConditionWords(at))
	rows := (len(clouds) + columns - 1) / columns
	p.Height = vg.Length(rows)*canvas.PanelHeight(columns) + 24
	p.Body = func(c draw.Canvas) {
		canvas.DrawClouds(c, clouds, columns, byRowLength.by, analysis.GFLOPS.Label)
	}
	return p
}

// keepsWords states what share of its float32 speed a kernel keeps in float64 or, of several
// kernels, the least and the most; "" without both precisions.
func keepsWords(panels []analysis.Panel, names []string) string {
	type kept struct {
		kernel string
		share  float64
		on     int
	}
	var list []kept
	for _, name := range names {
		var mean stat.GeometricMean
		for i := range panels {
			single := panels[i].Best(name)
			if panels[i].Precision != kernels.Float32 || single == nil {
				continue
			}
			for j := range panels {
				double := panels[j].Best(name)
				if double != nil && panels[j].Precision == kernels.Float64 && panels[j].Matrix == panels[i].Matrix {
					mean.Add(single.Time / double.Time)
				}
			}
		}
		if mean.Count() > 0 {
			list = append(list, kept{name, mean.Value(), mean.Count()})
		}
	}
	if len(list) == 0 {
		return ""
	}

	byShare := func(a, b kept) int { return cmp.Compare(a.share, b.share) }
	least, most := slices.MinFunc(list, byShare), slices.MaxFunc(list, byShare)
	text := fmt.Sprintf("%s keeps %s of its float32 speed in float64", least.kernel, term.Percent0(least.share))
	if len(list) > 1 {
		return text + fmt.Sprintf(", %s %s", most.kernel, term.Percent0(most.share))
	}
	return text + fmt.Sprintf(" (geometric mean of %s)", term.GroupedCount(least.on, "matrix", "matrices"))
}

// drawFeatures draws matrices by the mean and the variation of their row lengths, coloured by the best
// kernel, where these two features decide which that is.
func drawFeatures(d *analysis.Data) (pages []*canvas.Picture, _ []error) {
	for _, s := range d.Setups() {
		if f := featuresOf(d, s); f.decide() {
			pages = append(pages, f.page(d))
		}
	}
	return pages, nil
}

// features are the matrices of a setup whose features are known.
type features struct {
	analysis.Setup
	contest *analysis.Contest
	points  []featured
	right   int // On how many the kernel of the nearest other matrix is the best, or tied.
	alone   int // On how many the one kernel is that is so most often, which is called single.
	single  string
	winners []string
}

// A featured matrix is the place of a contest with its features.
type featured struct {
	place           int
	mean, variation float64 // The variation is the standard deviation over the mean.
	kernel          string
}

// leastVariation stands for that of rows of equal length, which a logarithmic axis can't show.
const leastVariation = 0.01

// fewestFeatured is the number of matrices from which on two features may decide.
const fewestFeatured = 8

func featuresOf(d *analysis.Data, s analysis.Setup) *features {
	f := &features{Setup: s, contest: analysis.NewContest(d.In(s))}
	byName := map[string]*trial.Matrix{}
	for i := range d.Matrices {
		byName[d.Matrices[i].Name] = &d.Matrices[i]
	}
	for i := range f.contest.Places {
		m := byName[f.contest.Places[i].Matrix]
		if m == nil || !(m.RowMean > 0) || !(m.RowStd >= 0) {
			continue
		}
		p := featured{place: i, mean: m.RowMean, variation: max(m.RowStd/m.RowMean, leastVariation)}
		for _, k := range f.contest.Contenders {
			if k.Entries[i].Named {
				p.kernel = k.Kernel
			}
		}
		f.points = append(f.points, p)
		if !slices.Contains(f.winners, p.kernel) {
			f.winners = append(f.winners, p.kernel)
		}
	}
	analysis.SortKernels(f.winners)
	f.judge()
	return f
}

// judge counts how often the kernel of the nearest other matrix is right, and how often one kernel.
func (f *features) judge() {
	for i := range f.points {
		nearest, least := -1, math.Inf(1)
		for j := range f.points {
			if far := f.points[i].distance(&f.points[j]); j != i && far < least {
				nearest, least = j, far
			}
		}
		if nearest >= 0 && f.best(f.points[nearest].kernel, f.points[i].place) {
			f.right++
		}
	}
	for i := range f.contest.Contenders {
		name, n := f.contest.Contenders[i].Kernel, 0
		for _, p := range f.points {
			if f.best(name, p.place) {
				n++
			}
		}
		if n > f.alone {
			f.alone, f.single = n, name
		}
	}
}

// best reports whether a kernel is the best at a place, or tied with it.
func (f *features) best(kernel string, place int) bool {
	return f.contest.Contenders[f.standing(kernel)].Entries[place].Tied
}

func (a *featured) distance(b *featured) float64 {
	return math.Hypot(math.Log(a.mean/b.mean), math.Log(a.variation/b.variation))
}

// decide reports whether the features tell more than to take one kernel for all.
func (f *features) decide() bool {
	return len(f.points) >= fewestFeatured && len(f.winners) > 1 && f.right > f.alone
}

func (f *features) page(d *analysis.Data) *canvas.Picture {
	p := &canvas.Picture{
		Name: fileStem(d, "winner-features", f.Device, string(f.Precision), string(f.Cache)),
		Subtitle: "A mark is a matrix, with the look of the kernel that is named the best. Variation: the standard " +
			"deviation of the row lengths over their mean; 0.01 stands for less, too. Marks at one place stand side by side.",
		Alt:     fmt.Sprintf("%d matrices by mean and variation of their row lengths", len(f.points)),
		Kernels: f.winners,
		Keys:    canvas.KeysOf(f.winners, true),
		Height:  330,
	}
	entitle(p, fmt.Sprintf("The kernel of the nearest other matrix is the best, or tied, on %d of %d; %s for all, on %d",
		f.right, len(f.points), f.single, f.alone), "Row length and variation, "+d.Words(f.Setup))

	cl := canvas.Cloud{Apart: true, X: f.axis(func(q *featured) float64 { return q.mean }),
		Y: f.axis(func(q *featured) float64 { return q.variation })}
	for _, name := range f.winners {
		set := canvas.Set{Name: name, Look: canvas.LookOf(name)}
		for _, q := range f.points {
			if q.kernel == name {
				row := f.contest.Contenders[f.standing(name)].Entries[q.place].Row
				set.Points = append(set.Points, canvas.Point{X: q.mean, Y: q.variation, Low: q.variation, High: q.variation,
					Row: row})
			}
		}
		cl.Sets = append(cl.Sets, set)
	}
	p.Body = func(c draw.Canvas) {
		canvas.DrawClouds(c, []canvas.Cloud{cl}, 1, "mean row length (nonzeros)", "variation of the row length")
	}
	return p
}

func (f *features) standing(kernel string) int {
	return slices.IndexFunc(f.contest.Contenders, func(s analysis.Contender) bool { return s.Kernel == kernel })
}

// axis is a logarithmic axis over a feature.
func (f *features) axis(of func(*featured) float64) canvas.Scale {
	low, high := math.Inf(1), 0.0
	for i := range f.points {
		low, high = min(low, of(&f.points[i])), max(high, of(&f.points[i]))
	}
	pad := max(1.1, math.Pow(high/low, 0.04))
	return roundedLog(low/pad, high*pad, 10)
}
