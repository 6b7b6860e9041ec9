// SPDX-License-Identifier: Apache-2.0

package sparse_test

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
)

// Every nonzero is in the block of its row and column, and nothing else is; blocks are in order and
// not empty.
func TestBSR(t *testing.T) {
	for name, m := range blockMatrices(t) {
		for _, size := range []int{1, 2, 3, 4, 6} {
			b, err := sparse.NewBSR(m, size, sparse.MaxIndex)
			if m.Rows%size != 0 || m.Cols%size != 0 {
				testkit.Fails(t, err, "not a multiple", "%s, %d", name, size)
				continue
			}
			if err == nil {
				err = decodeBSR(b, m)
			}
			testkit.Check(t, err == nil, "%s, %d: %v", name, size, err)
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

// Slices of a stencil share their distances, on any number of cores.
func TestDiagonalsShare(t *testing.T) {
	m := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 320, "ny": 200}))
	one := slices.Repeat([]*sparse.Diagonals{nil}, 2)
	for i, cores := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		one[i] = testkit.Must(sparse.NewDiagonals(m, 5, 2*m.NNZ()))
	}
	// The first line lacks one distance, the last another. Turns of 5 have 8 places.
	want := []int32{-1, 0, 1, 320, 0, 0, 0, 0, -320, -1, 0, 1, 320, 0, 0, 0, -320, -1, 0, 1, 0, 0, 0, 0}
	testkit.EqualLists(t, one[0].Distances, want, "distances")
	if !slices.Equal(one[0].Distances, one[1].Distances) || !slices.Equal(one[0].Heads, one[1].Heads) ||
		!slices.Equal(one[0].Order, one[1].Order) {
		t.Error("the number of cores changes the result")
	}
}

// blockMatrices are hard on blocks.
func blockMatrices(t testing.TB) map[string]*sparse.CSR[float64] {
	t.Helper()
	all := sellMatrices(t)
	for dof := range 6 {
		args := map[string]any{"nodes": 333, "dof": dof + 1, "band": 50, "neighbours": 9.0}
		m := testkit.Must(generate.Build(t.Context(), "fem_blocks", args))
		all[generate.Spec("fem_blocks", args)] = m
	}
	return all
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
		testkit.Equal(t, testkit.Err(sparse.NewJagged(m, 2, 2, sparse.MaxIndex)) == nil, fits, "%d blocks fit", n)
		d, err := sparse.NewDiagonals(m, 5, sparse.MaxIndex)
		testkit.Equal(t, err == nil, fits, "%d diagonals fit", n)
		if err == nil && (d.Heads[1]&255 != 51 || d.Slots != 255) {
			t.Errorf("%d diagonals are in %d slots, %d turns", n, d.Slots, d.Heads[1]&255)
		}

		rows := &sparse.CSR[float64]{Rows: n, Cols: 1, RowPtr: make([]int32, n+1)}
		testkit.Equal(t, testkit.Must(sparse.NewNarrow(rows, 512, 4)).Tiles() == 1, fits, "%d rows are in one tile", n)
	}
}

// A matrix without rows, without columns or without nonzeros has every form, and all are empty.
func TestFormatsOfNothing(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {5, 1}, {40, 100_000}} {
		m := &sparse.CSR[float64]{Rows: shape[0], Cols: shape[1], RowPtr: make([]int32, shape[0]+1)}
		testkit.Equal(t, testkit.Must(sparse.NewJagged(m, 3, 3, 0)).Blocks, 0, "%v: blocks", shape)
		testkit.Equal(t, testkit.Must(sparse.NewDiagonals(m, 5, 0)).Slots, 0, "%v: slots of diagonals", shape)
		testkit.Equal(t, testkit.Must(sparse.NewNarrow(m, 64, 4)).Entries, 0, "%v: entries of tiles", shape)
		testkit.Equal(t, len(testkit.Must(sparse.NewSELL(m, 8, 16, 0)).Val), 0, "%v: values of SELL", shape)
	}
}

// What a format does not hold, or would fill with too many zeros, is refused. What is just allowed is not.
func TestFormatsRefuse(t *testing.T) {
	built := func(name string, args map[string]any) *sparse.CSR[float64] {
		return testkit.Must(generate.Build(t.Context(), name, args))
	}
	grid, giant := built("grid_5pt", map[string]any{"nx": 12, "ny": 12}), built("giant_row", map[string]any{"rows": 300, "giant": 300})
	scattered := built("uniform", map[string]any{"rows": 3200, "cols": 3200, "row_nnz": 3.0})
	wide, row := built("giant_row", map[string]any{"rows": 1000, "giant": 256, "row_nnz": 1}),
		built("giant_row", map[string]any{"rows": 1000, "giant": 1000, "row_nnz": 1})
	jagged := func(r, c, most int) error { return testkit.Err(sparse.NewJagged(wide, r, c, most)) }
	sell := func(c, sigma, most int) error { return testkit.Err(sparse.NewSELL(row, c, sigma, most)) }
	values := len(testkit.Must(sparse.NewBSR(grid, 3, sparse.MaxIndex)).Order)
	for _, c := range []struct {
		err  error
		want string // "": accepted
	}{
		{testkit.Err(sparse.NewBSR(grid, 3, values)), ""},
		{testkit.Err(sparse.NewBSR(grid, 3, values-1)), "more values"},
		{testkit.Err(sparse.NewDiagonals(scattered, 5, 2*scattered.NNZ())), "more than the"},
		{testkit.Err(sparse.NewDiagonals(giant, 5, 1<<20)), "255 diagonals"},
		{testkit.Err(sparse.NewNarrow(&sparse.CSR[float64]{RowPtr: []int32{0}}, 0, 4)), "multiple of 8"},
		{testkit.Err(sparse.NewNarrow(&sparse.CSR[float64]{RowPtr: []int32{0}}, 65536, 4)), "multiple of 8"},
		{jagged(1, 1, 1255), "rows of 256 blocks of 1×1: at most 255"},
		{jagged(1, 4, 5020), ""},
		{jagged(2, 2, 1500), "for 1255 nonzeros, more than the 1500 allowed"},
		{jagged(33, 1, 9), "blocks of 33×1"},
		{jagged(1, 1001, 9999), "blocks are 1001 columns wide, the matrix has 1000"},
		{sell(0, 1, 0), "chunk height 0"},
		{sell(1<<31, 1, 0), "chunk height 2147483648"},
		{sell(32, 0, 0), "sorting window 0"},
		{sell(32, 48, 0), "sorting window 48"},
		// 31 chunks of 32 rows of 1, one of 32 rows of 1000.
		{sell(32, 1, 32991), "needs 32992 entries for 1999 nonzeros, more than the 32991 allowed"},
		{sell(32, 1, 32992), ""},
		// One chunk of 2³⁰ lanes: too large to be tried.
		{sell(1<<30, 1, 1<<31), "needs 1073741824000 entries"},
	} {
		if c.want == "" {
			testkit.Succeed(t, c.err)
		} else {
			testkit.Fails(t, c.err, c.want)
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
			testkit.Near(t, d, 0, 3*deviation, "%s: %s is off by", name, []string{"similarity", "symmetry"}[k])
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
		m := testkit.Must(generate.Build(t.Context(), g.name, g.args))
		holds(g.name, m)
	}

	real := testkit.Must(filepath.Glob("../../shared/matrices/*.mtx.gz"))
	for i, path := range real {
		if i%4 > 0 && !testkit.LongAsked() {
			continue
		}
		read := testkit.Must(file.Read(t.Context(), path, file.Options{Expand: true, Complex: file.RealPart}))
		holds(strings.TrimSuffix(filepath.Base(path), ".mtx.gz"), read.A)
	}

	testkit.Check(t, far <= estimates/10, "%d of %d estimates are off by more than their standard error may be", far, estimates)
}
