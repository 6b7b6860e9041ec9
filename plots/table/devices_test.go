package table

import (
	"slices"
	"testing"

	"spmvtune/internal/testing/synthetic"
)

// Devices stand beside each other on what several of them measured, and only there.
func TestDevicesBesideEachOther(t *testing.T) {
	d := synthetic.Both()
	table := deviceBests(d)
	devices := map[string]map[string]bool{} // by matrix and precision
	fastest := map[string]string{}          // kernel by the same
	least := map[string]float64{}
	for i := range d.Best {
		b := &d.Best[i]
		key := b.Matrix + " " + string(b.Precision)
		if devices[key] == nil {
			devices[key] = map[string]bool{}
		}
		devices[key][b.Device] = true
		if ms, seen := least[key]; !seen || b.Median < ms {
			least[key], fastest[key] = b.Median, b.Kernel
		}
	}
	var want []string
	for key, on := range devices {
		if len(on) > 1 {
			want = append(want, key)
		}
	}
	var got []string
	for n, row := range table.Rows {
		key := row[0].Text + " " + row[1].Text
		got = append(got, key)
		best := -1
		for i := range row {
			if table.IsBold(n, i) {
				best = i
			}
		}
		if best < 1 || row[best-1].Text != fastest[key] {
			t.Errorf("%s: %v, bold is column %d, fastest %s", key, row, best, fastest[key])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if n := len(deviceBests(synthetic.Processor().Report()).Rows); n != 0 {
		t.Errorf("%d rows of one device", n)
	}
}
