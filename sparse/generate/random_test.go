// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"math"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// TestRMATQuadrants sends all edges into one corner, and then checks the shares
// of the four quadrants.
func TestRMATQuadrants(t *testing.T) {
	for _, c := range []struct {
		a, b, c  float64
		row, col int
	}{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 127}, {0, 0, 1, 127, 0}, {0, 0, 0, 127, 127}} {
		m := build(t, "rmat", map[string]any{"scale": 7, "a": c.a, "b": c.b, "c": c.c})
		if columns, _ := m.Row(c.row); m.NNZ() != 1 || len(columns) != 1 || int(columns[0]) != c.col {
			t.Errorf("a=%v b=%v c=%v: %v, not one entry at (%d, %d)", c.a, c.b, c.c, m, c.row, c.col)
		}
	}

	const scale = 5
	edges, err := drawRMAT(t.Context(), values{"scale": scale, "edge_factor": 4096, "a": 0.5, "b": 0.1, "c": 0.3,
		"seed": 3}, 4096<<scale)
	testkit.Succeed(t, err)

	for level := range scale {
		var seen [4]float64
		for _, e := range edges {
			seen[e.row>>level&1<<1|e.col>>level&1]++
		}
		for q, p := range []float64{0.5, 0.1, 0.3, 0.1} {
			n := float64(len(edges))
			testkit.Near(t, seen[q], n*p, 5*math.Sqrt(n*p*(1-p)), "level %d, quadrant %d: entries", level, q)
		}
	}
}

func TestRMATSkew(t *testing.T) {
	m := build(t, "rmat", map[string]any{"scale": 14})
	if f := sparse.Analyze(m); float64(f.RowMax) < 30*f.RowMean || f.EmptyRows < m.Rows/10 || f.RowMean < 10 {
		t.Errorf("%v: mean row %v, longest %d, empty %d: no power law", m, f.RowMean, f.RowMax, f.EmptyRows)
	}
}

// TestUniform compares row lengths with the binomial distribution, and column
// counts with evenness.
func TestUniform(t *testing.T) {
	const rows, cols, mean = 40_000, 1000, 7.5
	m := build(t, "uniform", map[string]any{"rows": rows, "cols": cols, "row_nnz": mean})
	f, variance := sparse.Analyze(m), mean*(1-mean/cols)
	testkit.Near(t, f.RowMean, mean, 5*math.Sqrt(variance/rows), "mean row")
	testkit.Near(t, f.RowStd*f.RowStd/variance, 1, 0.05, "variance of the row length")
	count := make([]int, cols)
	for _, j := range m.ColIdx {
		count[j]++
	}

	expected := rows * mean / cols
	if low, high := float64(slices.Min(count)), float64(slices.Max(count)); low < expected-6*math.Sqrt(expected) ||
		high > expected+6*math.Sqrt(expected) {
		t.Errorf("columns occur %v to %v times, expected about %v", low, high, expected)
	}
}

func TestUniformExtremes(t *testing.T) {
	full := build(t, "uniform", map[string]any{"rows": 20, "cols": 30, "row_nnz": 30})
	testkit.Equal(t, full.NNZ(), 600, "as many per row as columns: %v", full)
	for _, args := range []map[string]any{
		{"rows": 20, "cols": 30, "row_nnz": 0},
		{"rows": 20, "cols": 0, "row_nnz": 0},
		{"rows": 0, "cols": 30, "row_nnz": 3},
	} {
		m := build(t, "uniform", args)
		testkit.Check(t, m.NNZ() == 0 && m.Rows == args["rows"] && m.Cols == args["cols"], "%v gives %v", args, m)
	}
}

func TestRoad(t *testing.T) {
	for _, degree := range []float64{2.05, 2.12, 2.5} {
		m := build(t, "road", map[string]any{"rows": 100_000, "degree": degree})
		testkit.Near(t, float64(m.NNZ())/float64(m.Rows), degree, 0.01, "mean of the degree")
		var by [8]int
		for i := range m.Rows {
			columns, _ := m.Row(i)
			by[len(columns)]++
			testkit.Require(t, !slices.Contains(columns, int32(i)), "degree %v: vertex %d meets itself", degree, i)
		}

		if by[0] > 0 || by[1] > m.Rows/50 || by[2] < m.Rows/2 || by[3] <= by[4] || by[4] == 0 || by[5]+by[6]+by[7] > 0 {
			t.Errorf("degree %v: vertices by degree %v", degree, by)
		}
		mean := sparse.Analyze(m).BandwidthMean
		testkit.Check(t, mean <= 1000, "degree %v: neighbours are %g apart on average", degree, mean)

		n := reached(m.RowPtr, m.ColIdx)
		testkit.Check(t, n >= m.Rows*99/100, "degree %v: only %d of %d vertices can be reached from the first", degree, n, m.Rows)
	}
}

// reached counts the vertices connected to vertex 0.
func reached(rowPtr, columns []int32) int {
	seen := make([]bool, len(rowPtr)-1)
	seen[0] = true
	todo, n := []int32{0}, 0
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n++
		for _, u := range columns[rowPtr[v]:rowPtr[v+1]] {
			if !seen[u] {
				seen[u] = true
				todo = append(todo, u)
			}
		}
	}

	return n
}

// TestFEM checks that blocks are dense and aligned, that the band holds, and
// that rows are as long as asked.
func TestFEM(t *testing.T) {
	const nodes, dof, neighbours, band = 20_000, 3, 20.0, 400
	m := build(t, "fem_blocks", map[string]any{"nodes": nodes, "dof": dof, "neighbours": neighbours, "band": band})
	for i := range m.Rows {
		columns, _ := m.Row(i)
		first, _ := m.Row(i - i%dof)
		testkit.EqualLists(t, columns, first, "row %d", i)
		for k, j := range columns {
			testkit.Equal(t, int(j)%dof, k%dof, "row %d: the block of column %d", i, j)
			if apart := int(j)/dof - i/dof; apart > band || apart < -band {
				t.Fatalf("nodes %d and %d are %d apart", i/dof, int(j)/dof, apart)
			}
		}

		testkit.Require(t, slices.Contains(columns, int32(i)), "row %d has no diagonal", i)
	}

	testkit.Near(t, float64(m.NNZ())/float64(m.Rows)/(dof*(1+neighbours)), 1, 0.02, "mean row")
}
