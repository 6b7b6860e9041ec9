package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// An Expectation is what a rule expects of one configuration on a matrix.
type Expectation struct {
	Config  kernels.Config
	Seconds float64 // that a product takes
	Spread  float64 // standard deviation of the time's logarithm
}

// Expect lists every legal configuration of the rule's ensemble, or of the leaf where there is none, with the expected
// times, the fastest first. k is taken as by Select; on is the device to choose for, none: the rule's own.
func (r *Rule) Expect(k Key, f sparse.Features, on Hardware) ([]Expectation, error) {
	c, err := r.Select(k, f, Wanted{On: on})
	if err != nil {
		return nil, fmt.Errorf("expecting times: %w", err)
	}
	list := make([]Expectation, 0, len(c.Shortlist))
	last := guessed(Traffic(&f, k.Precision))
	for _, ranked := range c.Shortlist {
		last = cmp.Or(ranked.Seconds, last)
		list = append(list, Expectation{ranked.Config, last, c.Model.spread(ranked.Kernel, f.Nonzeros)})
	}
	slices.SortStableFunc(list, func(a, b Expectation) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list, nil
}

// A Spread says how far the times of a kernel were from those expected, on the matrices of a class of sizes, when their
// families were left out.
type Spread struct {
	Kernel    string  `json:"kernel,omitempty"` // "": all of them
	Nonzeros  int     `json:"nonzeros"`         // that the class of sizes begins with
	Times     int     `json:"times"`            // number of them
	Deviation float64 `json:"deviation"`        // root mean square of the logarithm of time over expected time
}

// unknownSpread is that of a rule which has too few matrices to tell, or is older than spreads.
const unknownSpread = 0.4

// spread is the standard deviation of the logarithm of a kernel's time on a matrix with so many nonzeros.
func (s *Model) spread(kernel string, nonzeros int) float64 {
	for _, name := range []string{kernel, ""} {
		for _, of := range s.Spreads {
			if of.Kernel == name && of.Nonzeros == sizeClasses[sizeOf(nonzeros)] {
				return of.Deviation
			}
		}
	}
	return unknownSpread
}

// around is the forecast of a time that is expected, nil of none.
func (s *Model) around(seconds float64, f *Subject, c kernels.Config) *Forecast {
	if seconds == 0 {
		return nil
	}
	factor := math.Exp(math.Sqrt2 * math.Erfinv(nominal) * s.spread(c.Kernel, f.Nonzeros))
	rate := Traffic(f.Features, c.Precision) / seconds / 1e9
	return &Forecast{Seconds: seconds, Low: seconds / factor, High: seconds * factor,
		GBPS: rate, LowGBPS: rate / factor, HighGBPS: rate * factor}
}

// A surprise is the logarithm of a time over what was expected, of a kernel and class of sizes.
type surprise struct {
	Spread
	log float64
}

// surprises are those of what a model says of matrix m.
func (t *table) surprises(m int, s *Model) (list []surprise) {
	on := &t.facts[m]
	c, err := s.choose(on, Wanted{})
	if err != nil {
		return nil
	}
	for _, r := range c.Shortlist {
		if o := t.seen[m][t.at(r.Config)]; o.measured() && r.Seconds > 0 {
			of := Spread{Kernel: r.Kernel, Nonzeros: sizeClasses[sizeOf(on.Nonzeros)]}
			list = append(list, surprise{of, math.Log(o.Seconds / r.Seconds)})
		}
	}
	return list
}

// spreads sums up surprises, by kernel and of all kernels, where there are a few.
func spreads(list []surprise) (sums []Spread) {
	at := make(map[Spread]int)
	for _, one := range list {
		for _, kernel := range []string{one.Kernel, ""} {
			key := Spread{Kernel: kernel, Nonzeros: one.Nonzeros}
			sum := &sums[entryOf(at, &sums, key, func() Spread { return key })]
			sum.Times++
			sum.Deviation += one.log * one.log
		}
	}
	sums = slices.DeleteFunc(sums, func(s Spread) bool { return s.Times < few })
	for i := range sums {
		sums[i].Deviation = digits(math.Sqrt(sums[i].Deviation/float64(sums[i].Times)), 3)
	}
	slices.SortFunc(sums, func(a, b Spread) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Nonzeros, b.Nonzeros))
	})
	return sums
}

// guessed is the time of a product where nothing of its size was measured: a launch, and a terabyte a second.
func guessed(bytes float64) float64 { return 3e-6 + bytes/1e12 }
