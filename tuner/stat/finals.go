package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Finalist is a configuration whose trial was repeated.
type Finalist struct {
	Choice            // Robust is not used
	Medians []float64 // in seconds, of its trial and of each repetition
}

// A Verdict says what repeated trials tell of configurations, in their order.
type Verdict struct {
	Times   []float64 // geometric means of the medians, in seconds
	Fastest int       // of those with repetitions
	Named   int       // that stands for all that are as good
	Tied    []bool    // not told from the fastest; that one is
	Open    []bool    // to be repeated again, since another may have to be named
}

// Bounds of the limit up to which configurations are as good as the fastest, as a
// fraction of its time. They are tied at the higher one.
const (
	leastLimit = LeastEffect / 2
	mostLimit  = LeastEffect
)

// sure is how many standard errors from the limit a configuration must be for its side
// of it to be settled. It is more than the usual two, since one looks again and again.
const sure = 3

// Judge compares configurations by their repetitions. A repetition is a single
// observation: what differs between two is where in memory they lie, which the samples
// within them do not show. Logarithms of medians are taken to have one variance.
//
// A configuration is told from the fastest if it is slower by 1%, and significantly so:
// t-test with the variance pooled over all, corrected by Holm's method. Named is the
// first by Choice of those that are slower by less than a limit. Wherever a limit lies,
// a configuration next to it is inside at one time and outside at the next. Therefore
// it is put into the widest gap between configurations from ½% to 1%.
//
// Note: to name the fastest, or the most robust by its neighbours, changes with each run
// where two are alike; and a limit as wide as the variance, 2% or 3% with few
// repetitions, names what is slower by that much, and is next to some configuration
// more often.
//
// At least one finalist has repetitions.
func Judge(list []Finalist) Verdict {
	v := Verdict{Times: make([]float64, len(list)), Fastest: -1, Tied: make([]bool, len(list)), Open: make([]bool, len(list))}
	logs := make([]float64, len(list)) // means
	var square, free float64           // sum of squares, degrees of freedom
	for i, f := range list {
		for _, m := range f.Medians {
			logs[i] += math.Log(m) / float64(len(f.Medians))
		}
		for _, m := range f.Medians {
			d := math.Log(m) - logs[i]
			square += d * d
		}
		free += float64(len(f.Medians) - 1)
		v.Times[i] = math.Exp(logs[i])
		if f.repeated() && (v.Fastest < 0 || logs[i] < logs[v.Fastest]) {
			v.Fastest = i
		}
	}
	behind, errors := make([]float64, len(list)), make([]float64, len(list)) // of the fastest
	p := make([]float64, len(list))
	student := distuv.StudentsT{Sigma: 1, Nu: free}
	for i, f := range list {
		behind[i] = logs[i] - logs[v.Fastest]
		errors[i] = math.Sqrt(square / free * (1/float64(len(f.Medians)) + 1/float64(len(list[v.Fastest].Medians))))
		p[i] = 1
		if behind[i] > 0 {
			p[i] = 2 * student.Survival(behind[i]/errors[i]) // 0 where all repetitions are alike
		}
	}
	p = slices.Delete(p, v.Fastest, v.Fastest+1) // which is not compared
	for i, adjusted := range slices.Insert(Holm(p), v.Fastest, 1) {
		v.Tied[i] = adjusted >= Level || behind[i] < math.Log1p(LeastEffect)
	}
	limit := widestGap(list, behind)
	v.Named = v.Fastest
	for i, f := range list {
		if f.repeated() && behind[i] <= limit && prefer(f.Choice, list[v.Named].Choice) < 0 {
			v.Named = i
		}
	}
	settled := true
	for i, f := range list {
		open := i == v.Fastest || f.repeated() && behind[i]-limit < sure*errors[i]
		if v.Open[i] = open; open && i != v.Fastest && limit-behind[i] < sure*errors[i] && prefer(f.Choice, list[v.Named].Choice) <= 0 {
			settled = false
		}
	}
	if settled {
		clear(v.Open)
	}
	return v
}

func (f Finalist) repeated() bool { return len(f.Medians) > 1 }

// widestGap returns the middle of the widest gap between bounds of the limit, of what
// the repeated ones are behind; all in logarithms.
func widestGap(list []Finalist, behind []float64) float64 {
	from, to := math.Log1p(leastLimit), math.Log1p(mostLimit)
	edges := []float64{from, to}
	for i, f := range list {
		if f.repeated() && behind[i] > from && behind[i] < to {
			edges = append(edges, behind[i])
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

// prefer orders choices that are as good: the block size nearest to 256, the smaller
// grid, and then the first in the alphabet. Those without such a choice come first.
func prefer(a, b Choice) int {
	return cmp.Or(cmp.Compare(distance(a.Block), distance(b.Block)), cmp.Compare(a.Block, b.Block),
		cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Params, b.Params))
}
