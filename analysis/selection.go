package analysis

import (
	"slices"

	"spmvtune/kernels"
	"spmvtune/store"
)

// A Selection is some of a panel's trials.
type Selection func(*store.Row) bool

// OfKernels selects the trials of some kernels.
func OfKernels(names ...string) Selection {
	return func(r *store.Row) bool { return slices.Contains(names, r.Kernel) }
}

// And selects the trials that both select.
func (s Selection) And(t Selection) Selection {
	return func(r *store.Row) bool { return s(r) && t(r) }
}

// WithBlock selects the trials of a block size.
func WithBlock(n int) Selection { return func(r *store.Row) bool { return r.Block == n } }

// WithParam selects the trials in which a parameter has a value, set or by default.
func WithParam(p kernels.Param, value string) Selection {
	return func(r *store.Row) bool {
		v, set := r.Params.Get(p.Name)
		if !set {
			v = p.Default
		}
		return v == value
	}
}

// FastestOf returns the fastest trial of a selection, nil if there is none.
func (p *Panel) FastestOf(s Selection) *store.Row {
	var best *store.Row
	for i := range p.Rows {
		if r := &p.Rows[i]; s(r) && (best == nil || r.Time < best.Time) {
			best = r
		}
	}
	return best
}

// Best returns the fastest trial of a kernel, nil if there is none.
func (p *Panel) Best(kernel string) *store.Row { return p.FastestOf(OfKernels(kernel)) }
