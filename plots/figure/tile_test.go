package figure

import (
	"image/color"
	"testing"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/synthetic"
	"spmvtune/store"
)

func TestHeatTile(t *testing.T) {
	d := data.New([]store.Row{
		synthetic.TileRow(64, 1, 10, ""), synthetic.TileRow(128, 1, 20, ""), synthetic.TileRow(64, 8, 99.9, ""),
		synthetic.TileRow(256, 8, 100, ""), synthetic.TileRow(256, 1, 75, ""),
		synthetic.TileRow(512, 99, 50, "width=2"), // of other parameters than the fastest
	}, nil, nil, nil)
	tile, ok := heatTileOf(&d.Panels[0], "csr_vector")
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
		{4, 0, canvas.DensityPalette[255]}, // block 256, grid 8 is at the top right
		{5, 3, canvas.DensityPalette[128]}, // three quarters of it, half way up from a half
		{0, 2, canvas.DensityPalette[1]},   // a tenth
		{2, 0, canvas.DensityPalette[0]},   // not measured
	} {
		if got := img.At(c.x, c.y); got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}

	d = data.New([]store.Row{synthetic.TileRow(64, 1, 10, ""), synthetic.TileRow(128, 1, 20, "")}, nil, nil, nil)
	if _, ok := heatTileOf(&d.Panels[0], "csr_vector"); ok {
		t.Error("a tile of one grid size")
	}
}
