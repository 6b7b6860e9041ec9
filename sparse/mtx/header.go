package mtx

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// A header is the banner and the size line, checked against each other.
type header struct {
	format, field, symmetry string
	comment                 string
	rows, cols              int
	entries                 int // in the file
	sizeLine                int
}

// mostComment bounds what is kept of the comments, in bytes.
const mostComment = 64 << 10

var (
	formats    = []string{"coordinate", "array"}
	fields     = []string{"real", "integer", "pattern", "complex"}
	symmetries = []string{"general", "symmetric", "skew-symmetric", "hermitian"}

	// fieldNames are other names in use: "double" in files from C programs,
	// "unsigned-integer" in those of fast_matrix_market.
	fieldNames = map[string]string{"double": "real", "unsigned-integer": "integer"}
)

// readHeader reads the banner, the comments and the size line, and leaves s at
// the line after it.
func readHeader(s *source) (*header, error) {
	text, _, err := s.nextLine()
	if errors.Is(err, io.EOF) {
		return nil, s.errorf(1, "the file is empty")
	}
	if err != nil {
		return nil, err
	}
	h := &header{}
	if err := h.banner(s, text); err != nil {
		return nil, err
	}
	var (
		comment strings.Builder
		line    int
	)
	for {
		text, line, err = s.nextLine()
		if errors.Is(err, io.EOF) {
			return nil, s.errorf(line, "the file ends before its size line: %s", h.wantSizes())
		}
		if err != nil {
			return nil, err
		}
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		if text[0] != '%' {
			break
		}
		if comment.Len()+len(text) <= mostComment {
			comment.Write(text[1:])
			comment.WriteByte('\n')
		}
	}
	h.comment = strings.TrimSuffix(comment.String(), "\n")
	h.sizeLine = line
	return h, h.sizes(s, text)
}

// banner checks the first line.
func (h *header) banner(s *source, text []byte) error {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	words := strings.Fields(strings.ToLower(string(text)))
	if len(words) == 0 || words[0] != "%%matrixmarket" {
		return s.errorf(1, "a Matrix Market file starts with a line such as \"%%%%MatrixMarket matrix coordinate real general\", not %s", quote(text))
	}
	if bytes.IndexByte(text, '\r') >= 0 {
		return s.errorf(1, "lines end in CR alone, as on old Macintosh systems: convert them with tr '\\r' '\\n'")
	}
	if len(words) > 1 && words[1] != "matrix" {
		return s.errorf(1, "the object is %s: only \"matrix\" is read", quote([]byte(words[1])))
	}
	if len(words) != 5 {
		return s.errorf(1, "the first line has %s; it needs five: %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY, as in \"%%%%MatrixMarket matrix coordinate real general\"", count(len(words), "word", "words"))
	}
	h.format, h.field, h.symmetry = words[2], words[3], words[4]
	if name, ok := fieldNames[h.field]; ok {
		h.field = name
	}
	for _, part := range []struct {
		what, word string
		known      []string
	}{
		{"format", h.format, formats}, {"field", h.field, fields}, {"symmetry", h.symmetry, symmetries},
	} {
		if !slices.Contains(part.known, part.word) {
			return s.errorf(1, "unknown %s %s: it is one of %s", part.what, quote([]byte(part.word)), strings.Join(part.known, ", "))
		}
	}
	switch {
	case h.format == "array" && h.field == "pattern":
		return s.errorf(1, "an array can't be a pattern, since it stores no positions: write it as coordinate, or with its values")
	case h.field == "pattern" && (h.symmetry == "skew-symmetric" || h.symmetry == "hermitian"):
		return s.errorf(1, "a pattern can't be %s, since it has no values: say symmetric or general", h.symmetry)
	}
	return nil
}

// wantSizes describes the size line.
func (h *header) wantSizes() string {
	if h.format == "array" {
		return "an array needs two numbers there, rows and columns"
	}
	return "a coordinate file needs three numbers there, rows, columns and entries"
}

// sizes checks the size line.
func (h *header) sizes(s *source, text []byte) error {
	words := bytes.Fields(text)
	want := 3
	if h.format == "array" {
		want = 2
	}
	numbers := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.Atoi(string(w))
		if errors.Is(err, strconv.ErrRange) || n > sparse.MaxIndex {
			return s.errorf(h.sizeLine, "size %s is too large: 32-bit indices hold at most %d", quote(w), sparse.MaxIndex)
		}
		if err != nil || n < 0 || w[0] == '+' {
			return s.errorf(h.sizeLine, "size %s is not a whole number from 0: %s", quote(w), h.wantSizes())
		}
		numbers[i] = n
	}
	if len(words) != want {
		return s.errorf(h.sizeLine, "the size line has %s: %s", count(len(words), "number", "numbers"), h.wantSizes())
	}
	h.rows, h.cols = numbers[0], numbers[1]
	if h.symmetry != "general" && h.rows != h.cols {
		return s.errorf(h.sizeLine, "a %s matrix must be square, not %d×%d", h.symmetry, h.rows, h.cols)
	}
	if h.format == "coordinate" {
		h.entries = numbers[2]
		if h.entries > 0 && (h.rows == 0 || h.cols == 0) {
			return s.errorf(h.sizeLine, "%s declared in a matrix of %d×%d, which holds none", count(h.entries, "entry", "entries"), h.rows, h.cols)
		}
		return nil
	}
	switch h.symmetry { // sizes are below 2³¹, so products stay below 2⁶²
	case "general":
		h.entries = h.rows * h.cols
	case "skew-symmetric":
		h.entries = h.rows * (h.rows - 1) / 2
	default:
		h.entries = h.rows * (h.rows + 1) / 2
	}
	if h.entries > sparse.MaxIndex {
		return s.errorf(h.sizeLine, "an array of %d×%d has %d values: 32-bit indices hold at most %d", h.rows, h.cols, h.entries, sparse.MaxIndex)
	}
	return nil
}

// wanted refuses what opt does not ask for.
func (h *header) wanted(s *source, opt Options) error {
	if h.field == "complex" && opt.Complex == "" {
		return s.errorf(1, "the values are complex, and kernels here multiply real matrices; complex = %q reads the real parts", RealPart)
	}
	return nil
}
