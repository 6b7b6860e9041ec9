package bands

const (
	// bandEntries is about how many entries a band of rows has, so that sorting
	// them stays within a core's second-level cache.
	bandEntries = 1 << 14
	// mostBands is how many write streams a core keeps up with; only if 16 bits can't count the
	// rows of a band does it take more.
	mostBands   = 1 << 10
	mostBandRow = 16
)

// A Layout says how entries become a matrix, and how the rows are cut into bands of 1<<shift
// rows. A core sorts one band at a time.
type Layout struct {
	Rows, Cols int
	Pattern    bool // entries have no values: all are 1
	Mirror     bool // entries off the diagonal stand for two
	Negate     bool // and the second has the other sign

	shift uint
	bands int
}

// Cut returns l cut into bands for about that many entries before mirroring.
func (l Layout) Cut(entries int) *Layout {
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
func (l *Layout) rows(band int) (lo, hi int) {
	return band << l.shift, min((band+1)<<l.shift, l.Rows)
}

// A matrix with more rows or columns than manyLines and fewer than one entry to
// sparsest of them would spend its memory, and every kernel its time, on row
// offsets; and a few bytes of header must not cost gigabytes.
const (
	manyLines = 1 << 27
	sparsest  = 64
)

// Hollow says why a matrix is refused that has next to nothing in its rows or
// columns.
const Hollow = "nearly all rows or columns are empty, and row offsets alone would take gigabytes; drop the empty ones"

// IsHollow reports whether a matrix is one.
func IsHollow(rows, cols, entries int) bool {
	size := max(rows, cols)
	return size > manyLines && size/sparsest > entries
}
