package mtx

import "slices"

// shortRow is the most entries for which shifting them into place is fastest.
const shortRow = 32

// sortRow sorts the entries of a row by column. Entries of the same column stay
// in the order of the file. It reports whether there are none.
func sortRow(cols []int32, vals []float64) (distinct bool) {
	vals = vals[:len(cols)]
	sorted, distinct := order(cols)
	if sorted {
		return distinct
	}
	if len(cols) > shortRow {
		return sortLongRow(cols, vals)
	}
	distinct = true
	for k := 1; k < len(cols); k++ {
		c, v, at := cols[k], vals[k], k
		for ; at > 0 && cols[at-1] > c; at-- {
			cols[at], vals[at] = cols[at-1], vals[at-1]
		}
		if at > 0 && cols[at-1] == c {
			distinct = false
		}
		cols[at], vals[at] = c, v
	}
	return distinct
}

// sortLongRow sorts the columns with their positions, and copies the values.
func sortLongRow(cols []int32, vals []float64) (distinct bool) {
	keys := make([]uint64, len(cols))
	for k, c := range cols {
		keys[k] = uint64(c)<<32 | uint64(k)
	}
	slices.Sort(keys)
	old := slices.Clone(vals)
	for k, key := range keys {
		cols[k], vals[k] = int32(key>>32), old[uint32(key)]
	}
	_, distinct = order(cols)
	return distinct
}

// sortColumns sorts the columns of a row of a pattern, whose values are all one,
// and reports whether none occurs twice.
func sortColumns(cols []int32) (distinct bool) {
	sorted, distinct := order(cols)
	if !sorted {
		slices.Sort(cols)
		_, distinct = order(cols)
	}
	return distinct
}

// order reports whether columns are in order, and whether they are then distinct.
func order(cols []int32) (sorted, distinct bool) {
	distinct = true
	for k := 1; k < len(cols); k++ {
		if cols[k] <= cols[k-1] {
			if cols[k] < cols[k-1] {
				return false, false
			}
			distinct = false
		}
	}
	return true, distinct
}
