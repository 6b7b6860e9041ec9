package store

import (
	"math"
	"slices"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// under begins a run of another sweep on the same device.
func under(t *testing.T, db *DB, name, text, protocol string) {
	t.Helper()
	run := testRun()
	run.Sweep = &configs.Sweep{Name: name, Text: []byte(text)}
	run.Protocol = protocol
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
	under(t, db, "again", "", "warmup=7 samples=1..2")
	record(t, db, good("cpu_csr", 0, func(r *trial.Result) { r.Grid = 0 }))
	under(t, db, "raced", "[search]\nstrategy = \"racing\"\n", "warmup=3")
	record(t, db, good("cpu_csr_rows", 128))
	under(t, db, "some", "[search.budget]\ntrials = 5\n", "warmup=3")
	record(t, db, good("cpu_csr_rows", 256))

	grids, err := db.Grids(t.Context(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
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
	configs := make([]string, len(g.Trials))
	for i, tr := range g.Trials {
		configs[i] = tr.Config.String()
	}
	if len(g.Trials) != 3 {
		t.Fatalf("%d trials, want 3: %q", len(g.Trials), configs)
	}
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
	if warm := grids[2]; warm.Cost.Flush != 0 {
		t.Errorf("warm samples cost a flush of %g s", warm.Cost.Flush)
	}
	for filter, want := range map[Filter]int{
		{Matrix: "grid", Precision: kernels.Float32,
			Cache: trial.Cold}: 2, {Cache: trial.Warm}: 1, {Matrix: "other"}: 0, {Device: "nobody"}: 0,
	} {
		if some, err := db.Grids(t.Context(), filter); err != nil || len(some) != want {
			t.Errorf("%+v: %d grids, %v, want %d", filter, len(some), err, want)
		}
	}
}
