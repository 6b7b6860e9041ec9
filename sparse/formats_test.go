package sparse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// Every nonzero is in the block of its row and column, and nothing else is; blocks are in order and
// not empty.
func TestBSR(t *testing.T) {
	for name, m := range slicedMatrices(t) {
		for _, size := range []int{1, 2, 3, 4, 6} {
			b, err := sparse.NewBSR(m, size, sparse.MaxIndex)
			if m.Rows%size != 0 || m.Cols%size != 0 {
				if err == nil || !strings.Contains(err.Error(), "not a multiple") {
					t.Errorf("%s, %d: %v", name, size, err)
				}
				continue
			}
			if err == nil {
				err = decodeBSR(b, m)
			}
			if err != nil {
				t.Errorf("%s, %d: %v", name, size, err)
			}
		}
	}
}

func decodeBSR(b *sparse.BSR, m *sparse.CSR[float64]) error {
	size, found := b.Size, 0
	if len(b.Starts) != m.Rows/size+1 || len(b.Order) != len(b.Columns)*size*size {
		return fmt.Errorf("%d starts, %d columns, %d values", len(b.Starts), len(b.Columns), len(b.Order))
	}
	for row := range m.Rows / size {
		for k := b.Starts[row]; k < b.Starts[row+1]; k++ {
			if k > b.Starts[row] && b.Columns[k] <= b.Columns[k-1] {
				return fmt.Errorf("block row %d has column %d after %d", row, b.Columns[k], b.Columns[k-1])
			}
			before := found
			for i, from := range b.Order[int(k)*size*size:][:size*size] {
				if from < 0 {
					continue
				}
				at, column := row*size+i/size, b.Columns[k]*int32(size)+int32(i%size)
				if from < m.RowPtr[at] || from >= m.RowPtr[at+1] || m.ColIdx[from] != column {
					return fmt.Errorf("nonzero %d is put at row %d, column %d", from, at, column)
				}
				found++
			}
			if found == before {
				return fmt.Errorf("block %d is empty", k)
			}
		}
	}
	if found != m.NNZ() {
		return fmt.Errorf("%d of %d nonzeros are in blocks", found, m.NNZ())
	}
	return nil
}

// Blocks that would be filled with too many zeros are refused.
func TestBSRRefused(t *testing.T) {
	m, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 12, "ny": 12})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sparse.NewBSR(m, 3, sparse.MaxIndex)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.NewBSR(m, 3, len(b.Order)); err != nil {
		t.Errorf("as many values as are allowed: %v", err)
	}
	if _, err := sparse.NewBSR(m, 3, len(b.Order)-1); err == nil || !strings.Contains(err.Error(), "more values") {
		t.Errorf("one value more than is allowed: %v", err)
	}
}

// TestDiagonals decodes what was packed: every row must come back in its order.
func TestDiagonals(t *testing.T) {
	for name, m := range slicedMatrices(t) {
		d, err := sparse.NewDiagonals(m, 1+len(m.Val)%9, 1<<30)
		if err != nil {
			if !strings.Contains(err.Error(), "255 diagonals") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err := decodeDiagonals(d, m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func decodeDiagonals(d *sparse.Diagonals, m *sparse.CSR[float64]) error {
	used := 0
	for i := range m.Rows {
		slot, distances := d.Slice(i/32, nil)
		if len(distances)%d.Turn != 0 {
			return fmt.Errorf("row %d: %d slots in turns of %d", i, len(distances), d.Turn)
		}
		next := m.RowPtr[i]
		for k, distance := range distances {
			n := d.Order[(slot+k)*32+i%32]
			if n < 0 {
				continue
			}
			if n != next || n >= m.RowPtr[i+1] || m.ColIdx[n] != int32(i)+distance {
				return fmt.Errorf("row %d: nonzero %d at distance %d, want nonzero %d", i, n, distance, next)
			}
			next++
			used++
		}
		if next != m.RowPtr[i+1] {
			return fmt.Errorf("row %d ends at nonzero %d, want %d", i, next, m.RowPtr[i+1])
		}
	}

	for _, n := range d.Order {
		if n >= 0 {
			used--
		}
	}
	if used != 0 || len(d.Order) != 32*d.Slots {
		return fmt.Errorf("%d entries too few or too many in %d slots", used, d.Slots)
	}
	return nil
}

// Slices of a stencil share their distances, on any number of cores.
func TestDiagonalsShare(t *testing.T) {
	m, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 320, "ny": 200})
	if err != nil {
		t.Fatal(err)
	}
	one := slices.Repeat([]*sparse.Diagonals{nil}, 2)
	for i, cores := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		if one[i], err = sparse.NewDiagonals(m, 5, 2*m.NNZ()); err != nil {
			t.Fatal(err)
		}
	}
	// The first line lacks one distance, the last another. Turns of 5 have 8 places.
	want := []int32{-1, 0, 1, 320, 0, 0, 0, 0, -320, -1, 0, 1, 320, 0, 0, 0, -320, -1, 0, 1, 0, 0, 0, 0}
	if !slices.Equal(one[0].Distances, want) {
		t.Errorf("distances %d, want %d", one[0].Distances, want)
	}
	if !slices.Equal(one[0].Distances, one[1].Distances) || !slices.Equal(one[0].Heads, one[1].Heads) ||
		!slices.Equal(one[0].Order, one[1].Order) {
		t.Error("the number of cores changes the result")
	}
}

func TestDiagonalsRefused(t *testing.T) {
	m, err := generate.Build(t.Context(), "uniform", map[string]any{"rows": 3200, "cols": 3200, "row_nnz": 3.0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.NewDiagonals(m, 5, 2*m.NNZ()); err == nil || !strings.Contains(err.Error(), "more than the") {
		t.Errorf("scattered columns: %v", err)
	}
	if m, err = generate.Build(t.Context(), "giant_row", map[string]any{"rows": 300, "giant": 300}); err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.NewDiagonals(m, 5, 1<<20); err == nil || !strings.Contains(err.Error(), "255 diagonals") {
		t.Errorf("a long row: %v", err)
	}
}

// slicedMatrices are hard on slices, blocks and narrow columns.
func slicedMatrices(t testing.TB) map[string]*sparse.CSR[float64] {
	t.Helper()
	all := sellMatrices(t)
	far := &sparse.CSR[float64]{Rows: 70, Cols: 1 << 20, RowPtr: []int32{0}}
	for i := range 70 {
		if i%7 > 0 { // two slices that reach far, one that does not
			far.ColIdx = append(far.ColIdx, int32(i), int32(70000+i%2*i))
			far.Val = append(far.Val, float64(i), 1)
		}
		if i < 32 && i%5 == 1 {
			far.ColIdx, far.Val = append(far.ColIdx, 1<<20-1), append(far.Val, 2)
		}
		far.RowPtr = append(far.RowPtr, int32(len(far.ColIdx)))
	}
	all["far"] = far

	for dof := range 6 {
		args := map[string]any{"nodes": 333, "dof": dof + 1, "band": 50, "neighbours": 9.0}
		m, err := generate.Build(t.Context(), "fem_blocks", args)
		if err != nil {
			t.Fatal(err)
		}
		all[generate.Spec("fem_blocks", args)] = m
	}
	return all
}

// TestJagged decodes what was packed: every row must come back in its order.
func TestJagged(t *testing.T) {
	for name, m := range slicedMatrices(t) {
		t.Run(name, func(t *testing.T) {
			for _, shape := range [][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 6}, {1, 4}, {4, 1}, {32, 3}, {5, 7}} {
				j, err := sparse.NewJagged(m, shape[0], shape[1], sparse.MaxIndex)
				if err != nil {
					if !strings.Contains(err.Error(), "at most 255") && !strings.Contains(err.Error(), "columns wide") {
						t.Error(err)
					}
					continue
				}
				if err := decodeJagged(j, m); err != nil {
					t.Errorf("%d×%d: %v", shape[0], shape[1], err)
				}
			}
		})
	}
}

// decodeJagged reads j as a product does, slot by slot.
func decodeJagged(j *sparse.Jagged, m *sparse.CSR[float64]) error {
	rows := make([][]int32, m.Rows) // nonzeros
	group, vector, used := j.Group(), j.Vector(), 0
	for h := range j.Slices() {
		lo, hi := h*group, min((h+1)*group, len(j.Lengths))
		block, base := int(j.Heads[2*h]), j.Heads[2*h+1]
		for k := 0; ; k++ {
			var active []int
			for place := lo; place < hi; place++ {
				if int(j.Lengths[place]) > k {
					active = append(active, place)
				}
			}
			if len(active) == 0 {
				break
			}
			for rank, place := range active {
				column := base + int32(j.Columns[block+rank])
				if base < 0 {
					column = int32(j.Columns[block+rank]) | int32(j.Upper[block+rank-int(j.Heads[2*h])-int(base)-1])<<16
				}
				if column < 0 || int(column)+j.C > m.Cols {
					return fmt.Errorf("a block begins at column %d", column)
				}
				for i := range j.R {
					for c := range j.C {
						at := block*j.R*j.C + (c/vector*len(active)*j.R+rank*j.R+i)*vector + c%vector
						used++
						if n := j.Order[at]; n >= 0 {
							if m.ColIdx[n] != column+int32(c) {
								return fmt.Errorf("nonzero %d of column %d is at %d", n, m.ColIdx[n], int(column)+c)
							}
							rows[place*j.R+i] = append(rows[place*j.R+i], n)
						}
					}
				}
			}
			block += len(active)
		}
	}

	if used+2*j.R != len(j.Order) {
		return fmt.Errorf("%d of %d values were read", used, len(j.Order))
	}
	for i, got := range rows {
		var want []int32
		for n := m.RowPtr[i]; n < m.RowPtr[i+1]; n++ {
			want = append(want, n)
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("row %d has nonzeros %d, want %d", i, got, want)
		}
	}
	return nil
}

// Blocks are found where they are.
func TestJaggedBlocks(t *testing.T) {
	m, err := generate.Build(t.Context(), "fem_blocks", map[string]any{"nodes": 333, "dof": 3, "band": 50})
	if err != nil {
		t.Fatal(err)
	}
	j, err := sparse.NewJagged(m, 3, 3, m.NNZ())
	if err != nil {
		t.Fatal(err)
	}
	if j.Blocks*9 != m.NNZ() || len(j.Upper) > 1 {
		t.Errorf("%d blocks for %d nonzeros, %d wide", j.Blocks, m.NNZ(), len(j.Upper))
	}
}

func TestJaggedRefused(t *testing.T) {
	giant, err := generate.Build(t.Context(), "giant_row", map[string]any{"rows": 1000, "giant": 256, "row_nnz": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r, c, most int
		want       string // "": accepted
	}{
		{1, 1, 1255, "rows of 256 blocks of 1×1: at most 255"},
		{1, 4, 5020, ""},
		{2, 2, 1500, "for 1255 nonzeros, more than the 1500 allowed"},
		{33, 1, 9, "blocks of 33×1"},
		{1, 1001, 9999, "blocks are 1001 columns wide, the matrix has 1000"},
	} {
		_, err := sparse.NewJagged(giant, c.r, c.c, c.most)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d×%d: got %v, want %q", c.r, c.c, err, c.want)
		}
	}
}

// A slice has 16 bits for columns that span 65536.
func TestJaggedWide(t *testing.T) {
	for last, wide := range map[int32]int{100 + 1<<16 - 1: 0, 100 + 1<<16: 2} {
		m := &sparse.CSR[float64]{Rows: 1, Cols: 1 << 17, RowPtr: []int32{0, 2}, ColIdx: []int32{100, last}}
		j, err := sparse.NewJagged(m, 2, 2, 8)
		if err != nil || len(j.Upper) != wide+1 {
			t.Errorf("columns 100 to %d: %d upper halves, %v", last, len(j.Upper)-1, err)
		}
	}
}

// TestNarrow decodes what was packed: every row must come back in its order.
func TestNarrow(t *testing.T) {
	all := slicedMatrices(t)
	long, err := generate.Build(t.Context(), "road", map[string]any{"rows": 200_000}) // longer than a range
	if err != nil {
		t.Fatal(err)
	}
	all["road"] = long
	for name, m := range all {
		for _, size := range []int{64, 256, 512, 1024} {
			n, err := sparse.NewNarrow(m, size, 2<<(size/256%3))
			if err != nil {
				t.Errorf("%s, %d: %v", name, size, err)
				continue
			}
			if err := decodeNarrow(n, m, size); err != nil {
				t.Errorf("%s, %d: %v", name, size, err)
			}
		}
	}
}

func decodeNarrow(n *sparse.Narrow, m *sparse.CSR[float64], size int) error {
	row, at, starts, cut := 0, 0, 0, 0 // cut: nonzeros of the row in pieces so far
	for i := range n.Tiles() {
		head := n.Heads[4*i : 4*i+4]
		entries, rows := int(head[3]&0xffff), int(head[3]>>16)
		if int(head[0]) != row || int(head[1])*8 != at || entries%8 != 0 || entries > size || rows > 255 {
			return fmt.Errorf("tile %d at row %d, entry %d: %d", i, row, at, head)
		}
		place := sparse.StartsAt(i, head[0])
		if place%8 != 0 || place < starts {
			return fmt.Errorf("starts of tile %d at %d, those before end at %d", i, place, starts)
		}
		starts = place + rows + 1
		if (starts+7)/8*8 > len(n.Starts) { // they are read by eights
			return fmt.Errorf("starts of tile %d end at %d of %d", i, starts, len(n.Starts))
		}

		lengths := n.Starts[place : place+rows+1]
		if rows == 0 {
			piece := pieceAt(n.Starts[place:])
			left := int(m.RowPtr[row+1]-m.RowPtr[row]) - cut
			if piece.nonzeros > left || piece.first+piece.pieces <= i || left < size && cut == 0 {
				return fmt.Errorf("tile %d is %+v, of a row of which %d are left", i, piece, left)
			}
			lengths = []uint16{0, uint16(piece.nonzeros)}
			if cut == 0 && piece.first != i || cut > 0 && piece.nonzeros == left && piece.first+piece.pieces != i+1 {
				return fmt.Errorf("tile %d is not where %+v says", i, piece)
			}
		}
		for r := range len(lengths) - 1 {
			from, to := int(lengths[r]), int(lengths[r+1])
			columns, _ := m.Row(row)
			columns = columns[cut:]
			if rows == 0 {
				columns = columns[:to]
			}
			if to-from != len(columns) || to > entries {
				return fmt.Errorf("row %d is at %d to %d of %d", row, from, to, entries)
			}
			for k, want := range columns {
				own := n.At(from+k, entries)
				column := head[2] + int32(n.Columns[at+own])
				if head[2] < 0 {
					column = int32(n.Columns[at+own]) | int32(n.Upper[int(-1-head[2])*8+own])<<16
				}
				if column != want || n.Order[at+own] != m.RowPtr[row]+int32(cut+k) {
					return fmt.Errorf("row %d, nonzero %d is %d of column %d", row, cut+k, n.Order[at+own], column)
				}
			}
			cut += len(columns)
			if cut == int(m.RowPtr[row+1]-m.RowPtr[row]) {
				row, cut = row+1, 0
			}
		}
		for k := int(lengths[len(lengths)-1]); k < entries; k++ {
			if own := at + n.At(k, entries); n.Order[own] != -1 || n.Columns[own] != 0 {
				return fmt.Errorf("padding of tile %d is %d of column %d", i, n.Order[own], n.Columns[own])
			}
		}
		at += entries
	}
	if row != m.Rows || at != len(n.Order) {
		return fmt.Errorf("%d rows and %d entries", row, at)
	}
	return nil
}

type piece struct{ first, pieces, nonzeros int }

func pieceAt(starts []uint16) piece {
	word := func(i int) int { return int(starts[2*i]) | int(starts[2*i+1])<<16 }
	return piece{word(0), word(1), word(2)}
}

func TestNarrowRefused(t *testing.T) {
	m := &sparse.CSR[float64]{RowPtr: []int32{0}}
	for _, size := range []int{0, 7, 65536} {
		if _, err := sparse.NewNarrow(m, size, 4); err == nil || !strings.Contains(err.Error(), "multiple of 8") {
			t.Errorf("%d: %v", size, err)
		}
	}
}

// A row has as few pieces as fit, about equally long, and only where it is longer than a tile.
func TestNarrowPieces(t *testing.T) {
	for length, want := range map[int]int{512: 0, 513: 2, 1024: 2, 1025: 3, 100_000: 196} {
		m, err := generate.Build(t.Context(), "giant_row", map[string]any{"rows": 200_000, "giant": length, "row_nnz": 1})
		if err != nil {
			t.Fatal(err)
		}
		n, err := sparse.NewNarrow(m, 512, 4)
		if err != nil {
			t.Fatal(err)
		}
		pieces, least := 0, 512
		for i := range n.Tiles() {
			if n.Heads[4*i+3]>>16 == 0 {
				pieces++
				least = min(least, pieceAt(n.Starts[sparse.StartsAt(i, n.Heads[4*i]):]).nonzeros)
			}
		}
		if pieces != want || pieces > 0 && least < length/want/4 {
			t.Errorf("a row of %d has %d pieces, want %d; the least has %d", length, pieces, want, least)
		}
	}
}

// A tile has 16 bits for columns that span 65536, and whole 32s of rows where others follow.
func TestNarrowTiles(t *testing.T) {
	for last, wide := range map[int32]int{100 + 1<<16 - 1: 0, 100 + 1<<16: 8} {
		m := &sparse.CSR[float64]{Rows: 1, Cols: 1 << 17, RowPtr: []int32{0, 2}, ColIdx: []int32{100, last}}
		n, err := sparse.NewNarrow(m, 64, 4)
		if err != nil || len(n.Upper) != wide {
			t.Errorf("columns 100 to %d: %d upper halves, %v", last, len(n.Upper), err)
		}
	}

	m, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 100, "ny": 100})
	if err != nil {
		t.Fatal(err)
	}
	n, err := sparse.NewNarrow(m, 512, 4)
	if err != nil {
		t.Fatal(err)
	}
	if second, third := n.Heads[4], n.Heads[8]; third-second != 96 { // 102 would fit
		t.Errorf("a tile has %d rows, want 96", third-second)
	}
}

// sellMatrices are matrices whose structure is hard on chunks.
func sellMatrices(t testing.TB) map[string]*sparse.CSR[float64] {
	t.Helper()
	all := map[string]*sparse.CSR[float64]{
		"no rows":     {Cols: 5, RowPtr: []int32{0}},
		"no columns":  {Rows: 5, RowPtr: make([]int32, 6)},
		"no nonzeros": {Rows: 100, Cols: 5, RowPtr: make([]int32, 101)},
		"one entry":   {Rows: 70, Cols: 9, RowPtr: append(make([]int32, 70), 1), ColIdx: []int32{8}, Val: []float64{3}},
	}

	add := func(name string, args map[string]any) {
		m, err := generate.Build(t.Context(), name, args)
		if err != nil {
			t.Fatal(err)
		}
		all[generate.Spec(name, args)] = m
	}

	add("grid_5pt", map[string]any{"nx": 31, "ny": 17})
	add("rmat", map[string]any{"scale": 7})
	add("uniform", map[string]any{"rows": 333, "cols": 2000, "row_nnz": 2})
	add("uniform", map[string]any{"rows": 2000, "cols": 3, "row_nnz": 1.5})
	add("giant_row", map[string]any{"rows": 300, "giant": 300, "row_nnz": 1})
	add("fem_blocks", map[string]any{"nodes": 100, "band": 50})
	return all
}

// TestSELL takes SELL apart again: every row must come back in its order, the
// rest must be harmless, and rows must be sorted as they should be.
func TestSELL(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, m := range sellMatrices(t) {
		t.Run(name, func(t *testing.T) {
			shapes := [][2]int{{1, 1}, {8, 1}, {32, 32}, {32, 1024}, {7, 21}, {1024, 1024}}
			for range 8 {
				c := 1 + r.IntN(40)
				shapes = append(shapes, [2]int{c, c * (1 + r.IntN(20))})
			}

			for _, shape := range shapes {
				s, err := sparse.NewSELL(m, shape[0], shape[1], 0)
				if err != nil {
					t.Fatal(err)
				}
				if err := takeApart(s, m); err != nil {
					t.Errorf("C = %d, sigma = %d: %v", s.C, s.Sigma, err)
				}
			}
		})
	}
}

func takeApart(s *sparse.SELL[float64], m *sparse.CSR[float64]) error {
	if s.Rows != m.Rows || s.Cols != m.Cols || s.NNZ() != m.NNZ() || len(s.Perm) != m.Rows ||
		len(s.ColIdx) != len(s.Val) {
		return fmt.Errorf("%d×%d, %d nonzeros, %d slots, %d columns, %d values of %v",
			s.Rows, s.Cols, s.NNZ(), len(s.Perm), len(s.ColIdx), len(s.Val), m)
	}

	if want := (m.Rows + s.C - 1) / s.C; s.Chunks() != want || s.ChunkPtr[0] != 0 || s.ChunkPtr[want] != len(s.Val) {
		return fmt.Errorf("%d chunks, offsets %d to %d for %d entries", s.Chunks(), s.ChunkPtr[0], s.ChunkPtr[want],
			len(s.Val))
	}
	length := func(i int32) int32 { return m.RowPtr[i+1] - m.RowPtr[i] }

	for lo := 0; lo < m.Rows; lo += s.Sigma {
		part := s.Perm[lo:min(lo+s.Sigma, m.Rows)]
		want := make([]int32, len(part))
		for k := range want {
			want[k] = int32(lo + k)
		}

		slices.SortStableFunc(want, func(a, b int32) int { return int(length(b) - length(a)) })
		if !slices.Equal(part, want) {
			return fmt.Errorf("window at row %d has rows %v, want %v", lo, part, want)
		}
	}

	for h := range s.Chunks() {
		longest := 0
		for r := range s.C {
			var columns []int32
			var values []float64
			padding := int32(0)
			if slot := h*s.C + r; slot < m.Rows {
				columns, values = m.Row(int(s.Perm[slot]))
				if len(columns) > 0 {
					padding = columns[len(columns)-1]
				}
			}

			longest = max(longest, len(columns))
			for k := range s.Width(h) {
				at := s.ChunkPtr[h] + k*s.C + r
				wantColumn, wantValue := padding, 0.0
				if k < len(columns) {
					wantColumn, wantValue = columns[k], values[k]
				}

				if s.ColIdx[at] != wantColumn || s.Val[at] != wantValue {
					return fmt.Errorf("chunk %d, lane %d, entry %d is %v at column %d, want %v at %d",
						h, r, k, s.Val[at], s.ColIdx[at], wantValue, wantColumn)
				}
			}
		}

		if s.Width(h) != longest {
			return fmt.Errorf("chunk %d is %d wide, its longest row has %d", h, s.Width(h), longest)
		}
	}

	return nil
}

func TestSELLPadding(t *testing.T) {
	// Rows of 1, 3, 1, 3 nonzeros: sorting makes two chunks of equal rows.
	m := &sparse.CSR[float32]{
		Rows: 4, Cols: 3, RowPtr: []int32{0, 1, 4, 5, 8},
		ColIdx: []int32{0, 0, 1, 2, 1, 0, 1, 2}, Val: []float32{1, 2, 3, 4, 5, 6, 7, 8},
	}

	for sigma, want := range map[int]float64{1: 12.0 / 8, 2: 12.0 / 8, 4: 1} {
		s, err := sparse.NewSELL(m, 2, sigma, 0)
		if err != nil {
			t.Fatal(err)
		}
		if s.Padding() != want {
			t.Errorf("sigma %d: padding %v, want %v", sigma, s.Padding(), want)
		}
	}

	empty, err := sparse.NewSELL(&sparse.CSR[float32]{RowPtr: []int32{0}}, 2, 1, 0)
	if err != nil || empty.Padding() != 1 {
		t.Errorf("empty: %v, %v", empty, err)
	}
}

func TestSELLRefused(t *testing.T) {
	giant, err := generate.Build(t.Context(), "giant_row", map[string]any{"rows": 1000, "giant": 1000, "row_nnz": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		c, sigma, most int
		want           string // "": accepted
	}{
		{0, 1, 0, "chunk height 0"},
		{-1, 1, 0, "chunk height -1"},
		{1 << 31, 1, 0, "chunk height 2147483648"},
		{32, 0, 0, "sorting window 0"},
		{32, 48, 0, "sorting window 48"},
		{32, 16, 0, "sorting window 16"},
		// 31 chunks of 32 rows of 1, one of 32 rows of 1000.
		{32, 1, 32991, "needs 32992 entries for 1999 nonzeros, more than the 32991 allowed"},
		{32, 1, 32992, ""},
		// One chunk of 2³⁰ lanes: too large to be tried.
		{1 << 30, 1, 1 << 31, "needs 1073741824000 entries"},
	} {
		_, err := sparse.NewSELL(giant, c.c, c.sigma, c.most)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("C = %d, sigma = %d, at most %d: got %v, want %q", c.c, c.sigma, c.most, err, c.want)
		}
	}
}

// rowOf is a matrix of one row with n nonzeros, gap columns apart, and an empty one.
func rowOf(n, gap int) *sparse.CSR[float64] {
	m := &sparse.CSR[float64]{Rows: 2, Cols: n * gap, RowPtr: []int32{0, int32(n), int32(n)}, Val: make([]float64, n)}
	for k := range n {
		m.ColIdx = append(m.ColIdx, int32(k*gap))
	}
	return m
}

// What a byte counts ends at 255: blocks of a row and diagonals of a slice. Tiles of rows end there, too.
func TestFormatsEndWithTheirBytes(t *testing.T) {
	for n, fits := range map[int]bool{255: true, 256: false} {
		m := rowOf(n, 3)
		j, err := sparse.NewJagged(m, 2, 2, sparse.MaxIndex)
		if (err == nil) != fits {
			t.Errorf("%d blocks: %v", n, err)
		}
		if err == nil {
			if err := decodeJagged(j, m); err != nil {
				t.Errorf("%d blocks: %v", n, err)
			}
		}
		d, err := sparse.NewDiagonals(m, 5, sparse.MaxIndex)
		if (err == nil) != fits {
			t.Errorf("%d diagonals: %v", n, err)
		}
		if err == nil && (d.Heads[1]&255 != 51 || d.Slots != 255) {
			t.Errorf("%d diagonals are in %d slots, %d turns", n, d.Slots, d.Heads[1]&255)
		}

		rows := &sparse.CSR[float64]{Rows: n, Cols: 1, RowPtr: make([]int32, n+1)}
		tiles, err := sparse.NewNarrow(rows, 512, 4)
		if err != nil || (tiles.Tiles() == 1) != fits {
			t.Errorf("%d rows are in %d tiles, %v", n, tiles.Tiles(), err)
		}
		if err := decodeNarrow(tiles, rows, 512); err != nil {
			t.Error(err)
		}
	}
}

// A matrix without rows, without columns or without nonzeros has every form, and all are empty.
func TestFormatsOfNothing(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {5, 1}, {40, 100_000}} {
		m := &sparse.CSR[float64]{Rows: shape[0], Cols: shape[1], RowPtr: make([]int32, shape[0]+1)}
		j, err := sparse.NewJagged(m, 3, 3, 0)
		if err != nil || j.Blocks != 0 {
			t.Errorf("%v, blocks: %v", shape, err)
		}
		d, err := sparse.NewDiagonals(m, 5, 0)
		if err != nil || d.Slots != 0 {
			t.Errorf("%v, diagonals: %v", shape, err)
		}
		n, err := sparse.NewNarrow(m, 64, 4)
		if err != nil || n.Entries != 0 {
			t.Errorf("%v, tiles: %v", shape, err)
		}
		s, err := sparse.NewSELL(m, 8, 16, 0)
		if err != nil || len(s.Val) != 0 {
			t.Errorf("%v, SELL: %v", shape, err)
		}
	}
}

// TestSampledFeatures holds the two features that are estimated against the same from
// all entries: none is off by three times the bound of their standard error, and few by more
// than the bound.
func TestSampledFeatures(t *testing.T) {
	estimates, far := 0, 0
	holds := func(name string, m *sparse.CSR[float64]) {
		t.Helper()
		similarity, symmetry, deviation := sparse.Exactly(m)
		f := sparse.Analyze(m)
		for k, d := range []float64{f.RowSimilarity - similarity, f.PatternSymmetry - symmetry} {
			estimates++
			if math.Abs(d) > deviation {
				far++
			}
			if math.Abs(d) > 3*deviation {
				t.Errorf("%s: %s is off by %.4f", name, []string{"similarity", "symmetry"}[k], d)
			}
		}
	}

	for _, g := range []struct {
		name string
		args map[string]any
	}{
		{"grid_5pt", map[string]any{"nx": 300, "ny": 300}},
		{"delaunay", map[string]any{"points": 50_000}},
		{"mycielskian", map[string]any{"order": 11}},
		{"rmat", map[string]any{"scale": 14, "edge_factor": 16.0}},
		{"uniform", map[string]any{"rows": 100_000, "cols": 100_000, "row_nnz": 8.0}},
		{"fem_blocks", map[string]any{"nodes": 10_000}},
		{"road", map[string]any{"rows": 300_000}},
		{"giant_row", map[string]any{"rows": 100_000, "giant": 90_000}},
		{"twin", map[string]any{"of": "webbase-1M", "scale": 0.2}},
		{"twin", map[string]any{"of": "Ga41As41H72", "scale": 0.1}},
	} {
		m, err := generate.Build(t.Context(), g.name, g.args)
		if err != nil {
			t.Fatal(err)
		}
		holds(g.name, m)
	}

	real, err := filepath.Glob("../../shared/matrices/*.mtx.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range real {
		read, err := file.Read(t.Context(), path, file.Options{Expand: true, Complex: file.RealPart})
		if err != nil {
			t.Fatal(err)
		}
		holds(strings.TrimSuffix(filepath.Base(path), ".mtx.gz"), read.A)
	}

	if far > estimates/10 {
		t.Errorf("%d of %d estimates are off by more than their standard error may be", far, estimates)
	}
}
