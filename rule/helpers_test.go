// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

func config(kernel string, block, grid int) kernels.Config {
	return kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block, Grid: grid}
}

// observe returns an observation with an interval of ± 0.1%.
func observe(matrix string, f sparse.Features, c kernels.Config, seconds float64) Observation {
	return Observation{
		Sweep: "test", Device: "lab", Matrix: matrix, Cache: "cold", Features: &f, Config: c,
		Seconds: seconds, Low: seconds * 0.999, High: seconds * 1.001,
	}
}

func learn(t *testing.T, obs []Observation, opt Options) *Rule {
	t.Helper()
	return testkit.Must(Learn(context.Background(), obs, opt))
}

// randomFeatures gives features of a plausible matrix.
func randomFeatures(rng *rand.Rand) sparse.Features {
	rows := 100 + rng.IntN(1_000_000)
	mean := math.Exp(rng.Float64() * 7)
	quantile := func() int { return rng.IntN(2 + int(mean)) }
	return sparse.Features{
		Rows: rows, Cols: 100 + rng.IntN(1_000_000), Nonzeros: int(mean * float64(rows)),
		RowMean: mean, RowStd: mean * rng.Float64() * 5, RowMax: int(mean * math.Exp(rng.Float64()*6)),
		RowMin: quantile(), RowP25: quantile(), RowMedian: quantile(), RowP75: quantile(), RowP90: quantile(),
		RowP99:    quantile(),
		EmptyRows: rng.IntN(rows), ColsUsed: rng.IntN(rows),
		Bandwidth: rng.IntN(rows), BandwidthMean: rng.Float64() * float64(rows),
	}
}

// A world has kernels a, b and c, each with four blocks and three grids. Block 64
// and grid 2 are best; which kernel is best is said by the planted rule.
func world(rng *rand.Rand, matrices int, best func(sparse.Features) string) []Observation {
	var obs []Observation
	for m := range matrices {
		f := randomFeatures(rng)
		name := fmt.Sprintf("m%03d", m)
		for _, kernel := range []string{"a", "b", "c"} {
			for _, block := range []int{32, 64, 128, 256} {
				for _, grid := range []int{1, 2, 4} {
					seconds := 1e-9 * float64(f.Nonzeros)
					if kernel != best(f) {
						seconds *= 1.5
					}
					seconds *= 1 + 0.1*math.Abs(math.Log2(float64(block)/64)) + 0.2*math.Abs(math.Log2(float64(grid)/2))
					obs = append(obs, observe(name, f, config(kernel, block, grid), seconds*(1+0.004*rng.Float64())))
				}
			}
		}
	}

	return obs
}

// messy is a world without a rule, with unrelated times, holes, failures, wide
// intervals and repeated trials.
func messy(rng *rand.Rand, matrices int) []Observation {
	var obs []Observation
	for m := range matrices {
		f := randomFeatures(rng)
		name := fmt.Sprintf("m%03d", m)
		for i, kernel := range []string{"a", "b", "c", "d"} {
			if rng.IntN(6) == 0 && i > 0 {
				continue
			}
			for _, block := range []int{32, 64, 96, 512} {
				o := observe(name, f, config(kernel, block, 1<<rng.IntN(3)), math.Exp(rng.NormFloat64()))
				o.Low, o.High = o.Seconds*(1-rng.Float64()*0.5), o.Seconds*(1+rng.Float64()*0.5)
				o.Class = fmt.Sprintf("class%d", m%5)
				switch rng.IntN(8) {
				case 0:
					continue
				case 1:
					o.Failed, o.Seconds = true, 0
				case 2:
					o.Low, o.High = 0, 0
				}
				obs = append(obs, o)
			}
		}
	}

	return obs
}

// corpus is 300 configurations of ten kernels, each of which suits rows of
// another length.
func corpus(rng *rand.Rand, matrices int) []Observation {
	var obs []Observation
	for m := range matrices {
		f := randomFeatures(rng)
		for k := range 10 {
			for b := range 6 {
				for g := range 5 {
					away := math.Abs(math.Log(f.RowMean)-0.7*float64(k)) + 0.1*math.Abs(float64(b-3)) +
						0.1*math.Abs(float64(g-2))
					seconds := (1 + away) * (1 + 0.1*rng.Float64())
					obs = append(obs, observe(fmt.Sprintf("m%03d", m), f, config(fmt.Sprint("k", k), 32<<b, 1<<g),
						seconds))
				}
			}
		}
	}

	return obs
}

// tableOf is the table of all observations.
func tableOf(t *testing.T, obs []Observation) *table {
	t.Helper()
	list := make([]*Observation, len(obs))
	for i := range obs {
		list[i] = &obs[i]
	}
	tab, _, err := newTable(list)
	testkit.Succeed(t, err)
	return tab
}

// chosen is what a rule chooses in single precision.
func chosen(t *testing.T, r *Rule, f sparse.Features, want Wanted) Choice {
	t.Helper()
	return testkit.Must(r.Select(Key{Precision: kernels.Float32}, f, want))
}

// treeOf is a rule without its ensembles.
func treeOf(r *Rule) *Rule {
	alone := *r
	alone.Models = slices.Clone(r.Models)
	for i := range alone.Models {
		alone.Models[i].Ensemble = nil
	}
	return &alone
}

// written is what a method writes.
func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	testkit.Succeed(t, write(&b))
	return b.String()
}

// evaluated evaluates a rule, and writes that.
func evaluated(t *testing.T, r *Rule, obs []Observation, opt Options) (Evaluation, string) {
	t.Helper()
	list := testkit.Must(Evaluate(r, obs, opt))
	testkit.Equal(t, len(list), 1, "evaluations")
	return list[0], written(t, func(w io.Writer) error { return WriteEvaluation(w, r, list) })
}
