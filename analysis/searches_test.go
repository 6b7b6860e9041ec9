package analysis

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// Searches are replayed on what a whole sweep has measured, if there is enough of it for a
// search to save anything, and on so little of it that the report does not wait.
func TestSearchables(t *testing.T) {
	rows := func(device, sweep, matrix string, n int) (list []store.Row) {
		for i := range n {
			r := store.Row{Device: device, Sweep: sweep, Matrix: matrix}
			r.Config, r.Cache, r.Median = kernels.Config{Kernel: "k", Precision: kernels.Float64, Block: i},
				trial.Warm, 1
			r.Status = []trial.Status{trial.OK, trial.OK, trial.Wrong}[i%3]
			list = append(list, r)
		}
		return list
	}
	all := slices.Concat(rows("d", "whole", "small", LeastSearched-1), rows("d", "whole", "fits", LeastSearched),
		rows("d", "whole", "huge", MostSearched+1),
		rows("d", "raced", "other", 100), rows("e", "whole", "fits", MostSearched))
	d := New(all, nil, nil, nil)
	d.Sweeps = []store.Sweep{{Name: "whole", Settings: configs.Settings{Search: configs.Search{Strategy: "grid"}}},
		{Name: "whole", Settings: configs.Settings{Search: configs.Search{Strategy: "racing"}}},
		{Name: "raced", Settings: configs.Settings{Search: configs.Search{Strategy: "racing"}}}}
	var found []string
	for _, s := range d.Searchables() {
		found = append(found, fmt.Sprint(s.Device, s.Matrix, s.configs))
	}
	testkit.EqualLists(t, found, []string{fmt.Sprint("dfits", LeastSearched), fmt.Sprint("efits", MostSearched)},
		"grids")
	var many []searchable
	for i := range 500 {
		many = append(many, searchable{Case: trial.Case{Matrix: fmt.Sprint(i)}, configs: 100 + i%7})
	}
	taken, sum := some(many), 0
	for _, s := range taken {
		sum += s.configs
	}
	if sum > mostConfigs+200 || sum < mostConfigs/2 || taken[len(taken)-1].Matrix < "450" {
		t.Errorf("%d grids of %d configurations, the last %s", len(taken), sum, taken[len(taken)-1].Matrix)
	}
	testkit.Equal(t, len(some(many[:3])), 3, "of three small grids")
}

// What is searched comes from the database: grids of the sweep's own size, each by every
// strategy, and the same each time.
func TestSearchInDatabase(t *testing.T) {
	ctx := t.Context()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	defer db.Close()
	run := tuner.RunInfo{Sweep: &configs.Sweep{Name: "whole", Text: []byte("name = \"whole\"\n"),
		Search: configs.Search{Strategy: "grid"}}, Protocol: "warmup=1",
		Device: kernels.Device{Backend: "cpu", Name: "Testcore 9000"}, Sources: map[string]string{"cpu_csr_rows": "1"}}
	testkit.Succeed(t, db.Begin(ctx, run))
	for name, n := range map[string]int{"large": LeastSearched + 4, "small": LeastSearched - 1} {
		testkit.Succeed(t, db.Matrix(ctx, trial.Matrix{Name: name, Hash: name, Class: name, Source: name, Field: "real",
			Symmetry: "general",
			Features: sparse.Features{Rows: 10, Cols: 10, Nonzeros: 50}}))
		for i := range n {
			sec := 1e-3 * (1 + float64(i%7)/7)
			r := trial.Result{Trial: trial.Trial{ID: fmt.Sprint(name, i), Matrix: name, Cache: trial.Warm,
				Config: kernels.Config{Kernel: "cpu_csr_rows", Precision: kernels.Float64, Block: 32 * (i + 1),
					Grid: 1}},
				Status: trial.OK, Median: sec, WithinLow: sec, WithinHigh: sec, Samples: []float64{sec, sec}, Batch: 1,
				Stop: trial.StopTarget, At: time.Unix(1e9, 0)}
			testkit.Succeed(t, db.Record(ctx, r))
		}
	}
	var ends []float64
	for range 2 {
		d := testkit.Must(Read(ctx, db))
		d.Searched = testkit.Must(ReplaySearches(ctx, db, d))
		var strategies []string
		for _, o := range d.Searched.Outcomes {
			strategies = append(strategies, o.Strategy)
			testkit.EqualLists(t, []any{o.Grid.Matrix, len(o.Grid.Trials), len(o.Paths)},
				[]any{"large", LeastSearched + 4, searchSeeds}, "%s", o.Strategy)
			ends = append(ends, o.End.Share)
		}
		testkit.EqualLists(t, strategies, search.Replayable(), "strategies")
	}
	n := len(ends) / 2
	testkit.EqualLists(t, ends[n:], ends[:n], "searches end again at")
}
