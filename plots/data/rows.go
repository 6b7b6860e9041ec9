package data

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A rowOrder sorts trials: by device, cache state, precision, matrix and kernel, which it
// has numbered, since there may be a million trials, and then by the rest.
type rowOrder struct {
	device, cache, precision, matrix, kernel map[string]uint64
}

// newRowOrder numbers the names in rows. Matrices come in the order of the list, and
// those that it lacks after them.
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
	rank := map[string]int{}
	for i, m := range slices.Backward(matrices) {
		rank[m.Name] = i - len(matrices) // 0 for those that are not there
	}
	order(names[0], cmp.Compare)
	order(names[1], cmp.Compare)
	order(names[2], cmp.Compare)
	order(names[3], func(a, b string) int { return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b)) })
	order(names[4], compareKernels)
	return &rowOrder{names[0], names[1], names[2], names[3], names[4]}
}

// number gives each name its place.
func order(places map[string]uint64, compare func(a, b string) int) {
	var names []string
	for name := range places {
		names = append(names, name)
	}
	slices.SortFunc(names, compare)
	for i, name := range names {
		places[name] = uint64(i)
	}
}

// Place is where the trials of r's device, cache state, precision, matrix and kernel
// stand among all.
func (o *rowOrder) Place(r *store.Row) uint64 {
	p := o.device[r.Device]
	p = p*uint64(len(o.cache)) + o.cache[string(r.Cache)]
	p = p*uint64(len(o.precision)) + o.precision[string(r.Precision)]
	p = p*uint64(len(o.matrix)) + o.matrix[r.Matrix]
	return p*uint64(len(o.kernel)) + o.kernel[r.Kernel]
}

// compareWithin orders trials of the same place.
func compareWithin(a, b *store.Row) int {
	return cmp.Or(
		cmp.Compare(a.Block, b.Block), cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params, b.Params),
		a.At.Compare(b.At), cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Median, b.Median),
	)
}

// sortRows sorts rows where they are, the good ones first, of each configuration the
// latest, and returns how many these are. The others follow in the same order.
func (o *rowOrder) sortRows(rows []store.Row) (good int) {
	type key struct {
		place uint64
		index int
		other bool
	}
	keys := make([]key, len(rows))
	for i := range rows {
		keys[i] = key{o.Place(&rows[i]), i, !isGood(&rows[i])}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.place, b.place), compareWithin(&rows[a.index], &rows[b.index]), cmp.Compare(a.index, b.index))
	})
	last := -1 // good one
	for i := range keys {
		if keys[i].other {
			continue
		}
		if last >= 0 && keys[last].place == keys[i].place && sameConfig(&rows[keys[last].index], &rows[keys[i].index]) {
			keys[last].other = true
			good--
		}
		last = i
		good++
	}
	order := make([]int, 0, len(keys))
	for _, other := range []bool{false, true} {
		for _, k := range keys {
			if k.other == other {
				order = append(order, k.index)
			}
		}
	}
	permute(rows, order)
	return good
}

// isGood reports whether a trial is verified and has a time.
func isGood(r *store.Row) bool {
	return r.Status == trial.OK && r.Median > 0 && !math.IsInf(r.Median, 0)
}

// permute puts rows[order[i]] at i, for all i, without a copy of them. It uses order up.
func permute(rows []store.Row, order []int) {
	for start := range order {
		if order[start] < 0 {
			continue
		}
		first := rows[start]
		at := start
		for order[at] != start {
			from := order[at]
			rows[at], order[at] = rows[from], -1
			at = from
		}
		rows[at], order[at] = first, -1
	}
}
