// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
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
	Kernel   string `json:"kernel,omitempty"` // "": all of them
	Nonzeros int    `json:"nonzeros"`         // that the class of sizes begins with
	Times    int    `json:"times"`            // number of them
	// Deviation is of the logarithm of time over expected time: that of a normal distribution with as many within nominal.
	Deviation float64 `json:"deviation"`
}

// unknownSpread is that of a rule which has too few matrices to tell, or is older than spreads.
const unknownSpread = 0.4

// spread is the standard deviation of the logarithm of a kernel's time on a matrix with so many nonzeros.
func (s *Model) spread(kernel string, nonzeros int) float64 {
	for _, name := range []string{kernel, ""} {
		for _, of := range s.Validation.Spreads {
			if of.Kernel == name && of.Nonzeros == sizeClasses[sizeOf(nonzeros)] {
				return of.Deviation
			}
		}
	}
	return unknownSpread
}

// within is how many standard deviations to either side the nominal share of a normal distribution takes.
var within = math.Sqrt2 * math.Erfinv(nominal)

// around is the forecast of a time that is expected, nil of none.
func (s *Model) around(seconds float64, f *Subject, c kernels.Config) *Forecast {
	if seconds == 0 {
		return nil
	}
	factor := math.Exp(within * s.spread(c.Kernel, f.Nonzeros))
	rate := Traffic(f.Features, c.Precision) / seconds / 1e9
	return &Forecast{Seconds: seconds, Low: seconds / factor, High: seconds * factor,
		GBPS: rate, LowGBPS: rate / factor, HighGBPS: rate * factor}
}

// spreads says by how much the times that were expected for cases are off, by kernel and of all kernels, where there are
// a few.
func (t *table) spreads(cases []Case) (list []Spread) {
	off := make(map[Spread][]float64) // by kernel and class of sizes
	for _, c := range cases {
		for _, r := range c.said.Shortlist {
			o := t.timed(c.Matrix, r.Config)
			if !o.measured() || r.Seconds == 0 {
				continue
			}
			for _, kernel := range []string{r.Kernel, ""} {
				key := Spread{Kernel: kernel, Nonzeros: sizeClasses[sizeOf(c.Nonzeros)]}
				off[key] = append(off[key], math.Abs(math.Log(o.Seconds/r.Seconds)))
			}
		}
	}
	for s, logs := range off {
		if s.Times = len(logs); s.Times < few {
			continue
		}
		slices.Sort(logs)
		s.Deviation = digits(logs[int(nominal*float64(len(logs)-1))]/within, 3)
		if s.Deviation > 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Spread) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Nonzeros, b.Nonzeros))
	})
	return list
}

// timed is what was observed of a configuration of the table on a matrix of it; it may be nil.
func (t *table) timed(matrix string, c kernels.Config) *Observation {
	m, _ := slices.BinarySearch(t.names, matrix)
	return t.seen[m][t.at(c)]
}

// A Coverage says how far forecasts of the choice's time can be trusted, on families left out.
type Coverage struct {
	Matrices int     `json:"matrices"`   // on which the choice was measured
	Forecast int     `json:"forecast"`   // of them, those with a forecast
	Inside   float64 `json:"inside"`     // share of their times that are inside the interval
	Nominal  float64 `json:"nominal"`    // the same if each were of its leaf's kind: mean of Forecast.Share
	Off      float64 `json:"off_median"` // time over forecast, or forecast over time: median of the larger
}

// coverage checks whether the times of choices are inside their intervals, which spreads give where an ensemble chose.
func (t *table) coverage(cases []Case, spreads []Spread) (v Coverage) {
	s := &Model{Validation: Validation{Spreads: spreads}}
	var off []float64
	for _, c := range cases {
		if c.said.Kernel == "" {
			continue
		}
		o, f := t.timed(c.Matrix, c.said.Config), c.said.Forecast
		if !o.measured() {
			continue
		}
		v.Matrices++
		if f == nil {
			continue
		}
		if f.Matrices == 0 {
			subject := o.subject()
			f = s.around(f.Seconds, &subject, c.said.Config)
		}
		v.Nominal += f.Share()
		if f.Low <= o.Seconds && o.Seconds <= f.High {
			v.Inside++
		}
		off = append(off, math.Exp(math.Abs(math.Log(o.Seconds/f.Seconds))))
	}
	if v.Forecast = len(off); v.Forecast > 0 {
		v.Inside, v.Nominal = v.Inside/float64(v.Forecast), v.Nominal/float64(v.Forecast)
		v.Off = digits(middle(off), 4)
	}
	return v
}

// guessed is the time of a product where nothing of its size was measured: a launch, and a terabyte a second.
func guessed(bytes float64) float64 { return 3e-6 + bytes/1e12 }
