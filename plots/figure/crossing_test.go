package figure

import (
	"math"
	"testing"

	"spmvtune/plots/data"
	"spmvtune/plots/synthetic"
)

// Of imported trials it is not known what they moved: there is no bandwidth to draw.
func TestBandwidthNotKnownIsNotDrawn(t *testing.T) {
	d := synthetic.Processor().Report()
	f := crossing{id: "x", title: "X", order: byRowLength, unit: data.GBPS}
	if pages, _ := f.draw(d); len(pages) == 0 {
		t.Fatal("no page is drawn where it is known")
	}
	for i := range d.Rows {
		d.Rows[i].GBPS = math.NaN()
	}
	if pages, _ := f.draw(data.New(d.Rows, d.Best, d.Matrices, d.Devices)); len(pages) > 0 {
		t.Errorf("%d pages are drawn", len(pages))
	}
}
