package figure

import (
	"testing"

	"spmvtune/internal/testing/synthetic"
)

// One device has none to stand beside.
func TestOneDevice(t *testing.T) {
	if pages, _ := bestByDevice.draw(synthetic.Processor().Report()); len(pages) != 0 {
		t.Errorf("%d pages of one device", len(pages))
	}
}
