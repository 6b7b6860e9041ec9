package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// Panels hold every nonzero once, in its row's pieces and at its column, and blocks get equal shares
// although nearly all nonzeros are in a few columns.
func TestPanelsHoldTheMatrix(t *testing.T) {
	m := randomRows(300, 9000, 200, 5)
	for k, j := range m.ColIdx { // the more to the left, the denser; still increasing
		m.ColIdx[k] = int32(int64(j) * int64(j) / 9000)
	}
	for r := range m.Rows {
		row := m.ColIdx[m.RowPtr[r]:m.RowPtr[r+1]]
		for i := 1; i < len(row); i++ {
			row[i] = max(row[i], row[i-1]+1)
		}
	}
	m.Cols = 9200

	checkPanels(t, m, 8, 1024)
	checkPanels(t, m, 1, 1<<16) // with rows of several pieces
}

func checkPanels(t *testing.T, m *structure, blocks, most int) {
	t.Helper()
	p, _ := packPanels(m, blocks, most)
	seen := make([]int, m.NNZ())
	share := make([]int, blocks)
	for panel := range len(p.panels) / 4 {
		from, columns, first, last := p.panels[4*panel], p.panels[4*panel+1], p.panels[4*panel+2], p.panels[4*panel+3]
		for at := p.pair[first]; at < p.pair[last]; at++ {
			for half := range int32(2) {
				k, column := p.order[2*at+half], p.columns[at]>>(16*half)&0xffff
				if column >= columns {
					t.Fatalf("panel %d has %d columns and an entry at %d", panel, columns, column)
				}
				if k < 0 {
					continue
				}
				if m.ColIdx[k] != from+column {
					t.Fatalf("nonzero %d is at column %d, want %d", k, from+column, m.ColIdx[k])
				}
				seen[k]++
				share[panel/p.each]++
			}
		}
	}

	if i := slices.IndexFunc(seen, func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("nonzero %d is there %d times", i, seen[i])
	}
	if most := slices.Max(share); most > m.NNZ()/blocks*11/10 {
		t.Errorf("blocks have %v of %d nonzeros", share, m.NNZ())
	}
}

// In whatever order the threads of a block run, the bits are the same.
func TestEmulatedSameBits(t *testing.T) {
	e := newEmulator(t, "csr_merge_warp", "panel_sell")
	m := rowsOfLength(slices.Concat(slices.Repeat([]int{1, 5, 0, 40}, 40), []int{2500},
		slices.Repeat([]int{2, 90}, 30))...)
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range m.Val {
		m.Val[k] = rng.NormFloat64()
	}
	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = float64(rng.Float32())
	}

	for _, kernel := range []string{"csr_merge_warp", "panel_sell"} {
		c := kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: 128, Grid: 5}
		first := e.run(t, m, x, c, 1)
		for seed := range int64(5) {
			if row, same := firstDifference(e.run(t, m, x, c, seed), first); !same {
				t.Errorf("%s: row %d has other bits with other turns of threads", kernel, row)
			}
		}
	}
}
