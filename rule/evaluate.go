// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
)

// An Evaluation says what a user should know about each tree of a rule before trusting it: where
// it misses, how far its times can be trusted, and when features pay.
type Evaluation struct {
	Key
	Noise   string    `json:"noise,omitempty"`  // see Model
	Choice  Figures   `json:"rule"`             // figures on families left out
	Test    Figures   `json:"test,omitzero"`    // figures on the families of the final test
	Missed  []Case    `json:"missed,omitempty"` // cases below 0.75 of the oracle, final test included
	Times   Coverage  `json:"forecast_coverage,omitzero"`
	Payback []Payback `json:"payback,omitempty"` // paybacks by size of the matrices
}

// A Payback says after how many products the features of a matrix have paid for themselves: the
// time that it took to compute them, and to prepare the matrix for the choice of the tree over
// all features beyond that for the choice of the tree over sizes, divided by the time per
// product that the former saves, on families left out.
type Payback struct {
	Nonzeros int     `json:"nonzeros"` // counts matrices with at least this many, and less than ten times that
	Matrices int     `json:"matrices"`
	Features float64 `json:"features_in_products"` // median time to compute them, as measured
	// Prepare is the mean time that preparation takes more.
	Prepare  float64 `json:"preparation_in_products"`
	Saved    float64 `json:"saved"`              // mean share of a product's time; 0 or less: they never pay
	Products float64 `json:"products,omitempty"` // number that pays for them; 0: no number does
}

// missed is the fraction of the oracle below which cases are listed.
const missed = 0.75

// Evaluate judges what Learn gives for the same observations and options. r is what it
// gave.
func Evaluate(r *Rule, obs []Observation, opt Options) ([]Evaluation, error) {
	obs = charged(obs, opt.Products)
	_, groups := group(obs)
	var list []Evaluation

	for i := range r.Models {
		s := &r.Models[i]
		t, _, err := newTable(opt.teaching(groups[s.Key]))
		if err != nil {
			return nil, fmt.Errorf("evaluating the rule for %s: %w", s.Key, err)
		}

		e := s.evaluation()
		e.Payback = t.payback(s.Validation.Cases)
		list = append(list, e)
	}

	return list, nil
}

// Evaluations are what a rule says of itself, without the measurements that it was learned from.
func (r *Rule) Evaluations() []Evaluation {
	return lists.Of(r.Models, func(s Model) Evaluation { return s.evaluation() })
}

// evaluation sums up the cases of a tree.
func (s *Model) evaluation() Evaluation {
	e := Evaluation{Key: s.Key, Noise: s.Noise, Choice: s.Validation.Figures, Test: s.Test.Figures, Times: s.Validation.Times}
	for _, c := range slices.Concat(s.Validation.Cases, s.Test.Cases) {
		if c.Fraction < missed && !c.Partial {
			e.Missed = append(e.Missed, c)
		}
	}
	slices.SortStableFunc(e.Missed, func(a, b Case) int { return cmp.Compare(a.Fraction, b.Fraction) })
	return e
}

// What the features of a matrix cost on two cores of a shared AMD EPYC (docs/database.md):
// a loop over the entries and the rows, and samples that cost the same for every matrix.
const (
	secondsPerEntry = 3e-9
	secondsSampled  = 1e-3
)

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
	if near := nearest(t.configs[c], t.configs, func(d int) bool { return t.seen[m][d].measured() }); near != nil {
		return t.seen[m][near[0]].Prepare
	}
	return 0
}

// payback says, by size, when the features pay for themselves. It leaves out matrices of which
// the time to compute them is not known.
func (t *table) payback(cases []Case) []Payback {
	groups, features := make(map[int]*Payback), make(map[int][]float64)
	for _, c := range cases {
		m, ok := slices.BinarySearch(t.names, c.Matrix)
		if !ok || c.Sizes == 0 || t.reading(m) == 0 {
			continue
		}
		size := int(math.Pow10(int(math.Log10(max(1, float64(t.facts[m].Nonzeros))))))
		p := groups[size]
		if p == nil {
			p = &Payback{Nonzeros: size}
			groups[size] = p
		}
		product := t.quickest(m).Seconds / c.Sizes
		features[size] = append(features[size], t.reading(m)/product)
		p.Matrices++
		p.Prepare += (c.Prepare - c.SizesPrepare) / product
		p.Saved += c.saved()
	}

	var list []Payback
	for _, size := range slices.Sorted(maps.Keys(groups)) {
		p := *groups[size]
		p.Features = middle(features[size])
		p.Prepare, p.Saved = p.Prepare/float64(p.Matrices), p.Saved/float64(p.Matrices)
		if p.Saved > 0 {
			p.Products = max(1, (p.Features+p.Prepare)/p.Saved)
		}
		list = append(list, p)
	}
	return list
}
