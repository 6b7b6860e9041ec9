package rule

import (
	"slices"
	"testing"

	"spmvtune/kernels"
)

// The nearest configuration is of the same kernel and precision, and has the most similar block.
func TestNearestConfiguration(t *testing.T) {
	double := config("a", 64, 1)
	double.Precision = kernels.Float64
	among := []kernels.Config{config("a", 1024, 1), config("a", 128, 1), config("b", 64, 1), double}
	for range 2 {
		if got, ok := Nearest(config("a", 64, 1), among); !ok || got != config("a", 128, 1) {
			t.Errorf("nearest among %v is %v, %v", among, got, ok)
		}
		slices.Reverse(among)
	}
	if got, ok := Nearest(config("c", 64, 1), among); ok {
		t.Errorf("of another kernel, %v is the nearest", got)
	}
}
