package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
	"spmvtune/store/compare"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// An average holds the speed-ups of all kernels over a baseline.
type average struct {
	baseline   string
	kernels    []string // The kernels by falling mean.
	precisions []kernels.Precision
	gains      map[kernelColumn][]stat.Ratio
	matrices   map[kernels.Precision]int // The number of matrices that have the baseline.
}

type kernelColumn struct {
	kernel    string
	precision kernels.Precision
}

func averages(d *analysis.Data, s *scene) *average {
	a := &average{
		baseline: d.BaselineOf(s.device),
		gains:    map[kernelColumn][]stat.Ratio{},
		matrices: map[kernels.Precision]int{},
	}

	for i := range s.panels {
		p := &s.panels[i]
		gains := p.Gains(a.baseline)
		if len(gains) == 0 {
			continue
		}
		a.matrices[p.Precision]++
		if !slices.Contains(a.precisions, p.Precision) {
			a.precisions = append(a.precisions, p.Precision)
		}
		for _, g := range gains {
			at := kernelColumn{g.Row.Kernel, p.Precision}
			a.gains[at] = append(a.gains[at], g.Ratio)
			if !slices.Contains(a.kernels, g.Row.Kernel) {
				a.kernels = append(a.kernels, g.Row.Kernel)
			}
		}
	}

	analysis.SortKernels(a.kernels)
	slices.SortStableFunc(a.kernels, func(x, y string) int { return -cmp.Compare(a.top(x), a.top(y)) })
	return a
}

// top returns the highest mean of a kernel over the precisions.
func (a *average) top(kernel string) float64 {
	var top float64
	for _, precision := range a.precisions {
		if g := a.gains[kernelColumn{kernel, precision}]; len(g) > 0 {
			top = max(top, stat.MeanRatio(g).Value)
		}
	}
	return top
}

// averagePage draws what each kernel gains over the baseline on the average of all
// matrices: kernels from top to bottom, the fastest first, a column for each
// precision.
//
// The paper averages arithmetically and says that a few matrices with long rows
// skew it. A ratio and its inverse should average to 1, which the geometric mean
// does; the arithmetic one is drawn beside it for comparison.
func averagePage(d *analysis.Data, s *scene) *canvas.Picture {
	a := averages(d, s)
	if len(a.kernels) == 0 {
		return nil
	}
	q := timesAsFast(a.baseline)
	b := &canvas.Bars{Slots: 1, Label: q.label, Origin: q.origin, Number: q.number}
	for _, precision := range a.precisions {
		b.Columns = append(b.Columns, fmt.Sprintf("%s, %s", precision,
			term.GroupedCount(a.matrices[precision], "matrix", "matrices")))
	}

	for _, kernel := range a.kernels {
		r := canvas.BarRow{Name: kernel, Note: a.fewer(kernel)}
		for _, precision := range a.precisions {
			var cell []canvas.Mark
			if g := a.gains[kernelColumn{kernel, precision}]; len(g) > 0 {
				mean, all := stat.MeanRatio(g), valuesOf(g)
				cell = append(cell, canvas.Mark{Look: canvas.LookOf(kernel), V: mean.Value, Low: mean.Low,
					High: mean.High, Least: slices.Min(all), Most: slices.Max(all),
					Hollow: arithmeticMean(all), Name: kernel})
			}
			r.Cells = append(r.Cells, cell)
		}
		b.Rows = append(b.Rows, r)
	}

	b.Axis = q.scale(b.Reach())
	p := &canvas.Picture{
		Name: s.stem("average-improvement"),
		Subtitle: "Bar and number: geometric mean over the matrices of each kernel in its fastest configuration, log " +
			"axis; whisker: where another run finds the mean (95%). Hollow: arithmetic mean, as in the paper; a few " +
			"large values raise it. Thin line: from the least to the largest speed-up.",
		Alt:    "from the fastest kernel to the slowest: " + strings.Join(a.kernels, ", "),
		Height: b.Height(),
		Body:   b.Draw,
	}
	entitle(p, a.words(), fmt.Sprintf("Average speed-up over %s, %s", a.baseline, s.words))
	return p
}

// words states what the first kernel gains.
func (a *average) words() string {
	for _, precision := range a.precisions {
		g := a.gains[kernelColumn{a.kernels[0], precision}]
		if len(g) < 2 {
			continue
		}
		mean := stat.MeanRatio(g)
		times := func(v float64) string { return term.Significant(v, 3) }
		return fmt.Sprintf("%s is %s times as fast as %s on %s (%s)", a.kernels[0],
			canvas.Between(times, mean.Value, mean.Low, mean.High), a.baseline,
			term.GroupedCount(len(g), "matrix", "matrices"), precision)
	}
	return ""
}

func valuesOf(list []stat.Ratio) []float64 {
	values := make([]float64, len(list))
	for i, r := range list {
		values[i] = r.Value
	}
	return values
}

// fewer says on how many matrices a kernel's mean rests, if not on all.
func (a *average) fewer(kernel string) string {
	for _, precision := range a.precisions {
		if n := len(a.gains[kernelColumn{kernel, precision}]); n > 0 && n < a.matrices[precision] {
			return fmt.Sprintf("on %d", n)
		}
	}
	return ""
}

// A tuning is what tuning a kernel buys in one precision: the speeds of its configurations as
// shares of its best one on each matrix.
type tuning struct {
	shares   []float64 // of all configurations on all matrices, sorted
	matrices int
	// single is the highest geometric mean of a configuration, of those that were measured on the
	// most matrices, and on is their number.
	single       float64
	on           int
	config       kernels.Config
	median       float64
	first, third float64 // quartiles
}

// fewestConfigs is the fewest configurations that have a distribution.
const fewestConfigs = 4

// tuningOf gathers a kernel's configurations over panels of one setup; false if there are few.
func tuningOf(panels []analysis.Panel, kernel string) (tuning, bool) {
	var t tuning
	means := map[kernels.Config]*stat.GeometricMean{}
	most := 0
	for i := range panels {
		rows := panels[i].ByKernel(kernel)
		best := analysis.Fastest(rows)
		if best == nil {
			continue
		}
		t.matrices++
		most = max(most, len(rows))
		for j := range rows {
			share := best.Time / rows[j].Time
			t.shares = append(t.shares, share)
			if means[rows[j].Config] == nil {
				means[rows[j].Config] = new(stat.GeometricMean)
			}
			means[rows[j].Config].Add(share)
		}
	}
	if most < fewestConfigs {
		return t, false
	}

	for config, m := range means {
		if cmp.Or(cmp.Compare(m.Count(), t.on), cmp.Compare(m.Value(), t.single),
			strings.Compare(t.config.String(), config.String())) > 0 {
			t.single, t.on, t.config = m.Value(), m.Count(), config
		}
	}
	slices.Sort(t.shares)
	at := func(part float64) float64 { return t.shares[int(part*float64(len(t.shares)-1))] }
	t.first, t.median, t.third = at(0.25), at(0.5), at(0.75)
	return t, true
}

// configurationsPage draws how the configurations of each kernel are distributed between its slowest
// and its best.
func configurationsPage(d *analysis.Data, s *scene) *canvas.Picture {
	precisions := precisionsOf(s.panels)
	found := map[kernelColumn]tuning{}
	var names []string
	for _, name := range analysis.KernelsOf(s.panels) {
		for _, precision := range precisions {
			of := slices.DeleteFunc(slices.Clone(s.panels), func(p analysis.Panel) bool { return p.Precision != precision })
			if t, ok := tuningOf(of, name); ok {
				found[kernelColumn{name, precision}] = t
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := found[kernelColumn{a, precisions[0]}], found[kernelColumn{b, precisions[0]}]
		return cmp.Compare(x.median, y.median)
	})

	b := &canvas.Bars{Slots: 1, Dots: true, Label: "share of the kernel's best speed on the matrix", Origin: lowestShare,
		Number: term.Percent0, Axis: shareAxis()}
	for _, precision := range precisions {
		b.Columns = append(b.Columns, string(precision))
	}
	for _, name := range names {
		row := canvas.BarRow{Name: name, Note: configsWords(found, name, precisions)}
		for _, precision := range precisions {
			var cell []canvas.Mark
			if t, ok := found[kernelColumn{name, precision}]; ok {
				cell = append(cell, t.mark(name))
			}
			row.Cells = append(row.Cells, cell)
		}
		b.Rows = append(b.Rows, row)
	}

	p := &canvas.Picture{
		Name: s.stem("configurations"),
		Subtitle: "All configurations of a kernel on all matrices. Thick: the middle half; thin: from the slowest to " +
			"the best; upright line: the median. Mark and number: one configuration for all matrices, the best in " +
			"the geometric mean; behind it, what tuning each matrix gains over that, on how many matrices if not " +
			"all. Arrows: below 40%.",
		Alt:    "configurations of " + strings.Join(names, ", "),
		Height: b.Height(),
		Body:   b.Draw,
	}
	entitle(p, tunesWords(found, names, precisions[0]), "What tuning buys, "+s.words)
	return p
}

// mark draws a tuning in a row.
func (t *tuning) mark(kernel string) canvas.Mark {
	m := canvas.Mark{Look: canvas.LookOf(kernel), V: t.single, Low: t.first, High: t.third, Thick: true,
		Least: t.shares[0], Most: 1, Hollow: t.median}
	m.Words = term.Significant(1/t.single, 3) + "×"
	if !canvas.Narrow() {
		m.Words = "tuned: " + m.Words
	}
	if t.on < t.matrices {
		m.Words += fmt.Sprintf(" (%d of %d)", t.on, t.matrices)
	}
	m.Name = fmt.Sprintf("%s, one configuration for %s: block %d, grid %d %s", kernel,
		term.GroupedCount(t.on, "matrix", "matrices"), t.config.Block, t.config.Grid, t.config.Params)
	return m
}

// configsWords says how many trials a row is about.
func configsWords(found map[kernelColumn]tuning, name string, precisions []kernels.Precision) string {
	n := 0
	for _, precision := range precisions {
		n = max(n, len(found[kernelColumn{name, precision}].shares))
	}
	return term.GroupedCount(n, "trial", "trials")
}

// tunesWords states what tuning buys: the most and the least over one configuration for all.
func tunesWords(found map[kernelColumn]tuning, names []string, precision kernels.Precision) string {
	var known []string
	for _, name := range names {
		if t := found[kernelColumn{name, precision}]; t.on == t.matrices && t.on > 1 {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return ""
	}
	gain := func(name string) float64 { return 1 / found[kernelColumn{name, precision}].single }
	byGain := func(a, b string) int { return cmp.Compare(gain(a), gain(b)) }
	most, least := slices.MaxFunc(known, byGain), slices.MinFunc(known, byGain)
	if gain(most) < 1.01 {
		return "One configuration of each kernel does for all matrices"
	}
	text := fmt.Sprintf("Tuning each matrix gains %s times with %s", term.Significant(gain(most), 3), most)
	if most != least {
		text += fmt.Sprintf(", %s with %s", term.Significant(gain(least), 3), least)
	}
	return text
}

// A shareFigure shows a share for each kernel, on the matrix with the shortest and the one
// with the longest rows. The share is a fact of the launches of the fastest configuration.
type shareFigure struct {
	id, title string
	fact      string       // The key of the fact in store.Row.
	bound     string       // A fact that it can't exceed, drawn as hollow markers; "" for none.
	label     string       // The label of the axis.
	says      string       // A part of the subtitle.
	otherwise *shareFigure // What is shown where the fact is not known; nil for nothing.
}

// The paper has the achieved occupancy, which a profiler counts. The theoretical one is
// its upper bound: it follows from registers, shared memory and block size, and changes
// from matrix to matrix only because another configuration is the fastest.
var (
	theoreticalOccupancy = shareFigure{id: "occupancy", title: "Theoretical occupancy", fact: "occupancy",
		label: "resident warps, of the most that a multiprocessor holds",
		says: "If it launches several kernels, the one with the most threads counts. Theoretical, not achieved: " +
			"registers, shared memory and block size allow it."}
	occupancy = shareFigure{id: "occupancy", title: "Achieved occupancy", fact: "achieved_occupancy",
		bound: "occupancy", label: theoreticalOccupancy.label, otherwise: &theoreticalOccupancy,
		says: ofMain + " Hollow: the theoretical occupancy, which registers, shared memory and block size allow."}
	warpEfficiency = shareFigure{id: "warp-efficiency", title: "Warp execution efficiency", fact: "warp_efficiency",
		label: "active threads in an instruction, of the 32 of a warp", says: ofMain}
	loadEfficiency = shareFigure{id: "load-efficiency", title: "Global load efficiency", fact: "load_efficiency",
		label: "bytes requested, of the bytes in the sectors moved", says: ofMain}
)

const ofMain = "Counted by a profiler. If it launches several kernels, the one that reads the matrix's values counts."

func (f *shareFigure) draw(d *analysis.Data) (pages []*canvas.Picture, _ []error) {
	for _, s := range d.Setups() {
		of := f
		shares := launchShares(d, s, of)
		if len(shares.kernels) == 0 && f.otherwise != nil {
			of = f.otherwise
			shares = launchShares(d, s, of)
		}
		if len(shares.kernels) > 0 {
			pages = append(pages, of.page(d, s, shares))
		}
	}
	return pages, nil
}

// A sharesOf holds the launches of some kernels on at most two matrices.
type sharesOf struct {
	matrices []trial.Matrix
	kernels  []string
	launches map[[2]string]store.Row // The launches by matrix and kernel.
}

func launchShares(d *analysis.Data, s analysis.Setup, f *shareFigure) *sharesOf {
	o := &sharesOf{launches: map[[2]string]store.Row{}}
	measured := map[string]bool{}
	for _, l := range d.Launches {
		if _, known := l.Properties[f.fact]; !known || s != analysis.SetupOn(l.Device, l.Cache, l.Precision) {
			continue
		}
		at := [2]string{l.Matrix, l.Kernel}
		if other, seen := o.launches[at]; !seen || l.Time < other.Time {
			o.launches[at] = l
		}
		measured[l.Matrix] = true
	}

	for _, m := range d.Matrices { // by mean row length
		if measured[m.Name] {
			o.matrices = append(o.matrices, m)
		}
	}

	if n := len(o.matrices); n > 2 {
		o.matrices = []trial.Matrix{o.matrices[0], o.matrices[n-1]}
	}
	for at := range o.launches {
		shown := slices.ContainsFunc(o.matrices, func(m trial.Matrix) bool { return m.Name == at[0] })
		if shown && !slices.Contains(o.kernels, at[1]) {
			o.kernels = append(o.kernels, at[1])
		}
	}

	analysis.SortKernels(o.kernels)
	return o
}

// page draws the picture of a setup.
func (f *shareFigure) page(d *analysis.Data, s analysis.Setup, o *sharesOf) *canvas.Picture {
	b := &canvas.Bars{Slots: 1, Label: f.label, Number: term.Percent0}

	var names []string
	for _, m := range o.matrices {
		b.Columns = append(b.Columns, fmt.Sprintf("%s, %s per row", m.Name, term.Significant(m.RowMean, 3)))
		names = append(names, m.Name)
	}

	for _, kernel := range o.kernels {
		r := canvas.BarRow{Name: kernel}
		for _, m := range o.matrices {
			var cell []canvas.Mark
			if l, measured := o.launches[[2]string{m.Name, kernel}]; measured {
				v := l.Properties[f.fact]
				cell = append(cell, canvas.Mark{Look: canvas.LookOf(kernel), V: v, Low: v, High: v,
					Hollow: f.boundOf(l), Words: launchWords(l), Name: kernel + " on " + m.Name})
			}
			r.Cells = append(r.Cells, cell)
		}
		b.Rows = append(b.Rows, r)
	}

	b.Axis = canvas.Shares(4)
	p := &canvas.Picture{
		Name:  fileStem(d, f.id, s.Device, string(s.Precision), string(s.Cache)),
		Title: f.title + ": " + d.Words(s),
		Subtitle: "Each kernel in its fastest configuration on the matrix, with its block size and its registers per " +
			"thread. " + f.says,
		Alt:      f.title + " of " + strings.Join(o.kernels, ", ") + " on " + strings.Join(names, " and "),
		Matrices: names,
		Height:   b.Height(),
		Body:     b.Draw,
	}

	if len(names) > 1 {
		p.Subtitle += " Matrices with the shortest and the longest rows."
	}
	return p
}

// boundOf returns the bound of what was counted in a launch, NaN if there is none. Neither
// parameters nor the matrix enter the names of kernels that launch several.
func (f *shareFigure) boundOf(l store.Row) float64 {
	entry := cuda.Entry(kernels.Config{Kernel: l.Kernel, Precision: l.Precision, Block: l.Block, Grid: l.Grid}, 1, 1)
	if v, noted := cuda.Fact(l.Properties, f.bound, entry); noted {
		return v
	}
	return math.NaN()
}

// launchWords says what the occupancy of a launch follows from.
func launchWords(l store.Row) string {
	block := "block %d"
	if canvas.Narrow() {
		block = "%d"
	}
	var list []string
	if k, known := kernels.Lookup(l.Kernel); !known || k.Block != "" {
		list = append(list, fmt.Sprintf(block, l.Block))
	}
	if n, known := l.Properties["registers"]; known {
		list = append(list, term.Plain(n)+" reg.")
	}
	return strings.Join(list, ", ")
}

// againstFigure shows what a database has over another. It is not in the registry,
// because it needs both databases.
var againstFigure = &Figure{
	ID:    "against",
	Title: "What became faster or slower",
	See: "Bars to the right of 1 became faster. Where a whisker reaches across 1, or the table of changes does " +
		"not list the pair, no difference was shown.",
}

// Against is the figure of the comparison with another database. It has no pictures if nothing
// was compared.
func Against(d *analysis.Data) Drawn {
	if d.Against == nil {
		return Drawn{Figure: againstFigure}
	}
	return Drawn{Figure: againstFigure, Pictures: drawAgainst(d.Against, d.Base)}
}

// drawAgainst draws how many times as fast kernels are as in the other database: a picture for
// each device and cache state, a column for each precision, of the kernels that changed most.
func drawAgainst(r *compare.Result, base string) []*canvas.Picture {
	byCondition := map[analysis.Condition][]*compare.Pair{}
	var conditions []analysis.Condition
	for i := range r.Pairs {
		p := &r.Pairs[i]
		at := analysis.Condition{Device: p.Device, Cache: p.Cache}
		if byCondition[at] == nil {
			conditions = append(conditions, at)
		}
		byCondition[at] = append(byCondition[at], p)
	}

	var pages []*canvas.Picture
	for _, at := range conditions {
		pairs := byCondition[at]
		matrices := distinct(pairs, func(p **compare.Pair) string { return (*p).Matrix })
		pages = append(pages, paged(matrices, mostMatrices.here(), func(part []string) *canvas.Picture {
			p := againstPage(pairs, part, base)
			p.Title = fmt.Sprintf("Against %s: %s cache, %s", base, at.Cache, analysis.ShortDevice(at.Device))
			p.Name = canvas.Slug("against", analysis.ShortDevice(at.Device), string(at.Cache))
			return p
		})...)
	}
	return pages
}

func againstPage(pairs []*compare.Pair, matrices []string, base string) *canvas.Picture {
	change := map[string]float64{} // the largest of each kernel
	for _, p := range pairs {
		change[p.Kernel] = max(change[p.Kernel], math.Abs(math.Log(p.Ratio.Value)))
	}
	names := distinct(pairs, func(p **compare.Pair) string { return (*p).Kernel })
	all := len(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(change[b], change[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), mostBars)]
	analysis.SortKernels(names)
	b := &canvas.Bars{Slots: len(names), Label: "times as fast as in " + base, Origin: 1,
		Number: func(v float64) string { return term.Significant(v, 3) + "×" }}
	b.Columns = distinct(pairs, func(p **compare.Pair) string { return string((*p).Precision) })
	slices.Sort(b.Columns)

	for _, m := range matrices {
		row := canvas.BarRow{Name: m}
		for _, precision := range b.Columns {
			var cell []canvas.Mark
			for _, p := range pairs {
				slot := slices.Index(names, p.Kernel)
				if slot < 0 || p.Matrix != m || p.Precision != kernels.Precision(precision) {
					continue
				}
				v, low, high := analysis.Faster(p)
				cell = append(cell, canvas.Mark{Slot: slot, Look: canvas.LookOf(p.Kernel), V: v, Low: low, High: high,
					Hollow: math.NaN(), Name: p.Kernel + " on " + m + ", " + precision})
			}
			row.Cells = append(row.Cells, cell)
		}
		b.Rows = append(b.Rows, row)
	}

	low, high := b.Reach()
	b.Axis = canvas.Ratios(low, high)
	subtitle := "Time in the other database divided by time in this one, each kernel in its fastest configuration " +
		"in each. Whiskers: 95% interval."
	if all > len(names) {
		subtitle += fmt.Sprintf(" The %d of %d kernels that changed the most.", len(names), all)
	}
	return &canvas.Picture{Subtitle: subtitle, Alt: b.Label + " on " + strings.Join(matrices, ", "),
		Keys:   canvas.KeysOf(names, true),
		Height: b.Height(), Body: b.Draw}
}

// arithmeticMean is the mean of at least one value.
func arithmeticMean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
