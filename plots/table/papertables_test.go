// SPDX-License-Identifier: Apache-2.0

package table

import (
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
)

// sheetOf is one of the papers' tables, as lines of cells.
func sheetOf(t *testing.T, d *analysis.Data, stem string) []string {
	t.Helper()
	for _, s := range PaperSheets(d) {
		if s.Stem != stem {
			continue
		}
		testkit.Equal(t, len(s.Tables), 1, "tables of %s", stem)
		var lines []string
		for n, r := range s.Tables[0].Rows {
			var cells []string
			for i, c := range r {
				if s.Tables[0].Rows[n][i].Bold {
					c.Text = "*" + c.Text
				}
				cells = append(cells, c.Text)
			}
			lines = append(lines, strings.Join(cells, " | "))
		}
		return lines
	}
	t.Fatalf("no table %s", stem)
	return nil
}

func TestPaperTables(t *testing.T) {
	d := analysis.New([]store.Row{
		synthetic.Timed("a", "cpu_coo", "", 0, 2), synthetic.Timed("a", "cpu_csr", "", 0, 1),
		synthetic.Timed("b", "cpu_coo", "", 0, 1), synthetic.Timed("b", "cpu_csr", "", 0, 1.005),
		synthetic.Timed("c", "cpu_coo", "", 0, 1), // without CSR
		synthetic.Timed("a", "coo_atomic", "", 256, 6), synthetic.Timed("a", "coo_block_chunk", "", 1024, 2),
		synthetic.Timed("a", "coo_warp_chunk", "", 256, 2.01),
		synthetic.Timed("a", "coo_warp_chunk", "", 32, 9), synthetic.Timed("a", "coo_segscan_block", "", 1024, 1.5),
		synthetic.Timed("a", "csr_adaptive", "long_row=warp tile=512", 64, 15),
		synthetic.Timed("a", "csr_adaptive", "long_row=block tile=512", 64, 1),
		synthetic.Timed("a", "csr_scalar", "", 64, 4), synthetic.Timed("a", "csr_vector", "", 64, 2),
		synthetic.Timed("a", "csr_pcsr", "", 64, 5), synthetic.Timed("a", "csr_light", "", 64, 0.5),
		synthetic.Timed("b", "csr_light", "", 64, 0.1), // without the other four
		synthetic.Timed("a", "csr_warp_row_global", "", 128, 3),
		synthetic.Timed("a", "csr_warp_row_global", "", 512, 4),
		synthetic.Timed("a", "csr_warp_row_shuffle", "", 256, 1),
		synthetic.Timed("a", "cusparse_csr_alg1", "", 0, 0.995),
	}, nil, nil, nil)
	for stem, want := range map[string]string{
		"cpu": "a | 2.00 ± 0.02 | 12.00 | *1.000 ± 0.010 | 24.0 | 2.00\n" +
			"b | *1.000 ± 0.010 | 24.0 | = 1.005 ± 0.010 | 23.9 | 0.995 (tied)",
		"best-simple": "a | 4.00 | *coo_block_chunk | 1024 | 8 | 2.00 ± 0.02 | 12.00 | 3.00 | = coo_warp_chunk",
		"best-coo":    "a | 4.00 | *coo_segscan_block | 1024 | 8 | 1.500 ± 0.015 | 16.00 | 4.00 | ",
		"five-algorithms": "csr_scalar | 0.250 | 0.250\ncsr_vector | 0.500 | 0.500\ncsr_adaptive | 1.00 | " +
			"1.00\ncsr_pcsr | 0.200 | 0.200\ncsr_light | *2.00 | *2.00",
		"adaptive-long-rows": "a | 100000 | 0.0667 | *1.000 | 15.0",
		"threads-per-block": "a | csr_warp_row_global | 128 | 3.00 ± 0.03 | 0.333 | 0.333\n" +
			"a | csr_warp_row_shuffle | 256 | = 1.000 ± 0.010 | 1.000 | 1.000\n" +
			"a | cusparse_csr_alg1 | – | *0.995 ± 0.010 | 1.005 | 1.005",
	} {
		testkit.Equal(t, strings.Join(sheetOf(t, d, stem), "\n"), want, "%s", stem)
	}
}

// A product has its counters, and none that were not counted.
func TestCounterTables(t *testing.T) {
	d := synthetic.Processor().Report()
	testkit.Equal(t, len(counterTables(d)), 0, "tables of a processor without counters")
	d.Launches = []store.Row{d.Panels[0].Rows[0]}
	l := &d.Launches[0]
	l.NNZ, l.Properties = 1000, map[string]float64{"instructions": 6250, "data_refs": 4000, "d1_misses": 125}
	list := counterTables(d)
	if len(list) != 1 || len(list[0].Rows) != 1 || list[0].Title != d.Words(analysis.SetupOn(l.Device, l.Cache, l.Precision)) {
		t.Fatalf("tables %+v", list)
	}
	want := []string{l.Matrix, l.Kernel, "6250", "6.25", "4000", "125.0", "–", "3.12", "–"}
	for i, c := range list[0].Rows[0] {
		testkit.Equal(t, c.Text, want[i], "%s", list[0].Columns[i].Name)
	}
}
