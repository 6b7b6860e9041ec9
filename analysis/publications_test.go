package analysis

import (
	"math"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// TestPublishedNumbers: throughputs are sound, and all kernels that the figures could draw are in the catalogue.
func TestPublishedNumbers(t *testing.T) {
	all := publications()
	if len(all) < 60 {
		t.Errorf("%d publications only", len(all))
	}
	// coo-spmv-final, Table III: 20.28 GB/s at 24 bytes and two operations per nonzero.
	p := all[publicationKey{"circuit5M_dc", "cpu_coo", kernels.Float32}]
	if math.Abs(p.gflops-20.28/12) > 1e-9 || p.Paper != "coo-spmv-final" || !strings.Contains(p.Device, "EPYC") {
		t.Errorf("publication %+v", p)
	}
	// Table VI has the bandwidth of the best kernel only.
	if p = all[publicationKey{"mouse_gene", "coo_segscan_block",
		kernels.Float32}]; math.Abs(p.gflops-1098.117639/12) > 1e-9 {
		t.Errorf("publication of the best kernel %+v", p)
	}
}
