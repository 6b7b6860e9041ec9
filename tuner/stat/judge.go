// SPDX-License-Identifier: Apache-2.0

package stat

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// A Candidate is a configuration with the medians of its trial and of each repeat run, in
// seconds.
type Candidate struct {
	kernels.Config
	Medians []float64
}

// Fair returns the medians to judge a candidate by: those of its repeat runs. The first
// measurement made it a leader, and is too fast for that: it counts only where there are
// fewer than two others.
func Fair(first float64, again []float64) []float64 {
	if len(again) < 2 {
		return append([]float64{first}, again...)
	}
	return again
}

// A Verdict says what repeat runs tell of candidates, in their order.
type Verdict struct {
	Times   []float64 // geometric means of the medians, in seconds
	Fastest int       // the fastest candidate with repeat runs
	Named   int       // the candidate that stands for all that are as good
	Tied    []bool    // whether it can't be told from the fastest
	Open    []bool    // whether it should be repeated, because another may have to be named
}

// Bounds of the limit up to which candidates are as good as the fastest, as a fraction of
// its time. They are tied at the higher one.
const (
	leastLimit = LeastEffect / 2
	mostLimit  = LeastEffect
)

// sure is the number of standard errors from the limit at which it is clear on which side
// of it a candidate is, and of that from the fastest at which it is told apart. It is more
// than the usual two, because one looks again and again.
const sure = 3

// Judge compares candidates by their repeat runs. A repeat run is a single observation:
// what differs between two is where in memory the arrays lie, which the samples within a
// run do not show. Logarithms of medians are taken to have one variance.
//
// A candidate is told from the fastest if it is slower by 1%, and surely so: by a t-test with
// the variance pooled over all, at the level of three standard errors. One looks after each
// round, at several candidates, and 5% would be wrong too often. The one to name is the
// first, by block, grid and name, of those that are slower by less than a limit. Wherever
// a limit lies, a candidate next to it is inside at one time and outside at the next.
// Therefore it is put into the widest gap between candidates from ½% to 1%.
//
// Note: to name the fastest, or the most robust by its neighbours, changes with each run
// where two are alike. A limit as wide as the variance, 2% or 3% with few repeat runs,
// names what is slower by that much, and is next to some candidate more often.
//
// At least one candidate has repeat runs.
func Judge(list []Candidate) Verdict {
	s := newSpread(list)
	v := Verdict{Times: lists.Of(s.logs, math.Exp), Fastest: s.fastest, Tied: s.tied(list),
		Open: make([]bool, len(list))}

	limit := s.widestGap(list)
	v.Named = v.Fastest
	for i, c := range list {
		if c.repeated() && s.behind[i] <= limit && prefer(c.Config, list[v.Named].Config) < 0 {
			v.Named = i
		}
	}

	decided := true
	for i, c := range list {
		near := sure * s.errors[i]
		v.Open[i] = i == v.Fastest || c.repeated() && s.behind[i]-limit < near
		if v.Open[i] && i != v.Fastest && limit-s.behind[i] < near && prefer(c.Config, list[v.Named].Config) <= 0 {
			decided = false
		}
	}

	if decided {
		clear(v.Open)
	}
	return v
}

func (c Candidate) repeated() bool { return len(c.Medians) > 1 }

// A spread is how the medians of candidates differ, in logarithms.
type spread struct {
	logs    []float64 // mean of each candidate
	fastest int       // among those with repeat runs
	behind  []float64 // how far each is behind the fastest
	errors  []float64 // standard errors of that
	free    float64   // degrees of freedom of the pooled variance
}

func newSpread(list []Candidate) spread {
	n := len(list)
	s := spread{logs: make([]float64, n), fastest: -1, behind: make([]float64, n), errors: make([]float64, n)}

	square := 0.0 // sum of the squares
	for i, c := range list {
		for _, m := range c.Medians {
			s.logs[i] += math.Log(m) / float64(len(c.Medians))
		}
		for _, m := range c.Medians {
			d := math.Log(m) - s.logs[i]
			square += d * d
		}
		s.free += float64(len(c.Medians) - 1)
		if c.repeated() && (s.fastest < 0 || s.logs[i] < s.logs[s.fastest]) {
			s.fastest = i
		}
	}

	for i, c := range list {
		s.behind[i] = s.logs[i] - s.logs[s.fastest]
		s.errors[i] = math.Sqrt(square / s.free * (1/float64(len(c.Medians)) + 1/float64(len(list[s.fastest].Medians))))
	}

	return s
}

// tied reports which candidates can't be told from the fastest.
func (s spread) tied(list []Candidate) []bool {
	// As far from the fastest as sure standard errors, if these are known exactly.
	far := distuv.StudentsT{Sigma: 1, Nu: s.free}.Quantile(distuv.UnitNormal.CDF(sure))
	tied := make([]bool, len(list))
	for i, behind := range s.behind {
		tied[i] = behind < math.Log1p(LeastEffect) || behind < far*s.errors[i]
	}
	return tied
}

// widestGap returns the middle of the widest gap, between the bounds of the limit, of how
// far candidates with repeat runs are behind.
func (s spread) widestGap(list []Candidate) float64 {
	from, to := math.Log1p(leastLimit), math.Log1p(mostLimit)
	edges := []float64{from, to}
	for i, c := range list {
		if c.repeated() && s.behind[i] > from && s.behind[i] < to {
			edges = append(edges, s.behind[i])
		}
	}

	slices.Sort(edges)

	widest, middle := -1.0, from
	for i := 1; i < len(edges); i++ {
		if gap := edges[i] - edges[i-1]; gap > widest {
			widest, middle = gap, (edges[i]+edges[i-1])/2
		}
	}

	return middle
}

// prefer orders configurations that are as good: the block size nearest to 256, the
// smaller grid, and then the first in the alphabet. Those without such a choice come
// first.
func prefer(a, b kernels.Config) int {
	return cmp.Or(cmp.Compare(distance(a.Block), distance(b.Block)), cmp.Compare(a.Block, b.Block),
		cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Params, b.Params))
}

// Robust returns how fast configurations are with their surroundings: the mean of its time and those of the next
// smaller and larger block at its grid, and the next smaller and larger grid at its block, as far as these are among
// them, of its kernel with its parameters.
//
// A lucky trial among slow ones loses by that, as does a block size on a cliff. On
// grids measured three times on an H100, to take the grid in as well as the block
// named the same configuration more often.
func Robust(configs []kernels.Config, medians []float64) []float64 {
	sums, neighbours := slices.Clone(medians), make([]float64, len(medians))
	for i, j := range Beside(configs) {
		sums[i], sums[j] = sums[i]+medians[j], sums[j]+medians[i]
		neighbours[i], neighbours[j] = neighbours[i]+1, neighbours[j]+1
	}
	for i, n := range neighbours {
		sums[i] /= 1 + n
	}
	return sums
}

// Beside gives the pairs of configurations, by index, that are one step apart: the second has the next larger block, or
// the next larger grid, and all else is alike.
func Beside(configs []kernels.Config) iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		order := lists.Indices(len(configs))
		for _, split := range []func(kernels.Config) (line kernels.Config, at int){
			func(c kernels.Config) (kernels.Config, int) { at := c.Block; c.Block = 0; return c, at },
			func(c kernels.Config) (kernels.Config, int) { at := c.Grid; c.Grid = 0; return c, at },
		} {
			slices.SortFunc(order, func(i, j int) int {
				a, atA := split(configs[i])
				b, atB := split(configs[j])
				return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Params, b.Params), cmp.Compare(a.Grid, b.Grid),
					cmp.Compare(a.Block, b.Block), cmp.Compare(atA, atB))
			})
			for k := 1; k < len(order); k++ {
				i, j := order[k-1], order[k]
				before, _ := split(configs[i])
				if line, _ := split(configs[j]); line == before && !yield(i, j) {
					return
				}
			}
		}
	}
}

// commonBlock is the block size that suits most kernels on most devices. Among
// configurations that are as good, the one next to it surprises least.
const commonBlock = 256

// Represent returns the index of the configuration that stands for a tie set: of those
// whose robust time is within half of the effect that counts of the lowest, the one with
// the block size nearest to 256, the smaller grid, and then the first in the alphabet. All
// these are as good, as far as was measured; that it is the same one each time is worth
// more than what is left of their difference.
func Represent(configs []kernels.Config, robust []float64, effect float64) int {
	least := slices.Min(robust)
	named := -1
	for i, r := range robust {
		if r <= (1+effect/2)*least && (named < 0 || prefer(configs[i], configs[named]) < 0) {
			named = i
		}
	}
	return named
}

// distance returns how far a block size is from the common one, in powers of two. A kernel
// without the choice is at distance 0.
func distance(block int) float64 {
	if block == 0 {
		return 0
	}
	return math.Abs(math.Log2(float64(block) / commonBlock))
}

// Doublings is how often a block or a grid is doubled or halved to get another one; 0 counts as 1.
func Doublings(a, b int) float64 { return math.Abs(math.Log2(float64(max(a, 1)) / float64(max(b, 1)))) }
