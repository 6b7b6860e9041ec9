package mtx

const (
	// bandEntries is about how many entries a band of rows has, so that sorting
	// them stays within a core's second-level cache.
	bandEntries = 1 << 14
	// mostBands is how many write streams a core keeps up with; only so many
	// rows that 16 bits can't count those of a band take more.
	mostBands   = 1 << 10
	mostBandRow = 16
)

// A layout says what the entries of a file look like, and how its rows are cut
// into bands of 1<<shift rows. A band is what a core sorts at a time.
type layout struct {
	s *source
	h *header

	numbers int  // values per entry: 0 for a pattern, 2 if complex, else 1
	mirror  bool // entries off the diagonal stand for two
	negate  bool // and the second has the other sign

	shift uint
	bands int
}

func newLayout(s *source, h *header, opt Options) *layout {
	l := &layout{s: s, h: h, numbers: 1}
	switch h.field {
	case "pattern":
		l.numbers = 0
	case "complex":
		l.numbers = 2
	}
	l.mirror = opt.Expand && h.symmetry != "general"
	l.negate = h.symmetry == "skew-symmetric"

	entries := h.entries
	if l.mirror {
		entries *= 2
	}
	bands := min(max(entries/bandEntries, 1), mostBands)
	for l.shift < mostBandRow && (h.rows-1)>>l.shift >= bands {
		l.shift++
	}
	l.bands = max(h.rows-1, 0)>>l.shift + 1
	return l
}
