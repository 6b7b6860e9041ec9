package claims

import (
	"strings"
	"testing"

	"spmvtune/kernels"
)

func TestPaperResults(t *testing.T) {
	list, err := parsePaperResults(resultsCSV)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 || len(PaperResults()) != len(list) {
		t.Fatalf("%d results of %d are given", len(PaperResults()), len(list))
	}
	foreign := map[string]bool{}
	for _, r := range list {
		if r.Paper == "" || r.Matrix == "" || r.Metric == "" || r.Unit == "" || !(r.Value > 0) ||
			r.Precision != kernels.Float32 && r.Precision != kernels.Float64 {
			t.Errorf("%+v says too little", r)
		}
		if _, known := kernels.Lookup(r.Kernel); !known {
			foreign[r.Kernel] = true
		}
	}
	for name := range foreign {
		if !strings.HasPrefix(name, "cusparse_csr") && !strings.HasPrefix(name, "csr_adaptive with one ") &&
			name != "cpu_csr_optimized" {
			t.Errorf("%s is no kernel", name)
		}
	}
}

func TestPaperNumbers(t *testing.T) {
	for in, want := range map[string]float64{"22.71": 22.71, "429M": 429e6, "13.4k": 13400, "1.2%": 0.012} {
		if got, err := paperNumber(in); err != nil || got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Errorf("%s is read as %v, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "fast", "1.2.3", "M"} {
		if _, err := paperNumber(bad); err == nil {
			t.Errorf("%q is read as a number", bad)
		}
	}
	if _, err := parsePaperResults([]byte("paper,table\nx,y\n")); err == nil {
		t.Error("another header is accepted")
	}
}
