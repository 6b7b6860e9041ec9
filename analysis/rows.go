package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A rowOrder sorts trials by device, cache state, precision, matrix and kernel, and then by
// the rest. There may be a million trials, so it numbers the names.
type rowOrder struct {
	device, cache, precision, matrix, kernel map[string]uint64
}

// newRowOrder numbers the names in rows. Matrices come in the order of the list, and those
// that are not on it after them.
func newRowOrder(rows []store.Row, matrices []store.Matrix) *rowOrder {
	names := make([]map[string]uint64, 5)
	for i := range names {
		names[i] = map[string]uint64{}
	}
	for i := range rows {
		r := &rows[i]
		for k, name := range []string{r.Device, string(r.Cache), string(r.Precision), r.Matrix, r.Kernel} {
			names[k][name] = 0
		}
	}

	listed := map[string]int{}
	for i, m := range slices.Backward(matrices) {
		listed[m.Name] = i - len(matrices) // 0 for matrices that are not on the list
	}
	byList := func(a, b string) int { return cmp.Or(cmp.Compare(listed[a], listed[b]), cmp.Compare(a, b)) }

	for i, compare := range []func(a, b string) int{strings.Compare, strings.Compare, strings.Compare, byList,
		compareKernels} {
		for n, name := range slices.SortedFunc(maps.Keys(names[i]), compare) {
			names[i][name] = uint64(n)
		}
	}

	return &rowOrder{names[0], names[1], names[2], names[3], names[4]}
}

// rank is the position of r's device, cache state, precision, matrix and kernel among all.
func (o *rowOrder) rank(r *store.Row) uint64 {
	n := o.device[r.Device]
	n = n*uint64(len(o.cache)) + o.cache[string(r.Cache)]
	n = n*uint64(len(o.precision)) + o.precision[string(r.Precision)]
	n = n*uint64(len(o.matrix)) + o.matrix[r.Matrix]
	return n*uint64(len(o.kernel)) + o.kernel[r.Kernel]
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
