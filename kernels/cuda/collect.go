package cuda

import "spmvtune/sparse"

// collect returns values in some order as V, on all cores: element k is from[order[k]], or 0 where
// that is −1.
func collect[V sparse.Float](order []int32, from []float64) []V {
	s := make([]V, len(order))
	eachShare(len(s), shares(len(s)), func(_, lo, hi int) {
		part := s[lo:hi]
		for k, i := range order[lo:hi] {
			if i := int(i); uint(i) < uint(len(from)) {
				part[k] = V(from[i])
			}
		}
	})
	return s
}
