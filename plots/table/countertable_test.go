package table

import (
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/store"
)

// A product has its counters, and none that were not counted.
func TestCounterTables(t *testing.T) {
	d := synthetic.Processor().Report()
	if list := counterTables(d); len(list) > 0 {
		t.Fatalf("%d tables without counters of a processor", len(list))
	}
	d.Launches = []store.Row{d.Panels[0].Rows[0]}
	l := &d.Launches[0]
	l.NNZ, l.Properties = 1000, map[string]float64{"instructions": 6250, "data_refs": 4000, "d1_misses": 125}
	list := counterTables(d)
	if len(list) != 1 || len(list[0].Rows) != 1 || list[0].Title != d.Words(analysis.SetupOn(l.Device, l.Cache, l.Precision)) {
		t.Fatalf("tables %+v", list)
	}
	want := []string{l.Matrix, l.Kernel, "6250", "6.25", "4000", "125.0", "–", "3.12", "–"}
	for i, c := range list[0].Rows[0] {
		if c.Text != want[i] {
			t.Errorf("%s is %q, want %q", list[0].Columns[i].Name, c.Text, want[i])
		}
	}
}
