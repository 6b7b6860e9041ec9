package data

import (
	"testing"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

func TestTieSet(t *testing.T) {
	at := func(low, median, high float64) store.Row {
		return store.Row{Result: trial.Result{Low: low, Median: median, High: high}}
	}
	for _, tt := range []struct {
		name string
		rows []store.Row
		want []bool
	}{
		{"one", []store.Row{at(1, 1, 1)}, []bool{true}},
		{"intervals meet", []store.Row{at(1.05, 1.2, 1.3), at(0.9, 1, 1.1)}, []bool{true, true}},
		{"intervals apart", []store.Row{at(1.15, 1.2, 1.3), at(0.9, 1, 1.1)}, []bool{false, true}},
		{"medians within a hundredth", []store.Row{at(1, 1, 1), at(1.009, 1.009, 1.009), at(1.02, 1.02, 1.02)},
			[]bool{true, true, false}},
	} {
		for i, got := range TieSet(tt.rows) {
			if got != tt.want[i] {
				t.Errorf("%s: trial %d is tied: %v", tt.name, i, got)
			}
		}
	}
}
