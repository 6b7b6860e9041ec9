package trial

// A Part is a share of the trials of a matrix, in the order of its plan: part
// Index, from 0, of Of parts that differ by at most one trial.
type Part struct {
	Index int `json:"part"`
	Of    int `json:"of"`
}

// All is every trial of a matrix.
var Whole = Part{0, 1}

// Halves are the two parts that p falls into.
func (p Part) Halves() [2]Part {
	return [2]Part{{2 * p.Index, 2 * p.Of}, {2*p.Index + 1, 2 * p.Of}}
}

// partOf returns a part of a list.
func Cut[T any](p Part, all []T) []T {
	n := len(all)
	return all[n*p.Index/p.Of : n*(p.Index+1)/p.Of]
}
