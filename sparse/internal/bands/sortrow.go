package bands

import "slices"

// shortRow is the most entries for which shifting them into place is fastest.
const shortRow = 32

// A sorter sorts rows. What it allocates for long ones serves the next.
type sorter struct {
	keys []uint64
	vals []float64
}

// sortRow sorts the entries of a row by column. Entries of the same column stay
// in the order of the file. It reports whether there are none.
func (s *sorter) sortRow(cols []int32, vals []float64) (distinct bool) {
	vals = vals[:len(cols)]
	sorted, distinct := order(cols)
	if sorted {
		return distinct
	}

	if len(cols) > shortRow {
		return s.sortLongRow(cols, vals)
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
func (s *sorter) sortLongRow(cols []int32, vals []float64) (distinct bool) {
	s.keys = slices.Grow(s.keys[:0], len(cols))
	for k, c := range cols {
		s.keys = append(s.keys, uint64(c)<<32|uint64(k))
	}
	slices.Sort(s.keys)
	s.vals = append(slices.Grow(s.vals[:0], len(vals)), vals...)
	for k, key := range s.keys {
		cols[k], vals[k] = int32(key>>32), s.vals[uint32(key)]
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
