package analysis

import (
	"math"

	"spmvtune/store"
)

// tieWithin is how much slower than the fastest a trial may be to count as equally fast, as
// a fraction.
const tieWithin = 0.01

// TieSet says which trials the data can't tell from the fastest of them. The view best says it
// of all kernels of a place; this is for trials of one kernel.
func TieSet(rows []store.Row) []bool {
	tied := make([]bool, len(rows))
	best := Fastest(rows)
	for i := range rows {
		tied[i] = &rows[i] == best || !Tells(best, &rows[i])
	}
	return tied
}

// Tells reports whether the data can tell a from the faster b: it is slower by more than both
// times may be off, and by more than tieWithin. Of trials that are tied with the fastest of their
// place it can't, and it can tell them from those that are not.
func Tells(b, a *store.Row) bool {
	if b.Tied && b.Place() == a.Place() {
		return !a.Tied
	}
	return a.Time/b.Time > 1+max(tieWithin, apart(b, a))
}

// apart is how much slower than b, as a fraction, a has to be at least to be told from it.
func apart(b, a *store.Row) float64 {
	_, up := uncertainty(b)
	down, _ := uncertainty(a)
	return math.Expm1(math.Hypot(up, down))
}
