// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
)

// A Jagged is the structure of a matrix in slices of at most 32 rows, cut into blocks of R×C
// that begin at any column. A slice holds 32/R block rows. It stores the first block of each of
// them, then the second of those that have one, and so on, so that nothing is padded but what
// blocks lack (jagged diagonals, Saad, SIAM J. Sci. Stat. Comput. 10(6), 1989, cut into slices as
// by Monakov, Lokhmotov and Avetisyan, HiPEAC 2010; blocks as by Im, Yelick and Vuduc, IJHPCA
// 18(1), 2004).
//
// Columns are 16 bits beyond a base of the slice. A slice whose columns lie farther apart has
// the upper 16 bits of each block's column as well.
//
// Note: sorting block rows by length in windows, as SELL-C-σ does, made a product on a mesh slower
// by 4%: what padding would cost is saved anyway.
type Jagged struct {
	Rows, Cols int
	R, C       int // rows and columns of a block
	Blocks     int
	// Heads has two numbers for a slice: how many blocks are before it, and the base of its
	// columns, or −1−w where it is wide: its upper halves begin at place w of Upper.
	Heads   []int32
	Lengths []uint8  // blocks of each block row
	Columns []uint16 // of each block: its column less the base, or its lower half
	Upper   []uint16 // upper halves of the columns of the blocks of wide slices
	// Order has for each stored value the place of its nonzero, −1 for what a block lacks. The
	// values of a slot are stored by columns, or by pairs of columns where C is even: row by row
	// the values of the first pair, then those of the second.
	//
	// Columns and Upper end with a number that means nothing, and Order with 2·R that are −1: a
	// product may read the place of a block behind the last.
	Order []int32
}

const (
	// sliceRows is the most rows of a slice: a lane of a warp for each.
	sliceRows = 32
	// MaxJagged is the most blocks of a block row: lengths are bytes.
	MaxJagged = 255
)

// NewJagged converts m, on all cores, in time linear in rows and nonzeros. r is at most 32.
// A matrix whose blocks have more than most values is refused, before memory
// is allocated for them.
func NewJagged[V Float](m *CSR[V], r, c, most int) (*Jagged, error) {
	if r < 1 || r > sliceRows || c < 1 {
		return nil, fmt.Errorf("blocks of %d×%d are not between 1 and %d rows high", r, c, sliceRows)
	}
	if m.NNZ() > 0 && m.Cols < c {
		return nil, fmt.Errorf("blocks are %d columns wide, the matrix has %d", c, m.Cols)
	}

	j := &Jagged{Rows: m.Rows, Cols: m.Cols, R: r, C: c}
	var err error
	if j.Lengths, err = countBlocks(m, r, c); err != nil {
		return nil, err
	}
	for _, n := range j.Lengths {
		j.Blocks += int(n)
	}
	if values := j.Blocks * r * c; values > min(most, MaxIndex) {
		return nil, fmt.Errorf("blocks of %d×%d have %d values for %d nonzeros, more than the %d allowed",
			r, c, values, m.NNZ(), min(most, MaxIndex))
	}

	j.Upper = make([]uint16, j.outline(m.RowPtr, m.ColIdx)+1)
	j.Columns, j.Order = make([]uint16, j.Blocks+1), make([]int32, j.Blocks*r*c+2*r)
	for i := range 2 * r {
		j.Order[j.Blocks*r*c+i] = -1
	}
	panics.Parts(j.Slices(), workers(j.Blocks), func(_, lo, hi int) {
		s := newBlockScan(m, r, c)
		for h := lo; h < hi; h++ {
			fillSlice(j, s, h)
		}
	})
	return j, nil
}

// Group returns how many block rows a slice holds.
func (j *Jagged) Group() int { return sliceRows / j.R }

// Slices returns the number of slices.
func (j *Jagged) Slices() int { return len(j.Heads) / 2 }

// countBlocks returns the number of blocks of each block row.
func countBlocks[V Float](m *CSR[V], r, c int) ([]uint8, error) {
	lengths := make([]uint8, (m.Rows+r-1)/r)
	var longest atomic.Int64
	panics.Parts(len(lengths), workers(m.NNZ()), func(_, lo, hi int) {
		s := newBlockScan(m, r, c)
		for b := lo; b < hi && longest.Load() == 0; b++ {
			n := s.count(b)
			if n > MaxJagged {
				longest.Store(int64(n))
				return
			}
			lengths[b] = uint8(n)
		}
	})

	if n := longest.Load(); n > 0 {
		return nil, fmt.Errorf("there are rows of %d blocks of %d×%d: at most %d are possible", n, r, c, MaxJagged)
	}
	return lengths, nil
}

// A blockScan goes through a block row from left to right.
type blockScan[V Float] struct {
	m    *CSR[V]
	r, c int
	// Of each row of the block row, the nonzeros that are left.
	at, end [sliceRows]int32
	rows    int
	from    int32 // first column that the current block holds and the one before does not
}

func newBlockScan[V Float](m *CSR[V], r, c int) *blockScan[V] { return &blockScan[V]{m: m, r: r, c: c} }

// begin goes to the begin of block row b.
func (s *blockScan[V]) begin(b int) {
	first := b * s.r
	s.rows = min(s.r, s.m.Rows-first)
	for i := range s.rows {
		s.at[i], s.end[i] = s.m.RowPtr[first+i], s.m.RowPtr[first+i+1]
	}
}

// next returns the column at which the next block begins: that of the first nonzero that no
// block holds, but no block reaches beyond the matrix.
func (s *blockScan[V]) next() (column int32, ok bool) {
	s.from = MaxIndex
	for i := range s.rows {
		if s.at[i] < s.end[i] {
			s.from, ok = min(s.from, s.m.ColIdx[s.at[i]]), true
		}
	}
	return min(s.from, int32(s.m.Cols-s.c)), ok
}

// take moves row i past its nonzeros in the block at column.
func (s *blockScan[V]) take(i int, column int32) {
	for s.at[i] < s.end[i] && s.m.ColIdx[s.at[i]]-column < int32(s.c) {
		s.at[i]++
	}
}

// count returns the number of blocks of block row b.
func (s *blockScan[V]) count(b int) int {
	n := 0
	for s.begin(b); ; n++ {
		column, ok := s.next()
		if !ok {
			return n
		}
		for i := range s.rows {
			s.take(i, column)
		}
	}
}

// outline writes Heads, and returns how many blocks are in wide slices.
func (j *Jagged) outline(rowPtr, colIdx []int32) int {
	group, rows := j.Group(), len(j.Lengths)
	j.Heads = make([]int32, 2*((rows+group-1)/group))
	panics.Parts(j.Slices(), workers(len(j.Lengths)), func(_, lo, hi int) {
		for h := lo; h < hi; h++ {
			first, last := j.span(rowPtr, colIdx, h)
			j.Heads[2*h+1] = first
			if last-first >= 1<<16 {
				j.Heads[2*h+1] = -1
			}
		}
	})

	blocks, wide := 0, 0
	for h := range j.Slices() {
		j.Heads[2*h] = int32(blocks)
		own := 0
		for _, n := range j.Lengths[h*group : min((h+1)*group, rows)] {
			own += int(n)
		}
		blocks += own
		if j.Heads[2*h+1] < 0 {
			j.Heads[2*h+1] = int32(-1 - wide)
			wide += own
		}
	}
	return wide
}

// span returns the first column at which a block of slice h may begin, and the last.
func (j *Jagged) span(rowPtr, colIdx []int32, h int) (first, last int32) {
	first = MaxIndex
	group := j.Group()
	for b := h * group; b < min((h+1)*group, len(j.Lengths)); b++ {
		for i := b * j.R; i < min((b+1)*j.R, j.Rows); i++ {
			if lo, hi := rowPtr[i], rowPtr[i+1]; lo < hi {
				first, last = min(first, colIdx[lo]), max(last, colIdx[hi-1])
			}
		}
	}
	if first > last { // there are no nonzeros
		return 0, 0
	}
	return max(0, min(first, int32(j.Cols-j.C))), last
}

// fillSlice writes the blocks of slice h.
func fillSlice[V Float](j *Jagged, s *blockScan[V], h int) {
	var start, active [MaxJagged + 1]int // of each slot: its first block, and its blocks
	group := j.Group()
	lo, hi := h*group, min((h+1)*group, len(j.Lengths))
	for _, n := range j.Lengths[lo:hi] {
		for k := range n {
			active[k]++
		}
	}
	start[0] = int(j.Heads[2*h])
	for k := 0; active[k] > 0; k++ {
		start[k+1] = start[k] + active[k]
	}

	var rank [MaxJagged]int // of the current block row among those of a slot
	for b := lo; b < hi; b++ {
		s.begin(b)
		for k := range int(j.Lengths[b]) {
			column, _ := s.next()
			j.putColumn(h, start[k]+rank[k], column)
			putBlock(j, s, column, start[k]*j.R*j.C, rank[k], active[k])
			rank[k]++
		}
	}
}

// putColumn writes the column of a block of slice h.
func (j *Jagged) putColumn(h, block int, column int32) {
	if base := j.Heads[2*h+1]; base >= 0 {
		j.Columns[block] = uint16(column - base)
		return
	}
	j.Columns[block] = uint16(column)
	j.Upper[block-int(j.Heads[2*h])-int(j.Heads[2*h+1])-1] = uint16(column >> 16)
}

// putBlock writes the values of a block: the rank-th of the active blocks of a slot, whose first
// value is at first.
func putBlock[V Float](j *Jagged, s *blockScan[V], column int32, first, rank, active int) {
	width := j.Vector()
	next := active*j.R*width - width + 1 // from the last value of a vector to the next vector of the row
	clear(s.at[s.rows:j.R])              // beyond the last row there is nothing
	clear(s.end[s.rows:j.R])
	for i := range j.R {
		k, end := s.at[i], s.end[i]
		at := first + (rank*j.R+i)*width
		for c := range j.C {
			nonzero := int32(-1)
			if k < end && s.m.ColIdx[k]-column == int32(c) {
				nonzero = k
				k++
			}
			j.Order[at] = nonzero
			if at++; c%width == width-1 {
				at += next - 1
			}
		}
		s.at[i] = k
	}
}

// Vector returns how many values of a row lie side by side: those that a lane loads at once.
func (j *Jagged) Vector() int { return 2 - j.C%2 }
