// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"

	"example.org/spmvtune/internal/base/panics"
)

// A BSR is the structure of a matrix in square blocks that begin at multiples of their size, as
// libraries take it. Each block row has its blocks from left to right, and a block its values
// row by row.
type BSR struct {
	Size    int     // rows and columns of a block
	Starts  []int32 // blocks before each block row, and all of them
	Columns []int32 // first column of each block, in blocks
	Order   []int32 // of each stored value, the place of its nonzero; −1 for what a block lacks
}

// NewBSR converts m, on all cores, in time linear in rows, nonzeros and stored values. A matrix whose
// blocks have more than most values is refused, before memory is allocated for them; so is one
// whose rows and columns are not multiples of size.
func NewBSR[V Float](m *CSR[V], size, most int) (*BSR, error) {
	if size < 1 || size > sliceRows {
		return nil, fmt.Errorf("blocks of %d×%d are not between 1 and %d rows high", size, size, sliceRows)
	}
	if m.Rows%size != 0 || m.Cols%size != 0 {
		return nil, fmt.Errorf("%d×%d is not a multiple of blocks of %d×%d", m.Rows, m.Cols, size, size)
	}

	b := &BSR{Size: size, Starts: make([]int32, m.Rows/size+1)}
	panics.Parts(m.Rows/size, workers(m.NNZ()), func(_, lo, hi int) {
		s := newBlockScan(m, size, size)
		for row := lo; row < hi; row++ {
			s.aligned(row, func(column int32) {
				b.Starts[row+1]++
				for i := range size {
					s.take(i, column)
				}
			})
		}
	})

	blocks := 0
	for row, n := range b.Starts {
		if blocks += int(n); blocks*size*size > min(most, MaxIndex) {
			return nil, fmt.Errorf("blocks of %d×%d have more values than the %d allowed for %d nonzeros", size, size,
				min(most, MaxIndex), m.NNZ())
		}
		b.Starts[row] = int32(blocks)
	}

	b.Columns, b.Order = make([]int32, blocks), make([]int32, blocks*size*size)
	panics.Parts(m.Rows/size, workers(len(b.Order)), func(_, lo, hi int) {
		s := newBlockScan(m, size, size)
		for row := lo; row < hi; row++ {
			fillBlockRow(b, s, row)
		}
	})
	return b, nil
}

// aligned gives f the first column of each block of block row b. f takes what is in it.
func (s *blockScan[V]) aligned(b int, f func(column int32)) {
	s.begin(b)
	for column, ok := s.next(); ok; column, ok = s.next() {
		f(column - column%int32(s.c))
	}
}

// fillBlockRow writes the blocks of a block row.
func fillBlockRow[V Float](b *BSR, s *blockScan[V], row int) {
	at := int(b.Starts[row])
	s.aligned(row, func(column int32) {
		b.Columns[at] = column / int32(b.Size)
		values := b.Order[at*b.Size*b.Size:][:b.Size*b.Size]
		for i := range values {
			values[i] = -1
		}
		for i := range b.Size {
			from := s.at[i]
			s.take(i, column)
			for k := from; k < s.at[i]; k++ {
				values[i*b.Size+int(s.m.ColIdx[k]-column)] = k
			}
		}
		at++
	})
}
