// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// The columns are a promise to users' scripts: they do not change within a
// major version.
func TestViewColumns(t *testing.T) {
	db := create(t)
	const results = "sweep, device, matrix, rows, cols, nnz, kernel, format, precision, block, grid, params, cache, status, " +
		"median_ms, low_ms, high_ms, samples, gflops, gbps, roof_fraction, prepare_ms, max_error, message, measured_at"
	for view, want := range map[string]string{
		"results": results + ", stop, measurement, version, in_force, time_ms, runs, within_low_ms, within_high_ms, factor, tied",
		"best":    results + ", margin, tie_size, runs, factor, time_ms, recommended",
		"speedup": "device, matrix, precision, cache, kernel, block, grid, params, median_ms, " +
			"over_coo_atomic, over_cpu_coo, over_best_single, over_cusparse, time_ms",
		"telemetry": "sweep, device, matrix, kernel, precision, block, grid, params, cache, status, median_ms, node, uuid, job, " +
			"sm_mhz, memory_mhz, celsius, watts, joules, clock_reasons, repeated, throttled, warnings, measured_at, " +
			"others, stolen, switches, load",
		"profile": "sweep, device, matrix, kernel, precision, block, grid, params, cache, median_ms, " +
			"occupancy, warp_efficiency, load_efficiency, instructions, data_refs, d1_misses, ll_misses, " +
			"launches, kernel_ms, dram_read_bytes, dram_write_bytes, dram_fraction, l2_read_bytes, l2_hit_rate, l1_hit_rate, " +
			"sectors_per_request, issue_fraction, balance, registers, stall, stall_fraction",
		"features": "matrix, class, hash, source, field, symmetry, " + strings.Join(sparse.FeatureNames(),
			", ") + ", twin_of, twin_scale",
	} {
		testkit.Equal(t, strings.Join(query(t, db, view).Columns, ", "), want, "%s has the columns", view)
	}
}

func TestResultsFigures(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32, func(r *trial.Result) {
		r.Params = kernels.Params("tile=8 unroll=4")
		r.BytesMin = 15_000_000 // in 1 ms: 15 GB/s, of a roof of 20
	}))
	want := []any{"quick", "Testcore 9000", "grid", int64(1000), int64(900), int64(5000), "cpu_csr", "csr",
		"float32", int64(32), int64(2),
		"tile=8 unroll=4", "cold", "ok", 1.0, 0.99, 1.01, int64(3), 2 * 5000 / 1e-3 / 1e9, 15.0, 0.75, 2.0, 0.25, nil, "2026-01-02T03:04:05.678Z",
		"target", nil, "test", int64(1), 1.0, int64(1), 0.99, 1.01, nil, int64(0)}
	table := query(t, db, "results")
	testkit.Require(t, len(table.Rows) == 1, "%d rows, want 1", len(table.Rows))
	for i, got := range table.Rows[0] {
		if f, ok := want[i].(float64); ok {
			g, ok := got.(float64)
			testkit.Check(t, ok && math.Abs(g-f) <= 1e-12*math.Abs(f), "%s is %v, want %v", table.Columns[i], got, f)
		} else if got != want[i] {
			t.Errorf("%s is %v, want %v", table.Columns[i], got, want[i])
		}
	}
}

func TestResultsOfFailures(t *testing.T) {
	db := started(t)
	record(t, db,
		good("cpu_csr", 32, failing(trial.Invalid, "block must be a multiple of 64")),
		good("cpu_csr", 64, failing(trial.Wrong, "row 3"), func(r *trial.Result) { r.MaxError = math.Inf(1) }))
	for _, r := range query(t, db, `SELECT status, median_ms, low_ms, high_ms, samples, gflops, gbps, roof_fraction,
		prepare_ms, max_error, message FROM results ORDER BY block`).Rows {
		wrong := r[0] == "wrong"
		if nulls := r[1:9]; slices.ContainsFunc(nulls, func(v any) bool { return v != nil }) {
			t.Errorf("%v has figures %v, want nulls", r[0], nulls)
		}
		testkit.Equal(t, r[9] != nil, wrong, "%v has max_error %v", r[0], r[9])
		if r[10] == nil {
			t.Errorf("%v has no message", r[0])
		}
	}
	for _, view := range []string{"best", "speedup"} {
		testkit.Equal(t, len(query(t, db, view).Rows), 0, "%s has", view)
	}
}

// bestOf gives "kernel block margin% ties" of the only row of best, as it is recommended.
func bestOf(t *testing.T, db *DB) string {
	t.Helper()
	best := testkit.Must(db.Best(t.Context(), Filter{}))
	testkit.Require(t, len(best) == 1, "%d rows, want 1", len(best))
	b := best[0]
	named := fmt.Sprint(b.Kernel, " ", b.Block)
	if words := strings.Fields(b.Recommended); len(words) > 0 {
		named = words[0] + " " + words[2]
	}
	return fmt.Sprintf("%s %.4g%% %d", named, 100*b.Margin, b.TieSize)
}

func TestTieSet(t *testing.T) {
	for _, tt := range []struct {
		name   string
		trials []trial.Result
		want   string // kernel, block, margin, size
	}{
		{"one trial", []trial.Result{good("cpu_csr_rows", 32)}, "cpu_csr_rows 32 NaN% 1"},
		{"clear winner", []trial.Result{
			good("cpu_csr_rows", 32, takes(2)), good("cpu_sell", 8, takes(1)), good("cpu_csr_rows", 64, takes(1.5)),
		}, "cpu_sell 8 50% 1"},
		{"overlapping interval", []trial.Result{
			good("cpu_sell", 8, between(0.9, 1, 1.2)), good("cpu_csr_rows", 32, between(1.1, 1.3,
				1.5)), good("cpu_csr_rows", 64, between(1.21, 1.25, 1.3)),
		}, "cpu_sell 8 25% 2"},
		{"intervals that touch", []trial.Result{
			good("cpu_sell", 8, between(0.9, 1, 1.2)), good("cpu_csr_rows", 32, between(1.2, 1.3, 1.5)),
		}, "cpu_sell 8 NaN% 2"},
		{"within 1% with narrow intervals", []trial.Result{
			good("cpu_sell", 8, between(0.9999, 1, 1.0001)), good("cpu_csr_rows", 32, between(1.0089, 1.009,
				1.0091)), good("cpu_csr", 0, between(1.0199, 1.02, 1.0201)),
		}, "cpu_sell 8 2% 2"},
		// 64 is fastest by a hair, between slow neighbours; 512 lies in a valley.
		{"robust among neighbours", []trial.Result{
			good("cpu_csr_rows", 32, takes(3)), good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 128, takes(3)),
			good("cpu_csr_rows", 256, takes(1.2)), good("cpu_csr_rows", 512, takes(1.005)), good("cpu_csr_rows",
				1024, takes(1.2)),
		}, "cpu_csr_rows 512 20% 2"},
		{"robust above a neighbour", []trial.Result{
			good("cpu_csr_rows", 32, takes(3)), good("cpu_csr_rows", 64, takes(1)),
			good("cpu_sell", 256, takes(1.2)), good("cpu_sell", 512, takes(1.005)),
		}, "cpu_sell 512 20% 2"},
		{"robust below a neighbour", []trial.Result{
			good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 128, takes(3)),
			good("cpu_sell", 512, takes(1.005)), good("cpu_sell", 1024, takes(1.2)),
		}, "cpu_sell 512 20% 2"},
		// Neighbours are those of the same kernel, grid and parameters.
		{"neighbours of another kind do not count", []trial.Result{
			good("cpu_csr_rows", 64, takes(1)),
			good("cpu_csr_rows", 32, takes(3), func(r *trial.Result) { r.Grid = 4 }),
			good("cpu_csr_rows", 128, takes(3), func(r *trial.Result) { r.Params = kernels.Params("x=1") }),
			good("cpu_sell", 128, takes(1.005)),
		}, "cpu_csr_rows 64 200% 2"},
		{"failures never win", []trial.Result{
			good("cpu_csr_rows", 64, takes(1)), good("cpu_sell", 8, failing(trial.Wrong, "row 0")),
		}, "cpu_csr_rows 64 NaN% 1"},
		{"equal in everything: the one recorded first", []trial.Result{
			good("cpu_sell", 8), good("cpu_csr_rows", 64),
		}, "cpu_sell 8 NaN% 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := started(t)
			record(t, db, tt.trials...)
			testkit.Equal(t, bestOf(t, db), tt.want, "best")
			gives(t, db, "SELECT kernel || block FROM best", one(t, db, `SELECT kernel || block FROM results
				WHERE status = 'ok' ORDER BY time_ms, kernel, block LIMIT 1`), "the fastest is")
		})
	}
}

func TestBestPerPlace(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	warm := func(r *trial.Result) { r.Cache = trial.Warm }
	double := func(r *trial.Result) { r.Precision = kernels.Float64 }
	record(t, db, good("cpu_csr", 0, takes(1)), good("cpu_sell", 8, takes(2)),
		good("cpu_csr", 0, takes(2), warm), good("cpu_sell", 8, takes(1), warm),
		good("cpu_csr", 0, takes(3), double), good("cpu_csr", 0, takes(4), on("other")))
	gpu := testRun()
	gpu.Device.Backend, gpu.Device.Name = "cuda", "Testboard"
	begin(t, db, gpu)
	record(t, db, good("coo_atomic", 256, takes(5)))
	best := testkit.Must(db.Best(t.Context(), Filter{}))
	var got []string
	for _, b := range best {
		got = append(got, fmt.Sprint(b.Device, " ", b.Matrix, " ", b.Precision, " ", b.Cache, " ", b.Kernel,
			" ", 1e3*b.Median))
	}
	want := []string{
		"Testboard grid float32 cold coo_atomic 5",
		"Testcore 9000 grid float32 cold cpu_csr 1",
		"Testcore 9000 grid float32 warm cpu_sell 1",
		"Testcore 9000 grid float64 cold cpu_csr 3",
		"Testcore 9000 other float32 cold cpu_csr 4",
	}
	testkit.EqualLists(t, got, want, "best is")
	some := testkit.Must(db.Best(t.Context(), Filter{Device: "Testcore 9000", Cache: trial.Warm}))
	testkit.Check(t, len(some) == 1, "filtered: %d rows; want 1", len(some))
}

func TestSpeedup(t *testing.T) {
	db := started(t)
	for _, m := range []string{"a", "b"} {
		describe(t, db, testMatrix(m))
	}
	record(t, db,
		// Slowdowns of cpu_csr are 1 and 8, of cpu_sell 2 and 1 (geometric mean
		// 1.41, the lowest); coo_atomic is near the best, but on one matrix only.
		good("cpu_csr", 0, takes(1), on("a")), good("cpu_csr", 0, takes(8), on("b")),
		good("cpu_sell", 8, takes(2), on("a")), good("cpu_sell", 16, takes(5), on("a")), good("cpu_sell", 8,
			takes(1), on("b")),
		good("cpu_coo", 0, takes(4), on("a")), good("coo_atomic", 32, takes(1.1), on("a")),
		good("cusparse_csr_alg1", 0, takes(3), on("b")), good("cusparse_csr_alg2", 0, takes(2), on("b")),
	)
	null := "-"
	f := func(v any) string {
		if v == nil {
			return null
		}
		return fmt.Sprintf("%.4g", v)
	}
	var got []string
	for _, r := range query(t, db, "SELECT matrix, kernel, block, median_ms, over_coo_atomic, over_cpu_coo, over_best_single, over_cusparse FROM speedup ORDER BY 1, 2").Rows {
		got = append(got, fmt.Sprintf("%v %v %v: %s %s %s %s %s", r[0], r[1], r[2], f(r[3]), f(r[4]), f(r[5]),
			f(r[6]), f(r[7])))
	}
	want := []string{
		"a coo_atomic 32: 1.1 1 3.636 1.818 -",
		"a cpu_coo 0: 4 0.275 1 0.5 -",
		"a cpu_csr 0: 1 1.1 4 2 -",
		"a cpu_sell 8: 2 0.55 2 1 -",
		"b cpu_csr 0: 8 - - 0.125 0.25",
		"b cpu_sell 8: 1 - - 1 2",
		"b cusparse_csr_alg1 0: 3 - - 0.3333 0.6667",
		"b cusparse_csr_alg2 0: 2 - - 0.5 1",
	}
	testkit.EqualLists(t, got, want, "speedup is")
}

func TestFeaturesComeBack(t *testing.T) {
	db := started(t)
	empty := trial.Matrix{Name: "empty", Hash: "0", Features: sparse.Features{RowMean: math.NaN()}}
	describe(t, db, empty)
	got := testkit.Must(db.Features(t.Context()))
	testkit.Check(t, math.IsNaN(got[0].RowMean), "mean of no rows is %v, want NaN", got[0].RowMean)
	want := testMatrix("grid")
	testkit.Check(t, len(got) == 2 && got[1].Features.Equal(want.Features) && got[1].Name == "grid" &&
		got[1].Hash == want.Hash && got[1].Class == want.Class && got[1].Source == want.Source &&
		got[1].Field == want.Field && got[1].Symmetry == want.Symmetry, "features are %+v\nwant, second, %+v", got, want)
}

// Every column of the stable views is explained, in its place.
func TestExplained(t *testing.T) {
	db := create(t)
	var names []string
	for _, v := range Explained() {
		names = append(names, v.Name)
		columns := lists.Of(v.Columns, func(c Column) string { return c.Name })
		testkit.EqualLists(t, query(t, db, v.Name).Columns, columns, "%s has the columns", v.Name)
	}
	testkit.EqualLists(t, slices.Sorted(slices.Values(names)), Views, "explained views")
}

// Every query of the documentation has an answer in a database with all that they ask for.
func TestDocumentedQueries(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("ecology1"))
	record(t, db, noisy("grid", 6, 1.1)...)
	double := func(r *trial.Result) { r.Precision = kernels.Float64 }
	record(t, db,
		good("cpu_csr_rows", 32, on("ecology1"), identity("counted"), takes(1), sensed),
		good("cpu_csr", 0, on("ecology1"), takes(4), func(r *trial.Result) { r.Prepare = 1e-3 }),
		good("cpu_csr_rows", 64, on("ecology1"), takes(5), double),
		good("cusparse_csr_alg1", 0, on("ecology1"), takes(3)), good("cpu_coo", 0, on("ecology1"), takes(6)),
		good("coo_atomic", 32, on("ecology1"), failing(trial.Wrong, "row 3")))
	testkit.Succeed(t, db.SaveCounts(t.Context(), map[string]Counts{"counted": {"occupancy": 0.5}}))
	decideAll(t, db)

	text := testkit.Must(os.ReadFile("../docs/database.md"))
	queries := strings.Split(string(text), "\n```sql\n")[1:]
	testkit.Equal(t, len(queries), 20, "the page has")
	for _, rest := range queries {
		sql, _, _ := strings.Cut(rest, "\n```")
		testkit.Check(t, len(query(t, db, sql).Rows) != 0, "there is no answer to\n%s", sql)
	}
}

// under begins a run of another sweep on the same device.
func under(t *testing.T, db *DB, name string, warmup int, search configs.Search) {
	t.Helper()
	run := testRun()
	run.Sweep = &configs.Sweep{Name: name, Text: []byte(name), Protocol: configs.Protocol{Warmup: warmup}, Search: search}
	begin(t, db, run)
}

// Searches are replayed on what sweeps over whole grids have measured, each matrix,
// precision, cache state and sweep a grid of its own, with what a search would be told.
func TestGrids(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db,
		good("cpu_csr_rows", 32, func(r *trial.Result) { r.Batch, r.Samples = 4, []float64{3e-3, 1e-3, 2e-3} }),
		good("cpu_sell", 8, func(r *trial.Result) { r.Params = kernels.Params("sigma=64 width=2") }),
		good("cpu_csr_rows", 64, failing(trial.Wrong, "row 3 is off")),
		good("cpu_csr_rows", 64, failing(trial.Wrong, "of a grid without a good one"), on("other")),
		good("cpu_csr_rows", 32, identity("older"), takes(9), func(r *trial.Result) { r.At = r.At.Add(-time.Hour) }),
		good("cpu_csr_rows", 32, func(r *trial.Result) { r.Cache = trial.Warm }),
		good("cpu_csr_rows", 32, func(r *trial.Result) { r.Precision = kernels.Float64 }))
	under(t, db, "again", 7, configs.Search{Strategy: "grid"})
	record(t, db, good("cpu_csr", 0, func(r *trial.Result) { r.Grid = 0 }))
	under(t, db, "raced", 3, configs.Search{Strategy: "racing"})
	record(t, db, good("cpu_csr_rows", 128))
	under(t, db, "some", 3, configs.Search{Strategy: "grid", Trials: 5})
	record(t, db, good("cpu_csr_rows", 256))

	grids := testkit.Must(db.Grids(t.Context(), Filter{}))
	var names []string
	for _, g := range grids {
		names = append(names, g.Name())
	}
	// The older sweep of the two comes second, by name.
	if want := []string{"grid float32 cold", "grid float32 cold", "grid float32 warm",
		"grid float64 cold"}; !slices.Equal(names, want) {
		t.Fatalf("grids %q, want %q", names, want)
	}
	if g := grids[0]; len(g.Trials) != 1 || g.Trials[0].Kernel != "cpu_csr" || g.Cost.Warmup != 7 {
		t.Errorf("of the sweep that was run again: %+v", g)
	}
	g := grids[1]
	configs := lists.Of(g.Trials, func(tr trial.Result) string { return tr.Config.String() })
	testkit.Require(t, len(g.Trials) == 3, "%d trials, want 3: %q", len(g.Trials), configs)
	at := slices.IndexFunc(g.Trials, func(tr trial.Result) bool { return tr.Block == 32 })
	if tr := g.Trials[at]; tr.Status != trial.OK || tr.Median != 1e-3 || tr.Batch != 4 || len(tr.Samples) != 3 || tr.Samples[0] != float64(float32(3e-3)) {
		t.Errorf("a good trial is %+v; the older one of its configuration has no say", tr)
	}
	at = slices.IndexFunc(g.Trials, func(tr trial.Result) bool { return tr.Kernel == "cpu_sell" })
	if tr := g.Trials[at]; tr.Params != "sigma=64 width=2" || tr.Precision != kernels.Float32 {
		t.Errorf("parameters are %+v", tr.Config)
	}
	at = slices.IndexFunc(g.Trials, func(tr trial.Result) bool { return tr.Block == 64 })
	if tr := g.Trials[at]; tr.Status == trial.OK {
		t.Errorf("a wrong trial is %+v", tr)
	}
	// Twice 32 MB at 20 GB/s, the highest of what was measured.
	if want := 2 * float64(32<<20) / 20e9; g.Cost.Warmup != 3 || math.Abs(g.Cost.Flush-want) > 1e-9 {
		t.Errorf("costs are %+v, want a flush of %g s", g.Cost, want)
	}
	testkit.Equal(t, grids[2].Cost.Flush, 0, "warm samples cost a flush of")
	for filter, want := range map[Filter]int{
		{Matrix: "grid", Precision: kernels.Float32,
			Cache: trial.Cold}: 2, {Cache: trial.Warm}: 1, {Matrix: "other"}: 0, {Device: "nobody"}: 0,
	} {
		testkit.Equal(t, len(testkit.Must(db.Grids(t.Context(), filter))), want, "%+v", filter)
	}
}

// Trials whose cache state is not known can be chosen apart from the others, which no filter at all does not do.
func TestUnknownCache(t *testing.T) {
	db := started(t)
	for i, state := range []trial.Cache{"", trial.Warm, trial.Cold} {
		record(t, db, good("cpu_csr", 4+i, func(r *trial.Result) { r.Cache = state }))
	}
	for state, want := range map[trial.Cache]int{"": 3, UnknownCache: 1, trial.Warm: 1, trial.Cold: 1} {
		n := 0
		if err := db.Trials(t.Context(), Filter{Cache: state}, func(r *Row) error {
			if n++; state == UnknownCache && r.Cache != "" {
				t.Errorf("%q is not unknown", r.Cache)
			}
			return nil
		}); err != nil || n != want {
			t.Errorf("%q chooses %d trials, want %d: %v", state, n, want, err)
		}
	}
}
