// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis/claims"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/compare"
	"example.org/spmvtune/tuner/trial"
)

// Data is what a report is drawn from. Results.Data fills what is stored. What is derived is handed in
// by the caller. Its order depends on its content alone, so that the same databases give the same bytes.
type Data struct {
	Rows     []store.Row    // All trials, the good ones first.
	Best     []store.Best   // The winners in the same order.
	Matrices []trial.Matrix // The matrices by mean row length.
	Devices  []store.Device // The devices by name.
	Sweeps   []store.Sweep  // The sweeps that have trials, by name.
	Panels   []Panel        // The good trials of Rows.

	// Patterns shows where the entries of matrices lie, by the hash of the matrix.
	Patterns map[string]*sparse.Density
	// Launches has facts about the launches of kernels in their fastest configuration.
	Launches []store.Row
	// Own has what sweeps say of kernels that they define, by name.
	Own map[string]*kernels.Custom
	// Drifts are the sentinels, by device and matrix.
	Drifts []store.Drift

	// Rule is the learned rule; nil if none was learned.
	Rule *rule.Rule
	// Claims are the verdicts on the papers' claims, by device and number.
	Claims []claims.Judgement
	// Against is the comparison with the database called Base; nil if there is none.
	Against *compare.Result
	Base    string
	// Published draws the papers' own numbers beside the measured ones.
	Published bool
}

// Read reads Data from a database as it is.
func Read(ctx context.Context, db *store.DB) (*Data, error) {
	r, err := (&Results{db: db}).read(ctx, nil)
	if err != nil {
		return nil, err
	}
	return r.Data(ctx)
}

// Data reads the rest of what a report is drawn from. It sorts the results in place.
func (r *Results) Data(ctx context.Context) (*Data, error) {
	best, err := r.db.Best(ctx, store.Filter{})
	devices, err2 := r.db.Devices(ctx)
	patterns, err3 := r.db.Patterns(ctx)
	list, err4 := r.db.Kernels(ctx)
	drifts, err5 := r.db.Drifts(ctx)
	launches, err6 := r.db.Launches(ctx)
	if err := cmp.Or(err, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}

	d := New(r.rows, best, slices.Clone(r.matrices), devices)
	d.Sweeps = slices.DeleteFunc(slices.Clone(r.sweeps), func(s store.Sweep) bool { return s.Trials == 0 })
	slices.SortStableFunc(d.Sweeps, func(a, b store.Sweep) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	d.Drifts, d.Launches = drifts, launches
	d.Patterns, d.Own = map[string]*sparse.Density{}, map[string]*kernels.Custom{}
	for hash, p := range patterns {
		if unpacked, err := p.Density(); err == nil { // a pattern of another version counts as missing
			d.Patterns[hash] = unpacked
		}
	}
	for _, k := range list {
		if k.Own != nil { // the newest of a name is the last
			d.Own[k.Name] = k.Own
		}
	}
	return d, nil
}

// New sorts and groups what was read. It keeps the slices.
func New(rows []store.Row, best []store.Best, matrices []trial.Matrix, devices []store.Device) *Data {
	d := &Data{Rows: rows, Best: best, Matrices: matrices, Devices: devices}
	d.visible()
	slices.SortStableFunc(d.Matrices, func(a, b trial.Matrix) int {
		return cmp.Or(cmp.Compare(a.RowMean, b.RowMean), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	order := newRowOrder(d.Matrices)
	good := order.sortRows(d.Rows)
	slices.SortStableFunc(d.Best, func(a, b store.Best) int {
		return cmp.Or(order.compare(a.Place(), b.Place(), a.Kernel, b.Kernel), compareWithin(&a.Row, &b.Row))
	})
	slices.SortStableFunc(d.Devices, func(a, b store.Device) int { return cmp.Compare(a.Label, b.Label) })
	d.Panels = panelsOf(d.Rows[:good])
	for i := range d.Best {
		b := &d.Best[i].Row
		b.Tied = slices.ContainsFunc(d.PanelOf(b).Rows, func(r store.Row) bool { return r.Tied && r.Config == b.Config })
	}
	return d
}

// rowOrder compares places and kernels in the order of the report: matrices as they are listed, kernels as in the
// catalogue.
type rowOrder map[string]int // the places of matrices on the list

func newRowOrder(matrices []trial.Matrix) rowOrder {
	listed := rowOrder{}
	for i, m := range slices.Backward(matrices) {
		listed[m.Name] = i - len(matrices) // 0 for matrices that are not on the list
	}
	return listed
}

func (o rowOrder) compare(a, b trial.Case, kernelOfA, kernelOfB string) int {
	return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Cache, b.Cache), cmp.Compare(a.Precision, b.Precision),
		cmp.Compare(o[a.Matrix], o[b.Matrix]), cmp.Compare(a.Matrix, b.Matrix), compareKernels(kernelOfA, kernelOfB))
}

// compareWithin orders trials of the same rank.
func compareWithin(a, b *store.Row) int {
	return cmp.Or(
		cmp.Compare(a.Block, b.Block), cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params, b.Params),
		a.At.Compare(b.At), cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Median, b.Median),
	)
}

// sortRows sorts rows in place, the good ones first, and returns the number of good ones.
func (o rowOrder) sortRows(rows []store.Row) (good int) {
	type group struct {
		last   int // 0: the good ones
		at     trial.Case
		kernel string
	}
	of := map[group][]int{}
	for i := range rows {
		g := group{1, rows[i].Place(), rows[i].Kernel}
		if isGood(&rows[i]) {
			g.last = 0
			good++
		}
		of[g] = append(of[g], i)
	}
	order := make([]int, 0, len(rows))
	for _, g := range slices.SortedFunc(maps.Keys(of), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.last, b.last), o.compare(a.at, b.at, a.kernel, b.kernel))
	}) {
		slices.SortStableFunc(of[g], func(a, b int) int { return compareWithin(&rows[a], &rows[b]) })
		order = append(order, of[g]...)
	}
	permute(rows, order)
	return good
}

// isGood reports whether a trial is verified and has a time.
func isGood(r *store.Row) bool {
	return r.Status == trial.OK && r.Median > 0 && !math.IsInf(r.Median, 0)
}

// permute moves rows[order[i]] to i, for all i, without a copy of all rows. It overwrites
// order.
func permute(rows []store.Row, order []int) {
	for start := range order {
		if order[start] < 0 {
			continue
		}
		first, at := rows[start], start
		for order[at] != start {
			from := order[at]
			rows[at], order[at] = rows[from], -1
			at = from
		}
		rows[at], order[at] = first, -1
	}
}

// visible makes signs in the names of matrices and kernels visible that would turn the direction
// of a title or a sentence, and so of the numbers in it.
func (d *Data) visible() {
	for i := range d.Matrices {
		d.Matrices[i].Name = term.Visible(d.Matrices[i].Name)
	}
	for i := range d.Best {
		visibleRow(&d.Best[i].Row)
	}
	for i := range d.Rows {
		visibleRow(&d.Rows[i])
	}
}

func visibleRow(r *store.Row) {
	r.Matrix, r.Kernel = term.Visible(r.Matrix), term.Visible(r.Kernel)
	r.Result.Matrix = r.Matrix
}

// A Panel holds the good trials of one place, each configuration once.
type Panel struct {
	trial.Case
	Rows []store.Row
}

// A Condition is a device with the state of its caches.
type Condition struct {
	Device string
	Cache  trial.Cache
}

// A Setup is a condition with a precision. Trials of one setup differ in the matrix and the
// configuration.
type Setup struct {
	Condition
	Precision kernels.Precision
}

// SetupOn returns the setup of a device, a cache state and a precision.
func SetupOn(device string, cache trial.Cache, p kernels.Precision) Setup {
	return Setup{Condition{device, cache}, p}
}

// Setup returns the setup of a panel.
func (p *Panel) Setup() Setup { return SetupOn(p.Device, p.Cache, p.Precision) }

// Condition returns the condition of a panel.
func (p *Panel) Condition() Condition { return p.Setup().Condition }

// SetupOf returns the setup that a trial was measured in.
func SetupOf(r *store.Row) Setup { return SetupOn(r.Device, r.Cache, r.Precision) }

// panelsOf groups good rows, which are sorted, by place.
func panelsOf(good []store.Row) (panels []Panel) {
	start := 0
	for i := range good {
		if i+1 == len(good) || good[i+1].Place() != good[start].Place() {
			panels = append(panels, Panel{Case: good[start].Place(), Rows: good[start : i+1 : i+1]})
			start = i + 1
		}
	}
	return panels
}

// Setups lists the setups with good trials, in order.
func (d *Data) Setups() []Setup {
	return lists.Distinct(d.Panels, func(p Panel) Setup { return p.Setup() })
}

// Conditions lists the conditions with good trials, in order.
func (d *Data) Conditions() []Condition {
	return lists.Distinct(d.Setups(), func(s Setup) Condition { return s.Condition })
}

// In returns the panels of one setup: a matrix each, by mean row length.
func (d *Data) In(s Setup) []Panel {
	return lists.Where(d.Panels, func(p Panel) bool { return p.Setup() == s })
}

// Under returns the panels of one condition.
func (d *Data) Under(c Condition) []Panel {
	return lists.Where(d.Panels, func(p Panel) bool { return p.Condition() == c })
}

// PanelOf returns the panel that r belongs to, an empty one if there is none.
func (d *Data) PanelOf(r *store.Row) *Panel {
	return orEmpty(d.Panels, func(p Panel) bool { return p.Case == r.Place() })
}

// Device returns the device with this label, an empty one if there is none.
func (d *Data) Device(label string) *store.Device {
	return orEmpty(d.Devices, func(v store.Device) bool { return v.Label == label })
}

// Matrix returns the matrix of this name, an empty one if there is none.
func (d *Data) Matrix(name string) *trial.Matrix {
	return orEmpty(d.Matrices, func(m trial.Matrix) bool { return m.Name == name })
}

// orEmpty returns the first of a list that is meant, an empty one if there is none.
func orEmpty[T any](list []T, meant func(T) bool) *T {
	if i := slices.IndexFunc(list, meant); i >= 0 {
		return &list[i]
	}
	return new(T)
}

// MatrixNames lists the matrices of some panels.
func MatrixNames(panels []Panel) string {
	return strings.Join(lists.Of(panels, func(p Panel) string { return p.Matrix }), ", ")
}

// Fastest returns the row with the least time, and of equal ones that which the view best names, nil if there is none.
func Fastest(rows []store.Row) *store.Row {
	var best *store.Row
	for i := range rows {
		r := &rows[i]
		if best == nil || r.Time < best.Time || r.Time == best.Time && cmp.Or(cmp.Compare(r.Kernel, best.Kernel),
			cmp.Compare(r.Block, best.Block), cmp.Compare(r.Grid, best.Grid), cmp.Compare(r.Params, best.Params)) < 0 {
			best = r
		}
	}
	return best
}

// ByKernel returns the rows of one kernel. There may be a million rows, so they are not
// copied where they are contiguous, as in the panel of one device.
func (p *Panel) ByKernel(name string) []store.Row {
	first, end, n := 0, 0, 0
	for i := range p.Rows {
		if p.Rows[i].Kernel == name {
			if n == 0 {
				first = i
			}
			end, n = i+1, n+1
		}
	}
	if end-first == n {
		return p.Rows[first:end:end]
	}
	return slices.DeleteFunc(slices.Clone(p.Rows[first:end]), func(r store.Row) bool { return r.Kernel != name })
}

// groupBy groups values by a key. The keys are in the order in which they occur.
func groupBy[K comparable, T any](list []T, key func(*T) K) (keys []K, of map[K][]*T) {
	of = map[K][]*T{}
	for i := range list {
		k := key(&list[i])
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], &list[i])
	}
	return keys, of
}
