package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// randomShapes are the corner cases, and matrices of random size and pattern with few columns, many,
// and rows of all lengths.
func randomShapes() map[string]*structure {
	all := corners()
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		rows, cols := rng.IntN(300), 1+rng.IntN(1<<(6+seed))
		lengths := make([]int, rows)
		for i := range lengths {
			lengths[i] = rng.IntN(1 + rng.IntN(1+rng.IntN(min(cols, 5000)+1)))
		}
		m := rowsOfLength(lengths...)
		m.Cols = cols
		for i := range rows { // columns as far apart as there is room
			gap := cols / max(1, lengths[i])
			for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
				m.ColIdx[k] = int32(int(k-m.RowPtr[i])*gap + rng.IntN(max(1, gap)))
			}
		}
		all[fmt.Sprintf("random %d", seed)] = m
	}
	all["65,536 columns"] = randomRows(50, 1<<16, 3000, 4)
	all["65,537 columns"] = randomRows(50, 1<<16+1, 3000, 4)
	return all
}

// Chunks of sell_local and sell_hot hold every nonzero once, at its row and its column, as a
// kernel reads them.
func TestStagedRowsHoldTheMatrix(t *testing.T) {
	for name, m := range randomShapes() {
		for _, v := range []int{4, 8} {
			for _, kb := range []int{1, 24, 220} {
				most := kb << 10 / v
				columns, code := newHotColumns(m.ColIdx, m.Cols, most)
				hot := newStagedRows(m.RowPtr[:m.Rows], m.RowPtr[1:], 1)
				codes := make([]int32, len(hot.values))
				fillStaged(hot, m.ColIdx, code, codes)
				checkStaged(t, name+", hot", m, hot, func(place, _ int) int32 {
					if c := int(codes[place]); c < len(columns) {
						return columns[c]
					}
					return codes[place] - int32(len(columns))
				})

				most = min(kb<<10, v<<16) / bankBytes * bankBytes / v
				if panelsFit(m, most) != nil {
					continue
				}
				panels, width := panelsOf(m.Cols, most, v)
				begin, end := splitRows(m, panels, width)
				local := newStagedRows(begin, end, panels)
				halves := make([]uint16, len(local.values))
				fillStaged(local, m.ColIdx, bankedColumns(m.Cols, width, v), halves)
				column := map[uint16]int32{}
				for j := range min(width, m.Cols) {
					column[uint16(banked(j, v))] = int32(j)
				}
				checkStaged(t, name+", local", m, local, func(place, panel int) int32 {
					return int32(panel*width) + column[halves[place]]
				})
			}
		}
	}
}

// checkStaged reads s as sell_staged.cuh does. column tells the column that a place of a panel has.
func checkStaged(t *testing.T, name string, m *structure, s *stagedRows, column func(place, panel int) int32) {
	t.Helper()
	seen, rowOf := make([]int, m.NNZ()), rowsOf(m)
	for chunk := range len(s.at) - 1 {
		panel := 0
		for chunk >= s.first[panel+1] {
			panel++
		}
		lanes := 1 << (s.at[chunk] % 8)
		for place := 64 * int(s.at[chunk]/8); place < 64*int(s.at[chunk+1]/8); place++ {
			k := s.values[place]
			if k < 0 {
				continue
			}
			seen[k]++
			target := int(s.target[32*chunk+place%64/2/lanes*lanes])
			if target >= s.rows { // a segment of a row that is cut
				cut, _ := slices.BinarySearch(s.cutFirst, int32(target-s.rows)+1)
				target = int(s.cutRow[cut-1])
			}
			if want := panel*m.Rows + int(rowOf[k]); target != want || column(place, panel) != m.ColIdx[k] {
				t.Fatalf("%s: nonzero %d is at row %d, column %d; want %d, %d", name, k, target, column(place, panel),
					want, m.ColIdx[k])
			}
		}
	}
	if i := slices.IndexFunc(seen, func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("%s: nonzero %d is there %d times", name, i, seen[i])
	}
}

// Panels of panel_sell hold random matrices and corner cases, too.
func TestPanelsHoldRandomMatrices(t *testing.T) {
	for name, m := range randomShapes() {
		for _, grid := range []int{1, 7, 132} {
			for _, columns := range []int{1024, 16384} {
				blocks := panelBlocks(m, grid)
				p, _ := packPanels(m, blocks, columns)
				if seen := seenInPanels(t, name, m, p); slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
					t.Errorf("%s, %d blocks: nonzeros are there %d times", name, blocks, seen)
				}
			}
		}
	}
}

// Indices of 32 bits and slots of 16 end where they must: no sum overflows before.
func TestLimitsOfRecipes(t *testing.T) {
	if s := newStagedRows([]int32{0}, []int32{math.MaxInt32}, 1); s.err == nil ||
		!strings.Contains(s.err.Error(), "2147483648 places with padding; it must be at most 2147483647") {
		t.Errorf("a row of 2³¹−1 nonzeros: %v", s.err)
	}
	r := cutStream([]int32{0, 1 << 30, math.MaxInt32}, 528, 8)
	if r.parts != 2 || !slices.IsSorted(r.begin) || r.begin[8] != 1<<30 || r.begin[16] != math.MaxInt32 {
		t.Errorf("parts of 2³¹−1 nonzeros begin at %d", r.begin)
	}
	if at := []int32{0, math.MaxInt32}; partsOfPanels(at, []int{0, 1}, 1000)[0] != 1 {
		t.Error("a panel of one chunk has more than one part")
	}

	for rows, refused := range map[int]bool{1<<16 - 2: false, 1<<16 - 1: true} {
		lengths := make([]int, rows)
		lengths[rows-1] = 1
		c := kernels.Config{Kernel: "panel_sell", Precision: kernels.Float32, Block: 256, Grid: 2}
		k, _ := kernels.Lookup(c.Kernel)
		c.Params = k.Complete("")
		_, _, err := newRecipe(rowsOfLength(lengths...), c, 4)
		if (err != nil) != refused {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}
