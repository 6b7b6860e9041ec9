package generate

import (
	"context"
	"fmt"
	"slices"

	"spmvtune/internal/base/panics"
	"spmvtune/sparse"
)

// An assembly describes a matrix by its rows, each of which can be made
// without the others.
type assembly struct {
	rows, cols int
	length     func(i int) int                // nonzeros of row i
	fill       func(i int, columns []int32)   // the columns of row i, strictly increasing
	value      func(i, j int) (value float64) // of an entry; nil leaves Val out
}

// one is the value of entries that stand for an edge.
func one(i, j int) float64 { return 1 }

// build makes the matrix in two passes over the rows, in parallel: lengths
// first, so that the arrays are allocated once and at their final size.
func (a assembly) build(ctx context.Context) (*sparse.CSR[float64], error) {
	m := &sparse.CSR[float64]{Rows: a.rows, Cols: a.cols, RowPtr: make([]int32, a.rows+1)}
	if err := parallel(ctx, a.rows, func(i int) { m.RowPtr[i+1] = int32(a.length(i)) }); err != nil {
		return nil, err
	}

	nnz := 0
	for i, n := range m.RowPtr {
		nnz += int(n)
		if nnz > sparse.MaxIndex {
			return nil, fmt.Errorf("more than the %d nonzeros that 32-bit indices can hold", sparse.MaxIndex)
		}
		m.RowPtr[i] = int32(nnz)
	}

	m.ColIdx = make([]int32, nnz)
	if a.value != nil {
		m.Val = make([]float64, nnz)
	}
	return m, parallel(ctx, a.rows, func(i int) {
		start, end := m.RowPtr[i], m.RowPtr[i+1]
		columns := m.ColIdx[start:end]
		a.fill(i, columns)
		if a.value != nil {
			for k, j := range columns {
				m.Val[int(start)+k] = a.value(i, int(j))
			}
		}
	})
}

// parallel calls do for 0 to n−1 on all cores and stops early when ctx is done. Which number runs where is random, so do
// must not depend on it.
func parallel(ctx context.Context, n int, do func(i int)) error {
	return panics.Each(ctx, n, func(i int) error {
		do(i)
		return nil
	})
}

// A rowDraw appends the columns of row i to columns, in any order, some of them more than once.
// The row's random numbers are those of s.
type rowDraw func(i int, s *stream, columns []int32) []int32

// An entryValue is the value of an entry; s has the random numbers for values.
type entryValue = func(s source, i, j int) float64

// drawn plans a matrix whose rows are drawn one by one, each of them once. Beside the matrix it
// needs four bytes a nonzero and a row while it runs.
func drawn(v values, s Size, value entryValue, row rowDraw) (plan, error) {
	return prepared(v, s, value, func() rowDraw { return row })
}

// prepared is drawn for rows that need something large, which prepare makes.
func prepared(v values, s Size, value entryValue, prepare func() rowDraw) (plan, error) {
	return plan{s, func(ctx context.Context) (*sparse.CSR[float64], error) {
		return s.draw(ctx, v.seed(), newSource(v.seed(), forValues).of(value), prepare())
	}}, nil
}

// pattern makes a matrix of drawn rows without values.
func (size Size) pattern(v values, row rowDraw) func(context.Context) (*sparse.CSR[float64], error) {
	return func(ctx context.Context) (*sparse.CSR[float64], error) { return size.draw(ctx, v.seed(), nil, row) }
}

// draw makes a matrix of drawn rows.
func (size Size) draw(ctx context.Context, seed uint64, value func(i, j int) float64, row rowDraw) (
	*sparse.CSR[float64], error) {
	const block = 1024 // rows whose columns lie together
	rows := size.Rows
	src := newSource(seed, forStructure)
	blocks := make([][]int32, (rows+block-1)/block)
	end := make([]int32, rows) // of row i in its block
	err := parallel(ctx, len(blocks), func(b int) {
		var columns []int32
		for i := b * block; i < min(rows, (b+1)*block); i++ {
			s, start := src.stream(uint64(i)), len(columns)
			columns = row(i, &s, columns)
			slices.Sort(columns[start:])
			columns = columns[:start+len(slices.Compact(columns[start:]))]
			end[i] = int32(len(columns))
		}
		blocks[b] = slices.Clone(columns)
	})
	if err != nil {
		return nil, err
	}

	of := func(i int) []int32 {
		start := int32(0)
		if i%block != 0 {
			start = end[i-1]
		}
		return blocks[i/block][start:end[i]]
	}
	return assembly{
		rows: rows, cols: size.Cols,
		length: func(i int) int { return len(of(i)) },
		fill:   func(i int, columns []int32) { copy(columns, of(i)) },
		value:  value,
	}.build(ctx)
}

// fromEdges makes a square matrix of n rows, a nonzero for each edge, or two if symmetric. An edge
// that comes more than once counts once.
func fromEdges(ctx context.Context, edges []edge, n int, symmetric bool, seed uint64) (*sparse.CSR[float64], error) {
	start, columns := collect(edges, n, symmetric)
	value := newSource(seed, forValues).value
	if symmetric {
		value = newSource(seed, forValues).symmetricValue
	}
	return square(n, 0).draw(ctx, seed, value, func(i int, _ *stream, row []int32) []int32 {
		return append(row, columns[start[i]:start[i+1]]...)
	})
}

// symmetric makes the symmetric matrix that has the rows of below left of its diagonal, and a
// diagonal entry in the rows that on tells. It needs 16 bytes a row and 4 an entry in addition to
// the matrix.
func symmetric(ctx context.Context, on func(i int) bool, value func(i, j int) float64,
	below func(context.Context) (*sparse.CSR[float64], error)) (*sparse.CSR[float64], error) {
	m, err := below(ctx)
	if err != nil {
		return nil, err
	}
	left, right := rowsOf(m), rowsOf(transposed(m.RowPtr, m.ColIdx, m.Rows))
	return assembly{
		rows: m.Rows, cols: m.Rows,
		length: func(i int) int {
			n := left.length(i) + right.length(i)
			if on(i) {
				n++
			}
			return n
		},
		fill: func(i int, columns []int32) {
			n := left.length(i)
			left.fill(i, columns[:n])
			if on(i) {
				columns[n] = int32(i)
				n++
			}
			right.fill(i, columns[n:])
		},
		value: value,
	}.build(ctx)
}

// transposed returns the transpose of a pattern of n columns.
func transposed(start, columns []int32, n int) *sparse.CSR[float64] {
	t := &sparse.CSR[float64]{Rows: n, Cols: len(start) - 1, RowPtr: make([]int32, n+2), ColIdx: make([]int32, len(columns))}
	for _, j := range columns {
		t.RowPtr[j+2]++
	}
	for i := range n {
		t.RowPtr[i+2] += t.RowPtr[i+1]
	}
	for i := range t.Cols {
		for _, j := range columns[start[i]:start[i+1]] {
			t.ColIdx[t.RowPtr[j+1]] = int32(i)
			t.RowPtr[j+1]++
		}
	}
	t.RowPtr = t.RowPtr[:n+1]
	return t
}

func everywhere(int) bool { return true }

// rowsOf describes a pattern that is there already.
func rowsOf(m *sparse.CSR[float64]) assembly {
	return assembly{
		rows: m.Rows, cols: m.Cols,
		length: func(i int) int { return int(m.RowPtr[i+1] - m.RowPtr[i]) },
		fill:   func(i int, columns []int32) { copy(columns, m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]]) },
	}
}

// blocked plans the matrix that has a dense block of dof by dof, with random values, for each entry of a pattern of that
// size.
func blocked(v values, inner Size, dof int, value entryValue,
	pattern func(context.Context) (*sparse.CSR[float64], error)) (plan, error) {
	size := Size{Rows: inner.Rows * dof, Cols: inner.Cols * dof, NNZ: inner.NNZ * dof * dof}
	return plan{size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		m, err := pattern(ctx)
		if err != nil {
			return nil, err
		}
		a := rowsOf(m)
		return assembly{
			rows: size.Rows, cols: size.Cols,
			length: func(i int) int { return a.length(i/dof) * dof },
			fill: func(i int, columns []int32) {
				start := m.RowPtr[i/dof]
				for k := range len(columns) / dof {
					run(columns[k*dof:k*dof], int(m.ColIdx[int(start)+k])*dof, dof)
				}
			},
			value: newSource(v.seed(), forValues).of(value),
		}.build(ctx)
	}}, nil
}
