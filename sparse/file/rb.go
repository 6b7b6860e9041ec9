// SPDX-License-Identifier: Apache-2.0

package file

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"

	"example.org/spmvtune/sparse"
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

// noASCII is what no card has.
var noASCII = regexp.MustCompile(`[^ -~]`)

// writeRB writes m by columns, as Duff, Grimes and Lewis define it (The Rutherford-Boeing sparse matrix collection,
// RAL-TR-97-031, 1997): in lines of at most 80 characters, with a blank between numbers for readers that do not count
// columns. Values have 17 digits and so read back as they were.
func writeRB(w io.Writer, m *sparse.CSR[float64], opt Writing) error {
	t := m.Transpose() // its rows are m's columns
	field, symmetry := "r", "u"
	switch {
	case opt.Symmetric:
		symmetry = "s"
	case m.Rows != m.Cols:
		symmetry = "r"
	}
	width := len(strconv.Itoa(max(t.NNZ()+1, m.Rows))) + 1
	whole, values := fortran{perLine: 80 / width, width: width}, fortran{text: "(3E26.16)", perLine: 3, width: 26}
	whole.text = fmt.Sprintf("(%dI%d)", whole.perLine, width)
	if opt.Pattern {
		field, values.text, t.Val = "p", "", nil
	}
	if k := slices.IndexFunc(t.Val, func(v float64) bool { return math.IsNaN(v - v) }); k >= 0 {
		return fmt.Errorf("Rutherford-Boeing can't store values that are not finite, such as %v", t.Val[k])
	}

	fmt.Fprintln(w, noASCII.ReplaceAllString(fmt.Sprintf("%-72.72s%-8.8s", opt.Comment, opt.Name), " "))
	counts := []int{whole.lines(len(t.RowPtr)), whole.lines(t.NNZ()), values.lines(len(t.Val))}
	fmt.Fprintf(w, "%14d%14d%14d%14d\n", counts[0]+counts[1]+counts[2], counts[0], counts[1], counts[2])
	fmt.Fprintf(w, "%-14s%14d%14d%14d%14d\n", field+symmetry+"a", m.Rows, m.Cols, t.NNZ(), 0)
	fmt.Fprintf(w, "%-16s%-16s%-20s\n", whole.text, whole.text, values.text)
	for _, list := range [][]int32{t.RowPtr, t.ColIdx} { // Fortran counts from 1
		whole.write(w, len(list), func(k int) { fmt.Fprintf(w, "%*d", width, int64(list[k])+1) })
	}
	values.write(w, len(t.Val), func(k int) { fmt.Fprintf(w, "%26.16E", t.Val[k]) })
	return nil
}

// write writes lines of n numbers, each by a function. w keeps its errors.
func (f fortran) write(w io.Writer, n int, number func(k int)) {
	for k := range n {
		number(k)
		if k%f.perLine == f.perLine-1 || k == n-1 {
			io.WriteString(w, "\n")
		}
	}
}
