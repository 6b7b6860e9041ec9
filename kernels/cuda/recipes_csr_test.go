package cuda

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// CSR Adaptive as published never counted the last row. Every row, the last one
// and empty ones too, is in one run, and only a row alone is longer than a run.
func TestPackRowsHoldsEveryRow(t *testing.T) {
	for name, m := range corners() {
		for _, most := range []int{1, 64, 1024} {
			first := packRows(m.RowPtr, most)
			if first[0] != 0 || int(first[len(first)-1]) != m.Rows {
				t.Errorf("%s, %d: runs go from row %d to %d of %d", name, most, first[0], first[len(first)-1], m.Rows)
			}
			for b := range len(first) - 1 {
				lo, hi := first[b], first[b+1]
				nnz := int(m.RowPtr[hi] - m.RowPtr[lo])
				if hi <= lo || hi-lo > 1 && (nnz > most || int(hi-lo) > most) {
					t.Errorf("%s, %d: a run has rows %d to %d with %d nonzeros", name, most, lo, hi, nnz)
				}
			}
		}
	}
}

// A run ends only where the next row does not fit.
func TestPackRowsFills(t *testing.T) {
	m := rowsOfLength(20, 21, 44, 20, 65, 0, 1) // the example of csr-five-algorithms, Sec. IV-C, and more
	if got, want := packRows(m.RowPtr, 64), []int32{0, 2, 4, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("runs begin at %d, want %d", got, want)
	}
}

func TestRowsAtFindsTheRowsOfBins(t *testing.T) {
	for name, m := range corners() {
		rows := rowIndices(m)
		got := rowsAt(m.RowPtr, m.NNZ(), 64)
		var want []int32
		for j := 0; j < m.NNZ(); j += 64 {
			want = append(want, rows[j])
		}

		if len(rows) > 0 {
			want = append(want, rows[len(rows)-1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestClassifySortsRows(t *testing.T) {
	m := rowsOfLength(64, 3, 512, 511, 63, 0, 600)
	check := func(short, long int, order []int32, longs, mediums, shorts int) {
		t.Helper()
		c := classify(m.RowPtr, short, long)
		if !slices.Equal(c.order, order) || c.longs != longs || c.mediums != mediums || c.shorts != shorts {
			t.Errorf("short %d, long %d: %+v", short, long, c)
		}
	}

	check(64, 512, []int32{2, 6, 0, 3, 1, 4, 5}, 2, 2, 3)
	check(64, 64, []int32{0, 2, 3, 6, 1, 4, 5}, 4, 0, 3)
	check(1000, 1000, nil, 0, 0, 7) // one class needs no order
	check(1, 1000, []int32{0, 1, 2, 3, 4, 6, 5}, 0, 6, 1)
}

// The lanes that LightSpMV chooses follow the mean row length.
func TestLightWidth(t *testing.T) {
	for _, test := range []struct{ rows, nnz, want int }{
		{0, 0, 2}, {10, 0, 2}, {10, 24, 2}, {10, 25, 4}, {10, 44, 4}, {10, 45, 8}, {10, 644, 8}, {10, 645, 32}, {1,
			1 << 30, 32},
	} {
		if got := lightWidth(test.rows, test.nnz); got != test.want {
			t.Errorf("%d rows, %d nonzeros: %d lanes, want %d", test.rows, test.nnz, got, test.want)
		}
	}
}

// Tiles of the merge share rows + nonzeros, and the launches that go over tiles
// have a thread for each and for the last border.
func TestMergeTiles(t *testing.T) {
	m := rowsOfLength(1000, 0, 0, 1000)
	for _, test := range []struct {
		precision   kernels.Precision
		block, want int
	}{
		{kernels.Float32, 32, 9},  // 2004 steps of 224
		{kernels.Float64, 32, 13}, // 2004 steps of 160
		{kernels.Float64, 1024, 1},
	} {
		c := kernels.Config{Kernel: "csr_merge", Precision: test.precision, Block: test.block, Grid: 7}
		r, err := mergeRecipe(m, c, test.precision.Bytes())
		if err != nil {
			t.Fatal(err)
		}

		borders, carries := r.Steps[2].Args[2].own, r.Steps[2].Args[3].own
		if borders.Bytes != 4*(test.want+1) || carries.Values != test.want || r.Steps[1].Grid != 7 {
			t.Errorf("%s: %d bytes of borders, %d carries, grid %d; want %d tiles", c, borders.Bytes, carries.Values,
				r.Steps[1].Grid, test.want)
		}
	}
}

// What a structure or a combination of settings forbids is said, not launched.
func TestCSRRecipesRefuse(t *testing.T) {
	check := func(m *structure, c kernels.Config, legal bool) {
		t.Helper()
		c.Precision, c.Grid = kernels.Float32, 1
		_, err := recipes[c.Kernel](m, c, 4)
		var invalid *kernels.InvalidError
		if legal && err != nil || !legal && !errors.As(err, &invalid) {
			t.Errorf("%s: %v", c, err)
		}
	}

	m := rowsOfLength(1, 2)
	bounded := kernels.Params("min_blocks=2")
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 256, Params: bounded}, true)
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 257, Params: bounded}, false)
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 1024}, true)
	check(m, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("sigma=1")}, true)
	check(m, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("sigma=33")}, false)

	// 2²⁴ entries in a row of 128, so 2³¹ with padding: refused before they exist.
	wide := &structure{Rows: 1, Cols: 1 << 24, RowPtr: []int32{0, 1 << 24}, ColIdx: make([]int32, 1<<24)}
	check(wide, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("chunk=128")}, false)
}

// The order of SELL names every nonzero once, in the row's lane and in the row's
// order; all else is padding.
func TestSELLOrder(t *testing.T) {
	m := rowsOfLength(1, 3, 0, 2, 2)
	p, err := packSELL(m, 2, 4)
	if err != nil {
		t.Fatal(err)
	}

	// Rows 1, 3, 0, 2 of the first window, then row 4 alone.
	wantRows := []int32{1, 3, 0, 2, 4}
	wantOrder := []int32{1, 4, 2, 5, 3, -1, 0, -1, 6, -1, 7, -1}
	if !slices.Equal(p.perm, wantRows) || !slices.Equal(p.order, wantOrder) ||
		!slices.Equal(p.chunkPtr, []int32{0, 6, 8, 12}) {
		t.Errorf("rows %d, order %d, chunks %d", p.perm, p.order, p.chunkPtr)
	}
}

// The widths of these kernels' blocks and windows matter; P is ⌈nnz / threads⌉.
func TestCOORecipes(t *testing.T) {
	m := rowsOfLength(100, 100, 100)
	type want struct {
		window, grid, shared int
		perThread            int // 0: no such argument
		entry                string
	}

	for _, test := range []struct {
		kernel      string
		block, grid int
		params      kernels.Params
		want        want
	}{
		{"coo_atomic", 64, 0, "", want{grid: 5, entry: "coo_atomic"}},
		{"coo_thread_chunk", 33, 2, "", want{grid: 2, perThread: 5, entry: "coo_thread_chunk"}},
		{"coo_grid_stride", 1000, 1, "", want{grid: 1, perThread: 1, entry: "coo_grid_stride"}},
		{"coo_scan_shared", 100, 3, "", want{window: 100, grid: 3, shared: 100 * (8 + 4 + 8),
			entry: "coo_scan_shared"}},
		{"coo_segscan_shared", 100, 3, "", want{grid: 3, shared: 100 * (8 + 4 + 8), entry: "coo_segscan_shared"}},
		{"coo_blelloch", 64, 3, "", want{window: 128, grid: 3, shared: 128 * 8, entry: "coo_blelloch"}},
		// Elements 32, 64 and 96 lie behind one, two and three words of padding.
		{"coo_blelloch_padded", 64, 3, "", want{window: 128, grid: 3, shared: (128 + 3) * 8,
			entry: "coo_blelloch_padded"}},
		{"coo_scan_warp", 64, 3, "", want{window: 32, grid: 3, entry: "coo_scan_warp"}},
		{"coo_scan_block", 64, 3, "", want{window: 64, grid: 3, entry: "coo_scan_block"}},
		{"coo_scan_warp_chunk", 64, 2, "", want{window: 32, grid: 2, perThread: 3, entry: "coo_scan_warp_chunk"}},
		{"coo_segscan_warp_chunk_unroll", 64, 2, "", want{grid: 2, perThread: 3,
			entry: "coo_segscan_warp_chunk_unroll4"}},
		{"coo_segscan_warp_chunk_unroll", 64, 2, kernels.Params("unroll=8"),
			want{grid: 2, perThread: 3, entry: "coo_segscan_warp_chunk_unroll8"}},
	} {
		c := kernels.Config{Kernel: test.kernel, Precision: kernels.Float64, Block: test.block, Grid: test.grid,
			Params: test.params}
		r, err := recipes[test.kernel](m, c, 8)
		if err != nil {
			t.Fatal(err)
		}

		s := r.Steps[0]
		got := want{r.Window, s.Grid, s.Shared, 0, s.Entry}
		if len(s.Args) > 6 {
			got.perThread = int(s.Args[6].value)
		}

		if got != test.want || !r.Zero || s.Block != test.block {
			t.Errorf("%s: %+v, zeroed %v, block %d; want %+v", c, got, r.Zero, s.Block, test.want)
		}
	}
}

// No nonzeros are no launch where the grid is counted from them; y is still zeroed.
func TestCOOAtomicOfNothing(t *testing.T) {
	r, err := recipes["coo_atomic"](rowsOfLength(0, 0), kernels.Config{Kernel: "coo_atomic", Precision: kernels.Float32,
		Block: 32}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if r.Steps[0].Grid != 0 || !r.Zero {
		t.Errorf("grid %d, zeroed %v", r.Steps[0].Grid, r.Zero)
	}
}

// Segments hold every nonzero of a row once, in a chunk with enough lanes, and every sum is written once. They are
// dealt out evenly.
func TestPackLanes(t *testing.T) {
	matrices := corners()
	matrices["wide and long"] = rowsOfLength(10, 9000, 0, 8193, 8192, 30_001, 1)
	matrices["many"] = randomRows(3000, 400, 70, 9)
	for name, m := range matrices {
		for _, panels := range []int{1, 3} {
			width := max(1, ceilDiv(m.Cols, panels))
			for i, grid := range []int{1, 7, 500} {
				longest := []int{1024, 1024, 8192}[i]
				p := packLanes(m, panels, width, grid, longest)
				got := lanesTargets(t, name, m, p, longest)
				checkLanes(t, name, m, panels, width, got)
				if name == "many" && grid == 7 && panels == 1 {
					checkEven(t, p, m.NNZ()/7)
				}
			}
		}
	}
}

// lanesTargets gives the segments of each row, in the order of its sums.
func lanesTargets(t *testing.T, name string, m *structure, p *lanesPacking, longest int) map[int32][]segment {
	t.Helper()
	to, got := map[int32]segment{}, map[int32][]segment{}
	chunk := int32(0)
	for i := 0; i < len(p.part); i += 3 {
		if p.part[i+1] != chunk {
			t.Errorf("%s: part %d does not follow the one before: %d", name, i/3, p.part)
		}
		for ; chunk < p.part[i+2]; chunk++ {
			from, end, lanes := p.chunk[chunk]/8, p.chunk[chunk+1]/8, 1<<(p.chunk[chunk]%8)
			if int(end-from)*lanes > warp {
				t.Errorf("%s: a chunk has %d segments with %d lanes each", name, end-from, lanes)
			}
			for k := from; k < end; k++ {
				s := segment{p.span[2*k], p.span[2*k+1], p.target[k]}
				if s.length()+lanesTake-1 > 8*lanes && lanes < warp || s.length() > longest {
					t.Errorf("%s: %d nonzeros have %d lanes", name, s.length(), lanes)
				}
				if _, twice := to[s.target]; twice {
					t.Errorf("%s: %d is written twice", name, s.target)
				}
				to[s.target] = s
			}
		}
	}
	if int(chunk) != len(p.chunk)-1 {
		t.Errorf("%s: parts end before the last chunk", name)
	}

	for r := range int32(m.Rows) {
		if s, ok := to[r]; ok {
			got[r] = []segment{s}
		}
	}
	for _, r := range p.empty {
		got[r] = append(got[r], segment{})
	}
	for i, r := range p.row {
		for sum := p.first[i]; sum < p.first[i+1]; sum++ {
			got[r] = append(got[r], to[int32(m.Rows)+sum])
		}
	}
	return got
}

// checkLanes fails unless the segments of every row are all of it, in its order, and none is in two panels.
func checkLanes(t *testing.T, name string, m *structure, panels, width int, got map[int32][]segment) {
	t.Helper()
	for r := range m.Rows {
		at := m.RowPtr[r]
		for _, s := range got[int32(r)] {
			if s.length() == 0 && m.RowPtr[r] == m.RowPtr[r+1] {
				continue
			}
			if s.begin != at || s.end <= s.begin || int(m.ColIdx[s.begin])/width != int(m.ColIdx[s.end-1])/width {
				t.Errorf("%s: row %d, from nonzero %d on, has a segment from %d to %d", name, r, at, s.begin, s.end)
			}
			at = s.end
		}
		if at != m.RowPtr[r+1] || len(got[int32(r)]) == 0 {
			t.Errorf("%s: row %d ends at %d, its segments at %d", name, r, m.RowPtr[r+1], at)
		}
	}
}

// checkEven fails where a part has a tenth more or less nonzeros than others.
func checkEven(t *testing.T, p *lanesPacking, want int) {
	t.Helper()
	for i := 0; i < len(p.part); i += 3 {
		n := 0
		for k := p.chunk[p.part[i+1]] / 8; k < p.chunk[p.part[i+2]]/8; k++ {
			n += int(p.span[2*k+1] - p.span[2*k])
		}
		if n < want*9/10 || n > want*11/10 {
			t.Errorf("part %d has %d nonzeros, want about %d", i/3, n, want)
		}
	}
}

// A column is found by place and tag alone, and a place has the column that occurs most.
func TestHotPlaces(t *testing.T) {
	const places, bits, cols = 80, 10, 1000
	rng := rand.New(rand.NewPCG(1, 2))
	m := &structure{Rows: 1, Cols: cols}
	count := make([]int, cols)
	for range 3000 {
		col := min(rng.IntN(cols), rng.IntN(cols))
		m.ColIdx, count[col] = append(m.ColIdx, int32(col)), count[col]+1
	}
	p := newHotPlaces(m, places, bits)
	for col := range cols {
		place, tag := placeOfColumn(col, places, bits)
		found := uint8(p.tags[place/4]>>(place%4*8)) == tag
		if holder := int(p.column[place]); found != (holder == col) || count[holder] < count[col] {
			t.Errorf("column %d occurs %d times; its place has column %d, which occurs %d times (found: %t)", col,
				count[col], holder, count[holder], found)
		}
	}
}
