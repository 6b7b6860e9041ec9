package cuda

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"

	"spmvtune/kernels"
)

// The arrays of csr_stream.cu beyond those every problem has.
const (
	streamMarks   = "stream_marks"
	streamBegin   = "stream_begin"
	streamStarted = "stream_started"
	streamRow     = "stream_rows"
	streamEmpty   = "stream_empty"
)

// streamDoubleBlock is the most threads of a block in float64, where two turns of a thread
// take more registers than a block of 1024 leaves.
const streamDoubleBlock = 768

// streamRecipe leaves the matrix as it is, and cuts its rows into a part for each block.
func streamRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	if c.Precision == kernels.Float64 && c.Block > streamDoubleBlock {
		return nil, invalid("block is %d; in float64 it must be at most %d, which the registers of a thread allow", c.Block,
			streamDoubleBlock)
	}
	type rowsKey struct{}
	type key struct{ grid, block int }
	s := pack(m, rowsKey{}, func() (*rowStarts, int64) { s := newRowStarts(m.RowPtr); return s, s.bytes() })
	r := pack(m, key{c.Grid, c.Block}, func() (*ranges, int64) {
		r := cutStream(s.start, c.Grid, c.Block/warp)
		return r, r.bytes()
	})

	main := step{Entry: c.Kernel, Grid: c.Grid, Block: c.Block,
		Args: []arg{ptr(colIdx), ptr(val), ptr(streamMarks), num(m.NNZ()), ptr(streamBegin), ptr(streamStarted),
			num(r.parts), ptr(streamRow), ptr(streamEmpty), num(len(s.empty)), ptr(vecX), ptr(vecY)}}
	return &recipe{
		Aux: []aux{
			{Name: streamMarks, Ints: s.marks}, {Name: streamBegin, Ints: r.begin}, {Name: streamStarted, Ints: r.started},
			{Name: streamRow, Ints: s.row}, {Name: streamEmpty, Ints: s.empty},
		},
		Steps: []step{main},
	}, nil
}

// rowStarts are the rows of a matrix that have nonzeros.
type rowStarts struct {
	start []int32 // the first nonzero of each, and at the end the number of nonzeros
	row   []int32 // the number of each; empty if all rows have nonzeros
	empty []int32 // the numbers of the others
	marks []int32 // bit k of element i is set if nonzero 32i+k is the first of its row
}

func (s *rowStarts) bytes() int64 {
	return 4 * int64(len(s.start)+len(s.row)+len(s.empty)+len(s.marks))
}

// newRowStarts lists the rows of a matrix with these row pointers.
func newRowStarts(rowPtr []int32) *rowStarts {
	rows := len(rowPtr) - 1
	s := &rowStarts{marks: make([]int32, ceilDiv(int(rowPtr[rows]), 32)), row: []int32{}, empty: []int32{}}
	parts := shares(rows)
	full := make([]int, parts+1) // rows with nonzeros in the parts before
	eachShare(rows, parts, func(part, lo, hi int) {
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
	eachShare(rows, parts, func(part, lo, hi int) {
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

func (r *ranges) bytes() int64 { return 4 * int64(len(r.begin)+len(r.started)) }

// cutStream cuts nonzeros into at most `most` parts of about equal length, and every part into a range
// for each warp. A part begins and ends with a row; start is that of rowStarts.
func cutStream(start []int32, most, warps int) *ranges {
	r := &ranges{begin: []int32{}, started: []int32{}}
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

// shares is how many parts some steps are shared out to; few steps stay with the caller.
func shares(steps int) int {
	if steps < 1e5 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// eachShare calls f for nearly equal parts of [0, n), all at the same time, and waits.
func eachShare(n, parts int, f func(part, lo, hi int)) {
	var wg sync.WaitGroup
	for part := range parts {
		wg.Go(func() { f(part, n*part/parts, n*(part+1)/parts) })
	}
	wg.Wait()
}
