package plots

import (
	"image/color"
	"testing"

	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

func TestTieSet(t *testing.T) {
	at := func(low, median, high float64) store.Row {
		return store.Row{Result: trial.Result{Low: low, Median: median, High: high}}
	}
	for _, tt := range []struct {
		name string
		rows []store.Row
		want []bool
	}{
		{"one", []store.Row{at(1, 1, 1)}, []bool{true}},
		{"intervals meet", []store.Row{at(1.05, 1.2, 1.3), at(0.9, 1, 1.1)}, []bool{true, true}},
		{"intervals apart", []store.Row{at(1.15, 1.2, 1.3), at(0.9, 1, 1.1)}, []bool{false, true}},
		{"medians within a hundredth", []store.Row{at(1, 1, 1), at(1.009, 1.009, 1.009), at(1.02, 1.02, 1.02)}, []bool{true, true, false}},
	} {
		for i, got := range tieSet(tt.rows) {
			if got != tt.want[i] {
				t.Errorf("%s: trial %d is tied: %v", tt.name, i, got)
			}
		}
	}
}

// tileRow has an interval of no width.
func tileRow(block, grid int, gflops float64, params string) store.Row {
	r := row("csr_vector", block, grid, 100/gflops)
	r.Low, r.High, r.GFLOPS, r.Params = r.Median, r.Median, gflops, kernels.Params(params)
	return r
}

func TestHeatTile(t *testing.T) {
	d := newData([]store.Row{
		tileRow(64, 1, 10, ""), tileRow(128, 1, 20, ""), tileRow(64, 8, 99.9, ""), tileRow(256, 8, 100, ""), tileRow(256, 1, 75, ""),
		tileRow(512, 99, 50, "width=2"), // of other parameters than the fastest
	}, nil, nil, nil)
	tile, ok := heatTileOf(&d.panels[0], "csr_vector")
	if !ok || len(tile.blocks) != 3 || len(tile.grids) != 2 {
		t.Fatalf("blocks %v, grids %v", tile.blocks, tile.grids)
	}
	if best := tile.cells[tile.best]; best.GFLOPS != 100 || tile.best != 3+2 {
		t.Errorf("the fastest is cell %d with %v GFLOP/s", tile.best, best.GFLOPS)
	}
	for i, want := range []bool{false, false, false, true, false, true} {
		if got := tile.tied(i%3, i/3); got != want {
			t.Errorf("cell %d is tied: %v", i, got)
		}
	}
	if tile.tied(3, 0) || tile.tied(0, -1) {
		t.Error("something is tied outside of the tile")
	}
	img := tile.image(2, 2)
	for _, c := range []struct {
		x, y int
		want color.Color
	}{
		{4, 0, densityPalette[255]}, // block 256, grid 8 is at the top right
		{5, 3, densityPalette[128]}, // three quarters of it, half way up from a half
		{0, 2, densityPalette[1]},   // a tenth
		{2, 0, densityPalette[0]},   // not measured
	} {
		if got := img.At(c.x, c.y); got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}

	d = newData([]store.Row{tileRow(64, 1, 10, ""), tileRow(128, 1, 20, "")}, nil, nil, nil)
	if _, ok := heatTileOf(&d.panels[0], "csr_vector"); ok {
		t.Error("a tile of one grid size")
	}
}
