package stat

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want) || math.IsNaN(got) && math.IsNaN(want)
}

// Values from the documentation of scipy.stats.mannwhitneyu and of R's wilcox.test.
func TestMannWhitneyKnown(t *testing.T) {
	permeability := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	for _, tt := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{19, 22, 16, 29, 24}, []float64{20, 11, 17, 12}, 1.0 / 9},
		{permeability, []float64{1.15, 0.88, 0.90, 0.74, 1.21}, 2 * 0.1272},
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, 2.0 / 20},
		{[]float64{1, 1, 1}, []float64{1, 1}, 1},
		{[]float64{1, 2, 3}, []float64{4}, 2.0 / 4},
		{nil, []float64{1}, 1},
		{nil, []float64{1, 1}, 1},
		{nil, nil, 1},
	} {
		if got := MannWhitney(tt.x, tt.y); !near(got, tt.want, 5e-4) {
			t.Errorf("%v and %v: %v, want %v", tt.x, tt.y, got, tt.want)
		}
		if a, b := MannWhitney(tt.x, tt.y), MannWhitney(tt.y, tt.x); a != b {
			t.Errorf("%v and %v: %v one way and %v the other", tt.x, tt.y, a, b)
		}
	}
}

// With ties p is that of the normal approximation, by hand. Of 1 2 2 3 and 2 3 4 5, U is
// 0.5+0.5+1.5 = 2.5, where 8 is expected. There are three 2 and two 3: Σ(t³−t) = 24+6, so
// that σ² = 16/12·(9 − 30/56) = 79/7. Half of the step between values of U is taken off:
// p = erfc((8−2.5−0.5)/σ/√2). Without ties, 21 values on each side, all of x below: σ² =
// 441·43/12, p = erfc((220.5−0.5)/σ/√2).
func TestMannWhitneyByHand(t *testing.T) {
	var low, high []float64
	for i := range 21 {
		low, high = append(low, float64(i)), append(high, float64(100+i))
	}
	for _, tt := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 2, 3}, []float64{2, 3, 4, 5}, 0.13665824773814753},
		{low, high, 3.125399998400882e-08},
		{low[:20], high[:20], 2.0 / 137846528820}, // of all ways to take 20 of 40, exactly
	} {
		if got := MannWhitney(tt.x, tt.y); !near(got, tt.want, 1e-9) {
			t.Errorf("%v and %v: %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
}

// enumerate gives U for every way to take n of the values as x.
func enumerate(values []float64, n int) (us []float64) {
	for set := range 1 << len(values) {
		if bits.OnesCount(uint(set)) != n {
			continue
		}
		var x, y []float64
		for i, v := range values {
			if set>>i&1 == 1 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		u, _ := statistic(x, y)
		us = append(us, u)
	}
	return us
}

// The exact tail is that of all arrangements, one after the other.
func TestExactTail(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for m := 1; m <= 6; m++ {
			values := make([]float64, n+m)
			for i := range values {
				values[i] = float64(i)
			}
			us := enumerate(values, n)
			for u := range n*m + 1 {
				at := 0.0
				for _, v := range us {
					if v <= float64(u) {
						at++
					}
				}
				if got, want := lowerTail(n, m, u), at/float64(len(us)); !near(got, want, 1e-12) {
					t.Errorf("%d and %d samples, U ≤ %d: %v, want %v", n, m, u, got, want)
				}
			}
		}
	}
}

// With ties, the deviation of U is that of all arrangements.
func TestDeviationWithTies(t *testing.T) {
	values := []float64{1, 1, 2, 3, 3, 3, 4, 5}
	us := enumerate(values, 3)
	var mean, square float64
	for _, u := range us {
		mean += u / float64(len(us))
	}
	for _, u := range us {
		square += (u - mean) * (u - mean) / float64(len(us))
	}
	_, ties := statistic(values[:3], values[3:])
	if got, want := deviation(3, 5, ties), math.Sqrt(square); !near(got, want, 1e-12) {
		t.Errorf("deviation %v, want %v", got, want)
	}
}

// At the border between the two ways to compute it, p hardly changes.
func TestApproximationMeetsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		x, y := draw(rng, mostExact/2, 1), draw(rng, mostExact/2, 1.01)
		u, _ := statistic(x, y)
		u = min(u, float64(len(x)*len(y))-u)
		z := (float64(len(x)*len(y))/2 - u - 0.5) / deviation(len(x), len(y), 0)
		if exact, approximate := MannWhitney(x, y), min(1, math.Erfc(z/math.Sqrt2)); math.Abs(exact-approximate) > 0.005 {
			t.Errorf("exact %v, approximate %v", exact, approximate)
		}
	}
}

// draw makes samples like those of a product: a sharp lower end and a long tail.
func draw(rng *rand.Rand, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * (1 + 0.02*rng.ExpFloat64())
	}
	return x
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if !near(got[i], want, 1e-12) {
			t.Errorf("adjusted %v, want 0.03, 0.06, 0.06, 0.02", got)
		}
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("adjusted %v, want 1, 1", got)
	}
}

// The interval holds the true ratio about 95 times of 100, for few samples and many,
// and excludes 1 when the test rejects, but for the border between them.
func TestRatioCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, sizes := range [][2]int{{8, 8}, {10, 25}, {50, 50}} {
		const rounds, truth = 1000, 1.05
		covered, apart := 0, 0
		for range rounds {
			x, y := draw(rng, sizes[0], truth), draw(rng, sizes[1], 1)
			r := RatioOf(x, y)
			if r.Low > r.Value || r.Value > r.High {
				t.Fatalf("%+v is no interval", r)
			}
			if r.Low <= truth && truth <= r.High {
				covered++
			}
			if excludes, rejects := r.Low > 1 || r.High < 1, MannWhitney(x, y) < 0.05; excludes != rejects {
				apart++
			}
		}
		if share := float64(covered) / rounds; share < 0.93 || share > 0.985 {
			t.Errorf("%v samples: %v of the intervals hold the ratio", sizes, share)
		}
		if apart > rounds/50 {
			t.Errorf("%v samples: interval and test disagree %d times of %d", sizes, apart, rounds)
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

func BenchmarkMannWhitney(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 4))
	x, y := draw(rng, 17, 1), draw(rng, 17, 1.01)
	for b.Loop() {
		MannWhitney(x, y)
	}
}

// A candidate is told apart only if it is slower by enough, and surely so.
func TestTied(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	winner := draw(rng, 20, 1)
	for _, tt := range []struct {
		name   string
		time   float64
		sample []float64
		want   bool
	}{
		{"far and sure", 1.1, draw(rng, 20, 1.1), false},
		{"sure, but within the effect", 1.009, draw(rng, 20, 1.1), true},
		{"far, but of too few samples", 1.1, []float64{1.1}, true},
		{"far, but scattered", 1.1, []float64{0.5, 0.6, 0.7, 1.1, 1.2, 1.3, 1.4}, true},
	} {
		if got := Tied([]float64{2, 2 * tt.time}, [][]float64{winner, tt.sample}, LeastEffect); got[1] != tt.want || !got[0] {
			t.Errorf("%s: tied %v, want %v", tt.name, got[1], tt.want)
		}
	}
	// What is significant alone is not among a hundred.
	x := []float64{1.1, 1.2, 1.3, 1.4, 1.5}
	y := []float64{1.05, 1.06, 1.07, 1.08, 1.09}
	times, samples := []float64{1}, [][]float64{y}
	for range 100 {
		times, samples = append(times, 1.3), append(samples, x)
	}
	if got := Tied(times[:2], samples[:2], LeastEffect); got[1] {
		t.Error("alone it is tied")
	}
	if got := Tied(times, samples, LeastEffect); !got[1] {
		t.Error("among a hundred it is told apart")
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
