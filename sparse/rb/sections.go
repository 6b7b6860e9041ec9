package rb

import (
	"slices"
	"sort"

	"spmvtune/sparse/internal/bands"
	"spmvtune/sparse/internal/text"
)

// A reader reads the sections of a file one after the other, each on all cores.
type reader struct {
	s      *text.Source
	h      *header
	layout *bands.Layout

	starts []int32 // of each column, counted from 0, and the end
	rows   []*run  // of the entries, in the order of the file; nil for a pattern
}

// A run is the rows of consecutive entries, until their values are read.
type run struct {
	from int // entry
	row  []int32
}

// A chunk is the entries of one block.
type chunk struct {
	bands.Chunk
	nonFinite int
}

// read reads all sections.
func (r *reader) read() ([]*chunk, error) {
	if err := r.readPointers(); err != nil {
		return nil, err
	}
	var chunks []*chunk
	var err error
	if r.h.numbers == 0 {
		chunks, err = r.readPattern()
	} else if err = r.readRows(); err == nil {
		chunks, err = r.readValues()
		r.rows = nil // memory for the matrix
	}
	if err != nil {
		return nil, err
	}

	return chunks, r.end()
}

// readPointers reads where columns start, and checks that each starts where the one
// before it ends.
func (r *reader) readPointers() error {
	c := &section{format: r.h.pointers, what: "column pointer", plural: "column pointers", numbers: r.h.cols + 1}
	pieces, err := readSection(r.s, c, func() func(*piece[[]int32]) error {
		return func(p *piece[[]int32]) error {
			out := make([]int32, 0, p.room(c))
			*p.got = out
			return eachField(r.s, c, p, func(k, lo, hi int) error {
				n, ok := index(p.block[lo:hi])
				if !ok || n < 1 || n > r.h.entries+1 {
					return r.s.Errorf(c.lineOf(k),
						"pointer %s of column %d is not a whole number from 1 to %d, one more than there are "+
							"entries (line %d)", text.Quote(p.block[lo:hi]), k+1, r.h.entries+1, sizeLine)
				}

				out = append(out, int32(n-1))
				*p.got = out
				return nil
			})
		}
	})
	if err != nil {
		return err
	}

	r.starts = make([]int32, 0, c.numbers)
	last := int32(0)
	for _, p := range pieces {
		for _, n := range *p {
			if k := len(r.starts); n < last || k == 0 && n > 0 {
				return r.s.Errorf(c.lineOf(k),
					"pointer %d of column %d lies outside the order: the first is 1, and none is below the one "+
						"before it, here %d", n+1, k+1, last+1)
			}

			r.starts = append(r.starts, n)
			last = n
		}
	}

	if int(last) != r.h.entries {
		return r.s.Errorf(c.lineOf(r.h.cols),
			"the last pointer is %d, and has to be %d, one more than there are entries (line %d)", last+1,
			r.h.entries+1, sizeLine)
	}
	return nil
}

// columns appends the column of each entry from the first to the one before to.
func (r *reader) columns(col []int32, from, to int) []int32 {
	j := sort.Search(r.h.cols, func(j int) bool { return int(r.starts[j+1]) > from })
	for k := from; k < to; k++ {
		for int(r.starts[j+1]) <= k {
			j++
		}
		col = append(col, int32(j))
	}
	return col
}

// indexSection is that of the rows.
func (r *reader) indexSection() *section {
	return &section{format: r.h.indices, what: "row index", plural: "row indices", numbers: r.h.entries}
}

// rowsOf appends the rows of the entries in a piece.
func rowsOf[T any](r *reader, c *section, p *piece[T], row []int32) ([]int32, error) {
	err := eachField(r.s, c, p, func(k, lo, hi int) error {
		n, ok := index(p.block[lo:hi])
		if !ok || n < 1 || n > r.h.rows {
			return r.s.Errorf(c.lineOf(k),
				"row %s of entry %d is not a whole number from 1 to %d, the number of rows (line %d)",
				text.Quote(p.block[lo:hi]), k+1, r.h.rows, sizeLine)
		}

		row = append(row, int32(n-1))
		return nil
	})

	return row, err
}

// readPattern reads rows of which no values follow.
func (r *reader) readPattern() ([]*chunk, error) {
	c := r.indexSection()
	return readSection(r.s, c, func() func(*piece[chunk]) error {
		var row, col []int32
		d := bands.Distributor{Layout: r.layout}
		return func(p *piece[chunk]) (err error) {
			if row, err = rowsOf(r, c, p, row[:0]); err != nil {
				return err
			}
			col = r.columns(col[:0], p.from, p.to)
			p.got.Chunk = d.Chunk(row, col, nil)
			return nil
		}
	})
}

// readRows reads rows whose values follow.
func (r *reader) readRows() (err error) {
	c := r.indexSection()
	r.rows, err = readSection(r.s, c, func() func(*piece[run]) error {
		return func(p *piece[run]) (err error) {
			p.got.from = p.from
			p.got.row, err = rowsOf(r, c, p, make([]int32, 0, p.room(c)))
			return err
		}
	})
	return err
}

// readValues reads the values and puts them to their rows and columns.
func (r *reader) readValues() ([]*chunk, error) {
	c := &section{format: r.h.values, what: "value", plural: "values", numbers: r.h.numbers * r.h.entries}
	return readSection(r.s, c, func() func(*piece[chunk]) error {
		var row, col []int32
		var val []float64
		d := bands.Distributor{Layout: r.layout}
		return func(p *piece[chunk]) error {
			val = slices.Grow(val[:0], p.room(c))
			err := eachField(r.s, c, p, func(k, lo, hi int) error {
				v, ok := r.h.values.value(p.block, lo, hi)
				if !ok {
					return r.s.Errorf(c.lineOf(k), "value %s of entry %d is not a number", text.Quote(p.block[lo:hi]),
						k/r.h.numbers+1)
				}

				if r.h.numbers == 2 && k%2 == 1 { // the imaginary part must be a number, but is not kept
					return nil
				}
				if v-v != 0 {
					p.got.nonFinite++
				}

				val = append(val, v)
				return nil
			})
			if err != nil {
				return err
			}

			from := (p.from + r.h.numbers - 1) / r.h.numbers // a pair may begin in the piece before
			row = r.someRows(row[:0], from, from+len(val))
			col = r.columns(col[:0], from, from+len(val))
			p.got.Chunk = d.Chunk(row, col, val)
			return nil
		}
	})
}

// someRows appends the rows of the entries from the first to the one before to.
func (r *reader) someRows(row []int32, from, to int) []int32 {
	k := sort.Search(len(r.rows), func(k int) bool { return r.rows[k].from > from }) - 1
	for ; from < to; k++ {
		run := r.rows[k]
		part := run.row[from-run.from : min(to-run.from, len(run.row))]
		row = append(row, part...)
		from += len(part)
	}
	return row
}
