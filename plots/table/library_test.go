// SPDX-License-Identifier: Apache-2.0

package table

import (
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// The fastest of each kind stands beside the library's fastest: a converted matrix and another
// order are not plain, and a paper's kernel in another order is not the paper's.
func TestLibrary(t *testing.T) {
	timed := func(matrix, kernel, params string, ms float64) store.Row {
		r := synthetic.Timed(matrix, kernel, params, 64, ms)
		r.Prepare = 1
		return r
	}
	d := analysis.New([]store.Row{
		timed("a", "cusparse_csr_alg1", "", 4), timed("a", "cusparse_coo_alg2", "", 6), timed("a", "cusparse_sell", "slice=32", 3),
		timed("a", "sell_c_sigma", "chunk=32 sigma=1", 1), timed("a", "csr_merge", "", 2), timed("a", "csr_scalar", "", 8),
		timed("a", "csr_scalar", "reorder=rcm", 0.5),
		timed("b", "cusparse_csr_alg1", "", 4), timed("b", "csr_scalar", "", 1),
		timed("c", "csr_scalar", "", 1),
	}, nil, nil, nil)
	s := LibrarySheet(d)
	testkit.Equal(t, len(s.Tables), 2, "tables: a summary and one for the setup")
	got := map[string]string{}
	for _, row := range s.Tables[1].Rows {
		got[row[0].Text] = strings.Join(lists.Of([]int{1, 3, 5, 8, 10, 12, 13, 15}, func(i int) string { return row[i].Text }), ", ")
	}
	testkit.Equal(t, len(got), 2, "matrices that the library was measured on")
	for matrix, want := range map[string]string{
		"a": "cusparse_sell, csr_scalar, csr_scalar, reorder=rcm, 6.00, 2000, csr_merge, 2.00",
		"b": "cusparse_csr_alg1, csr_scalar, csr_scalar, , 4.00, 1000, csr_scalar, 4.00",
	} {
		testkit.Equal(t, got[matrix], want, "%s", matrix)
	}
	sum := lists.Of(s.Tables[0].Rows[0][1:], func(c Cell) string { return c.Text })
	testkit.Equal(t, strings.Join(sum, ", "), "2, 4.90, 4.00, 2.83, 2.00, 1.225, 0.375", "in sum")
	s = LibrarySheet(analysis.New([]store.Row{timed("a", "csr_scalar", "", 0.992), timed("a", "cusparse_csr_alg1", "", 1)}, nil, nil, nil))
	testkit.EqualLists(t, []string{s.Tables[0].Rows[0][2].Text, s.Tables[0].Rows[0][3].Text, s.Tables[1].Rows[0][10].Text}, slices.Repeat([]string{"1.008 (tied)"}, 3), "mean, least, and the matrix")
	testkit.Equal(t, len(LibrarySheet(analysis.New([]store.Row{timed("a", "csr_scalar", "", 1)}, nil, nil, nil)).Tables), 0, "tables without the library")
}

// Real matrices have a row of their own in the summary, beside generated ones and twins.
func TestLibraryReal(t *testing.T) {
	var rows []store.Row
	var matrices []trial.Matrix
	for _, m := range []struct {
		source, twin string
		ratio        float64
	}{
		{"a.mtx", "", 2}, {"SuiteSparse HB/b", "", 8}, {"grid_5pt(nx=9, ny=9)", "", 3},
		{"twin of G/c: twin(of=c)", "c", 12}, {"grid_5pt(1).mtx", "", 4},
	} {
		rows = append(rows, synthetic.Timed(m.source, "cusparse_csr_alg1", "", 64, m.ratio),
			synthetic.Timed(m.source, "csr_scalar", "", 64, 1))
		matrices = append(matrices, trial.Matrix{Name: m.source, Source: m.source, TwinOf: m.twin})
	}
	got := map[string]string{}
	for _, row := range LibrarySheet(analysis.New(rows, nil, matrices, nil)).Tables[0].Rows {
		_, kind, _ := strings.Cut(row[0].Text, ", ")
		got[kind[strings.LastIndex(kind, " ")+1:]] = row[1].Text + " " + row[2].Text
	}
	testkit.Equal(t, got["real"], "3 4.00", "real ones and their mean")
	testkit.Equal(t, got["generated"], "2 6.00", "generated ones and their mean")
}

// Preparation is divided by what it saves; what repetitions may make faster never pays.
func TestPreparation(t *testing.T) {
	prepared := func(matrix, kernel string, prepare, ms float64) store.Row {
		r := synthetic.Timed(matrix, kernel, "", 64, ms)
		r.Prepare = prepare / 1e3
		return r
	}
	d := analysis.New([]store.Row{
		prepared("a", "csr_scalar", 1, 4), prepared("a", "csr_adaptive", 22, 2), prepared("a", "csr_hybrid", 22, 3.96),
		prepared("a", "csr_vector", 1, 2), prepared("a", "csr_merge", 9, 5), prepared("a", "cusparse_csr_alg1", 2, 3),
		prepared("a", "cusparse_csr_alg2", 2, 9),
		prepared("b", "csr_scalar", 1, 4), prepared("b", "csr_adaptive", 202, 2),
	}, nil, nil, nil)
	s := PreparationSheet(d)
	testkit.Equal(t, len(s.Tables), 2, "tables: a summary and one for each kernel and matrix")
	got := map[string]string{}
	for _, row := range s.Tables[1].Rows {
		got[row[0].Text+" "+row[1].Text] = row[7].Text + ", " + row[8].Text
	}
	for of, want := range map[string]string{
		"a csr_scalar": "–, never", "a csr_adaptive": "11, 20", "a csr_hybrid": "never, never",
		"a csr_vector": "at once, at once", "a csr_merge": "never, never", "a cusparse_csr_alg1": "1, –",
		"a cusparse_csr_alg2": "never, never", "b csr_adaptive": "101, –",
	} {
		testkit.Equal(t, got[of], want, "%s pays off after", of)
	}
	for _, row := range s.Tables[0].Rows {
		if row[0].Text == "csr_adaptive" {
			var cells []string
			for _, c := range row {
				cells = append(cells, c.Text)
			}
			testkit.Equal(t, strings.Join(cells, ", "), "csr_adaptive, 2 of 2, 56, 101, 1 of 1, 20, 20", "in sum")
		}
	}

	for i := range d.Rows {
		d.Rows[i].Prepare = 0
	}
	testkit.Equal(t, len(PreparationSheet(d).Tables), 0, "tables of preparation that nobody measured")
}

// A ratio that may be 1 is called tied. That of a trial to itself is 1.
func TestRatiosThatMayBeOne(t *testing.T) {
	a, b, c := synthetic.Timed("a", "csr_scalar", "", 64, 1), synthetic.Timed("a", "csr_vector", "", 64, 1.012),
		synthetic.Timed("a", "csr_merge", "", 64, 2)
	copied := a
	for _, tt := range []struct {
		r    *store.Row
		want string
	}{{&b, "0.988 (tied)"}, {&c, "0.500"}, {&copied, "1.000"}} {
		testkit.Equal(t, ratioCell(&a, tt.r).Text, tt.want, "%s over %s", tt.r.Kernel, a.Kernel)
	}
}

// The winner stands above the runner-up, with what differs in its favour and nothing else.
func TestWhy(t *testing.T) {
	row := func(kernel string, us float64, counts map[string]float64) store.Row {
		r := store.Row{Device: "card", Matrix: "m", Rows: 10, Cols: 10, NNZ: 1000, Time: us * 1e-6,
			Another: trial.Interval{Low: 0.99e-6 * us, High: 1.01e-6 * us}}
		r.Config = kernels.Config{Kernel: kernel, Precision: kernels.Float32}
		r.Cache, r.Status, r.BytesMin, r.Median, r.Properties = trial.Warm, trial.OK, 1000, us*1e-6, counts
		return r
	}
	counts := func(dram, l2, instructions, occupancy, wait, memory float64) map[string]float64 {
		return map[string]float64{"dram_read_bytes": dram, "dram_write_bytes": 0, "l2_read_bytes": l2,
			"instructions": instructions, "achieved_occupancy": occupancy, "stall_wait": wait, "stall_long_scoreboard": memory}
	}
	for _, tt := range []struct {
		name          string
		first, second map[string]float64
		seconds       float64 // of the second
		want          []string
		without       string
	}{
		{"fewer bytes", counts(1000, 0, 5, 0.5, 0.1, 0.6), counts(2000, 0, 5, 0.9, 0.7, 0.2), 2,
			[]string{"It moves 1/2.00 of the bytes in memory, about as fast (1.00 and 1.00 GB/s).", "No other counter speaks for it.",
				"Its warps wait most for data from L2 or memory, 60% of the time, the other's for fixed latencies of instructions, 70%."},
			"resident"},
		{"faster", counts(1000, 0, 5, 0.9, 0, 0.6), counts(1000, 0, 10, 0.3, 0, 0.4), 2,
			[]string{"about as many bytes in memory, 2.00 times as fast", "It keeps more warps resident (90%, 30%); it executes 0.16 instructions for 32 nonzeros instead of 0.32.",
				"Its warps wait most for data from L2 or memory, 60% of the time, the other's for data from L2 or memory, 40%."}, ""},
		{"from the cache", counts(10, 3000, 5, 1, 0, 1), counts(40, 3000, 5, 1, 0, 1), 1.5,
			[]string{"about as many bytes in the L2 cache, 1.50 times as fast", "MB from memory instead of"}, ""},
		{"a tie", counts(1, 1, 1, 1, 0, 1), counts(9, 9, 9, 1, 0, 1), 1.001, []string{"the data can't tell them apart"}, "instead"},
	} {
		rows := []store.Row{row("b", tt.seconds, tt.second), row("c", 9, counts(1, 1, 1, 1, 1, 1)), row("a", 1, tt.first)}
		d := analysis.New(slices.Clone(rows), nil, nil, nil)
		d.Launches = rows
		s := WhySheet(d)
		rivals := s.Tables[0].Rows
		testkit.EqualLists(t, []any{len(s.Tables), rivals[0][1].Text, rivals[1][1].Text}, []any{1, "a", "b"}, "%s: rivals", tt.name)
		words := s.Tables[0].Rows[0][11].Text
		testkit.Says(t, tt.name, words, tt.want...)
		testkit.Check(t, tt.without == "" || !strings.Contains(words, tt.without), "%s: %s\nwant no %s", tt.name, words, tt.without)
		d.Launches[0].Properties = nil
		testkit.Equal(t, len(WhySheet(d).Tables), 0, "%s: tables of a runner-up that was not counted", tt.name)
	}
}
