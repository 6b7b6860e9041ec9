package data

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

// And selects what both select.
func (s Selection) And(t Selection) Selection {
	return func(r *store.Row) bool { return s(r) && t(r) }
}

func WithBlock(n int) Selection { return func(r *store.Row) bool { return r.Block == n } }

// WithParam selects trials with a value of a parameter, set or by default.
func WithParam(p kernels.Param, value string) Selection {
	return func(r *store.Row) bool {
		v, set := r.Params.Get(p.Name)
		if !set {
			v = p.Default
		}
		return v == value
	}
}

// FastestOf is the fastest trial of a selection, nil if there is none.
func (p *Panel) FastestOf(s Selection) *store.Row {
	var best *store.Row
	for i := range p.Rows {
		if r := &p.Rows[i]; s(r) && (best == nil || r.Median < best.Median) {
			best = r
		}
	}
	return best
}

// Best is the fastest trial of a kernel in a panel, nil if there is none.
func (p *Panel) Best(kernel string) *store.Row { return p.FastestOf(OfKernels(kernel)) }
