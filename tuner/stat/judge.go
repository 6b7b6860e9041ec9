package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"spmvtune/kernels"
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
	v := Verdict{Times: make([]float64, len(list)), Fastest: s.fastest, Tied: s.tied(list),
		Open: make([]bool, len(list))}
	for i, log := range s.logs {
		v.Times[i] = math.Exp(log)
	}

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
