package generate

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

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

// plan plans a, which has this many nonzeros.
func (a assembly) plan(nnz int) (plan, error) { return plan{Size{a.rows, a.cols, nnz}, a.build}, nil }

// mirrored plans the symmetric matrix of a (see symmetric), which has this many nonzeros.
func (a assembly) mirrored(nnz int, on func(i int) bool) (plan, error) {
	return plan{Size{a.rows, a.cols, nnz}, func(ctx context.Context) (*sparse.CSR[float64], error) {
		return a.symmetric(ctx, on)
	}}, nil
}

// build makes the matrix in two passes over the rows, in parallel: lengths
// first, so that the arrays are allocated once and at their final size.
func (a assembly) build(ctx context.Context) (*sparse.CSR[float64], error) {
	m := &sparse.CSR[float64]{Rows: a.rows, Cols: a.cols, RowPtr: make([]int32, a.rows+1)}
	err := parallel(ctx, a.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.RowPtr[i+1] = int32(a.length(i))
		}
	})
	if err != nil {
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
	err = parallel(ctx, a.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			start, end := m.RowPtr[i], m.RowPtr[i+1]
			columns := m.ColIdx[start:end]
			a.fill(i, columns)
			if a.value != nil {
				for k, j := range columns {
					m.Val[int(start)+k] = a.value(i, int(j))
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}

	return m, nil
}

// visited describes a matrix by a function that calls visit for the columns of a row, increasing.
func visited(rows, cols int, each func(i int, visit func(j int)), value func(i, j int) float64) assembly {
	return assembly{
		rows: rows, cols: cols,
		length: func(i int) (count int) {
			each(i, func(int) { count++ })
			return count
		},
		fill: func(i int, columns []int32) {
			k := 0
			each(i, func(j int) {
				columns[k] = int32(j)
				k++
			})
		},
		value: value,
	}
}

// parallel calls do for pieces of [0, n) on all cores and stops early when ctx is done. Which
// piece runs where is random, so do must not depend on it.
func parallel(ctx context.Context, n int, do func(lo, hi int)) error {
	workers := runtime.GOMAXPROCS(0)
	// Small enough to balance uneven rows and to notice ctx, large enough that
	// taking a piece costs nothing.
	piece := max(1, min(4096, n/(8*workers)))
	var taken atomic.Int64
	g, ctx := panics.NewGroup(ctx)

	for range workers {
		g.Go(func() error {
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				lo := int(taken.Add(int64(piece))) - piece
				if lo >= n {
					return nil
				}
				do(lo, min(lo+piece, n))
			}
		})
	}

	return g.Wait()
}

// A rowDraw appends the columns of row i to columns, in any order, some of them more than once.
// The row's random numbers are those of s.
type rowDraw func(i int, s *stream, columns []int32) []int32

// drawn plans a matrix whose rows are drawn one by one, each of them once. Beside the matrix it
// needs four bytes a nonzero and a row while it runs.
func drawn(v values, s Size, row rowDraw) (plan, error) {
	return prepared(v, s, source.value, func() rowDraw { return row })
}

// drawnSymmetric is drawn where mirror images have the same value.
func drawnSymmetric(v values, s Size, row rowDraw) (plan, error) {
	return prepared(v, s, source.symmetricValue, func() rowDraw { return row })
}

// prepared is drawn for rows that need something large, which prepare makes.
func prepared(v values, s Size, value func(s source, i, j int) float64, prepare func() rowDraw) (plan, error) {
	return plan{s, func(ctx context.Context) (*sparse.CSR[float64], error) {
		return s.draw(ctx, v.seed(), newSource(v.seed(), forValues).of(value), prepare())
	}}, nil
}

// draw makes a matrix of drawn rows.
func (size Size) draw(ctx context.Context, seed uint64, value func(i, j int) float64, row rowDraw) (
	*sparse.CSR[float64], error) {
	const block = 1024 // rows whose columns lie together
	rows := size.Rows
	src := newSource(seed, forStructure)
	blocks := make([][]int32, (rows+block-1)/block)
	end := make([]int32, rows) // of row i in its block
	err := parallel(ctx, len(blocks), func(lo, hi int) {
		for b := lo; b < hi; b++ {
			var columns []int32
			for i := b * block; i < min(rows, (b+1)*block); i++ {
				s, start := src.stream(uint64(i)), len(columns)
				columns = row(i, &s, columns)
				slices.Sort(columns[start:])
				columns = columns[:start+len(slices.Compact(columns[start:]))]
				end[i] = int32(len(columns))
			}
			blocks[b] = columns
		}
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
	length := make([]int32, n)
	err := parallel(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := columns[start[i]:start[i+1]]
			slices.Sort(row)
			length[i] = int32(len(slices.Compact(row)))
		}
	})
	if err != nil {
		return nil, err
	}

	src := newSource(seed, forValues)
	value := src.value
	if symmetric {
		value = src.symmetricValue
	}

	a := assembly{
		rows: n, cols: n,
		length: func(i int) int { return int(length[i]) },
		fill:   func(i int, out []int32) { copy(out, columns[start[i]:]) },
		value:  value,
	}
	return a.build(ctx)
}

// symmetric makes the symmetric matrix that has these rows left of its diagonal, and a
// diagonal entry in the rows that on tells. It needs 8 bytes a row and 2 an entry in addition to
// the matrix.
func (a assembly) symmetric(ctx context.Context, on func(i int) bool) (*sparse.CSR[float64], error) {
	value := a.value
	a.value = nil
	below, err := a.build(ctx)
	if err != nil {
		return nil, err
	}

	m, err := mirror(ctx, below.RowPtr, below.ColIdx, on)
	if err != nil || value == nil {
		return m, err
	}
	m.Val = make([]float64, m.NNZ())
	err = parallel(ctx, m.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
				m.Val[k] = value(i, int(m.ColIdx[k]))
			}
		}
	})
	return m, err
}

func everywhere(int) bool { return true }

// rowsOf describes a pattern that is there already.
func rowsOf(m *sparse.CSR[float64]) assembly {
	return assembly{
		rows: m.Rows, cols: m.Cols,
		length: func(i int) int { return int(m.RowPtr[i+1] - m.RowPtr[i]) },
		fill:   func(i int, columns []int32) { copy(columns, m.ColIdx[m.RowPtr[i]:]) },
	}
}

// blocks has a dense block of dof by dof for each entry of a.
func (a assembly) blocks(dof int) assembly {
	return assembly{
		rows: a.rows * dof, cols: a.cols * dof,
		length: func(i int) int { return a.length(i/dof) * dof },
		fill: func(i int, columns []int32) {
			a.fill(i/dof, columns[:len(columns)/dof])
			for k := len(columns)/dof - 1; k >= 0; k-- { // backwards, so that none is overwritten before it is read
				run(columns[k*dof:k*dof], int(columns[k])*dof, dof)
			}
		},
		value: a.value,
	}
}

// blocked plans the matrix that has a dense block of dof by dof, with random values, for each entry of a pattern of that
// size.
func blocked(v values, inner Size, dof int, value func(s source, i, j int) float64,
	pattern func(context.Context) (*sparse.CSR[float64], error)) (plan, error) {
	size := Size{Rows: inner.Rows * dof, Cols: inner.Cols * dof, NNZ: inner.NNZ * dof * dof}
	return plan{size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		m, err := pattern(ctx)
		if err != nil {
			return nil, err
		}
		a := rowsOf(m).blocks(dof)
		a.value = newSource(v.seed(), forValues).of(value)
		return a.build(ctx)
	}}, nil
}

// mirror makes the symmetric matrix whose rows have the columns given left of the diagonal, and
// diagonal entries in those that on tells. It needs 8 bytes a row in addition to its input and
// the matrix.
func mirror(ctx context.Context, start, columns []int32, on func(i int) bool) (*sparse.CSR[float64], error) {
	n := len(start) - 1
	above, err := countAbove(ctx, start, columns)
	if err != nil {
		return nil, err
	}

	m := &sparse.CSR[float64]{Rows: n, Cols: n, RowPtr: make([]int32, n+1)}
	for i := range n {
		length := start[i+1] - start[i] + above[i]
		if on(i) {
			length++
		}
		m.RowPtr[i+1] = m.RowPtr[i] + length
		above[i] = m.RowPtr[i+1] - above[i] // from here on where the next goes
	}

	m.ColIdx = make([]int32, m.RowPtr[n])
	err = parallel(ctx, n, func(lo, hi int) {
		var first []int32
		for i := lo; i < hi; i++ {
			row := columns[start[i]:start[i+1]]
			at := m.RowPtr[i] + int32(copy(m.ColIdx[m.RowPtr[i]:], row))
			if on(i) {
				m.ColIdx[at] = int32(i)
			}

			for _, j := range row {
				if j == 0 {
					first = append(first, int32(i))
				} else {
					m.ColIdx[atomic.AddInt32(&above[j], 1)-1] = int32(i)
				}
			}
		}

		if len(first) > 0 {
			copy(m.ColIdx[int(atomic.AddInt32(&above[0], int32(len(first))))-len(first):], first)
		}
	})
	if err != nil {
		return nil, err
	}

	err = parallel(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			below := m.RowPtr[i] + start[i+1] - start[i]
			sortRow(m.ColIdx[below:m.RowPtr[i+1]], n)
		}
	})
	return m, err
}

// countAbove counts the entries above the diagonal, by row. Counting and scattering them in
// any order is allowed, because rows are sorted later. The first row, where a hub is, is
// counted piece by piece.
func countAbove(ctx context.Context, start, columns []int32) ([]int32, error) {
	above := make([]int32, len(start)-1)
	err := parallel(ctx, len(above), func(lo, hi int) {
		first := int32(0)
		for _, j := range columns[start[lo]:start[hi]] {
			if j == 0 {
				first++
			} else {
				atomic.AddInt32(&above[j], 1)
			}
		}
		if first > 0 {
			atomic.AddInt32(&above[0], first)
		}
	})
	return above, err
}

// sortRow sorts distinct columns, below n; very many of them by a bit for each column.
func sortRow(row []int32, n int) {
	if len(row) < 1<<16 || len(row) < n/64 {
		slices.Sort(row)
		return
	}
	there := make([]uint64, n/64+1)
	for _, j := range row {
		there[j>>6] |= 1 << (j & 63)
	}

	k := 0
	for w, word := range there {
		for ; word != 0; word &= word - 1 {
			row[k] = int32(w<<6 | bits.TrailingZeros64(word))
			k++
		}
	}
}
