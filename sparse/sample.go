package sparse

import (
	"slices"
	"sync/atomic"
)

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
	lo, hi := share(total, n, count)
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
	eachPart(50*count, func(part, parts int) {
		var mySum, myFull uint64
		lo, hi := share(count, part, parts)
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
	eachPart(50*count, func(part, parts int) {
		var myOff, myMirrored int64
		lo, hi := share(count, part, parts)
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
