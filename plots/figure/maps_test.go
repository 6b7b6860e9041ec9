// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"slices"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
)

func TestHeatTile(t *testing.T) {
	d := analysis.New([]store.Row{
		synthetic.TileRow(64, 1, 10, ""), synthetic.TileRow(128, 1, 20, ""), synthetic.TileRow(64, 8, 99.9, ""),
		synthetic.TileRow(256, 8, 100, ""), synthetic.TileRow(256, 1, 75, ""),
		synthetic.TileRow(512, 99, 50, "width=2"), // of other parameters than the fastest
	}, nil, nil, nil)
	tile, ok := heatTileOf(&d.Panels[0], "csr_vector")
	testkit.EqualLists(t, []any{ok, len(tile.blocks), len(tile.grids)}, []any{true, 3, 2}, "blocks and grids")
	best := tile.cells[tile.best]
	testkit.Check(t, best.GFLOPS == 100 && tile.best == 3+2, "the fastest is cell %d with %v GFLOP/s", tile.best, best.GFLOPS)
	for i, want := range []bool{false, false, false, true, false, true} {
		testkit.Equal(t, tile.tied(i%3, i/3), want, "cell %d is tied", i)
	}
	testkit.Check(t, !tile.tied(3, 0) && !tile.tied(0, -1), "something is tied outside of the tile")
	for i, want := range map[int]int{
		0: 0,                                 // the slowest, a tenth
		2: canvas.HeatStep((75.0 - 10) / 90), // between
		5: canvas.HeatSteps - 1,              // the fastest
	} {
		testkit.Equal(t, tile.step(tile.cells[i]), want, "cell %d has step", i)
	}
	testkit.Check(t, tile.cells[4].Row == nil, "block 128 was not measured with grid 8")

	d = analysis.New([]store.Row{synthetic.TileRow(64, 1, 10, ""), synthetic.TileRow(128, 1, 20, "")}, nil, nil, nil)
	if _, ok := heatTileOf(&d.Panels[0], "csr_vector"); ok {
		t.Error("a tile of one grid size")
	}
}

// The map has every share of a few matrices, and folds many into classes of row lengths.
func TestWinnerMap(t *testing.T) {
	d := synthetic.Processor().Report()
	pages, _ := drawings["winner-map"](d)
	texts := textsOf(pages[0])
	c := analysis.NewContest(d.In(d.Setups()[0]))
	for i := range c.Contenders {
		s := &c.Contenders[i]
		for j := range s.Entries {
			for _, want := range []string{s.Kernel, c.Places[j].Matrix, term.OfBest(s.Entries[j].Share)} {
				testkit.Check(t, slices.Contains(texts, want),
					"%s on %s: %q is not on the map", s.Kernel, c.Places[j].Matrix, want)
			}
		}
	}

	d = synthetic.Crowd(mostMatrices.page+1, 64, 6).Report()
	pages, _ = drawings["winner-map"](d)
	texts = textsOf(pages[0])
	if first := d.Matrices[0]; slices.Contains(texts, first.Name) ||
		!slices.Contains(texts, analysis.RowClass(first.RowMean)) {
		t.Errorf("%s, of %d, is not folded into a class: %q", first.Name, len(d.Matrices), texts)
	}
}

// Where there is no room for all kernels, those that win somewhere stay.
func TestWinnerMapKeepsWinners(t *testing.T) {
	defer canvas.ForPaper(240)()
	d := synthetic.Crowd(8, 64, 30).Report()
	s := d.Setups()[0]
	c := analysis.NewContest(d.In(s))
	m := winnerMapOf(d, c)
	testkit.Require(t, len(m.kernels) < len(c.Contenders), "%d kernels have room", len(m.kernels))
	last := m.kernels[len(m.kernels)-1]
	for k := range c.Contenders {
		testkit.Check(t, c.Contenders[k].Named == 0 || slices.Contains(m.kernels, k),
			"%s is named the best on %d, and not drawn", c.Contenders[k].Kernel, c.Contenders[k].Named)
	}
	testkit.Check(t, slices.IsSorted(m.kernels) && last != len(m.kernels)-1, "drawn are %v: no winner is among the last", m.kernels)
}
