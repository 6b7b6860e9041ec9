package cli

import (
	"strings"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// A verdict within 2% is not printed where the intervals tell less, and then says what they tell.
func TestReplaySaysWhatNoiseHides(t *testing.T) {
	grid := func(low float64) search.Grid {
		g := search.Grid{Case: trial.Case{Matrix: "m", Precision: kernels.Float32, Cache: trial.Warm}}
		for i := range 4 {
			median := 1 + 0.01*float64(i)
			g.Trials = append(g.Trials, trial.Result{Status: trial.OK, Median: median, Samples: []float64{median}, Batch: 1,
				Trial: trial.Trial{Config: kernels.Config{Kernel: "cpu_csr_rows", Block: 32 << i}}})
			g.Intervals = append(g.Intervals, trial.Interval{Low: low * median, High: median / low})
		}
		return g
	}
	for _, tt := range []struct {
		lows []float64
		want []string
		not  string
	}{
		{[]float64{0.99, 0.99}, []string{"random: within 2% of the best"}, "noise"},
		{[]float64{0.99, 0.8}, []string{"on 1 of 2 grids noise", "slower by 25.0%", "random: within 2% of the best"},
			"hides less"},
		{[]float64{0.8, 0.8}, []string{"on 2 of 2 grids noise", "random: within 25.0% of the best (noise hides less)"},
			"within 2%"},
	} {
		r := replayCommand{seeds: 2, output: command.Output{Format: "table"}}
		var grids []search.Grid
		for _, low := range tt.lows {
			grids = append(grids, grid(low))
		}
		var text strings.Builder
		testkit.Succeed(t, r.replay(t.Context(), grids, "random"))
		testkit.Succeed(t, r.print(&text))
		for _, want := range tt.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%v: missing %q in\n%s", tt.lows, want, &text)
			}
		}
		if strings.Contains(text.String(), tt.not) {
			t.Errorf("%v: has %q:\n%s", tt.lows, tt.not, &text)
		}
	}
}
