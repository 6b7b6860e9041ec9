// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse"
)

// mtx is the format of Boisvert, Pozo and Remington, "The Matrix Market exchange formats:
// initial design", NISTIR 5935 (1996).
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
//     Matrix.NonFinite counts them, so that callers can warn.
//   - Integers beyond 2⁵³ are rounded to the nearest float64; an integer file
//     may hold decimals; d may stand for e in an exponent, as Fortran writes it.
//   - Values of an array may be laid out over lines in any way. Each is a stored
//     entry, zeros too.
var mtx = format{
	Name:       "Matrix Market",
	Extensions: []string{".mtx", ".mm"},
	Version:    "2",
	Starts:     startsMTX,
	Open:       openMTX,
	Write:      writeMTX,
	Triangle:   true,
}

// openMTX reads the header of the matrix in s.
func openMTX(s *source, opt Options) (*header, func() (*layout, []*chunk, error), error) {
	h, err := mtxHeader(s, opt)
	return h, func() (*layout, []*chunk, error) {
		l, read := h.layout(opt), readCoordinates
		if h.Format == "array" {
			read = readArray
		}
		chunks, err := read(s, h, l)
		return l, chunks, err
	}, err
}

// mtxHeader reads the banner, the comments and the size line, and leaves s at
// the line after it. It refuses what opt does not ask for.
func mtxHeader(s *source, opt Options) (*header, error) {
	h := &header{TypeLine: 1}
	content, err := s.nextLine()
	if err == nil {
		err = mtxBanner(s, h, bytes.TrimSpace(content))
	}
	for err == nil {
		h.SizeLine = s.Line
		if content, err = s.nextLine(); err != nil {
			break
		}
		content = bytes.TrimSpace(content)
		if len(content) > 0 && content[0] != '%' {
			err = mtxSizes(s, h, strings.Fields(string(content)))
			return h, cmp.Or(err, h.check(s, opt))
		}
		if len(content) > 0 {
			h.note(content[1:])
		}
	}

	if err != io.EOF {
		return nil, err
	}
	return nil, s.errorf(s.Line, "the file ends before its size line")
}

// mtxBanner checks the first line.
func mtxBanner(s *source, h *header, content []byte) error {
	words := strings.Fields(strings.ToLower(string(content)))
	switch {
	case len(words) == 0 || words[0] != "%%matrixmarket":
		return s.errorf(1, "a Matrix Market file starts with a line such as \"%%%%MatrixMarket matrix coordinate "+
			"real general\", not %s", quote(content))
	case bytes.IndexByte(content, '\r') >= 0:
		return s.errorf(1, "lines end in CR alone, as on old Macintosh systems: convert them with tr '\\r' '\\n'")
	case len(words) != 5:
		return s.errorf(1, "the first line has %s; it needs five: %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY, as "+
			"in \"%%%%MatrixMarket matrix coordinate real general\"", term.Count(len(words), "word", "words"))
	}
	switch words[3] { // other names in use
	case "double": // in files from C programs
		words[3] = "real"
	case "unsigned-integer": // in those of fast_matrix_market
		words[3] = "integer"
	}

	for k, part := range []struct {
		what  string
		known []string
	}{
		{"object", []string{"matrix"}}, {"format", []string{"coordinate", "array"}},
		{"field", []string{"real", "integer", "pattern", "complex"}},
		{"symmetry", []string{"general", "symmetric", "skew-symmetric", "hermitian"}},
	} {
		if word := words[k+1]; !slices.Contains(part.known, word) {
			return s.errorf(1, "unknown %s %s: it must be %s", part.what, quote([]byte(word)),
				term.Or(part.known))
		}
	}
	h.Format, h.Field, h.Symmetry = words[2], words[3], words[4]
	if h.Format == "array" && h.Field == "pattern" {
		return s.errorf(1, "an array can't be a pattern, since it stores no positions: write it as coordinate, or "+
			"with its values")
	}
	return nil
}

// mtxSizes reads the size line.
func mtxSizes(s *source, h *header, words []string) error {
	want, form := 3, "the size line in coordinate format has three: rows, columns and entries"
	if h.Format == "array" {
		want, form = 2, "the size line in array format has two: rows and columns"
	}
	numbers, err := readSizes(s, h.SizeLine, words, want, want, form)
	if err != nil {
		return err
	}

	h.Rows, h.Cols = numbers[0], numbers[1]
	switch { // sizes are below 2³¹, so products stay below 2⁶²
	case h.Format == "coordinate":
		h.Entries = numbers[2]
	case h.Symmetry == "general":
		h.Entries = h.Rows * h.Cols
	case h.Symmetry == "skew-symmetric":
		h.Entries = h.Rows * (h.Rows - 1) / 2
	default:
		h.Entries = h.Rows * (h.Rows + 1) / 2
	}
	return nil
}

// startsMTX reports whether a text starts as a Matrix Market file does.
func startsMTX(start []byte) bool {
	start = bytes.TrimLeft(start, " \t")
	return len(start) >= 14 && strings.EqualFold(string(start[:14]), "%%MatrixMarket")
}

// readCoordinates reads entries, one a line, on all cores.
func readCoordinates(s *source, h *header, l *layout) ([]*chunk, error) {
	lines := &lineForm{
		Comment: '%', Numbers: h.numbers(), Least: 1, Size: [2]uint64{uint64(h.Rows), uint64(h.Cols)},
		Names: [2]string{"row", "column"},
		Where: fmt.Sprintf("the matrix of %d×%d (line %d)", h.Rows, h.Cols, h.SizeLine),
		Entry: fmt.Sprintf("an entry is %s, since line 1 says %s", [...]string{"row and column",
			"row, column and value", "row, column, real and imaginary part"}[h.numbers()], h.Field),
		Words: "if all lines have 2, 3 or 4 words, line 1 must say pattern, real or complex",
	}
	var done atomic.Int64
	next := func(buf []byte) (block, error) {
		if done.Load() > int64(h.Entries) {
			return block{}, io.EOF
		}
		return s.nextBlock(buf)
	}

	type parsed struct {
		part
		chunk *chunk
	}
	parts, err := eachBlock(next, func() func(block) (parsed, error) {
		list := entryList[int32]{lineForm: lines}
		return func(b block) (parsed, error) {
			if err := list.read(s, b); err != nil {
				return parsed{part: list.part(b)}, err
			}
			done.Add(int64(len(list.Row)))
			return parsed{list.part(b), l.chunk(list.Row, list.Col, list.Val)}, nil
		}
	})

	var chunks []*chunk
	n := 0
	for _, p := range parts {
		if left := h.Entries - n; p.entries > left {
			return nil, s.errorf(p.lineOf(left), "there are more entries than the %d of line %d: the file holds "+
				"something else behind them, or that line is wrong", h.Entries, h.SizeLine)
		}
		n += p.entries
		chunks = append(chunks, p.chunk)
	}
	if err == nil && n < h.Entries {
		err = s.cutOff(n, h.Entries, "entries", h.SizeLine, wrongSizes)
	}
	return chunks, err
}

// An array walks over the positions of a dense matrix in the order of the file:
// by columns, only below the diagonal if that is all that is stored. It is read
// by one core: where a value belongs depends on all before it, and files of this
// kind are vectors and small matrices.
type array struct {
	s *source
	h *header

	row, col []int32 // of a block
	val      []float64

	i, j int  // the position that the next value belongs to
	half bool // the last value is the real part of a complex one, whose imaginary part comes next
	done int  // values of all blocks
}

// first is the first row that is stored of column j.
func (a *array) first(j int) int {
	switch a.h.Symmetry {
	case "general":
		return 0
	case "skew-symmetric": // the diagonal is zero, and not stored
		return j + 1
	}
	return j
}

// readArray reads values, as many as the sizes call for.
func readArray(s *source, h *header, l *layout) (chunks []*chunk, err error) {
	a := &array{s: s, h: h}
	a.i = a.first(0)
	buf := make([]byte, blockSize+1)
	for {
		b, err := s.nextBlock(buf)
		if err == io.EOF && a.done < h.Entries {
			return nil, s.cutOff(a.done, h.Entries, "values", h.SizeLine, wrongSizes)
		}
		if err == io.EOF {
			return chunks, nil
		}
		if err == nil {
			err = a.read(b)
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, l.chunk(a.row, a.col, a.val))
	}
}

// read parses the numbers in a block, however they lie on lines.
func (a *array) read(b block) error {
	block := b.Text
	line := func(i int) int { return b.Line + bytes.Count(block[:i], []byte("\n")) }
	a.row, a.col, a.val = a.row[:0], a.col[:0], a.val[:0]
	for i := 0; i < len(block); {
		switch c := block[i]; {
		case c == '%':
			i = endOfLine(block, i)
			continue
		case c == '\n' || blank(c):
			i++
			continue
		}

		v, next, ok := parseValue(block, i)
		switch {
		case a.done == a.h.Entries && !a.half:
			return a.s.errorf(line(i), "more values than the %d of a %s array of %d×%d (line %d); where a value "+
				"has two numbers, line 1 must say complex", a.h.Entries, a.h.Symmetry, a.h.Rows, a.h.Cols, a.h.SizeLine)
		case !ok:
			return a.s.errorf(line(i), "value %s is not a number", quote(block[i:endOfWord(block, i)]))
		}
		i = next
		if !a.half {
			a.row, a.col, a.val = append(a.row, int32(a.i)), append(a.col, int32(a.j)), append(a.val, v)
			if a.i++; a.i == a.h.Rows {
				a.j++
				a.i = a.first(a.j)
			}
		}
		if a.half = a.h.Field == "complex" && !a.half; !a.half {
			a.done++
		}
	}
	return nil
}

// writeMTX writes m as a coordinate file, by rows, with the lines of the comment behind the
// banner. Only the payload of a NaN is lost.
func writeMTX(w io.Writer, m *sparse.CSR[float64], opt Writing) error {
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
	return writeEntries(w, m, 1, ' ', opt)
}
