// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// What is tied is charged as measured. A first look of a search that was fast by luck is no oracle.
func TestSettledTies(t *testing.T) {
	f := sparse.Features{Rows: 1, Nonzeros: 1, RowMean: 1}
	for _, seconds := range []map[float64]float64{{1: 1, 1.005: 1.005, 1.02: 1.02}, {1: 1, 2: 2, 0.5: 1}} { // as charged
		var obs []Observation
		for s := range seconds {
			o := observe("m", f, config("a", int(1000*s), 1), s)
			o.Tied = s == 1 || s == 1.02
			obs = append(obs, o)
		}
		table := tableOf(t, obs)
		for _, o := range obs {
			testkit.Near(t, math.Exp(table.loss[0][table.at(o.Config)]), seconds[o.Seconds], 1e-12, "%v: charged", o.Config)
		}
	}
}

func TestCharges(t *testing.T) {
	f := sparse.Features{Rows: 1, Nonzeros: 1, RowMean: 1}
	unroll := func(u string) kernels.Config {
		c := config("p", 64, 1)
		c.Params = kernels.Params("unroll=" + u)
		return c
	}
	failed := observe("m", f, config("a", 1024, 1), 0)

	failed.Failed = true
	obs := []Observation{
		observe("m", f, config("a", 64, 1), 1), // the oracle
		observe("m", f, config("a", 256, 1), 3),
		observe("m", f, config("a", 100, 4), 1.005),
		observe("m", f, config("b", 32, 1), 4),
		observe("m", f, unroll("4"), 1.5),
		failed,
		// Only the other matrix tells of these.
		observe("n", f, config("a", 128, 1), 1),
		observe("n", f, config("a", 512, 1), 1),
		observe("n", f, config("b", 1024, 8), 1),
		observe("n", f, config("c", 32, 1), 1),
		observe("n", f, unroll("8"), 1),
	}

	table := tableOf(t, obs)
	for _, tt := range []struct {
		c        kernels.Config
		seconds  float64 // that it is charged with on m, where the oracle takes 1
		evidence Evidence
	}{
		{config("a", 64, 1), 1, Measured},
		{config("a", 256, 1), 3, Measured},
		{config("a", 100, 4), 1.005, Measured},
		{config("b", 32, 1), 4, Measured},
		{config("a", 1024, 1), 10, Failed},
		{config("a", 128, 1), 3 * 1.05, Near},  // one doubling from 64 and from 256: the worse
		{config("a", 512, 1), 10 * 1.05, Near}, // between 256 and the failed 1024
		{config("b", 1024, 8), 4 * 1.05, Near}, // however far
		{unroll("8"), 1.5 * 1.05, Near},
		{config("c", 32, 1), 4, Absent}, // the slowest on m
	} {
		c := table.at(tt.c)
		if got := math.Exp(table.loss[0][c]); math.Abs(got-tt.seconds) > 1e-12 || table.evidence[0][c] != tt.evidence {
			t.Errorf("%v: charged %v, %s; want %v, %s", tt.c, got, table.evidence[0][c], tt.seconds, tt.evidence)
		}
	}
}

// A rule says where trials can't be told apart, in the text and an evaluation.
func TestRuleNamesNoise(t *testing.T) {
	world := func(tied bool) []Observation {
		var obs []Observation
		for i, name := range []string{"m1", "m2", "m3"} {
			f := sparse.Features{Rows: 100, Cols: 100, Nonzeros: 1000 * (i + 1), RowMean: 10}
			fast, slow := observe(name, f, config("a", 32, 1), 1), observe(name, f, config("b", 32, 1), 3)
			fast.Tied, slow.Tied = true, tied && name != "m3"
			obs = append(obs, fast, slow)
		}
		return obs
	}
	const want = "On 2 of 3 matrices the fastest can't be told from configurations"
	for _, tied := range []bool{true, false} {
		obs := world(tied)
		r := learn(t, obs, DefaultOptions)
		_, evaluation := evaluated(t, r, obs, DefaultOptions)
		for where, b := range map[string]string{"rule": written(t, r.WriteText), "evaluation": evaluation} {
			words := strings.Join(strings.Fields(b), " ")
			testkit.Equal(t, strings.Contains(words, want), tied, "the %s says it: %s", where, words)
			testkit.Check(t, !tied || strings.Contains(words, "up to 3.00 times as slow"), "the %s does not say how slow: %s", where, words)
		}
	}
}

// The nearest configuration is of the same kernel and precision, and has the most similar block.
func TestNearestConfiguration(t *testing.T) {
	double := config("a", 64, 1)
	double.Precision = kernels.Float64
	among := []kernels.Config{config("a", 1024, 1), config("a", 128, 1), config("b", 64, 1), double}
	for range 2 {
		if got, ok := Nearest(config("a", 64, 1), among); !ok || got != config("a", 128, 1) {
			t.Errorf("nearest among %v is %v, %v", among, got, ok)
		}
		slices.Reverse(among)
	}
	if got, ok := Nearest(config("c", 64, 1), among); ok {
		t.Errorf("of another kernel, %v is the nearest", got)
	}
}
