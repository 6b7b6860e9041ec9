package figure

import (
	"math"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/store"
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

// Nobody can measure the pattern of an imported matrix.
func TestNoPatternOfImportedMatrixIsAskedFor(t *testing.T) {
	for source, want := range map[string]int{"imported from t.csv": 0, "a.mtx": 1} {
		_, warnings := drawPatterns(data.New(nil, nil, []store.Matrix{{Name: "m", Source: source}}, nil))
		if len(warnings) != want {
			t.Errorf("%s: %v", source, warnings)
		}
	}
}
