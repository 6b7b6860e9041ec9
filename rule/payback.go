package rule

import (
	"math"
	"slices"

	"spmvtune/sparse"
)

// What the features of a matrix cost on two cores of a shared AMD EPYC (docs/features.md):
// a loop over the entries and the rows, and samples that cost the same for every matrix.
const (
	secondsPerEntry = 3e-9
	secondsSampled  = 1e-3
)

// FeatureSeconds estimates how long sparse.Analyze takes for a matrix of this size.
func FeatureSeconds(f *sparse.Features) float64 {
	return secondsSampled + secondsPerEntry*float64(f.Nonzeros+f.Rows)
}

// payback says, by size, when the features pay for themselves.
func (t *table) payback(cases []Case, obs []*Observation) []Payback {
	oracle := oracles(obs)
	type group struct{ cost, saved []float64 }
	groups := make(map[int]*group)
	for _, c := range cases {
		m, ok := slices.BinarySearch(t.names, c.Matrix)
		if !ok || c.Sizes == 0 {
			continue
		}
		f := &t.facts[m]
		size := int(math.Pow10(int(math.Log10(max(1, float64(f.Nonzeros))))))
		g := groups[size]

		if g == nil {
			g = &group{}
			groups[size] = g
		}
		product := oracle[c.Matrix] / c.Sizes
		g.cost = append(g.cost, FeatureSeconds(f)/product)
		g.saved = append(g.saved, 1-c.Sizes/c.Fraction)
	}

	var list []Payback
	for size := 1; size <= 1e10; size *= 10 {
		g := groups[size]
		if g == nil {
			continue
		}
		slices.Sort(g.cost)
		p := Payback{Nonzeros: size, Matrices: len(g.cost), Features: g.cost[len(g.cost)/2]}
		for _, s := range g.saved {
			p.Saved += s / float64(len(g.saved))
		}

		if p.Saved > 0 {
			p.Products = p.Features / p.Saved
		}
		list = append(list, p)
	}

	return list
}
