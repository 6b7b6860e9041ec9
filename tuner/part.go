package tuner

// A Part is a share of the trials of a matrix, in the order of its plan: part
// Index, from 0, of Of parts that differ by at most one trial.
type Part struct {
	Index int `json:"part"`
	Of    int `json:"of"`
}

// All is every trial of a matrix.
var All = Part{0, 1}

// Halves are the two parts that p falls into.
func (p Part) Halves() [2]Part {
	return [2]Part{{2 * p.Index, 2 * p.Of}, {2*p.Index + 1, 2 * p.Of}}
}

// of returns the part of trials.
func (p Part) of(trials []Trial) []Trial {
	n := len(trials)
	return trials[n*p.Index/p.Of : n*(p.Index+1)/p.Of]
}
