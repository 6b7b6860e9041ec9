package generate

import (
	"context"
	"slices"

	"spmvtune/sparse"
)

// A rowDraw appends the columns of row i to columns, in any order, some of them more than once.
// The row's random numbers are those of s.
type rowDraw func(i int, s *stream, columns []int32) []int32

// drawn makes a matrix whose rows are drawn one by one, each of them once. Beside the matrix it
// needs four bytes a nonzero and a row while it runs.
func drawn(ctx context.Context, rows, cols int, seed uint64, row rowDraw) (*sparse.CSR[float64], error) {
	return valued(ctx, rows, cols, seed, newSource(seed, forValues).value, row)
}

// valued is drawn with values of its own.
func valued(ctx context.Context, rows, cols int, seed uint64, value func(i, j int) float64, row rowDraw) (
	*sparse.CSR[float64], error) {
	const block = 1024 // rows whose columns lie together
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
	a := assembly{
		rows: rows, cols: cols,
		length: func(i int) int { return len(of(i)) },
		fill:   func(i int, columns []int32) { copy(columns, of(i)) },
		value:  value,
	}

	return a.build(ctx)
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
