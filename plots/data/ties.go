package data

import "spmvtune/store"

// tieWithin is how much slower than the fastest a trial may be to count as equally fast, as
// a fraction.
const tieWithin = 0.01

// TieSet says which trials the data can't tell from the fastest of them: those whose interval
// reaches down to its interval, or whose median is within tieWithin of its median. The view
// best tests samples instead, but only against the fastest of all kernels; this is for trials
// of one kernel.
func TieSet(rows []store.Row) []bool {
	tied := make([]bool, len(rows))
	best := Fastest(rows)
	for i := range rows {
		r := &rows[i]
		tied[i] = r == best || r.Low > 0 && r.Low <= best.High || r.Median <= (1+tieWithin)*best.Median
	}
	return tied
}

// Tells reports whether the data can tell a from the faster b.
func Tells(b, a *store.Row) bool {
	return (a.Low == 0 || a.Low > b.High) && a.Median > (1+tieWithin)*b.Median
}
