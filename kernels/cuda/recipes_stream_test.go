package cuda

import (
	"slices"
	"testing"

	"spmvtune/kernels"
)

// Panels of columns, and columns whose x is not in shared memory, need more columns than
// corner cases have.
func TestEmulatedManyColumns(t *testing.T) {
	e := newEmulator(t)
	for _, m := range []*structure{
		randomRows(30, 30_000, 2500, 5), randomRows(700, 14_000, 9, 6), withValue(randomRows(50, 30_000, 900, 7), 3),
		rowsOfLength(10, 9000, 0, 8193, 8192, 30_001, 1),
	} {
		for i, c := range []kernels.Config{
			{Kernel: "sell_hot", Params: "x_kb=48", Block: 96, Grid: 3},
			{Kernel: "sell_local", Params: "x_kb=48", Block: 64, Grid: 7},
			{Kernel: "sell_local", Params: "x_kb=48", Block: 1024, Grid: 1},
			{Kernel: "sell_local", Params: "values=equal x_kb=48", Block: 96, Grid: 30},
			{Kernel: "csr_lanes", Params: "longest=1024 x=panels x_kb=24", Block: 64, Grid: 3},
			{Kernel: "csr_lanes", Params: "longest=8192 x=panels x_kb=48", Block: 96, Grid: 40},
			{Kernel: "csr_lanes", Params: "longest=1024 x=hot x_kb=24", Block: 64, Grid: 3},
		} {
			for _, c.Precision = range []kernels.Precision{kernels.Float32, kernels.Float64} {
				checkExact(t, e, m, c, int64(i))
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
		checkRowStarts(t, name, m, s)
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

func checkRowStarts(t *testing.T, name string, m *structure, s *rowStarts) {
	t.Helper()
	var start, empty []int32
	for i := range m.Rows {
		if m.RowPtr[i] < m.RowPtr[i+1] {
			start = append(start, m.RowPtr[i])
		} else {
			empty = append(empty, int32(i))
		}
	}
	if !slices.Equal(s.start, append(start, int32(m.NNZ()))) || !slices.Equal(s.empty, empty) ||
		len(empty) > 0 && len(s.row) != len(start) {
		t.Errorf("%s: rows begin at %d, empty are %d", name, s.start, s.empty)
	}
	for i := range m.NNZ() {
		if marked := s.marks[i/32]>>(i%32)&1 == 1; marked != slices.Contains(start, int32(i)) {
			t.Errorf("%s: nonzero %d is marked: %t", name, i, marked)
		}
	}
}

// Panels share parts by their nonzeros, none is left out, and none has more parts than rows.
func TestPartsOfPanels(t *testing.T) {
	start := []int32{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	for _, test := range []struct {
		panels []int
		most   int
		want   []int
	}{
		{[]int{0, 5, 10}, 6, []int{3, 3}},
		{[]int{0, 8, 9, 10}, 7, []int{5, 1, 1}},
		{[]int{0, 1, 10}, 100, []int{1, 9}},
		{[]int{0, 0, 10}, 4, []int{0, 3}},
		{[]int{0, 9, 10}, 2, []int{1, 1}},
	} {
		if got := partsOfPanels(start, test.panels, test.most); !slices.Equal(got, test.want) {
			t.Errorf("panels %d, %d parts: %d, want %d", test.panels, test.most, got, test.want)
		}
	}
}

// The hot columns are those that occur most, at most as many as there is room for.
func TestHotColumns(t *testing.T) {
	colIdx := []int32{5, 5, 5, 2, 2, 7, 7, 1, 9, 5}
	for most, want := range map[int][]int32{1: {5}, 2: {2, 5}, 3: {2, 5, 7}, 5: {1, 2, 5, 7, 9}, 100: {1, 2, 5, 7, 9}} {
		columns, code := newHotColumns(colIdx, 10, most)
		if !slices.Equal(columns, want) {
			t.Errorf("of %d: %d, want %d", most, columns, want)
		}
		for col := range int32(10) {
			place := int32(slices.Index(want, col))
			if place < 0 {
				place = int32(len(want)) + col
			}
			if code[col] != place {
				t.Errorf("of %d: column %d has code %d, want %d", most, col, code[col], place)
			}
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
		if len(seen) != 1024 || len(banks) != lanes {
			t.Errorf("%d bytes: %d of 1024 places, %d of %d banks", v, len(seen), len(banks), lanes)
		}
	}
}
