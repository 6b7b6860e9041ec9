package figure

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/store"
)

func TestGains(t *testing.T) {
	d := data.New([]store.Row{synthetic.Row("cpu_coo", 0, 0, 8), synthetic.Row("cpu_csr", 0, 0, 2),
		synthetic.Row("cpu_csr_rows", 64, 1, 9), synthetic.Row("cpu_csr_rows", 64, 2, 4)}, nil, nil, nil)
	if base := d.BaselineOf("d"); base != "cpu_coo" {
		t.Fatalf("baseline %q", base)
	}
	var got []string
	for _, g := range d.Panels[0].Gains("cpu_coo") {
		got = append(got, fmt.Sprintf("%s %g", g.Row.Kernel, g.Ratio))
		if !(g.Low < g.Ratio && g.Ratio < g.High) {
			t.Errorf("%s: %v is not within %v to %v", g.Row.Kernel, g.Ratio, g.Low, g.High)
		}
	}
	if s := strings.Join(got, ", "); s != "cpu_csr 4, cpu_csr_rows 2" {
		t.Errorf("gains %s", s)
	}

	d = data.New(append(d.Rows, synthetic.Row("coo_atomic", 128, 1, 1)), nil, nil, nil)
	if base := d.BaselineOf("d"); base != "coo_atomic" {
		t.Errorf("baseline %q where coo_atomic was measured", base)
	}
	d = data.New([]store.Row{synthetic.Row("cpu_csr", 0, 0, 2)}, nil, nil, nil)
	if pages, warnings := drawSpeedup(d); len(pages) != 0 || len(warnings) != 1 {
		t.Errorf("without a baseline: %d pages, warnings %v", len(pages), warnings)
	}
}
