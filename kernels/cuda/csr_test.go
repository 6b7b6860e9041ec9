package cuda

import (
	"testing"

	"spmvtune/kernels"
)

func TestCSRKernels(t *testing.T) {
	e := newEmulator(t, "csr_rows", "csr_tile", "csr_light", "csr_adaptive", "csr_pcsr", "csr_bins", "csr_merge", "sell")
	for _, k := range kernels.Catalogue {
		if k.Backend != "cuda" || cooks[k.Name] == nil || cooCooks[k.Name] != nil || scanCooks[k.Name] != nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) { checkKernel(t, e, k) })
	}
}
