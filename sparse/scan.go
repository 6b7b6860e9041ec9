package sparse

import "slices"

// A scan collects what a range of entries, and the rows that begin in it, say about the
// lengths of rows and the pattern of a matrix.
type scan struct {
	rowPtr, colIdx []int32

	// Of rows with entries, by their lengths and ends.
	lengths lengths
	rows    int
	largest int // |i−j|
	span    int // sum of last − first column
	profile int // sum of the distances from first column to diagonal, where that is right of it

	// Of entries.
	used       marks // columns
	diagonals  marks // j−i, from −(rows−1) on
	distance   int   // sum of |i−j|, below 2⁶²
	neighbours int   // pairs next to each other in a row
}

// scanners is the number of scans that a matrix is shared out to: their marks take no
// more memory than the columns of its entries and one scan's.
func scanners(rows, cols, nnz int) int {
	return min(workers(rows+nnz), 1+4*nnz/(rows+2*cols+1))
}

func newScan(rows, cols int, rowPtr, colIdx []int32) *scan {
	return &scan{rowPtr: rowPtr, colIdx: colIdx, used: newMarks(cols), diagonals: newMarks(rows + cols)}
}

// look visits the entries [lo, hi), in any rows, and the rows that begin there. It alternates
// between the rows of some entries and those entries, so that each comes from memory once.
func (s *scan) look(lo, hi int) {
	const some = 1 << 14
	for lo < hi {
		end := min(lo+some, hi)
		s.beginning(lo, end)
		s.entries(lo, end)
		lo = end
	}
}

// beginning visits the lengths and both ends of the rows that begin in [lo, hi).
func (s *scan) beginning(lo, hi int) {
	i, _ := slices.BinarySearch(s.rowPtr, int32(lo))
	for ; int(s.rowPtr[i]) < hi; i++ {
		start, end := s.rowPtr[i], s.rowPtr[i+1]
		if start == end {
			continue
		}
		first, last := int(s.colIdx[start]), int(s.colIdx[end-1])
		s.rows++
		s.lengths.add(end - start)

		s.largest = max(s.largest, i-first, last-i) // the columns rise
		s.span += last - first
		s.profile += max(0, i-first)
	}
}

// entries visits each of the entries [lo, hi); there is at least one.
func (s *scan) entries(lo, hi int) {
	i := rowOf(s.rowPtr, lo)
	before := int32(-2) // the column before, in the same row
	if lo > int(s.rowPtr[i]) {
		before = s.colIdx[lo-1]
	}

	used, distance, neighbours := s.used, 0, 0
	for ; lo < hi; i++ {
		end := min(int(s.rowPtr[i+1]), hi)
		diagonals := s.diagonals[len(s.rowPtr)-2-i:] // from j = 0 on
		row := int32(i)
		for _, j := range s.colIdx[lo:end] {
			used[j], diagonals[j] = 1, 1
			distance += int(max(j-row, row-j))
			if j == before+1 {
				neighbours++
			}
			before = j
		}
		lo, before = end, -2
	}

	s.distance += distance
	s.neighbours += neighbours
}

// add adds what o knows, but for its marks.
func (s *scan) add(o *scan) {
	s.lengths.unite(&o.lengths)
	s.rows += o.rows
	s.largest = max(s.largest, o.largest)
	s.span += o.span
	s.profile += o.profile
	s.distance += o.distance
	s.neighbours += o.neighbours
}
