package worker

import (
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// No product reads an element of x whose column is empty.
func TestEmptyColumnsMoveNothing(t *testing.T) {
	f := sparse.Features{Rows: 10, Cols: 1000, ColsUsed: 7}
	if got, want := bytesMin(f, kernels.Float32, kernels.ProductInfo{BytesFormat: 500, BytesKernel: 5000}),
		int64(500+4*(7+10)); got != want {
		t.Errorf("at least %d bytes, want %d", got, want)
	}
}
