package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spmvtune/analysis/claims"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/store/compare"
)

// Data is what a report is drawn from. Results.Data fills what is stored. What is derived is handed in
// by the caller. Its order depends on its content alone, so that the same databases give the same bytes.
type Data struct {
	Rows     []store.Row    // All trials, the good ones first.
	Best     []store.Best   // The winners in the same order.
	Matrices []store.Matrix // The matrices by mean row length.
	Devices  []store.Device // The devices by name.
	Sweeps   []store.Sweep  // The sweeps that have trials, by name.
	Panels   []Panel        // The good trials of Rows.

	// Patterns shows where the entries of matrices lie, by the hash of the matrix.
	Patterns map[string]*sparse.Density
	// Precisions are the interval widths of the good trials, by sweep.
	Precisions []Precision
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
	// Searched holds replayed searches. It may be empty where no figure shows them.
	Searched Searches
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
	d.Precisions = precisionsOf(d.Panels)
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
func New(rows []store.Row, best []store.Best, matrices []store.Matrix, devices []store.Device) *Data {
	d := &Data{Rows: rows, Best: best, Matrices: matrices, Devices: devices, originals: map[string]string{}}
	d.visible()
	for i := range matrices {
		if of := matrices[i].TwinOf; of != "" {
			d.originals[matrices[i].Name] = of
		}
	}

	slices.SortStableFunc(d.Matrices, func(a, b store.Matrix) int {
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
