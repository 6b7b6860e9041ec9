package rule

import (
	"spmvtune/kernels"
)

// Shortlisted is how many configurations of a shortlist are measured unless told.
const Shortlisted = 3

// A Ranked is a configuration of a shortlist.
type Ranked struct {
	kernels.Config
	// Seconds is the time that a product is expected to take; 0: not known.
	Seconds float64 `json:"seconds,omitempty"`
}

// shortlist is a leaf's choice and its runners-up, with their times on a matrix.
func (n *Node) shortlist(f *Subject) []Ranked {
	list := []Ranked{{Config: *n.Choice}}
	for _, c := range n.Next {
		list = append(list, Ranked{Config: c})
	}
	forecast := n.forecast(f)
	if forecast == nil {
		return list
	}

	list[0].Seconds = forecast.Seconds
	for i, slower := range n.NextTimes {
		list[i+1].Seconds = slower * forecast.Seconds
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
