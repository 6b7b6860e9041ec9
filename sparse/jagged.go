package sparse

import (
	"fmt"
	"sync/atomic"
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
	eachPart(j.Blocks, func(part, parts int) {
		s := newBlockScan(m, r, c)
		lo, hi := share(j.Slices(), part, parts)
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
	eachPart(m.NNZ(), func(part, parts int) {
		s := newBlockScan(m, r, c)
		lo, hi := share(len(lengths), part, parts)
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
