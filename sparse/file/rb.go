package file

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// rb is the format of Rutherford-Boeing files, and of the older Harwell-Boeing files:
// Duff, Grimes and Lewis, "The
// Rutherford-Boeing sparse matrix collection", RAL-TR-97-031 (1997), and "Users'
// guide for the Harwell-Boeing sparse matrix collection", RAL-TR-92-086 (1992).
//
// Such a file holds a matrix by columns in three sections: where each column
// starts, the row of each entry, the value of each entry. The numbers stand in
// fixed columns of the lines, as a Fortran format in the header says, and need no
// blank between them. So which number a line starts with follows from its number,
// and all cores parse a section at once, block by block. Rows wait until their
// values come by.
//
// Memory is the matrix and one working copy of its entries: 14 bytes to each
// after mirroring, 6 in a pattern, and 4 before it, beside the 12 that it has in the
// matrix; 8 bytes to each column; and a few megabytes to each core.
//
// Read whole: types real, integer, pattern (also with its values in another file)
// and, on request, the real parts of complex; unsymmetric, rectangular, symmetric,
// skew-symmetric and Hermitian; assembled, not elemental. Formats are one number
// after the other, nIw, nFw.d, nEw.d, nDw.d or nGw.d, perhaps behind a scale factor
// such as 1P. A field is read as Fortran reads it:
//
//   - A blank value is 0, blanks within a number do not count, and a number without
//     a point has one d digits from its end.
//   - A scale factor kP divides numbers without an exponent by 10^k.
//   - The letter of an exponent may be d, or missing before its sign.
//
// What is odd but can mean only one thing is read as in [mtx]: entries on
// both sides of the diagonal of a symmetric file, entries that occur twice, which
// are added up, values that are infinite. The right-hand sides in a Harwell-Boeing
// file are skipped, and the count of all lines (TOTCRD), which differs in use,
// is not looked at. Every other count is checked, against the sizes and against the
// lines.
var rb = format{
	Name:       "Rutherford-Boeing",
	Extensions: []string{".rb", ".hb"},
	Version:    "2",
	Starts:     startsRB,
	Open:       openRB,
	Write:      writeRB,
	Triangle:   true,
	Doc:        "by columns",
}

// openRB reads the header of the matrix in s.
func openRB(s *source, opt Options) (*header, func() (*layout, []*chunk, error), error) {
	h, err := readRBHeader(s, opt)
	if err != nil {
		return nil, nil, err
	}
	return &h.header, func() (*layout, []*chunk, error) {
		r := &reader{s: s, h: h, layout: h.layout(opt)}
		chunks, err := r.read()
		return r.layout, chunks, err
	}, nil
}

// Values take 26 columns, 3 a line: 17 digits read back as they were, and a blank is
// between them for readers that do not count columns.
var rbValues = fortran{text: "(3E26.16)", perLine: 3, width: 26}

// lineWidth is the longest that a line is.
const lineWidth = 80

// writeRB writes m by columns, as Duff, Grimes and Lewis define it (The
// Rutherford-Boeing sparse matrix collection, RAL-TR-97-031, 1997).
func writeRB(w io.Writer, m *sparse.CSR[float64], opt Writing) error {
	t := m.Transpose() // its rows are m's columns
	kind := []byte("rua")

	switch {
	case opt.Symmetric:
		kind[1] = 's'
	case m.Rows != m.Cols:
		kind[1] = 'r'
	}

	pointers, indices := intColumns(t.NNZ()+1), intColumns(m.Rows)
	pointerLines, indexLines := pointers.lines(len(t.RowPtr)), indices.lines(t.NNZ())
	values, valueFormat := rbValues.lines(t.NNZ()), rbValues.text
	if opt.Pattern {
		kind[0], values, valueFormat = 'p', 0, ""
	} else {
		for _, v := range t.Val {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("Rutherford-Boeing can't store values that are not finite, such as %v", v)
			}
		}
	}

	fmt.Fprintf(w, "%-72s%-8s\n", ascii(opt.Comment, 72), ascii(opt.Name, 8))
	fmt.Fprintf(w, "%14d%14d%14d%14d\n", pointerLines+indexLines+values, pointerLines, indexLines,
		values)
	fmt.Fprintf(w, "%-14s%14d%14d%14d%14d\n", kind, m.Rows, m.Cols, t.NNZ(), 0)
	fmt.Fprintf(w, "%-16s%-16s%-20s\n", pointers.text, indices.text, valueFormat)
	if err := pointers.writeInts(w, t.RowPtr); err != nil {
		return err
	}

	if err := indices.writeInts(w, t.ColIdx); err != nil || opt.Pattern {
		return err
	}
	return rbValues.write(w, len(t.Val), func(line []byte, k int) []byte {
		return strconv.AppendFloat(line, t.Val[k], 'E', 16, 64)
	})
}

// intColumns lays out integers up to largest, with a blank between them.
func intColumns(largest int) fortran {
	width := len(strconv.Itoa(largest)) + 1
	return fortran{text: fmt.Sprintf("(%dI%d)", lineWidth/width, width), perLine: lineWidth / width, width: width}
}

// writeInts writes list, which counts from 0, as Fortran does, from 1.
func (f fortran) writeInts(w io.Writer, list []int32) error {
	return f.write(w, len(list), func(line []byte, k int) []byte { return strconv.AppendInt(line, int64(list[k])+1, 10) })
}

// write writes n numbers, each of which number appends to a line, at the right ends of their columns.
func (f fortran) write(w io.Writer, n int, number func(line []byte, k int) []byte) error {
	var line []byte
	for k := range n {
		start := len(line)
		line = number(line, k)
		line = slices.Insert(line, start, bytes.Repeat([]byte(" "), f.width-(len(line)-start))...)
		if k%f.perLine == f.perLine-1 || k == n-1 {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
			line = line[:0]
		}
	}
	return nil
}

// ascii returns a title as a card has it: one line of at most width characters.
func ascii(s string, width int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)
	return s[:min(len(s), width)]
}
