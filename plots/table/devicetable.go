package table

import (
	"math"
	"slices"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// deviceBests puts the best configurations of devices side by side, on what several of them
// measured. It has no rows if nothing was.
func deviceBests(d *analysis.Data) Table {
	at := map[trial.Case]map[string]*store.Best{} // of any device
	var places []trial.Case

	var devices []string
	for i := range d.Best {
		b := &d.Best[i]
		p := trial.Case{Matrix: b.Matrix, Precision: b.Precision, Cache: b.Cache}
		if at[p] == nil {
			at[p] = map[string]*store.Best{}
			places = append(places, p)
		}
		at[p][b.Device] = b
		if !slices.Contains(devices, b.Device) {
			devices = append(devices, b.Device)
		}
	}

	t := Table{Title: "Devices at their best", Columns: Columns("matrix", "precision", "cache")}
	for _, name := range devices {
		t.Columns = append(t.Columns, Column{Name: analysis.ShortDevice(name)}, Column{Name: "GFLOP/s", Right: true})
	}
	for _, p := range places {
		if len(at[p]) < 2 {
			continue
		}
		row := []Cell{Text(p.Matrix), Text(string(p.Precision)), Text(string(p.Cache))}
		var trials []*store.Row
		var columns []int
		for _, name := range devices {
			b := at[p][name]
			if b == nil {
				row = append(row, Text(term.Missing), Cell{term.Missing, math.NaN()})
				continue
			}
			trials, columns = append(trials, &b.Row), append(columns, len(row)+1)
			row = append(row, Text(b.Kernel), rateCell(&b.Row, b.GFLOPS))
		}
		t.Rows = append(t.Rows, row)
		t.Mark(trials, columns)
	}

	return t
}
