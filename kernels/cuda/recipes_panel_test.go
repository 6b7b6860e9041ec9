// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// Blocks get equal shares of panels although nearly all nonzeros are in a few columns.
func TestPanelsShareEvenly(t *testing.T) {
	m, share := denseLeft(), make([]int, 8)
	p := packPanels(m, len(share), 1024)
	for panel := range len(p.panels) / 4 {
		for _, k := range p.order[2*p.pair[p.panels[4*panel+2]] : 2*p.pair[p.panels[4*panel+3]]] {
			if k >= 0 {
				share[panel/p.each]++
			}
		}
	}
	if most := slices.Max(share); most > m.NNZ()/len(share)*11/10 {
		t.Errorf("blocks have %v of %d nonzeros", share, m.NNZ())
	}
}

// denseLeft is a matrix whose columns have the more nonzeros the further left they are.
func denseLeft() *structure {
	m := randomRows(300, 9000, 200, 5)
	for k, j := range m.ColIdx { // still increasing
		m.ColIdx[k] = int32(int64(j) * int64(j) / 9000)
	}
	for r := range m.Rows {
		row := m.ColIdx[m.RowPtr[r]:m.RowPtr[r+1]]
		for i := 1; i < len(row); i++ {
			row[i] = max(row[i], row[i-1]+1)
		}
	}
	m.Cols = 9200
	return m
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

	for _, kernel := range []string{"csr_segscan", "csr_narrow", "panel_sell"} {
		c := kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: 128, Grid: 5}
		first := e.run(t, m, x, c, 1)
		for seed := range int64(5) {
			if row, same := firstDifference(e.run(t, m, x, c, seed), first); !same {
				t.Errorf("%s: row %d has other bits with other turns of threads", kernel, row)
			}
		}
	}
}

// randomShapes are matrices of random size and pattern with few columns, many, and rows of all lengths.
func randomShapes() map[string]*structure {
	all := map[string]*structure{}
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

// Indices of 32 bits and slots of 16 end where they must: no sum overflows before.
func TestLimitsOfRecipes(t *testing.T) {
	_, err := newStagedRows([]int32{0}, []int32{math.MaxInt32}, 1)
	testkit.Fails(t, err, "2147483648 places with padding; it must be at most 2147483647", "a row of 2³¹−1 nonzeros")
	r := cutStream([]int32{0, 1 << 30, math.MaxInt32}, 528, 8)
	if r.parts != 2 || !slices.IsSorted(r.begin) || r.begin[8] != 1<<30 || r.begin[16] != math.MaxInt32 {
		t.Errorf("parts of 2³¹−1 nonzeros begin at %d", r.begin)
	}
	testkit.Equal(t, partsOfPanels([]int32{0, math.MaxInt32}, []int{0, 1}, 1000)[0], 1, "parts of a panel of one chunk")
	long := &structure{Rows: 1, RowPtr: []int32{0, math.MaxInt32}}
	heads := testkit.Must(segscanRecipe(long, kernels.Config{Kernel: "csr_segscan", Params: "tile=256"}, 4)).Steps[0].Args[6].own.Ints
	testkit.Equal(t, uint32(heads[len(heads)-2])/1024, math.MaxInt32/768, "the last piece of a row of 2³¹−1 nonzeros")

	s := step{ForCache: 63 << 10}
	few := []int{s.blocks(8, 8192), s.blocks(7, 12800), s.blocks(4, 12800), s.blocks(3, 24576), (&step{}).blocks(8, 8192)}
	testkit.EqualLists(t, few, []int{7, 5, 4, 3, 8}, "blocks that leave the L1 cache room")
	for rows, refused := range map[int]bool{1<<16 - 2: false, 1<<16 - 1: true} {
		c := kernels.Config{Kernel: "panel_sell", Precision: kernels.Float32, Block: 256, Grid: 2}
		_, err := newRecipe(rowsOfLength(append(make([]int, rows-1), 1)...), c, 4)
		testkit.Equal(t, err != nil, refused, "%d rows: refused", rows)
	}
}

// Panels of columns, and columns whose x is not in shared memory, need more columns than
// corner cases have.
func TestEmulatedManyColumns(t *testing.T) {
	e := newEmulator(t)
	shapes := randomShapes()
	shapes["long rows"], shapes["short rows"] = randomRows(30, 30_000, 2500, 5), randomRows(700, 14_000, 9, 6)
	shapes["equal"], shapes["dense left"] = withValue(randomRows(50, 30_000, 900, 7), 3), denseLeft()
	shapes["few long rows"] = rowsOfLength(10, 9000, 0, 8193, 8192, 30_001, 1)
	turn := 0
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		for i, c := range []kernels.Config{
			{Kernel: "sell_hot", Params: "x_kb=48", Block: 96, Grid: 3},
			{Kernel: "sell_local", Params: "x_kb=48", Block: 64, Grid: 7},
			{Kernel: "sell_local", Params: "x_kb=48", Block: 1024, Grid: 1},
			{Kernel: "sell_local", Params: "values=equal x_kb=48", Block: 96, Grid: 30},
			{Kernel: "csr_lanes", Params: "longest=1024 x=panels x_kb=24", Block: 64, Grid: 3},
			{Kernel: "csr_lanes", Params: "longest=8192 x=panels x_kb=48", Block: 96, Grid: 40},
			{Kernel: "csr_lanes", Params: "longest=1024 x=hot x_kb=24", Block: 64, Grid: 3},
			{Kernel: "panel_sell", Params: "columns=1024", Block: 64, Grid: 7},
			{Kernel: "panel_sell", Params: "columns=16384", Block: 96, Grid: 132},
		} {
			for _, c.Precision = range []kernels.Precision{kernels.Float32, kernels.Float64} {
				if turn++; testkit.LongAsked() || turn%3 > 0 {
					checkExact(t, e, shapes[name], c, int64(i))
				}
			}
		}
	}
}

// withValue is m with one value for all nonzeros.
func withValue(m *structure, v float64) *structure {
	for i := range m.Val {
		m.Val[i] = v
	}
	return m
}

// Parts and ranges hold every nonzero once, parts begin with a row, and ranges know how many
// rows begin before them.
func TestCutStream(t *testing.T) {
	for name, m := range corners() {
		s := newRowStarts(m.RowPtr)
		for _, shape := range [][2]int{{1, 1}, {1, 32}, {7, 3}, {500, 2}} {
			r := cutStream(s.start, shape[0], shape[1])
			if len(r.begin) != r.parts*shape[1]+1 || int(r.begin[len(r.begin)-1]) != m.NNZ() || r.parts > shape[0] {
				t.Fatalf("%s, %d: %d parts, begin at %d", name, shape, r.parts, r.begin)
			}
			for i, row := range r.started {
				at := r.begin[i]
				if at > r.begin[i+1] || row != int32(lowerBound(s.start[:len(s.start)-1], int(at))) ||
					i%shape[1] == 0 && s.start[row] != at || i%shape[1] > 0 && at%8 != 0 && at != r.begin[i+1] {
					t.Errorf("%s, %d: range %d begins at %d, after %d rows", name, shape, i, at, row)
				}
			}
		}
	}
}

// Panels share parts by their nonzeros, none is left out, and none has more parts than rows.
func TestPartsOfPanels(t *testing.T) {
	start := []int32{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	for _, test := range [][3][]int{ // panels, the most parts, and what is wanted
		{{0, 5, 10}, {6}, {3, 3}}, {{0, 8, 9, 10}, {7}, {5, 1, 1}}, {{0, 1, 10}, {100}, {1, 9}}, {{0, 0, 10}, {4}, {0, 3}},
		{{0, 9, 10}, {2}, {1, 1}},
	} {
		testkit.EqualLists(t, partsOfPanels(start, test[0], test[1][0]), test[2], "%v", test)
	}
}

// The hot columns are those that occur most, at most as many as there is room for.
func TestHotColumns(t *testing.T) {
	colIdx := []int32{5, 5, 5, 2, 2, 7, 7, 1, 9, 5}
	for most, want := range map[int][]int32{1: {5}, 2: {2, 5}, 3: {2, 5, 7}, 5: {1, 2, 5, 7, 9}, 100: {1, 2, 5, 7, 9}} {
		columns, code := newHotColumns(colIdx, 10, most)
		testkit.EqualLists(t, columns, want, "columns of %d", most)
		for col := range int32(10) {
			place := int32(slices.Index(want, col))
			if place < 0 {
				place = int32(len(want)) + col
			}
			testkit.Equal(t, code[col], place, "of %d: column %d has code", most, col)
		}
	}
}

// Columns 8 apart, which the lanes of a warp have in a long run, are in different banks, and no
// two elements are in one place.
func TestBanked(t *testing.T) {
	for _, v := range []int{4, 8} {
		seen, lanes := map[int]bool{}, bankBytes/v
		for i := range 1024 {
			seen[banked(i, v)] = true
		}
		banks := map[int]bool{}
		for lane := range lanes {
			banks[banked(8*lane+3, v)%lanes] = true
		}
		testkit.EqualLists(t, []int{len(seen), len(banks)}, []int{1024, lanes}, "%d bytes: places and banks", v)
	}
}

// Precisions and sizes of the part of x in shared memory share the rows of sell_hot, each of which counts what these cost.
func TestStagedRowsAreShared(t *testing.T) {
	forget()
	defer forget()
	m := randomRows(3000, 9000, 40, 4)
	arrays := func(kernel string, params kernels.Params, v int) map[string]*aux {
		c := kernels.Config{Kernel: kernel, Block: 256, Grid: 7, Params: params}
		if c.Precision = kernels.Float32; v == 8 {
			c.Precision = kernels.Float64
		}
		r, err := newRecipe(m, c, v)
		testkit.Succeed(t, err)
		own := map[string]*aux{}
		for a := range r.arrays {
			own[a.array] = a.own
		}
		return own
	}
	first := arrays("sell_hot", "x_kb=24", 8)
	rows := packings.kept[0]
	for _, other := range []map[string]*aux{arrays("sell_hot", "x_kb=24", 4), arrays("sell_hot", "x_kb=48", 8),
		arrays("sell_local", "x_kb=96", 8)} {
		testkit.Equal(t, &other["staged_values"].Vals[0], &first["staged_values"].Vals[0], "the rows' memory")
	}
	rows.cost = time.Hour
	before := reusedCost()
	arrays("sell_hot", "x_kb=48", 4)
	testkit.Equal(t, (reusedCost() - before).Round(time.Minute), rows.cost, "the cost of reuse")
}
