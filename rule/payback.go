package rule

import (
	"math"
	"slices"
)

// What the features of a matrix cost on two cores of a shared AMD EPYC (docs/features.md):
// a loop over the entries and the rows, and samples that cost the same for every matrix.
const (
	secondsPerEntry = 3e-9
	secondsSampled  = 1e-3
)

// estimatedReading stands in for what computing the features of a matrix takes, where neither
// the matrix nor those that the rule was learned from tell.
func estimatedReading(f *Subject) float64 {
	return secondsSampled + secondsPerEntry*float64(f.Nonzeros+f.Rows)
}

// reading is how long it took to compute the features of matrix m, 0 if it is not known.
func (t *table) reading(m int) float64 {
	for _, o := range t.seen[m] {
		if o != nil {
			return o.Reading
		}
	}
	return 0
}

// prepare is how long it took to prepare matrix m for configuration c or, where that was not
// measured, for the nearest configuration of its kernel; 0 if neither is known.
func (t *table) prepare(m, c int) float64 {
	least, seconds := math.Inf(1), 0.0
	for d, o := range t.seen[m] {
		if !o.measured() || t.kernel[d] != t.kernel[c] {
			continue
		}
		if away := distance(t.configs[c], t.configs[d]); away < least {
			least, seconds = away, o.Prepare
		}
	}
	return seconds
}

// payback says, by size, when the features pay for themselves. It leaves out matrices of which
// the time to compute them is not known.
func (t *table) payback(cases []Case, obs []*Observation) []Payback {
	oracle := oracles(obs)
	type group struct {
		features, saved []float64
		prepare         float64
	}
	groups := make(map[int]*group)
	for _, c := range cases {
		m, ok := slices.BinarySearch(t.names, c.Matrix)
		if !ok || c.Sizes == 0 || t.reading(m) == 0 {
			continue
		}
		size := int(math.Pow10(int(math.Log10(max(1, float64(t.facts[m].Nonzeros))))))
		g := groups[size]
		if g == nil {
			g = &group{}
			groups[size] = g
		}

		product := oracle[c.Matrix] / c.Sizes
		g.features = append(g.features, t.reading(m)/product)
		g.prepare += (c.Prepare - c.SizesPrepare) / product
		g.saved = append(g.saved, 1-c.Sizes/c.Fraction)
	}

	var list []Payback
	for size := 1; size <= 1e10; size *= 10 {
		g := groups[size]
		if g == nil {
			continue
		}
		p := Payback{Nonzeros: size, Matrices: len(g.saved), Features: middle(g.features)}
		p.Prepare = g.prepare / float64(p.Matrices)
		for _, s := range g.saved {
			p.Saved += s / float64(len(g.saved))
		}

		if p.Saved > 0 {
			p.Products = max(1, (p.Features+p.Prepare)/p.Saved)
		}
		list = append(list, p)
	}

	return list
}
