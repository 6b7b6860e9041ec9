package figure

import (
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
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
	for i, want := range map[int]int{
		0: 0,                                 // the slowest, a tenth
		2: canvas.HeatStep((75.0 - 10) / 90), // between
		5: canvas.HeatSteps - 1,              // the fastest
	} {
		if got := tile.step(tile.cells[i]); got != want {
			t.Errorf("cell %d has step %d, want %d", i, got, want)
		}
	}
	if tile.cells[4].measured {
		t.Error("block 128 was not measured with grid 8")
	}

	d = data.New([]store.Row{synthetic.TileRow(64, 1, 10, ""), synthetic.TileRow(128, 1, 20, "")}, nil, nil, nil)
	if _, ok := heatTileOf(&d.Panels[0], "csr_vector"); ok {
		t.Error("a tile of one grid size")
	}
}
