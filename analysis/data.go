package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spmvtune/analysis/claims"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/store/compare"
	"spmvtune/tuner/trial"
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

	originals map[string]string // The published matrices that twins stand for, by the twin's name.
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
	fail := func(what string, err error) (*Data, error) { return nil, fmt.Errorf("reading %s: %w", what, err) }
	best, err := r.db.Best(ctx, store.Filter{})
	if err != nil {
		return fail("best configurations", err)
	}
	devices, err := r.db.Devices(ctx)
	if err != nil {
		return fail("devices", err)
	}

	d := New(r.rows, best, slices.Clone(r.matrices), devices)
	d.Sweeps = slices.DeleteFunc(slices.Clone(r.sweeps), func(s store.Sweep) bool { return s.Trials == 0 })
	slices.SortStableFunc(d.Sweeps, func(a, b store.Sweep) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	if d.Patterns, err = patterns(ctx, r.db); err != nil {
		return fail("patterns", err)
	}
	list, err := r.db.Kernels(ctx)
	if err != nil {
		return fail("kernels", err)
	}
	d.Own = map[string]*kernels.Custom{}
	for _, k := range list {
		if k.Own != nil { // the newest of a name is the last
			d.Own[k.Name] = k.Own
		}
	}
	if d.Drifts, err = r.db.Drifts(ctx); err != nil {
		return fail("drifts", err)
	}
	if d.Launches, err = r.db.Launches(ctx); err != nil {
		return fail("launches", err)
	}
	return d, nil
}

// patterns reads where the entries of matrices lie.
func patterns(ctx context.Context, db *store.DB) (map[string]*sparse.Density, error) {
	packed, err := db.Patterns(ctx)
	if err != nil {
		return nil, err
	}

	unpacked := map[string]*sparse.Density{}
	for hash, p := range packed {
		if d, err := p.Density(); err == nil { // a pattern of another version counts as missing
			unpacked[hash] = d
		}
	}

	return unpacked, nil
}

// New sorts and groups what was read. It keeps the slices.
func New(rows []store.Row, best []store.Best, matrices []trial.Matrix, devices []store.Device) *Data {
	d := &Data{Rows: rows, Best: best, Matrices: matrices, Devices: devices, originals: map[string]string{}}
	d.visible()
	for i := range matrices {
		if of := matrices[i].TwinOf; of != "" {
			d.originals[matrices[i].Name] = of
		}
	}

	slices.SortStableFunc(d.Matrices, func(a, b trial.Matrix) int {
		return cmp.Or(cmp.Compare(a.RowMean, b.RowMean), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	order := newRowOrder(d.Rows, d.Matrices)
	good := order.sortRows(d.Rows)
	slices.SortStableFunc(d.Best, func(a, b store.Best) int {
		return cmp.Or(cmp.Compare(order.rank(&a.Row), order.rank(&b.Row)), compareWithin(&a.Row, &b.Row))
	})
	slices.SortStableFunc(d.Devices, func(a, b store.Device) int { return cmp.Compare(a.Label, b.Label) })
	d.Panels = panelsOf(d.Rows[:good])
	for i := range d.Best {
		b := &d.Best[i].Row
		b.Tied = slices.ContainsFunc(d.PanelOf(b).Rows, func(r store.Row) bool { return r.Tied && r.Config == b.Config })
	}
	return d
}

// ClaimsByDevice cuts the judgements, which are sorted, by device.
func (d *Data) ClaimsByDevice() [][]claims.Judgement {
	var lists [][]claims.Judgement
	for i, j := range d.Claims {
		if i == 0 || j.Device != d.Claims[i-1].Device {
			lists = append(lists, nil)
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], j)
	}
	return lists
}

// A rowOrder sorts trials by device, cache state, precision, matrix and kernel, and then by
// the rest. There may be a million trials, so it numbers the names.
type rowOrder [5]map[string]uint64

// namesOf are the names that a row is sorted by.
func namesOf(r *store.Row) [5]string {
	return [5]string{r.Device, string(r.Cache), string(r.Precision), r.Matrix, r.Kernel}
}

// newRowOrder numbers the names in rows. Matrices come in the order of the list, and those
// that are not on it after them.
func newRowOrder(rows []store.Row, matrices []trial.Matrix) *rowOrder {
	order := &rowOrder{{}, {}, {}, {}, {}}
	for i := range rows {
		for k, name := range namesOf(&rows[i]) {
			order[k][name] = 0
		}
	}

	listed := map[string]int{}
	for i, m := range slices.Backward(matrices) {
		listed[m.Name] = i - len(matrices) // 0 for matrices that are not on the list
	}
	byList := func(a, b string) int { return cmp.Or(cmp.Compare(listed[a], listed[b]), cmp.Compare(a, b)) }
	compares := [5]func(a, b string) int{strings.Compare, strings.Compare, strings.Compare, byList, compareKernels}
	for i, numbers := range order {
		for n, name := range slices.SortedFunc(maps.Keys(numbers), compares[i]) {
			numbers[name] = uint64(n)
		}
	}
	return order
}

// rank is the position of r's device, cache state, precision, matrix and kernel among all.
func (o *rowOrder) rank(r *store.Row) (n uint64) {
	for k, name := range namesOf(r) {
		n = n*uint64(len(o[k])) + o[k][name]
	}
	return n
}

// compareWithin orders trials of the same rank.
func compareWithin(a, b *store.Row) int {
	return cmp.Or(
		cmp.Compare(a.Block, b.Block), cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params, b.Params),
		a.At.Compare(b.At), cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Median, b.Median),
	)
}

// sortRows sorts rows in place, the good ones first, and returns the number of good ones.
func (o *rowOrder) sortRows(rows []store.Row) (good int) {
	type key struct {
		group int // 0: good
		rank  uint64
		index int
	}
	keys := make([]key, len(rows))
	for i := range rows {
		keys[i] = key{1, o.rank(&rows[i]), i}
		if isGood(&rows[i]) {
			keys[i].group = 0
			good++
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.rank, b.rank),
			compareWithin(&rows[a.index], &rows[b.index]), cmp.Compare(a.index, b.index))
	})
	order := make([]int, len(keys))
	for i, k := range keys {
		order[i] = k.index
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
	if i := slices.IndexFunc(d.Panels, func(p Panel) bool { return p.Case == r.Place() }); i >= 0 {
		return &d.Panels[i]
	}
	return &Panel{}
}

// MatrixNames lists the matrices of some panels.
func MatrixNames(panels []Panel) string {
	return strings.Join(lists.Of(panels, func(p Panel) string { return p.Matrix }), ", ")
}

// Fastest returns the row with the least time, the first of equal ones, nil if there
// is none.
func Fastest(rows []store.Row) *store.Row {
	var best *store.Row
	for i := range rows {
		if best == nil || rows[i].Time < best.Time {
			best = &rows[i]
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
