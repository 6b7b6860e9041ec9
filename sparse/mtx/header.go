package mtx

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// A header is the banner and the size line, checked against each other.
type header struct{ text.Header }

// mostComment bounds the comments that are kept, in bytes.
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
// the line after it. It refuses what opt does not ask for.
func readHeader(s *text.Source, opt text.Options) (*header, error) {
	content, _, err := s.NextLine()
	if errors.Is(err, io.EOF) {
		return nil, s.Errorf(1, "the file is empty")
	}
	if err != nil {
		return nil, err
	}

	h := &header{text.Header{TypeLine: 1}}
	if err := h.banner(s, content); err != nil {
		return nil, err
	}
	var (
		comment strings.Builder
		line    int
	)

	for {
		content, line, err = s.NextLine()
		if errors.Is(err, io.EOF) {
			return nil, s.Errorf(line, "the file ends before its size line: %s", h.wantSizes())
		}
		if err != nil {
			return nil, err
		}

		content = bytes.TrimSpace(content)
		if len(content) == 0 {
			continue
		}
		if content[0] != '%' {
			break
		}

		if comment.Len()+len(content) <= mostComment {
			comment.Write(content[1:])
			comment.WriteByte('\n')
		}
	}

	h.Comment = strings.TrimSuffix(comment.String(), "\n")
	h.SizeLine = line
	if err := h.sizes(s, content); err != nil {
		return nil, err
	}
	return h, h.Wanted(s, opt)
}

// banner checks the first line.
func (h *header) banner(s *text.Source, content []byte) error {
	content = bytes.TrimSpace(content)
	words := strings.Fields(strings.ToLower(string(content)))
	if len(words) == 0 || words[0] != "%%matrixmarket" {
		return s.Errorf(1, "a Matrix Market file starts with a line such as \"%%%%MatrixMarket matrix coordinate "+
			"real general\", not %s", text.Quote(content))
	}

	if bytes.IndexByte(content, '\r') >= 0 {
		return s.Errorf(1, "lines end in CR alone, as on old Macintosh systems: convert them with tr '\\r' '\\n'")
	}
	if len(words) > 1 && words[1] != "matrix" {
		return s.Errorf(1, "the object is %s: only \"matrix\" is read", text.Quote([]byte(words[1])))
	}

	if len(words) != 5 {
		return s.Errorf(1, "the first line has %s; it needs five: %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY, as "+
			"in \"%%%%MatrixMarket matrix coordinate real general\"", term.Count(len(words), "word", "words"))
	}
	h.Format, h.Field, h.Symmetry = words[2], words[3], words[4]
	if name, ok := fieldNames[h.Field]; ok {
		h.Field = name
	}

	for _, part := range []struct {
		what, word string
		known      []string
	}{
		{"format", h.Format, formats}, {"field", h.Field, fields}, {"symmetry", h.Symmetry, symmetries},
	} {
		if !slices.Contains(part.known, part.word) {
			return s.Errorf(1, "unknown %s %s: it is one of %s", part.what, text.Quote([]byte(part.word)),
				strings.Join(part.known, ", "))
		}
	}

	switch {
	case h.Format == "array" && h.Field == "pattern":
		return s.Errorf(1, "an array can't be a pattern, since it stores no positions: write it as coordinate, or "+
			"with its values")
	case h.Field == "pattern" && (h.Symmetry == "skew-symmetric" || h.Symmetry == "hermitian"):
		return s.Errorf(1, "a pattern can't be %s, since it has no values: say symmetric or general", h.Symmetry)
	}

	return nil
}

// wantSizes describes the size line.
func (h *header) wantSizes() string {
	if h.Format == "array" {
		return "an array needs two numbers there, rows and columns"
	}
	return "a coordinate file needs three numbers there, rows, columns and entries"
}

// sizes checks the size line.
func (h *header) sizes(s *text.Source, content []byte) error {
	words := bytes.Fields(content)
	want := 3
	if h.Format == "array" {
		want = 2
	}

	numbers := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.Atoi(string(w))
		if errors.Is(err, strconv.ErrRange) || n > sparse.MaxIndex {
			return s.Errorf(h.SizeLine, "size %s is too large: 32-bit indices hold at most %d", text.Quote(w),
				sparse.MaxIndex)
		}

		if err != nil || n < 0 || w[0] == '+' {
			return s.Errorf(h.SizeLine, "size %s is not a whole number from 0: %s", text.Quote(w), h.wantSizes())
		}
		numbers[i] = n
	}

	if len(words) != want {
		return s.Errorf(h.SizeLine, "the size line has %s: %s", term.Count(len(words), "number", "numbers"),
			h.wantSizes())
	}
	h.Rows, h.Cols = numbers[0], numbers[1]
	if h.Symmetry != "general" && h.Rows != h.Cols {
		return s.Errorf(h.SizeLine, "a %s matrix must be square, not %d×%d", h.Symmetry, h.Rows, h.Cols)
	}

	if h.Format == "coordinate" {
		h.Entries = numbers[2]
		if h.Entries > 0 && (h.Rows == 0 || h.Cols == 0) {
			return s.Errorf(h.SizeLine, "%s declared in a matrix of %d×%d, which holds none",
				term.Count(h.Entries, "entry", "entries"), h.Rows, h.Cols)
		}
		return nil
	}

	switch h.Symmetry { // sizes are below 2³¹, so products stay below 2⁶²
	case "general":
		h.Entries = h.Rows * h.Cols
	case "skew-symmetric":
		h.Entries = h.Rows * (h.Rows - 1) / 2
	default:
		h.Entries = h.Rows * (h.Rows + 1) / 2
	}

	if h.Entries > sparse.MaxIndex {
		return s.Errorf(h.SizeLine, "an array of %d×%d has %d values: 32-bit indices hold at most %d", h.Rows, h.Cols,
			h.Entries, sparse.MaxIndex)
	}
	return nil
}

// starts reports whether a text starts as a Matrix Market file does.
func starts(start []byte) bool {
	start = bytes.TrimLeft(start, " \t")
	return len(start) >= 14 && strings.EqualFold(string(start[:14]), "%%MatrixMarket")
}
