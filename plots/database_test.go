package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// TestReport goes the whole way: results recorded in a database, and everything
// that the report says read back from it.
func TestReport(t *testing.T) {
	ctx := t.Context()
	db, err := store.Open(filepath.Join(t.TempDir(), "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sources := map[string]string{}
	for _, name := range kernels.Names() {
		sources[name] = "1"
	}
	must(db.Begin(ctx, tuner.RunInfo{
		Sweep: &configs.Sweep{Name: "tiny", Title: "A tiny one", Text: []byte("name = \"tiny\"\n"),
			Protocol: configs.Protocol{Target: 0.02}, Search: configs.Search{Strategy: "grid"}},
		Device: kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "go", Units: 2},
		Roof:   kernels.Roof{Read: 20}, Sources: sources, Protocol: "warmup=3 target=0.02", Version: "test",
	}))
	diagonal := &sparse.CSR[float64]{Rows: 1000, Cols: 1000, RowPtr: []int32{0}, Val: make([]float64, 1000)}
	for i := range int32(1000) {
		diagonal.RowPtr, diagonal.ColIdx = append(diagonal.RowPtr, i+1), append(diagonal.ColIdx, i)
	}
	for i, m := range []string{"long-rows", "short-rows"} {
		mean := 20 - 17*i
		must(db.Matrix(ctx, trial.Matrix{Name: m, Hash: m, Class: m, Source: m, Field: "real", Symmetry: "general",
			Pattern: sparse.NewThumbnail(diagonal),
			Features: sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 1000 * mean, RowMean: float64(mean),
				RowMax: mean}}))
		for _, c := range []kernels.Config{
			{Kernel: "cpu_coo"}, {Kernel: "cpu_csr_rows", Block: 64, Grid: 1},
			{Kernel: "cpu_csr_rows", Block: 64, Grid: 2},
			{Kernel: "cpu_csr_rows", Block: 256, Grid: 2},
			{Kernel: "cpu_sell", Block: 8, Grid: 2, Params: kernels.Params("sigma=64")},
		} {
			c.Precision = kernels.Float64
			sec := 0.008 / float64(1+c.Grid) * (1 + float64(c.Block)/1000)
			r := trial.Result{Trial: trial.Trial{ID: fmt.Sprint(m, c), Matrix: m, Config: c, Cache: trial.Warm},
				Status: trial.OK,
				Median: sec, Low: sec * 0.99, High: sec * 1.01, Samples: []float64{sec}, Batch: 1,
				Stop: trial.StopTarget, BytesMin: 12000,
				At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			if c.Kernel == "cpu_sell" && i == 0 {
				r = trial.Result{Trial: r.Trial, Status: trial.Wrong, Message: "row 7 is off", At: r.At}
			}
			must(db.Record(ctx, r))
		}
	}

	dir := t.TempDir()
	rows, err := db.Results(ctx, store.Filter{})
	must(err)
	matrices, err := db.Features(ctx)
	must(err)
	sweeps, err := db.Sweeps(ctx)
	must(err)
	d, err := data.Read(ctx, db, rows, matrices, sweeps)
	must(err)
	w, err := Write(ctx, d, dir, Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Warnings) > 0 {
		t.Errorf("warnings %v", w.Warnings)
	}
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	best := read("tables/best-configuration.md")
	if short, long := strings.Index(best, "short-rows"), strings.Index(best, "long-rows"); short < 0 || long < short {
		t.Errorf("matrices are not sorted by row length:\n%s", best)
	}
	for _, want := range []string{"float64, warm cache, Testcore 9000, 2 cores", "sigma=64", "2.69 ± 0.03",
		"× cpu_coo", "tied",
		"the highest of a read, a copy and a triad, measured at the start of each run of the sweep, the first at 20",
		"Above 100%"} {
		if !strings.Contains(best, want) {
			t.Errorf("the best configurations lack %q:\n%s", want, best)
		}
	}
	page := read("report.html")
	for _, want := range []string{"row 7 is off", "A tiny one", "warmup=3", "2026-01-02 03:04 UTC",
		"9 verified trials", "1</b> wrong",
		"9 of 9</b> trials reached the target of 2%", "1%</b> median half-width"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, name := range []string{
		"matrix-patterns", "kernel-gflops-vs-row-length-warm-cpu-csr-rows", "gflops-vs-nnz-float64-warm",
		"speedup-over-baseline-warm",
	} {
		if !strings.HasPrefix(read("figures/"+name+".png"), "\x89PNG") ||
			!strings.Contains(read("figures/"+name+".svg"), "<svg") {
			t.Errorf("%s is no picture", name)
		}
	}
}
