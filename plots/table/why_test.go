package table

import (
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

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
				"The warps of both wait most for data from L2 or memory, 60% and 40% of the time."}, ""},
		{"from the cache", counts(10, 3000, 5, 1, 0, 1), counts(40, 3000, 5, 1, 0, 1), 1.5,
			[]string{"about as many bytes in the L2 cache, 1.50 times as fast", "MB from memory instead of"}, ""},
		{"a tie", counts(1, 1, 1, 1, 0, 1), counts(9, 9, 9, 1, 0, 1), 1.001, []string{"the data can't tell them apart"}, "instead"},
	} {
		d := analysis.New([]store.Row{}, nil, []store.Matrix{{Name: "m", Features: sparse.Features{Rows: 10}}}, nil)
		d.Launches = []store.Row{row("b", tt.seconds, tt.second), row("c", 9, counts(1, 1, 1, 1, 1, 1)), row("a", 1, tt.first)}
		r := rivalsIn(d, analysis.SetupOn("card", trial.Warm, kernels.Float32))
		if len(r) != 1 || r[0].first.Kernel != "a" || r[0].second.Kernel != "b" {
			t.Fatalf("%s: rivals %+v", tt.name, r)
		}
		words := r[0].words()
		for _, want := range tt.want {
			if !strings.Contains(words, want) {
				t.Errorf("%s: %s\nwant %s", tt.name, words, want)
			}
		}
		if tt.without != "" && strings.Contains(words, tt.without) {
			t.Errorf("%s: %s\nwant no %s", tt.name, words, tt.without)
		}
		if cells := whyCells(r[0].first); len(cells) != 11 {
			t.Errorf("%d cells", len(cells))
		}
		d.Launches[0].Properties = nil
		if r := rivalsIn(d, analysis.SetupOn("card", trial.Warm, kernels.Float32)); len(r) != 0 {
			t.Errorf("%s: a runner-up that was not counted: %+v", tt.name, r)
		}
	}
}
