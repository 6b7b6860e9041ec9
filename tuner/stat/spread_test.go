package stat

import (
	"math"
	"math/rand/v2"
	"testing"
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
		if share < Share-0.2 {
			t.Errorf("deviation %v: %v of pairs are within the factor", deviations[place], share)
		}
	}
	if all < Share-0.03 || all > Share+0.05 {
		t.Errorf("%v of all pairs are within the factor, want %v", all, Share)
	}
}

// A place has a factor of its own, and one without repeats that of all.
func TestFactorOfPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	s := SpreadOf(append(repeatedIn(rng, 0, 20, 0.002), repeatedIn(rng, 1, 20, 0.02)...))
	quiet, noisy, other := s.Factor(0), s.Factor(1), s.Factor(2)
	if !(quiet < other && other < noisy) || noisy-1 < 2*(quiet-1) {
		t.Errorf("factors are %v, %v, and elsewhere %v", quiet, noisy, other)
	}
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
	if ratio := math.Log(s.Factor(0)) / math.Log(s.Factor(99)); !near(ratio, 0.0175/0.025, 1e-9) {
		t.Errorf("the scale is %v of that of all, want 0.7", ratio)
	}
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
	if f := SpreadOf(list).Factor(99); f > 1.05 {
		t.Errorf("the factor is %v", f)
	}
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
		if f := SpreadOf(list).Factor(0); f > 1.05 != large {
			t.Errorf("where %d of 49 differ by 10%%, the factor is %v", beyond, f)
		}
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
		if got := SpreadOf(tt.list).Factor(0); !near(got, tt.want, 1e-9) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The mean of many is as good as the truth: what is left is the deviation of one measurement.
func TestOfMeans(t *testing.T) {
	for _, tt := range []struct {
		n, m int
		want float64
	}{{1, 1, 1.1}, {2, 1, math.Pow(1.1, math.Sqrt(0.75))}, {1_000_000, 1, math.Pow(1.1, math.Sqrt(0.5))},
		{8, 8, math.Pow(1.1, math.Sqrt(0.125))}} {
		if got := OfMeans(1.1, tt.n, tt.m); !near(got, tt.want, 1e-6) {
			t.Errorf("%d and %d: %v, want %v", tt.n, tt.m, got, tt.want)
		}
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
		if got := Apart(1.1, tt.n, tt.m); !near(got, tt.want, 1e-5) {
			t.Errorf("%d and %d: %v, want %v", tt.n, tt.m, got, tt.want)
		}
	}
	if got := Apart(0, 4, 4); got != 0 {
		t.Errorf("where nothing is known: %v", got)
	}
}
