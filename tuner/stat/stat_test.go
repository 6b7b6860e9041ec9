package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
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
	testkit.Equal(t, RatioOf([]float64{2, 3}, []float64{1}), (Ratio{2.5, 2, 3}), "of two ratios")
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
	testkit.Equal(t, Repeatability([][]float64{{1, 2}, {1, 2}}), 0, "of two differences")
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

func shape(block, grid int) kernels.Config {
	return kernels.Config{Kernel: "k", Block: block, Grid: grid}
}

// A time is averaged with those of the next shapes in each direction, as far as there are any.
func TestRobust(t *testing.T) {
	g := Grid{
		shape(128, 8): 1,
		shape(32, 8):  100, shape(64, 8): 2, shape(256, 8): 3, shape(512, 8): 100,
		shape(128, 2): 100, shape(128, 4): 4, shape(128, 16): 5, shape(128, 32): 100,
		shape(1024, 2): 6, shape(1024, 1): 7, shape(1024, 3): 8,
		shape(64, 4): 100, shape(256, 16): 100,
	}
	for _, tt := range []struct {
		at   kernels.Config
		want float64
	}{
		{shape(128, 8), (1 + 2 + 3 + 4 + 5) / 5.0},
		{shape(32, 8), (100 + 2) / 2.0},
		{shape(128, 32), (100 + 5) / 2.0},
		{shape(64, 4), (100 + 4 + 2) / 3.0},
		{shape(256, 16), (100 + 5 + 3) / 3.0},
		{shape(1024, 2), (6 + 7 + 8 + 100) / 4.0}, // grids next to each other
	} {
		if got := g.Robust(tt.at); !near(got, tt.want, 1e-12) {
			t.Errorf("%+v: %v, want %v", tt.at, got, tt.want)
		}
	}
}

// The same one of those that are as good is named, whatever the order and whoever is the
// fastest by less than half of the effect.
func TestRepresent(t *testing.T) {
	named := func(name string) kernels.Config { return kernels.Config{Kernel: name, Block: 64, Grid: 8} }
	params := func(text string) kernels.Config {
		return kernels.Config{Kernel: "k", Block: 64, Grid: 8, Params: kernels.Params(text)}
	}
	for _, tt := range []struct {
		why          string
		first, other kernels.Config
	}{
		{"nearer to 256, from below", shape(128, 8), shape(64, 8)},
		{"nearer to 256, from above", shape(512, 8), shape(64, 8)},
		{"as near, smaller", shape(128, 8), shape(512, 4)},
		{"without a block", shape(0, 8), shape(128, 8)},
		{"without a block, though 256 is as near", shape(0, 8), shape(256, 8)},
		{"256 itself", shape(256, 8), shape(255, 8)},
		{"smaller grid", shape(64, 4), shape(64, 8)},
		{"block before grid", shape(128, 8), shape(64, 4)},
		{"alphabet", named("a"), named("b")},
		{"grid before alphabet", kernels.Config{Kernel: "b", Block: 64, Grid: 4}, named("a")},
		{"alphabet of parameters", params("x=1"), params("x=2")},
	} {
		pair := []kernels.Config{tt.first, tt.other}
		if got := Represent(pair, []float64{1.009, 1}, 0.02); got != 0 {
			t.Errorf("%s: not named where it is slower by 0.9%%", tt.why)
		}
		if got := Represent(pair, []float64{1.011, 1}, 0.02); got != 1 {
			t.Errorf("%s: named where it is slower by 1.1%%", tt.why)
		}
		if got := Represent([]kernels.Config{tt.other, tt.first}, []float64{1, 1}, 0.02); got != 1 {
			t.Errorf("%s: not named where it comes last", tt.why)
		}
	}
}

// The arms of n independent ratios of equal width shrink by the root of n.
func TestMeanRatio(t *testing.T) {
	r := Ratio{Value: 4, Low: 2, High: 8}
	got := MeanRatio([]Ratio{r, r, r, r})
	if math.Abs(got.Value-4) > 1e-9 || math.Abs(got.Low-4/math.Sqrt2) > 1e-9 || math.Abs(got.High-4*math.Sqrt2) > 1e-9 {
		t.Errorf("%+v", got)
	}
}
