package trial

import (
	"cmp"
	"slices"
)

// A Part is a share of the trials of a matrix, in the order of its plan: part
// Index, from 0, of Of parts that differ by at most one trial. It goes from Index/Of to
// (Index+1)/Of of the list.
type Part struct {
	Index int `json:"part"`
	Of    int `json:"of"`
}

// A Piece is a part of the trials of one matrix, and what became of it. It is all of them, unless there are
// too many for one task. The last three fields are zero as long as nobody has worked on it.
type Piece struct {
	Matrix string `json:"matrix"` // name in the sweep
	Part
	Complete bool   `json:"complete,omitempty"` // whether every trial is recorded, however it ended
	Reason   string `json:"reason,omitempty"`   // why it is not complete
	IDs      IDs    `json:"ids,omitempty"`      // its trials, if it is complete
}

// Cut returns the n pieces that p falls into.
func (p Piece) Cut(n int) []Piece {
	cut := make([]Piece, n)
	for i := range cut {
		cut[i] = Piece{Matrix: p.Matrix, Part: Part{p.Index*n + i, p.Of * n}}
	}
	return cut
}

// Overlaps reports whether p and q have trials in common, if there are enough trials.
func (p Piece) Overlaps(q Piece) bool {
	return p.Matrix == q.Matrix && p.Index*q.Of < (q.Index+1)*p.Of && q.Index*p.Of < (p.Index+1)*q.Of
}

// CoveredBy reports whether the parts together have all trials of p.
func (p Part) CoveredBy(parts []Part) bool {
	compare := func(a, m, b, n int) int { return cmp.Compare(a*n, b*m) } // a/m with b/n
	parts = slices.DeleteFunc(slices.Clone(parts), func(q Part) bool { return q.Of < 1 })
	slices.SortFunc(parts, func(a, b Part) int { return compare(a.Index, a.Of, b.Index, b.Of) })

	from, of := p.Index, p.Of // what is before from/of is covered
	for _, q := range parts {
		if compare(q.Index, q.Of, from, of) <= 0 && compare(q.Index+1, q.Of, from, of) > 0 {
			from, of = q.Index+1, q.Of
		}
	}

	return p.Of > 0 && compare(from, of, p.Index+1, p.Of) >= 0
}

// Cut returns a part of a list.
func Cut[T any](p Part, all []T) []T {
	n := len(all)
	return all[n*p.Index/p.Of : n*(p.Index+1)/p.Of]
}
