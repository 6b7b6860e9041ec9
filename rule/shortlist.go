package rule

import (
	"spmvtune/kernels"
	"spmvtune/tuner/search"
)

// Shortlisted is how many configurations of a shortlist are measured unless told.
const Shortlisted = search.Shortlisted

// A Ranked is a configuration of a shortlist.
type Ranked struct {
	kernels.Config
	// Seconds is the time that a product is expected to take; 0: not known.
	Seconds float64 `json:"seconds,omitempty"`
}

// slower is the time of a leaf's configuration over that of its choice, 0 if it is not known.
func (n *Node) slower(i int) float64 {
	switch {
	case i == 0:
		return 1
	case i <= len(n.NextTimes):
		return n.NextTimes[i-1]
	}
	return 0
}

// shortlist is a leaf's choice and its runners-up, if they are legal, with their times on a matrix.
func (n *Node) shortlist(f *Subject) []Ranked {
	forecast := n.forecast(f)
	var list []Ranked
	for _, i := range n.legal(f) {
		r := Ranked{Config: n.at(i)}
		if forecast != nil {
			r.Seconds = n.slower(i) * forecast.Seconds
		}
		list = append(list, r)
	}
	return list
}

// bestOf is the fraction of the oracle that the fastest of the first few configurations reaches
// on matrix m.
func (t *table) bestOf(m int, list []kernels.Config) float64 {
	best := 0.0
	for _, c := range list[:min(Shortlisted, len(list))] {
		best = max(best, t.fraction(m, &c))
	}
	return best
}
