package sparse

import "sync/atomic"

// A scan collects what a range of entries says about the pattern of a matrix.
// Scans of parts of the entries can be united in any order.
type scan struct {
	rows           int
	rowPtr, colIdx []int32
	used           []uint32 // a bit per column, shared by all scans of a matrix
	diagonals      []uint32 // a bit per j−i, from −(rows−1) on; shared, too

	largest    int    // |i−j|
	distance   uint64 // sum of |i−j|, below 2⁶²
	span       int    // sum of last − first column of the rows; of part of a row, only one of the two
	profile    int    // sum of the distances from first column to diagonal, where that is right of it
	neighbours int    // pairs of entries next to each other in a row
}

func newScan(rows, cols int, rowPtr, colIdx []int32) *scan {
	return &scan{rows: rows, rowPtr: rowPtr, colIdx: colIdx,
		used: make([]uint32, (cols+31)/32), diagonals: make([]uint32, (rows+cols+31)/32)}
}

// fork returns an empty scan of the same matrix.
func (s *scan) fork() *scan {
	return &scan{rows: s.rows, rowPtr: s.rowPtr, colIdx: s.colIdx, used: s.used, diagonals: s.diagonals}
}

func (s *scan) unite(o *scan) {
	s.largest = max(s.largest, o.largest)
	s.distance += o.distance
	s.span += o.span
	s.profile += o.profile
	s.neighbours += o.neighbours
}

// entries looks at the entries [lo, hi), in whatever rows they lie.
func (s *scan) entries(lo, hi int) {
	if lo >= hi {
		return
	}
	for i := rowOf(s.rowPtr, lo); lo < hi; i++ {
		end := min(int(s.rowPtr[i+1]), hi)
		if lo == end {
			continue
		}
		s.ends(i, lo, end)
		s.row(i, lo, end)
		lo = end
	}
}

// ends looks at the first and the last of the entries [lo, hi) of row i.
func (s *scan) ends(i, lo, hi int) {
	first, last := int(s.colIdx[lo]), int(s.colIdx[hi-1])
	s.largest = max(s.largest, i-first, last-i) // the columns rise
	if lo == int(s.rowPtr[i]) {
		s.span -= first
		s.profile += max(0, i-first)
	} else if int(s.colIdx[lo-1])+1 == first {
		s.neighbours++
	}
	if hi == int(s.rowPtr[i+1]) {
		s.span += last
	}
}

// row looks at each of the entries [lo, hi) of row i. It is one loop, because most
// rows are short.
func (s *scan) row(i, lo, hi int) {
	used, diagonals := s.used, s.diagonals
	distance, neighbours, before := int64(0), 0, int64(-2)
	below := int64(i)              // subtracted, it gives the distance right of the diagonal
	shift := int64(s.rows - 1 - i) // added, it gives the number of the diagonal
	for _, j := range s.colIdx[lo:hi] {
		j := int64(j)
		setBit(used, uint64(j))
		setBit(diagonals, uint64(j+shift))
		d := j - below
		distance += max(d, -d)
		if j == before+1 {
			neighbours++
		}
		before = j
	}
	s.distance += uint64(distance)
	s.neighbours += neighbours
}

// setBit sets a bit. Several goroutines set the same ones; most find them set
// already, which costs them no more than a load.
func setBit(set []uint32, at uint64) {
	word, bit := &set[at>>5], uint32(1)<<(at&31)
	if atomic.LoadUint32(word)&bit == 0 {
		atomic.OrUint32(word, bit)
	}
}
