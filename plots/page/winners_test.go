// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// mapOf is the winner map of one setup.
func mapOf(t *testing.T, rows []store.Row) winnerMap {
	t.Helper()
	list := winnerMaps(analysis.New(rows, nil, nil, nil), &canvas.WebStyles{}, &book{})
	testkit.Equal(t, len(list), 1, "maps")
	return list[0]
}

// The best is marked, so is what can't be told from it, and what is slower is not rounded up to it.
func TestWinnerMap(t *testing.T) {
	m := mapOf(t, []store.Row{synthetic.Timed("m", "csr_vector", "", 64, 1),
		synthetic.Timed("m", "csr_scalar", "", 64, 1.004),
		synthetic.Timed("m", "coo_atomic", "", 64, 4), synthetic.Timed("n", "csr_vector", "", 64, 1),
		synthetic.Timed("n", "csr_scalar", "", 64, 2)})
	names := lists.Of(m.Kernels, func(k mapKernel) string { return k.Kernel })
	// coo_atomic was measured on one of two, so it is last whatever its mean.
	testkit.Equal(t, strings.Join(names, " "), "csr_vector csr_scalar coo_atomic", "kernels")
	testkit.Equal(t, fmt.Sprint(m.Classes[0].Rows[0].Cells), "[{100 h9 best} {=99 h9 tied} {25 h2}]", "cells")
	testkit.Equal(t, fmt.Sprint(m.Classes[0].Rows[1].Cells), "[{100 h9 best} {50 h4} {– }]", "cells")
	testkit.EqualLists(t, []any{m.Kernels[0].Share.Text, m.Kernels[1].Share.Text, m.Kernels[1].Named, m.Kernels[1].Tied},
		[]any{"100", "71", 0, 1}, "heads")
}

// Hundreds of matrices fold into classes of row lengths, with their geometric means.
func TestWinnerMapFolds(t *testing.T) {
	var rows []store.Row
	for i := range 300 {
		nnz, ms := 30, 2.0
		if i >= 100 {
			nnz, ms = 300, 4.0
		}
		for kernel, time := range map[string]float64{"csr_vector": 1, "csr_scalar": ms} {
			r := synthetic.Timed(fmt.Sprintf("m%03d", i), kernel, "", 64, time)
			r.Rows, r.NNZ = 10, nnz
			rows = append(rows, r)
		}
	}
	m := mapOf(t, rows)
	first, second := m.Classes[0], m.Classes[1]
	testkit.EqualLists(t, []any{m.Folded, len(m.Classes), first.Title, len(first.Rows), first.Cells[1].Text, first.Cells[0].Class,
		len(second.Rows), second.Cells[1].Text}, []any{true, 2, "2 to 4 in a row", 100, "50", "h9 top", 200, "25"}, "classes")
	testkit.Equal(t, mapOf(t, rows[:40]).Folded, false, "twenty matrices are folded")
	list := winnerMaps(analysis.New(rows[:1], nil, nil, nil), &canvas.WebStyles{}, &book{})
	testkit.Equal(t, len(list), 0, "maps of one kernel, where there is nothing to win")
}

// Where all trials failed the page says so, and not that kernels are too few.
func TestAllFailed(t *testing.T) {
	row := synthetic.Timed("m", "csr_vector", "", 64, 1)
	row.Status, row.Time = trial.Wrong, 0
	var b strings.Builder
	testkit.Succeed(t, (&Content{Report: analysis.New([]store.Row{row}, nil, nil, nil)}).Write(&b))
	testkit.Says(t, "the page", b.String(), `<p>No trial was verified: no time is known. <a href="#failed">Why they failed</a>.</p>`)
}

// The maps of all precisions have the order of all together.
func TestWinnerMapsHaveOneOrder(t *testing.T) {
	rows := []store.Row{synthetic.Timed("m", "csr_vector", "", 64, 2), synthetic.Timed("m", "csr_scalar", "", 64, 1),
		synthetic.Timed("m", "csr_vector", "", 64, 1), synthetic.Timed("m", "csr_scalar", "", 64, 9)}
	rows[2].Precision, rows[3].Precision = kernels.Float32, kernels.Float32
	for _, m := range winnerMaps(analysis.New(rows, nil, nil, nil), &canvas.WebStyles{}, &book{}) {
		testkit.Equal(t, m.Kernels[0].Kernel, "csr_vector", "the first kernel of %s", m.Title)
	}
}

// bothCaches is a report in both precisions and with both states of the caches.
func bothCaches() *analysis.Data {
	var rows []store.Row
	for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, c := range []trial.Cache{trial.Cold, trial.Warm} {
			r := synthetic.Timed("cold", "csr_vector", "", 64, 1)
			r.Precision, r.Cache = p, c
			rows = append(rows, r)
		}
	}
	return analysis.New(rows, nil, nil, nil)
}

// What goes by no switch, or by one, is shown where that fits. Of what fits none, the first is, until report.js knows better.
func TestTurnOn(t *testing.T) {
	d := bothCaches()
	for _, tt := range []struct {
		group []tagged
		on    []bool
	}{
		{[]tagged{{Precision: "float32", Cache: "cold"}, {Precision: "float64", Cache: "cold"},
			{Precision: "float32", Cache: "warm"}}, []bool{true, false, false}},
		{[]tagged{{Cache: "cold"}, {Cache: "warm"}}, []bool{true, false}},
		{[]tagged{{Precision: "float32"}, {Precision: "float64", Cache: "warm"}}, []bool{true, false}},
		{[]tagged{{}, {Precision: "float64"}}, []bool{true, false}},
		{[]tagged{{Precision: "float64"}, {Cache: "warm"}}, []bool{true, false}},
	} {
		turnOn(d, tt.group)
		for i, want := range tt.on {
			testkit.Equal(t, tt.group[i].On, want, "%+v: the %d. is shown: %v", tt.group, i+1, !want)
		}
	}
}

// Without a choice there is no switch.
func TestSwitches(t *testing.T) {
	list := switches(bothCaches())
	testkit.Check(t, len(list) == 2 && list[0].Values[0] == "float32" && list[1].Values[0] == "cold", "%+v", list)
	testkit.Equal(t, len(switches(synthetic.Gpu(1, 32).Report())), 0, "switches")
}
