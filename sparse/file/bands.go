// SPDX-License-Identifier: Apache-2.0

package file

const (
	// bandEntries is about how many entries a band of rows has, so that sorting
	// them stays within a core's second-level cache.
	bandEntries = 1 << 14
	// mostBands is how many write streams a core keeps up with; only if 16 bits can't count the
	// rows of a band does it take more.
	mostBands   = 1 << 10
	mostBandRow = 16
)

// A layout says how entries become a matrix, and how the rows are cut into bands of 1<<shift
// rows. A core sorts one band at a time.
type layout struct {
	Rows, Cols int
	Pattern    bool // entries have no values: all are 1
	Mirror     bool // entries off the diagonal stand for two
	Negate     bool // and the second has the other sign

	shift uint
	bands int
}

// Cut returns l cut into bands for about that many entries before mirroring.
func (l layout) Cut(entries int) *layout {
	if l.Mirror {
		entries *= 2
	}
	bands := min(max(entries/bandEntries, 1), mostBands)
	for l.shift = 0; l.shift < mostBandRow && (l.Rows-1)>>l.shift >= bands; {
		l.shift++
	}
	l.bands = max(l.Rows-1, 0)>>l.shift + 1
	return &l
}

// rows returns the first row of a band, and the one behind its last.
func (l *layout) rows(band int) (lo, hi int) {
	return band << l.shift, min((band+1)<<l.shift, l.Rows)
}

// A chunk holds the entries of a piece of a file, mirrored where the symmetry asks
// for it: by bands of rows, and within a band in the order of the file, a mirrored
// entry directly behind its original.
type chunk struct {
	starts []int32   // where each band starts; and the end
	row    []uint16  // within the band
	col    []int32   //
	val    []float64 // nil for a pattern

	// Of a file that is mirrored: entries above and below the diagonal, and those on it that are not 0.
	above, below, on int
	nonFinite        int // before mirroring
}

// chunk returns the entries val[k] at (row[k], col[k]), counted from 0, which it
// does not keep. There is no val in a pattern.
func (l *layout) chunk(row, col []int32, val []float64) *chunk {
	col = col[:len(row)]
	shift, mirror := l.shift, l.Mirror
	starts := make([]int32, l.bands+1)
	sizes := starts[1:]

	c := new(chunk)
	for k, i := range row {
		sizes[i>>shift]++
		if !mirror {
			continue
		}
		switch j := col[k]; {
		case i < j:
			c.above++
			sizes[j>>shift]++
		case i > j:
			c.below++
			sizes[j>>shift]++
		case l.Pattern || val[k] != 0:
			c.on++
		}
	}

	next := make([]int32, l.bands) // where the next entry of each band goes
	end := int32(0)

	for b, size := range sizes {
		next[b] = end
		end += size
		sizes[b] = end
	}

	c.starts, c.row, c.col = starts, make([]uint16, end), make([]int32, end)
	mask := int32(1)<<shift - 1
	put := func(i, j int32) int32 {
		at := next[i>>shift]
		next[i>>shift]++
		c.row[at], c.col[at] = uint16(i&mask), j
		return at
	}

	if l.Pattern {
		for k, i := range row {
			j := col[k]
			put(i, j)
			if mirror && i != j {
				put(j, i)
			}
		}

		return c
	}

	c.val = make([]float64, end)
	for k, i := range row {
		j, v := col[k], val[k]
		if v-v != 0 {
			c.nonFinite++
		}
		c.val[put(i, j)] = v
		if mirror && i != j {
			if l.Negate {
				v = -v
			}
			c.val[put(j, i)] = v
		}
	}

	return c
}
