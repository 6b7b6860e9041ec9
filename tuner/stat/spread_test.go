// SPDX-License-Identifier: Apache-2.0

package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// repeated returns n configurations in a place, whose measurements scatter by a deviation.
func repeatedIn(rng *rand.Rand, place, n int, deviation float64) []Repeated[int] {
	var list []Repeated[int]
	for range n {
		list = append(list, Repeated[int]{place, []float64{math.Abs(deviation * math.Sqrt2 * rng.NormFloat64())}})
	}
	return list
}

// Share of pairs of measurements stay below the factor, in a quiet place and in a noisy one.
func TestFactorHoldsItsShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	deviations := []float64{0.002, 0.01, 0.05}
	const rounds = 400
	within := make([]int, len(deviations))
	for range rounds {
		var list []Repeated[int]
		for place, d := range deviations {
			list = append(list, repeatedIn(rng, place, 12, d)...)
		}
		s := SpreadOf(list)
		for place, d := range deviations {
			if repeatedIn(rng, place, 1, d)[0].Distances[0] <= math.Log(s.Factor(place)) {
				within[place]++
			}
		}
	}

	all := 0.0
	for place, n := range within {
		share := float64(n) / rounds
		all += share / float64(len(deviations))
		testkit.Check(t, share >= Share-0.2, "deviation %v: %v of pairs are within the factor", deviations[place], share)
	}
	testkit.Check(t, all >= Share-0.03 && all <= Share+0.05, "%v of all pairs are within the factor, want %v", all, Share)
}

// The scale of a place with six configurations is halfway between theirs and that of all.
func TestPlacesAreDrawnTowardsAll(t *testing.T) {
	var list []Repeated[int]
	for i := range 24 {
		place, distance := 0, 0.01
		if i >= 6 {
			place, distance = 1, 0.03
		}
		list = append(list, Repeated[int]{place, []float64{distance}})
	}
	s := SpreadOf(list)
	testkit.Near(t, math.Log(s.Factor(0))/math.Log(s.Factor(99)), 0.7, 1e-9, "the scale, of that of all,")
}

// A configuration that was measured a hundred times says no more than one that was twice.
func TestConfigurationsCountAlike(t *testing.T) {
	list := make([]Repeated[int], 30)
	for i := range list {
		list[i] = Repeated[int]{i, []float64{0.01}}
	}
	for range 100 {
		list[0].Distances = append(list[0].Distances, 0.1)
	}
	f := SpreadOf(list).Factor(99)
	testkit.Check(t, f <= 1.05, "the factor is %v", f)
}

// The Share of one more configuration than there are is within the factor: 41 of 49.
func TestHowManyAreWithinTheFactor(t *testing.T) {
	for beyond, large := range map[int]bool{8: false, 9: true} {
		var list []Repeated[int]
		for i := range 49 {
			distance := 0.01
			if i < beyond {
				distance = 0.1
			}
			list = append(list, Repeated[int]{0, []float64{distance}})
		}
		testkit.Equal(t, SpreadOf(list).Factor(0) > 1.05, large, "where %d of 49 differ by 10%%, the factor is", beyond)
	}
}

func TestFactorOfFew(t *testing.T) {
	for _, tt := range []struct {
		name string
		list []Repeated[int]
		want float64
	}{
		{"none", nil, 0},
		{"too few", []Repeated[int]{{0, []float64{0.1, 0.2}}}, 0},
		{"the largest of few", []Repeated[int]{{0, []float64{0.01, 0.01, 0.04}}}, math.Exp(0.04)},
		{"all alike", []Repeated[int]{{0, []float64{0}}, {0, []float64{0}}, {0, []float64{0}}}, 1},
	} {
		testkit.Near(t, SpreadOf(tt.list).Factor(0), tt.want, 1e-9, "%s", tt.name)
	}
}

// The mean of many is as good as the truth: what is left is the deviation of one measurement.
func TestOfMeans(t *testing.T) {
	for _, tt := range []struct {
		n, m int
		want float64
	}{{1, 1, 1.1}, {2, 1, math.Pow(1.1, math.Sqrt(0.75))}, {1_000_000, 1, math.Pow(1.1, math.Sqrt(0.5))},
		{8, 8, math.Pow(1.1, math.Sqrt(0.125))}} {
		testkit.Near(t, OfMeans(1.1, tt.n, tt.m), tt.want, 1e-6, "%d and %d", tt.n, tt.m)
	}
}

// Two measurements are told apart at the level of 99%, and means of any number of one run are off by
// what runs differ in as a whole.
func TestApart(t *testing.T) {
	const normal = 2.575829 / 1.340755 // quantiles of 0.995 and 0.91
	for _, tt := range []struct {
		n, m int
		want float64
	}{{1, 1, math.Pow(1.1, normal)}, {4, 4, math.Pow(1.1, normal*math.Sqrt(0.85/4+0.15))},
		{1_000_000, 1_000_000, math.Pow(1.1, normal*math.Sqrt(0.15))}} {
		testkit.Near(t, Apart(1.1, tt.n, tt.m), tt.want, 1e-5, "%d and %d", tt.n, tt.m)
	}
	testkit.Equal(t, Apart(0, 4, 4), 0, "where nothing is known")
}

// points returns points at 0, 1, 2 …, as Points does: the first is the one that others are
// compared with. Intervals reach a fraction to either side.
func points(half float64, values ...float64) []Point {
	list := []Point{{Ratio: Ratio{1, 1, 1}}}
	for i, v := range values {
		list = append(list, Point{At: int64(i + 1), Ratio: Ratio{v, v * (1 - half), v * (1 + half)}})
	}
	return list
}

func TestPoints(t *testing.T) {
	first := Timed{5, []float64{1, 1.01, 0.99, 1}}
	later, earlier := Timed{9, []float64{2, 2.02, 1.98, 2}}, Timed{7, []float64{0.5, 0.505, 0.495, 0.5}}
	got := Points(first, []Timed{later, earlier})
	testkit.Require(t, len(got) == 3 && got[0] == (Point{5, Ratio{1, 1, 1}}) && got[1].At == 7 && got[2].At == 9,
		"got %+v, want the first at 5 and others at 7 and 9", got)
	testkit.Near(t, got[1].Value, 0.5, 1e-6, "the earlier ratio")
	testkit.Near(t, got[2].Value, 2, 1e-6, "the later ratio")
	testkit.Check(t, got[2].Low >= 1.9, "the later ratio is from %v", got[2].Low)
}

// The factors are smoothed by hand.
func TestDriftIsSmooth(t *testing.T) {
	for _, tt := range []struct{ values, want []float64 }{
		{[]float64{1.01, 1.02, 1.04, 1.5}, []float64{1, 1.01, 1.02, 1.04, 1.08}}, // last: 3·1.04 − 2·1.02
		{[]float64{1.3, 1.02, 1.04, 1}, []float64{1, 1.02, 1.04, 1.02, 1}},       // and 3·1.02 − 2·1.04 = 0.98
		{[]float64{1.1, 2}, []float64{1, 1.1, 1.3}},
		{[]float64{1.5}, []float64{1, 1.5}},
	} {
		d := NewDrift(points(0.01, tt.values...))
		for at, want := range tt.want {
			testkit.Near(t, d.Factor(int64(at)), want, 1e-12, "%v", tt.values)
		}
		low, high := d.Extremes()
		testkit.Equal(t, low, 1, "%v: the least", tt.values)
		testkit.Near(t, high, slices.Max(tt.want), 1e-12, "%v: the most", tt.values)
	}
	low, high := NewDrift(points(0.01, 0.9, 0.8)).Extremes()
	testkit.Check(t, low == 0.8 && high == 1, "of one that becomes faster: from %v to %v", low, high)
	low, high = (Drift{}).Extremes()
	testkit.Check(t, low == 1 && high == 1, "without points: from %v to %v", low, high)
}

// A factor counts if its interval does not contain 1.
func TestDriftIsSignificant(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    []Point
		want bool
	}{
		{"slower", points(0.015, 1.02, 1.02, 1.02), true},
		{"faster", points(0.015, 0.98, 0.98, 0.98), true},
		{"not surely slower", points(0.03, 1.02, 1.02, 1.02), false},
		{"not surely faster", points(0.03, 0.98, 0.98, 0.98), false},
		{"too little", points(0.001, 1.009, 1.009, 1.009), false},
		{"faster by too little", points(0.001, 0.991, 0.991, 0.991), false},
		{"seen too seldom", points(0.001, 1.5, 1.5), false},
	} {
		testkit.Equal(t, Significant([]Drift{NewDrift(tt.p)}, LeastEffect), tt.want, "%s", tt.name)
	}
	seldom, often := NewDrift(points(0.001, 1.5)), NewDrift(points(0.001, 1.5, 1.5, 1.5))
	testkit.Check(t, Significant([]Drift{seldom, often}, LeastEffect),
		"a drift seen often enough does not count beside another")
}

func TestDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	first := Timed{1000, draw(rng, 20, 1)}
	var slower, steady []Timed
	for i := range 4 {
		at := int64(2000 + 1000*i)
		slower = append(slower, Timed{at, draw(rng, 20, 1.05)})
		steady = append(steady, Timed{at, draw(rng, 20, 1)})
	}
	steady[1].Values = draw(rng, 20, 1.5) // once only
	drifting, still := NewDrift(Points(first, slower)), NewDrift(Points(first, steady))
	testkit.Check(t, Significant([]Drift{drifting}, LeastEffect) && !Significant([]Drift{still}, LeastEffect),
		"a drift is not told from an outlier")
	testkit.Check(t, !Significant([]Drift{drifting}, 0.1) && !Significant(nil, LeastEffect),
		"a drift that is too small to count is significant")
	for _, tt := range []struct {
		at   int64
		want float64
	}{{0, 1}, {1000, 1}, {1500, 1.025}, {2000, 1.05}, {3500, 1.05}, {9000, 1.05}} {
		testkit.Near(t, drifting.Factor(tt.at), tt.want, 0.01, "factor at %d", tt.at)
	}
	// One that is off at the end is an outlier until the next one says the same.
	outlier := NewDrift(Points(first, append(slices.Clone(slower[:3]), Timed{9000, draw(rng, 20, 2)})))
	testkit.Near(t, outlier.Factor(9000), 1.05, 0.01, "after an outlier at the end")
	few := NewDrift(Points(first, slower[:2]))
	testkit.Check(t, !Significant([]Drift{few}, LeastEffect), "two repetitions are enough for a drift")
	testkit.Equal(t, (Drift{}).Factor(0), 1, "without points")
}
