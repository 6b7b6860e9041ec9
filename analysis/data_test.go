// SPDX-License-Identifier: Apache-2.0

package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// Rows come in one order, whatever the store's is: the good ones first, none lost.
func TestSortRows(t *testing.T) {
	var rows []store.Row
	add := func(matrix, kernel string, block int, status trial.Status, day int) {
		r := synthetic.Row(kernel, block, 1, 1)
		r.Matrix, r.Status, r.At = matrix, status, synthetic.Someday.AddDate(0, 0, day)
		rows = append(rows, r)
	}
	for _, matrix := range []string{"unknown", "short", "long"} {
		add(matrix, "my_own", 64, "ok", 1)
		add(matrix, "csr_vector", 64, "ok", 1)
		add(matrix, "cpu_coo", 128, "ok", 2)
		add(matrix, "cpu_coo", 64, "ok", 1)
		add(matrix, "cpu_coo", 32, "wrong", 1)
	}
	rows[1].Median = math.NaN()
	matrices := []trial.Matrix{{Name: "short", Features: sparse.Features{RowMean: 1}},
		{Name: "long", Features: sparse.Features{RowMean: 2}}}
	text := func(rows []store.Row) string {
		var list []string
		for _, r := range rows {
			list = append(list, fmt.Sprint(r.Matrix, r.Kernel, r.Block, r.Status[:1],
				r.At.Day()-synthetic.Someday.Day()))
		}
		return strings.Join(list, "\n")
	}
	want := slices.Sorted(strings.SplitSeq(text(rows), "\n"))
	first, rng := "", rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		good := 0
		for _, p := range analysis.New(rows, nil, matrices, nil).Panels {
			good += len(p.Rows)
		}
		testkit.Equal(t, good, 11, "good rows")
		testkit.EqualLists(t, slices.Sorted(strings.SplitSeq(text(rows), "\n")), want, "rows were lost")
		got := text(rows)
		if first == "" {
			first = got
		}
		testkit.Equal(t, got, first, "another order")
		if !strings.HasPrefix(got,
			"shortcpu_coo64o1\nshortcpu_coo128o2\nshortcsr_vector64o1\nshortmy_own64o1\nlongcpu_coo64o1\n") {
			t.Fatalf("order:\n%s", got)
		}
	}
}

// A report says which sweep had a busy processor, on which matrices, how busy, and what helps.
func TestCrowded(t *testing.T) {
	row := func(matrix string, others float64) store.Row {
		r := synthetic.Timed(matrix, "cpu_csr", "", 64, 1)
		r.Sweep, r.Host = "mine", trial.HostUse{Cores: 4, Others: others, Own: 1, Load: 7.25}
		return r
	}
	d := analysis.New([]store.Row{row("free", 0), row("busy", 3), row("busy", 1), row("half", 1)}, nil, nil, nil)
	testkit.Says(t, "crowded", fmt.Sprint(d.Crowded()), "while mine measured busy, half on d",
		"on busy: other processes took 50% of its cores (load 7.2)", "--exclusive")

	testkit.Equal(t, len(analysis.New([]store.Row{row("free", 0)}, nil, nil, nil).Crowded()), 0, "of a free processor")
}
