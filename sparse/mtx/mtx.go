// Package mtx reads and writes Matrix Market files, plain, gzipped, or in an
// archive of the SuiteSparse collection (.tar.gz, read as it streams), in the
// format of Boisvert, Pozo and Remington, "The Matrix Market exchange formats:
// initial design", NISTIR 5935 (1996).
//
// A file passes four layers: text.Source hands out blocks of whole lines,
// decompressed; the header says what to expect; the body turns blocks into chunks
// of entries, on all cores at once; package text makes the sorted CSR of them. The
// result does not depend on the number of cores. Arrays are read by one core.
//
// Memory is the matrix and one working copy of its entries: 14 bytes to each
// after mirroring, 6 in a pattern, beside the 12 that it has in the matrix; and
// a few megabytes to each core. Only a row that is longer than a few entries and
// not in order is copied once more while it is sorted.
//
// Read whole: coordinate and array; real (also called double), integer (also
// unsigned-integer), pattern and, on request, the real parts of complex;
// general, symmetric, skew-symmetric and hermitian; any case, spaces, tabs and
// CR LF; comments and blank lines anywhere after the first line.
//
// Where files in the wild differ from the paper, a file is read if it can mean
// only one thing, and refused otherwise:
//
//   - A symmetric file may store entries above the diagonal, or both triangles.
//     Every entry off the diagonal is mirrored, and what then lies at the same
//     position is added up. Diagonal entries of skew-symmetric files are kept.
//   - Real and integer files may be hermitian, which for them is symmetric.
//   - inf and nan are values, and a number too large for float64 is infinite.
//     text.Matrix.NonFinite counts them, so that callers can warn.
//   - Integers beyond 2⁵³ are rounded to the nearest float64; an integer file
//     may hold decimals; d may stand for e in an exponent, as Fortran writes it.
//   - Values of an array may be laid out over lines in any way. Each is a stored
//     entry, zeros too.
//
// Nothing is allocated on the word of a header: memory grows with the data that
// was read. Every refusal is an *text.Error with file, line and reason.
package mtx

import (
	"fmt"
	"io"
	"strings"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// Format is Matrix Market.
var Format = text.Format{
	Name:       "Matrix Market",
	Extensions: []string{".mtx", ".mm"},
	Version:    "2",
	Starts:     starts,
	Open:       open,
	Write:      write,
	Triangle:   true,
}

// open reads the header of the matrix in s.
func open(s *text.Source, opt text.Options) (*text.Header, func() (*text.Layout, []*text.Chunk, error), error) {
	h, err := readHeader(s, opt)
	return h, func() (*text.Layout, []*text.Chunk, error) {
		l, read := h.Layout(opt), readCoordinates
		if h.Format == "array" {
			read = readArray
		}
		chunks, err := read(s, h, l)
		return l, chunks, err
	}, err
}

// write writes m as a coordinate file, by rows, with the lines of the comment behind the
// banner. Only the payload of a NaN is lost.
func write(w io.Writer, m *sparse.CSR[float64], opt text.Writing) error {
	field, symmetry := "real", "general"
	if opt.Pattern {
		field = "pattern"
	}
	if opt.Symmetric {
		symmetry = "symmetric"
	}

	fmt.Fprintln(w, "%%MatrixMarket matrix coordinate", field, symmetry)
	for line := range strings.Lines(opt.Comment) {
		fmt.Fprintf(w, "%%%s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintln(w, m.Rows, m.Cols, m.NNZ())
	return text.WriteEntries(w, m, 1, ' ', opt)
}
