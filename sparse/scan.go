// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
)

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

// Marks are a set of numbers: a byte for each, 0 or 1. Marking a byte is one store that waits
// for nothing, while a bit would wait for its neighbours in the same word. Each goroutine has
// its own set and needs no atomic operations.
type marks []byte

// newMarks returns an empty set of numbers below n.
func newMarks(n int) marks { return make(marks, (n+7)/8*8) }

// union counts the numbers that are in any of some sets of one size.
func union(sets []marks) int {
	var total atomic.Int64
	words := len(sets[0]) / 8
	panics.Parts(words, workers(words*len(sets)), func(_, lo, hi int) {
		n := 0
		for at := 8 * lo; at < 8*hi; at += 8 {
			var word uint64
			for _, m := range sets {
				word |= binary.NativeEndian.Uint64(m[at:])
			}
			n += bits.OnesCount64(word)
		}
		total.Add(int64(n))
	})

	return int(total.Load())
}

// Two features cost several products if every entry is looked at. Where there are
// many entries, they are estimated from a sample that depends on nothing but the
// size of the matrix: one row, or entry, at random of each of some equal ranges.
const (
	// exactBelow is the number of entries up to which all of them are looked at.
	exactBelow = 1 << 12
	// pieceSize is how much of a long row is looked at, in one piece.
	pieceSize = 8
)

// sampleSize is how many rows, or entries, of a matrix with that many entries are looked
// at, so few that they cost a fraction of a product, and how many entries of a row. Where
// that is not all, count bounds the standard error of a mean of numbers from 0 to 1 by
// 1/(2·√1024) < 0.016 and, from two million entries on, by half of that.
func sampleSize(nnz int) (count, piece int) {
	if nnz <= exactBelow {
		return MaxIndex, MaxIndex
	}
	return min(max(1<<10, nnz/512), 1<<12), pieceSize
}

// pick returns a number in the n-th of count ranges that [0, total) is divided in;
// count = total gives all of them.
func pick(total, n, count int) int {
	lo, hi := total*n/count, total*(n+1)/count
	return lo + random(uint32(n), hi-lo)
}

// random returns a number in [0, n).
func random(seed uint32, n int) int { return int(uint64(scramble(seed)) * uint64(n) >> 32) }

// scramble permutes the 32-bit numbers pseudorandomly (the finalizer of MurmurHash3, Appleby
// 2011).
func scramble(x uint32) uint32 {
	x++
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// rowSimilarity is Features.RowSimilarity, of count rows and a piece of each.
func rowSimilarity(rowPtr, colIdx []int32, count, piece int) float64 {
	rows := len(rowPtr) - 1
	count = min(rows, count)
	// Shares are summed in units of 2⁻³², rounded down, so that the order of the
	// sum does not matter. It stays below 2⁶³.
	var sum, full atomic.Uint64
	panics.Parts(count, workers(50*count), func(_, lo, hi int) {
		var mySum, myFull uint64
		for n := lo; n < hi; n++ {
			i := pick(rows, n, count)
			start, end := int(rowPtr[i]), int(rowPtr[i+1])
			if start == end {
				continue
			}

			myFull++
			length, next := min(piece, end-start), nextRow(rowPtr, colIdx, i)
			// A piece beyond the end goes on at the start, so that no entry is more
			// likely to be in it than another.
			at := start + random(^uint32(n), end-start)
			over := max(0, at+length-end)
			near := similar(colIdx[at:at+length-over], next) + similar(colIdx[start:start+over], next)
			mySum += uint64(near) << 32 / uint64(length)
		}

		sum.Add(mySum)
		full.Add(myFull)
	})

	return ratio(sum.Load(), 0x1p32*float64(full.Load()))
}

// nextRow returns the columns of the next row after i that is not empty, or none.
func nextRow(rowPtr, colIdx []int32, i int) []int32 {
	end := int(rowPtr[i+1])
	if end == len(colIdx) {
		return nil
	}
	return colIdx[end:rowPtr[rowOf(rowPtr, end)+1]]
}

// similar counts the columns in a that have one of b at most 1 away.
func similar(a, b []int32) int {
	if len(a) == 0 {
		return 0
	}
	from, _ := slices.BinarySearch(b, a[0]-1)
	b = b[from:]
	count, k := 0, 0

	for _, j := range a {
		for k < len(b) && b[k] < j-1 {
			k++
		}
		if k == len(b) {
			break
		}

		if b[k] <= j+1 {
			count++
		}
	}

	return count
}

// patternSymmetry is Features.PatternSymmetry of a square matrix, of count entries.
func patternSymmetry(rowPtr, colIdx []int32, count int) float64 {
	count = min(len(colIdx), count)
	var off, mirrored atomic.Int64
	panics.Parts(count, workers(50*count), func(_, lo, hi int) {
		var myOff, myMirrored int64
		i := rowOf(rowPtr, pick(len(colIdx), lo, count))
		for n := lo; n < hi; n++ {
			k := pick(len(colIdx), n, count)
			for int(rowPtr[i+1]) <= k {
				i++
			}
			j := int(colIdx[k])
			if i == j {
				continue
			}

			myOff++
			if _, found := slices.BinarySearch(colIdx[rowPtr[j]:rowPtr[j+1]], int32(i)); found {
				myMirrored++
			}
		}

		off.Add(myOff)
		mirrored.Add(myMirrored)
	})

	if off.Load() == 0 {
		return 1
	}
	return float64(mirrored.Load()) / float64(off.Load())
}

const (
	// sectorGroup is the number of entries whose elements of x are counted together, those of
	// a warp.
	sectorGroup = 32
	// sectorColumns is the number of elements of x in float32 that a sector holds, the 32
	// bytes that a GPU moves at least.
	sectorColumns = 8
	// mostGroups is the number of groups from which on a sample of them is looked at. It
	// bounds the standard error by 31/2/√2¹⁶ < 0.061.
	mostGroups = 1 << 16
)

// SectorsPer32 returns how many distinct sectors of 8 columns 32 consecutive entries touch, in
// the order of storage: from 1 where they lie side by side to 32 where each lies alone. It is
// the mean over all groups of 32, or above 2²¹ entries over one of each of 2¹⁶ equal ranges of
// groups. A last group of fewer is left out unless there is no other; without entries it is 0.
func SectorsPer32[V Float](m *CSR[V]) float64 {
	if m.NNZ() == 0 {
		return 0
	}
	groups := max(1, m.NNZ()/sectorGroup)
	count := min(groups, mostGroups)
	var sum atomic.Int64
	panics.Parts(count, workers(4*sectorGroup*count), func(_, lo, hi int) {
		var mine int
		var sectors [sectorGroup]int32
		for n := lo; n < hi; n++ {
			start := sectorGroup * pick(groups, n, count)
			mine += distinctSectors(m.ColIdx[start:min(start+sectorGroup, m.NNZ())], sectors[:0])
		}
		sum.Add(int64(mine))
	})

	return float64(sum.Load()) / float64(count)
}

// distinctSectors counts the sectors of columns, which rise but where a row ends. It uses
// the memory of sectors.
func distinctSectors(columns, sectors []int32) int {
	rising := true
	for _, j := range columns {
		sector, last := j/sectorColumns, len(sectors)-1
		if last >= 0 && sectors[last] == sector {
			continue
		}
		rising = rising && (last < 0 || sectors[last] < sector)
		sectors = append(sectors, sector)
	}

	if !rising {
		slices.Sort(sectors)
		sectors = slices.Compact(sectors)
	}
	return len(sectors)
}
