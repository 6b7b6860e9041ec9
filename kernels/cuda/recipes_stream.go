// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"sort"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
)

// streamRecipe leaves the matrix as it is, and cuts its rows into a part for each block.
func streamRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	s, _ := pack(m, "starts", func() (*rowStarts, error) { return newRowStarts(m.RowPtr), nil })
	r, _ := pack(m, fmt.Sprint("ranges ", c.Grid, c.Block), func() (*ranges, error) {
		return cutStream(s.start, c.Grid, c.Block/warp), nil
	})
	return &recipe{Steps: []step{configStep(c, c.Kernel, 0, ptr(colIdx), ptr(val), ints("stream_marks", s.marks), num(m.NNZ()),
		ints("stream_begin", r.begin), ints("stream_started", r.started), num(r.parts), ints("stream_rows", s.row),
		ints("stream_empty", s.empty), num(len(s.empty)), ptr(vecX), ptr(vecY), kept)}}, nil
}

// rowStarts are the rows of a matrix that have nonzeros.
type rowStarts struct {
	start []int32 // the first nonzero of each, and at the end the number of nonzeros
	row   []int32 // the number of each; empty if all rows have nonzeros
	empty []int32 // the numbers of the others
	marks []int32 // bit k of element i is set if nonzero 32i+k is the first of its row
}

// newRowStarts lists the rows of a matrix with these row pointers.
func newRowStarts(rowPtr []int32) *rowStarts {
	rows := len(rowPtr) - 1
	s := &rowStarts{marks: make([]int32, ceilDiv(int(rowPtr[rows]), 32))}
	parts := shares(rows, fewSteps)
	full := make([]int, parts+1) // rows with nonzeros in the parts before
	panics.Parts(rows, parts, func(part, lo, hi int) {
		for i := lo; i < hi; i++ {
			if at := rowPtr[i]; at < rowPtr[i+1] {
				full[part+1]++
				atomic.OrInt32(&s.marks[at/32], 1<<(at%32))
			}
		}
	})
	for part := range parts {
		full[part+1] += full[part]
	}
	if full[parts] == rows {
		s.start = rowPtr
		return s
	}

	s.start, s.row = make([]int32, full[parts]+1), make([]int32, full[parts])
	s.empty = make([]int32, rows-full[parts])
	s.start[full[parts]] = rowPtr[rows]
	panics.Parts(rows, parts, func(part, lo, hi int) {
		k := full[part]
		for i := lo; i < hi; i++ {
			if rowPtr[i] == rowPtr[i+1] {
				s.empty[i-k] = int32(i)
				continue
			}
			s.start[k], s.row[k] = rowPtr[i], int32(i)
			k++
		}
	})
	return s
}

// ranges are the parts of a stream, and in them a range for each warp of a block.
type ranges struct {
	parts   int
	begin   []int32 // the first nonzero of each range, and at the end the number of nonzeros
	started []int32 // the rows with nonzeros that begin before it
}

// cutStream cuts nonzeros into at most `most` parts of about equal length, and every part into a range
// for each warp. A part begins and ends with a row; start is that of rowStarts.
func cutStream(start []int32, most, warps int) *ranges {
	r := &ranges{}
	last := len(start) - 1
	nnz, parts, row := int(start[last]), min(most, last), 0
	for i := range parts {
		next := last
		if i < parts-1 {
			ideal := int(int64(nnz) * int64(i+1) / int64(parts))
			next = row + lowerBound(start[row:last], ideal)
			if next > row && int(start[next])-ideal > ideal-int(start[next-1]) {
				next--
			}
		}
		r.add(start, row, next, warps)
		row = next
	}
	r.begin = append(r.begin, int32(nnz))
	return r
}

// add appends a part of the rows from first up to last. Its ranges begin at multiples of 8, but
// for the first.
func (r *ranges) add(start []int32, first, last, warps int) {
	const take = 8 // TAKE of csr_stream.cu
	lo, hi := int(start[first]), int(start[last])
	aligned := lo / take * take
	length := ceilDiv(ceilDiv(hi-aligned, warps), take) * take
	row := first
	for w := range warps {
		begin := min(max(lo, aligned+w*length), hi)
		row += lowerBound(start[row:last], begin)
		r.begin = append(r.begin, int32(begin))
		r.started = append(r.started, int32(row))
	}
	r.parts++
}

// lowerBound is the first element of sorted that is at least n; len(sorted) if there is none.
func lowerBound(sorted []int32, n int) int {
	return sort.Search(len(sorted), func(i int) bool { return int(sorted[i]) >= n })
}
