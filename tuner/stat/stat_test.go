package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want) || math.IsNaN(got) && math.IsNaN(want)
}

// draw makes samples like those of a product: a sharp lower end and a long tail.
func draw(rng *rand.Rand, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * (1 + 0.02*rng.ExpFloat64())
	}
	return x
}

// The interval holds the true ratio about 95 times of 100, for few samples and many.
func TestRatioCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, sizes := range [][2]int{{8, 8}, {10, 25}, {50, 50}} {
		const rounds, truth = 1000, 1.05
		covered := 0
		for range rounds {
			x, y := draw(rng, sizes[0], truth), draw(rng, sizes[1], 1)
			r := RatioOf(x, y)
			if r.Low > r.Value || r.Value > r.High {
				t.Fatalf("%+v is no interval", r)
			}
			if r.Low <= truth && truth <= r.High {
				covered++
			}
		}
		if share := float64(covered) / rounds; share < 0.93 || share > 0.985 {
			t.Errorf("%v samples: %v of the intervals hold the ratio", sizes, share)
		}
	}
	for _, r := range []Ratio{RatioOf(nil, []float64{1}), RatioOf([]float64{1}, nil)} {
		if !math.IsNaN(r.Value) || !math.IsNaN(r.Low) || !math.IsNaN(r.High) {
			t.Errorf("no samples: %+v", r)
		}
	}
}

// Of 64 ratios of 8 and 8 values the interval leaves out 13 on either side: 64/2 − 1.96σ, where
// σ² = 64·17/12. Of two ratios it leaves out none.
func TestRatioByHand(t *testing.T) {
	var x, y, ratios []float64
	for i := range 8 {
		x, y = append(x, 20+float64(i)), append(y, 10+math.Sqrt(float64(i)))
	}
	for _, a := range x {
		for _, b := range y {
			ratios = append(ratios, a/b)
		}
	}
	slices.Sort(ratios)
	if got, want := RatioOf(x, y), (Ratio{(ratios[31] + ratios[32]) / 2, ratios[13], ratios[50]}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := RatioOf([]float64{2, 3}, []float64{1}); got != (Ratio{2.5, 2, 3}) {
		t.Errorf("of two ratios: %+v", got)
	}
}

// It is found again from trials with a known deviation, under a drift and outliers.
func TestRepeatability(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var series [][]float64
	for range 20 {
		s := make([]float64, 50)
		for i := range s {
			s[i] = math.Exp(0.01*rng.NormFloat64()) * (1 + 0.002*float64(i))
			if i == 7 {
				s[i] *= 3
			}
		}
		series = append(series, s)
	}
	if got, want := Repeatability(series), 1.96*math.Sqrt2*0.01; !near(got, want, 0.15) {
		t.Errorf("%v, want about %v", got, want)
	}
	if got, want := Repeatability([][]float64{{1, 1.1}, {1, 1.1, 1}}), math.Pow(1.1, 1.96/0.6745)-1; !near(got, want, 1e-3) {
		t.Errorf("of three differences: %v, want %v", got, want)
	}
	if got := Repeatability([][]float64{{1, 2}, {1, 2}}); got != 0 {
		t.Errorf("of two differences: %v, want 0", got)
	}
}

func TestGeometricMean(t *testing.T) {
	var m GeometricMean
	if !math.IsNaN(m.Value()) || !math.IsNaN(GeometricMeanOf(nil)) {
		t.Error("the mean of nothing is a number")
	}
	m.Add(2)
	m.Add(8)
	if m.Count() != 2 || !near(m.Value(), 4, 1e-12) || GeometricMeanOf([]float64{2, 8}) != m.Value() {
		t.Errorf("of 2 and 8: %v of %d, want 4 of 2", m.Value(), m.Count())
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		sorted []float64
		want   float64
	}{{nil, math.NaN()}, {[]float64{5}, 5}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 4}, 2}, {[]float64{1, 2, 4, 9}, 3}} {
		if got := Median(tt.sorted); !near(got, tt.want, 0) {
			t.Errorf("of %v: %v, want %v", tt.sorted, got, tt.want)
		}
	}
}
