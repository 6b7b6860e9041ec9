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
	if i := slices.IndexFunc(seenInPanels(t, "", m, p), func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("nonzero %d is not there once", i)
	}
	share := make([]int, blocks)
	for panel := range len(p.panels) / 4 {
		for _, k := range p.order[2*p.pair[p.panels[4*panel+2]] : 2*p.pair[p.panels[4*panel+3]]] {
			if k >= 0 {
				share[panel/p.each]++
			}
		}
	}
	if most := slices.Max(share); most > m.NNZ()/blocks*11/10 {
		t.Errorf("blocks have %v of %d nonzeros", share, m.NNZ())
	}
}

// seenInPanels reads panels as the kernel does, and counts how often each nonzero is there.
func seenInPanels(t *testing.T, name string, m *structure, p *panelPacking) []int {
	t.Helper()
	seen, rowOf, pieces, rows := make([]int, m.NNZ()), rowsOf(m), halvesOf(p.pieceSlot), halvesOf(p.rowSlot)
	for panel := range len(p.panels) / 4 {
		from, columns, first, last := p.panels[4*panel], p.panels[4*panel+1], p.panels[4*panel+2], p.panels[4*panel+3]
		for slice := first; slice < last; slice++ {
			for at := p.pair[slice]; at < p.pair[slice+1]; at++ {
				slot := pieces[slice*warp+(at-p.pair[slice])%warp]
				for half := range int32(2) {
					k, column := p.order[2*at+half], p.columns[at]>>(16*half)&0xffff
					if column >= columns {
						t.Fatalf("%s: panel %d has %d columns and an entry at %d", name, panel, columns, column)
					}
					if k < 0 {
						continue
					}
					own := rows[panel*(m.Rows+1)+int(rowOf[k]):][:2]
					if m.ColIdx[k] != from+column || slot < own[0] || slot >= own[1] {
						t.Fatalf("%s: nonzero %d is at column %d in slot %d, want column %d in slots %d",
							name, k, from+column, slot, m.ColIdx[k], own)
					}
					seen[k]++
				}
			}
		}
	}
	return seen
}

// In whatever order the threads of a block run, the bits are the same.
func TestEmulatedSameBits(t *testing.T) {
	e := newEmulator(t)
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
