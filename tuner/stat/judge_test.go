package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
)

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
		if most < sessions*9/10 || truth[named] > 1+LeastEffect {
			t.Errorf("of %v named %v", truth, count)
		}
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
	if math.Abs(fair-1) > 0.002 {
		t.Errorf("judged by %g times the true time; with the lucky trial the median is %g", fair, lucky)
	}
	if one, two := Fair(1, []float64{2}), Fair(1, []float64{2, 3}); !slices.Equal(one, []float64{1, 2}) ||
		!slices.Equal(two, []float64{2, 3}) {
		t.Errorf("with one repeat run %v, with two %v", one, two)
	}
}
