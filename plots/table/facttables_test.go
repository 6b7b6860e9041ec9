package table

import (
	"testing"

	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A speed-up stands beside what another run finds.
func TestSpeedupsHaveIntervals(t *testing.T) {
	row := func(kernel string, seconds float64) store.Row {
		r := store.Row{Device: "d", Matrix: "m", Time: seconds,
			Another: trial.Interval{Low: seconds / 1.25, High: seconds * 1.25}}
		r.Status, r.Median, r.Config = trial.OK, seconds, kernels.Config{Kernel: kernel, Precision: kernels.Float32}
		return r
	}
	table := GainTable(data.New([]store.Row{row("coo_atomic", 4), row("csr_scalar", 1)}, nil, nil, nil))
	if len(table.Rows) != 1 || table.Columns[2].Name != "another run" || table.Rows[0][2].Text != "2.9 to 5.5×" {
		t.Errorf("%+v", table)
	}
}
