package table

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// Only where cuSPARSE was measured is there a column for it, and rows fit their columns.
func TestLibraryColumn(t *testing.T) {
	for _, kernel := range []string{"csr_scalar", "cusparse_csr_alg1"} {
		row, other := synthetic.Row("csr_vector", 64, 8, 1), synthetic.Row(kernel, 64, 8, 2)
		d := analysis.New([]store.Row{row, other}, []store.Best{{Row: row}}, nil, nil)
		table := BestTables(d)[0]
		at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == "× cuSPARSE" })
		if (at >= 0) != (kernel != "csr_scalar") || len(table.Columns) != len(table.Rows[0]) {
			t.Errorf("beside %s: %+v in %+v", kernel, table.Rows[0], table.Columns)
		}
	}
}

// The CSV file has where another run finds each number, and the LaTeX file that of the time.
func TestBestIntervals(t *testing.T) {
	row, base := synthetic.Row("csr_vector", 64, 8, 1), synthetic.Row("coo_atomic", 64, 8, 2)
	row.GFLOPS = 5
	for _, r := range []*store.Row{&row, &base} {
		r.Another = trial.Interval{Low: 0.9 * r.Time, High: 1.2 * r.Time}
	}
	d := analysis.New([]store.Row{row, base}, []store.Best{{Row: row}}, nil,
		[]store.Device{{Label: row.Device, Device: kernels.Device{Backend: "cuda"}}})
	s := Sheet{Stem: "best-configuration", Title: "Best", Tables: BestTables(d)}
	lines, err := csv.NewReader(bytes.NewReader(s.csv())).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines (%v)", len(lines), err)
	}
	value := func(column string) float64 {
		t.Helper()
		at := slices.Index(lines[0], column)
		if at < 0 {
			t.Fatalf("no column %q in %q", column, lines[0])
		}
		v, err := strconv.ParseFloat(lines[1][at], 64)
		if err != nil {
			t.Errorf("%s: %v", column, err)
		}
		return v
	}

	for _, name := range []string{"time (ms)", "GFLOP/s", "GB/s", "× coo_atomic"} {
		if low, v, high := value(name+" low"), value(name), value(name+" high"); !(low < v && v < high) {
			t.Errorf("%s is %g, from %g to %g", name, v, low, high)
		}
	}
	if low, v := value("time (ms) low"), value("time (ms)"); math.Abs(low/v-0.9) > 1e-9 {
		t.Errorf("the lower end is %g of the time, want 0.9", low/v)
	}
	if low, v := value("GFLOP/s low"), value("GFLOP/s"); math.Abs(low/v-1/1.2) > 1e-9 {
		t.Errorf("the lower end is %g of the rate, want 1/1.2", low/v)
	}
	if spare := "& tied "; !strings.Contains(string(s.latex()), spare) || strings.Contains(string(s.Booktabs("")), spare) {
		t.Errorf("a paper does without the column of ties, and nothing else does:\n%s", s.Booktabs(""))
	}
	for _, latex := range [][]byte{s.latex(), s.Booktabs("")} {
		if !strings.Contains(string(latex), "$-$") && !strings.Contains(string(latex), `$\pm$`) {
			t.Errorf("no interval in\n%s", latex)
		}
	}
}
