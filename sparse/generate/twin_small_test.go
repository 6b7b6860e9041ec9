package generate

import (
	"math"
	"testing"
)

// TestSmallTwins holds every twin at a hundredth of its size against the mean, deviation
// and longest row that docs/generators.md promises there: the original's, or less where a
// row as long as the original's would be too much for so small a matrix. The mean is within
// 1%, deviation and longest row are within 20% and 5%, or as far off as is said here. A
// deviation of 0 follows from the generator.
func TestSmallTwins(t *testing.T) {
	tested := 0
	for _, c := range []struct {
		name              string
		mean, std         float64
		longest           int
		stdOff, longerOff float64
	}{
		{name: "circuit5M_dc", mean: 4.219, std: 2.1, longest: 27},
		{name: "Freescale1", mean: 4.973, std: 2.1, longest: 27},
		{name: "Hamrle3", mean: 3.81, std: 1.4, longest: 6},
		{name: "mac_econ_fwd500", mean: 6.167, std: 4.436, longest: 44},
		{name: "torso2", mean: 8.912, std: 0.3, longest: 10},
		{name: "cage14", mean: 18.02, std: 5.37, longest: 41},
		{name: "lp_ganges", mean: 5.299, std: 2.35, longest: 8},
		{name: "model7", mean: 15, std: 6.9, longest: 30, stdOff: 0.3}, // 34 rows
		{name: "rail4284", mean: 2634, std: 1286, longest: 5248},
		{name: "webbase-1M", mean: 3.106, std: 6.83, longest: 341},
		{name: "Stanford_Berkeley", mean: 11.1, std: 35.6, longest: 1470},
		{name: "sx-stackoverflow", mean: 13.93, std: 40.2, longest: 3240},
		{name: "mawi_201512012345", mean: 2.048, std: 380.6, longest: 163999},
		{name: "mawi_201512020330", mean: 2.122, std: 1396, longest: 2100000},
		{name: "europe_osm", mean: 2.123, std: 0.653, longest: 13}, // as at full size
		{name: "cant", mean: 64.17, std: 14.06, longest: 78},
		{name: "F1", mean: 78.06, std: 40, longest: 435},
		{name: "inline_1", mean: 73.09, std: 30, longest: 843},
		{name: "pdb1HYS", mean: 119.3, std: 30.8, longest: 182},
		// Mirrored, the ends of so short a matrix are a large part of it.
		{name: "consph", mean: 72.13, std: 19.08, longest: 81, longerOff: 0.2},
		{name: "crankseg_1", mean: 201, std: 59.7, longest: 264, longerOff: 0.1},
		{name: "pwtk", mean: 52.88, std: 4.74, longest: 180, stdOff: 0.45},
		// Rows and columns of one length are fewer than its columns.
		{name: "Ga41As41H72", mean: 68.96, std: 105.4, longest: 702, stdOff: 0.35},
		{name: "Si41Ge41H72", mean: 80.86, std: 127, longest: 662, stdOff: 0.4},
		// Half of all places, so that all rows are long.
		{name: "mouse_gene", mean: 225.5, std: 174, longest: 225, stdOff: 0.7, longerOff: 0.6},
		{name: "mc2depi", mean: 3.942, longest: 4},
		{name: "ecology1", mean: 4.96, longest: 5},
		{name: "mycielskian16", mean: 37.97, longest: 191}, // order 9
		{name: "hugetrace-00000", mean: 2.984, longest: 3},
		{name: "delaunay_n23", mean: 6, std: 1.336, longest: 17}, // the longest row grows with the points
	} {
		tested++
		m := build(t, "twin", map[string]any{"of": c.name, "scale": 0.01})
		got := measure(m)
		near := func(what string, got, want, off float64) {
			if want != 0 && !(math.Abs(got-want) <= off*want) {
				t.Errorf("%s: %s is %.4g, not %.4g", c.name, what, got, want)
			}
		}

		near("mean", got.rowMean, c.mean, 0.01)
		near("deviation", got.rowStd, c.std, max(0.2, c.stdOff))
		near("longest row", float64(got.rowMax), float64(c.longest), max(0.05, c.longerOff))
		if empty := map[string]float64{"Stanford_Berkeley": 0.55,
			"sx-stackoverflow": 0.25}[c.name] * float64(m.Rows); float64(got.empty) > empty {
			t.Errorf("%s: %d of %d rows are empty", c.name, got.empty, m.Rows)
		}
	}

	if tested != len(twins) {
		t.Errorf("%d of %d twins tested", tested, len(twins))
	}
}
