// SPDX-License-Identifier: Apache-2.0

package stat

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

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
			testkit.Require(t, r.Low <= r.Value && r.Value <= r.High, "%+v is no interval", r)
			if r.Low <= truth && truth <= r.High {
				covered++
			}
		}
		share := float64(covered) / rounds
		testkit.Check(t, share >= 0.93 && share <= 0.985, "%v samples: %v of the intervals hold the ratio", sizes, share)
	}
	for _, r := range []Ratio{RatioOf(nil, []float64{1}), RatioOf([]float64{1}, nil)} {
		testkit.Check(t, math.IsNaN(r.Value) && math.IsNaN(r.Low) && math.IsNaN(r.High), "no samples: %+v", r)
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
	testkit.Equal(t, RatioOf(x, y), (Ratio{(ratios[31] + ratios[32]) / 2, ratios[13], ratios[50]}), "got")
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
	const want = 1.96 * math.Sqrt2 * 0.01
	testkit.Near(t, Repeatability(series), want, 0.15*want, "repeatability")
	of3 := Repeatability([][]float64{{1, 1.1}, {1, 1.1, 1}})
	testkit.Near(t, of3, math.Pow(1.1, 1.96/0.6745)-1, 1e-3, "of three differences")
	testkit.Equal(t, Repeatability([][]float64{{1, 2}, {1, 2}}), 0, "of two differences")
}

func TestGeometricMean(t *testing.T) {
	var m GeometricMean
	testkit.Check(t, math.IsNaN(m.Value()) && math.IsNaN(GeometricMeanOf(nil)), "the mean of nothing is a number")
	m.Add(2)
	m.Add(8)
	testkit.Check(t, m.Count() == 2 && GeometricMeanOf([]float64{2, 8}) == m.Value(), "of 2 and 8: %v of %d", m.Value(), m.Count())
	testkit.Near(t, m.Value(), 4, 1e-12, "of 2 and 8")
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{5}, 5}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 4}, 2}, {[]float64{1, 2, 4, 9}, 3}} {
		testkit.Equal(t, Median(tt.sorted), tt.want, "of %v", tt.sorted)
	}
	testkit.Check(t, math.IsNaN(Median(nil)), "the median of nothing is a number")
}

func shape(block, grid int) kernels.Config {
	return kernels.Config{Kernel: "k", Block: block, Grid: grid}
}

// A time is averaged with those of the next shapes in each direction, as far as there are any.
func TestRobust(t *testing.T) {
	times := map[kernels.Config]float64{
		shape(128, 8): 1,
		shape(32, 8):  100, shape(64, 8): 2, shape(256, 8): 3, shape(512, 8): 100,
		shape(128, 2): 100, shape(128, 4): 4, shape(128, 16): 5, shape(128, 32): 100,
		shape(1024, 2): 6, shape(1024, 1): 7, shape(1024, 3): 8,
		shape(64, 4): 100, shape(256, 16): 100,
	}
	times[kernels.Config{Kernel: "other", Block: 128, Grid: 9}] = 100
	configs := slices.Collect(maps.Keys(times))
	robust := Robust(configs, lists.Of(configs, func(c kernels.Config) float64 { return times[c] }))
	for at, want := range map[kernels.Config]float64{
		shape(128, 8): (1 + 2 + 3 + 4 + 5) / 5.0, shape(32, 8): (100 + 2) / 2.0, shape(128, 32): (100 + 5) / 2.0,
		shape(64, 4): (100 + 4 + 2) / 3.0, shape(256, 16): (100 + 5 + 3) / 3.0,
		shape(1024, 2): (6 + 7 + 8 + 100) / 4.0, // grids next to each other
	} {
		testkit.Near(t, robust[slices.Index(configs, at)], want, 1e-12, "%+v", at)
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
		testkit.Equal(t, Represent(pair, []float64{1.009, 1}, 0.02), 0, "%s: not named where it is slower by 0.9%%", tt.why)
		testkit.Equal(t, Represent(pair, []float64{1.011, 1}, 0.02), 1, "%s: named where it is slower by 1.1%%", tt.why)
		testkit.Equal(t, Represent([]kernels.Config{tt.other, tt.first}, []float64{1, 1}, 0.02), 1, "%s: not named where it comes last", tt.why)
	}
}

// The arms of n independent ratios of equal width shrink by the root of n.
func TestMeanRatio(t *testing.T) {
	r := Ratio{Value: 4, Low: 2, High: 8}
	got := MeanRatio([]Ratio{r, r, r, r})
	testkit.Check(t, math.Abs(got.Value-4) <= 1e-9 && math.Abs(got.Low-4/math.Sqrt2) <= 1e-9 &&
		math.Abs(got.High-4*math.Sqrt2) <= 1e-9, "%+v", got)
}

// candidate returns a configuration with a block size, and its medians in ms.
func candidate(block int, medians ...float64) Candidate {
	c := Candidate{Config: kernels.Config{Kernel: "k", Block: block, Grid: 8}}
	for _, ms := range medians {
		c.Medians = append(c.Medians, 1e-3*ms)
	}
	return c
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name           string
		list           []Candidate
		fastest, named int
		tied, open     string // a letter for each that is
	}{
		{"far apart", []Candidate{candidate(64, 1, 1.001, 1), candidate(256, 1.05, 1.049, 1.051)}, 0, 0, "a", ""},
		{"alike", []Candidate{candidate(64, 1, 1.001, 1), candidate(256, 1.001, 1, 1.001)}, 0, 1, "ab", ""},
		{"slower by what does not count, but is not as good",
			[]Candidate{candidate(64, 1, 1, 1), candidate(256, 1.009, 1.009, 1.009)}, 0, 0, "ab", ""},
		{"too noisy to tell", []Candidate{candidate(64, 1, 1.03, 0.97), candidate(256, 1.02, 1.05, 0.99)}, 0, 0, "ab", "ab"},
		{"noisy, but nobody asks", []Candidate{candidate(256, 1, 1.03, 0.97), candidate(64, 1.02, 1.05, 0.99)}, 0, 0, "ab",
			""},
		{"who is out is not open", []Candidate{candidate(64, 1, 1.01, 0.99), candidate(128, 1.01, 1.02, 1),
			candidate(256, 1.5, 1.51, 1.49)}, 0, 0, "ab", "ab"},
		{"a lucky trial that was not repeated", []Candidate{candidate(256, 0.9), candidate(64, 1, 1.001, 1)}, 1, 1, "ab", ""},
		{"a trial alone among noisy ones", []Candidate{candidate(64, 1, 1.02, 0.98), candidate(256, 1.03)}, 0, 0, "ab", ""},
		// Logarithms lie at 0.0055 and 0.0076 between 0.0050 and 0.0100: the widest gap is the last.
		{"before the widest gap", []Candidate{candidate(32, 1, 1, 1), candidate(64, 1.0055, 1.0055), candidate(256, 1.0076,
			1.0076)}, 0, 2, "abc", ""},
		// At 0.0074 and 0.0095: the widest gap is the first.
		{"after the widest gap", []Candidate{candidate(32, 1, 1, 1), candidate(256, 1.0074, 1.0074), candidate(64, 1.0095,
			1.0095)}, 0, 0, "abc", ""},
		{"a trial alone closes no gap", []Candidate{candidate(32, 1, 1, 1), candidate(256, 1.0074, 1.0074), candidate(64,
			1.0095)}, 0, 1, "abc", ""},
		{"all the same", []Candidate{candidate(64, 1, 1), candidate(256, 1, 1), candidate(32, 1.02, 1.02)}, 0, 1, "ab", ""},
	} {
		v := Judge(tt.list)
		letters := func(set []bool) (s string) {
			for i, in := range set {
				if in {
					s += string(rune('a' + i))
				}
			}
			return s
		}
		if tied, open := letters(v.Tied), letters(v.Open); v.Fastest != tt.fastest || v.Named != tt.named ||
			tied != tt.tied || open != tt.open {
			t.Errorf("%s: fastest %d, named %d, tied %q, open %q, want %d, %d, %q, %q", tt.name, v.Fastest, v.Named, tied, open,
				tt.fastest, tt.named, tt.tied, tt.open)
		}
	}
}

// spreadBy returns a candidate with two runs, whose logarithms are its mean ± d.
func spreadBy(mean, d float64) Candidate { return candidate(256, math.Exp(mean-d), math.Exp(mean+d)) }

// Two candidates with two runs each, which differ by 0.05 ± d√2, have 2 degrees of freedom:
// t is as rare as 3 standard errors are from 19.2 on (with 3 degrees from 9.2, with 1 from 236).
func TestJudgeHasItsDegreesOfFreedom(t *testing.T) {
	for _, tt := range []struct {
		t    float64
		tied bool
	}{{19, true}, {19.4, false}} {
		d := 0.05 / (tt.t * math.Sqrt2)
		testkit.Equal(t, Judge([]Candidate{spreadBy(0, d), spreadBy(0.05, d)}).Tied[1], tt.tied, "t = %v: tied", tt.t)
	}
}

// What is named is the same again and again, and not slower than the limit, if finals go
// on until it is clear: whether others are alike, or a little slower.
func TestNamedIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, truth := range [][]float64{
		{1, 1.001, 1.002, 1.003}, {1, 1.016, 1.02, 1.021}, {1, 1.002, 1.013, 1.03}, {1, 1.0005, 1.003, 1.045},
	} {
		count := map[int]int{}
		const sessions = 200
		for range sessions {
			list := make([]Candidate, len(truth))
			for i := range list {
				list[i] = candidate(32 << i)
			}
			measure := func(i int) {
				list[i].Medians = append(list[i].Medians, truth[i]*math.Exp(0.01*rng.NormFloat64()))
			}
			for i := range list {
				for range 5 {
					measure(i)
				}
			}
			v := Judge(list)
			for range 28 {
				for i, open := range v.Open {
					if open {
						measure(i)
					}
				}
				v = Judge(list)
			}
			count[v.Named]++
		}
		named, most := 0, 0
		for i, n := range count {
			if n > most {
				named, most = i, n
			}
		}
		testkit.Check(t, most >= sessions*9/10 && truth[named] <= 1+LeastEffect, "of %v named %v", truth, count)
	}
}

// The trial that makes a configuration the leader is the luckiest of many. Its repeat runs
// tell its time without that luck.
func TestFairLeavesLuckOut(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	took := func() float64 { return math.Exp(0.02 * r.NormFloat64()) }
	var lucky, fair float64
	const sessions = 400
	for range sessions {
		first := math.Inf(1)
		for range 30 { // configurations that are all alike
			first = min(first, took())
		}
		again := []float64{took(), took(), took(), took()}
		lucky += Median(slices.Sorted(slices.Values(append([]float64{first}, again...)))) / sessions
		fair += Judge([]Candidate{{Medians: Fair(first, again)}}).Times[0] / sessions
	}
	testkit.Check(t, math.Abs(fair-1) <= 0.002,
		"judged by %g times the true time; with the lucky trial the median is %g", fair, lucky)
	if one, two := Fair(1, []float64{2}), Fair(1, []float64{2, 3}); !slices.Equal(one, []float64{1, 2}) ||
		!slices.Equal(two, []float64{2, 3}) {
		t.Errorf("with one repeat run %v, with two %v", one, two)
	}
}
