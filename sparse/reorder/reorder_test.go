// SPDX-License-Identifier: Apache-2.0

package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// grid is a 5-point grid whose rows and columns are shuffled alike.
func grid(n int, shuffled bool) *sparse.CSR[float64] {
	name := make([]int32, n*n)
	for i := range name {
		name[i] = int32(i)
	}
	if shuffled {
		rng := rand.New(rand.NewPCG(1, 2))
		rng.Shuffle(len(name), func(i, j int) { name[i], name[j] = name[j], name[i] })
	}
	at := Inverse(name)
	m := &sparse.CSR[float64]{Rows: n * n, Cols: n * n, RowPtr: []int32{0}}
	for i := range n * n {
		p := int(at[i])
		var columns []int32
		for _, d := range [][2]int{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
			if x, y := p%n+d[0], p/n+d[1]; x >= 0 && x < n && y >= 0 && y < n {
				columns = append(columns, name[y*n+x])
			}
		}
		slices.Sort(columns)
		for _, j := range columns {
			m.ColIdx, m.Val = append(m.ColIdx, j), append(m.Val, float64(1000*i+int(j)))
		}
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}
	return m
}

func bandwidth(m *sparse.CSR[float64]) int {
	width := 0
	for i := range m.Rows {
		columns, _ := m.Row(i)
		for _, j := range columns {
			width = max(width, i-int(j), int(j)-i)
		}
	}
	return width
}

// A shuffled grid of n×n gets a bandwidth near n, which is the least there is.
func TestRCMNarrowsAShuffledGrid(t *testing.T) {
	const n = 40
	m := grid(n, true)
	o := testkit.Must(Of(m, RCM))
	out := Apply(m, o)
	before, after := bandwidth(m), bandwidth(out)
	testkit.Check(t, before >= 20*n && after <= 2*n, "bandwidth %d, then %d; it can be %d", before, after, n)
}

// Every order has each row once, and the ordered matrix is valid and holds the same entries.
func TestOrdersKeepTheMatrix(t *testing.T) {
	m := grid(12, true)
	// An empty row and a row of its own component.
	m.Rows, m.Cols = m.Rows+2, m.Cols+2
	m.ColIdx, m.Val = append(m.ColIdx, int32(m.Cols-1)), append(m.Val, 7)
	m.RowPtr = append(m.RowPtr, m.RowPtr[len(m.RowPtr)-1], int32(len(m.ColIdx)))
	for _, how := range Methods {
		o := testkit.Must(Of(m, how))
		s := slices.Sorted(slices.Values(o.Rows))
		testkit.Require(t, len(s) == m.Rows && s[0] == 0 && len(slices.Compact(s)) == m.Rows, "%s: the order is no permutation", how)
		out := Apply(m, o)
		_, from := Structure(m, o)
		testkit.Succeed(t, out.Validate())
		for i, row := range o.Rows {
			for k := out.RowPtr[i]; k < out.RowPtr[i+1]; k++ {
				j := out.ColIdx[k]
				if o.Cols != nil {
					j = o.Cols[j]
				}
				f := from[k]
				if f < m.RowPtr[row] || f >= m.RowPtr[row+1] || m.ColIdx[f] != j || m.Val[f] != out.Val[k] {
					t.Fatalf("%s: entry %d of row %d is not entry %d of row %d", how, k, i, f, row)
				}
			}
		}
	}
}

// Rows and columns can be put into any orders, each its own, also where the pattern is not symmetric.
func TestApplyAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shape := range [][2]int{{7, 12}, {12, 7}, {9, 9}, {0, 4}, {4, 0}, {1, 1}} {
		m := &sparse.CSR[float64]{Rows: shape[0], Cols: shape[1], RowPtr: []int32{0}}
		for i := range m.Rows {
			for j := range m.Cols {
				if rng.IntN(3) == 0 {
					m.ColIdx, m.Val = append(m.ColIdx, int32(j)), append(m.Val, float64(100*i+j))
				}
			}
			m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
		}
		o := Order{Rows: permutation(rng, m.Rows), Cols: permutation(rng, m.Cols)}
		out := Apply(m, o)
		err := out.Validate()
		testkit.Require(t, err == nil && out.NNZ() == m.NNZ(), "%v: %d of %d entries, %v", shape, out.NNZ(), m.NNZ(), err)
		for i := range out.Rows {
			columns, values := out.Row(i)
			for k, j := range columns {
				testkit.Equal(t, values[k], float64(100*o.Rows[i]+o.Cols[j]), "%v: entry %d, %d", shape, i, j)
			}
		}
	}
}

// A matrix whose last rows are empty has columns that no row mirrors.
func TestRCMOfATriangle(t *testing.T) {
	m := &sparse.CSR[float64]{Rows: 3, Cols: 3, RowPtr: []int32{0, 2, 2, 2}, ColIdx: []int32{1, 2}, Val: []float64{5, 6}}
	o := testkit.Must(Of(m, RCM))
	out := Apply(m, o)
	testkit.Check(t, out.Validate() == nil && slices.Max(out.Val) == 6 && bandwidth(out) == 1, "%+v", out)
}

func permutation(rng *rand.Rand, n int) []int32 {
	p := make([]int32, n)
	for i, at := range rng.Perm(n) {
		p[i] = int32(at)
	}
	return p
}

func TestRowsAreSorted(t *testing.T) {
	m := &sparse.CSR[float64]{Rows: 4, Cols: 9, RowPtr: []int32{0, 1, 1, 4, 5}, ColIdx: []int32{8, 0, 5, 7, 3},
		Val: make([]float64, 5)}
	for how, want := range map[Method][]int32{ByLength: {2, 0, 3, 1}, ByColumn: {3, 2, 0, 1}} {
		o, err := Of(m, how)
		testkit.Check(t, err == nil && slices.Equal(o.Rows, want) && o.Cols == nil, "%s: %v %v, want rows %v", how, o, err, want)
	}
}
