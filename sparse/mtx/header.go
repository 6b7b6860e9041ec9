package mtx

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/sparse/internal/text"
)

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
func readHeader(s *text.Source, opt text.Options) (*text.Header, error) {
	h := &text.Header{TypeLine: 1}
	content, err := s.NextLine()
	if err == nil {
		err = banner(s, h, bytes.TrimSpace(content))
	}
	for err == nil {
		h.SizeLine = s.Line
		if content, err = s.NextLine(); err != nil {
			break
		}
		content = bytes.TrimSpace(content)
		if len(content) > 0 && content[0] != '%' {
			err = sizes(s, h, strings.Fields(string(content)))
			return h, cmp.Or(err, h.Check(s, opt))
		}
		if len(content) > 0 {
			h.Note(content[1:])
		}
	}

	if err != io.EOF {
		return nil, err
	}
	return nil, s.Errorf(s.Line, "the file ends before its size line")
}

// banner checks the first line.
func banner(s *text.Source, h *text.Header, content []byte) error {
	words := strings.Fields(strings.ToLower(string(content)))
	switch {
	case len(words) == 0 || words[0] != "%%matrixmarket":
		return s.Errorf(1, "a Matrix Market file starts with a line such as \"%%%%MatrixMarket matrix coordinate "+
			"real general\", not %s", text.Quote(content))
	case bytes.IndexByte(content, '\r') >= 0:
		return s.Errorf(1, "lines end in CR alone, as on old Macintosh systems: convert them with tr '\\r' '\\n'")
	case len(words) != 5:
		return s.Errorf(1, "the first line has %s; it needs five: %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY, as "+
			"in \"%%%%MatrixMarket matrix coordinate real general\"", term.Count(len(words), "word", "words"))
	}
	if name, ok := fieldNames[words[3]]; ok {
		words[3] = name
	}

	for k, part := range []struct {
		what  string
		known []string
	}{{"object", []string{"matrix"}}, {"format", formats}, {"field", fields}, {"symmetry", symmetries}} {
		if word := words[k+1]; !slices.Contains(part.known, word) {
			return s.Errorf(1, "unknown %s %s: it must be %s", part.what, text.Quote([]byte(word)),
				text.Or(part.known))
		}
	}
	h.Format, h.Field, h.Symmetry = words[2], words[3], words[4]
	if h.Format == "array" && h.Field == "pattern" {
		return s.Errorf(1, "an array can't be a pattern, since it stores no positions: write it as coordinate, or "+
			"with its values")
	}
	return nil
}

// sizes reads the size line.
func sizes(s *text.Source, h *text.Header, words []string) error {
	want, form := 3, "the size line in coordinate format has three: rows, columns and entries"
	if h.Format == "array" {
		want, form = 2, "the size line in array format has two: rows and columns"
	}
	numbers, err := text.Sizes(s, h.SizeLine, words, want, want, form)
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

// starts reports whether a text starts as a Matrix Market file does.
func starts(start []byte) bool {
	start = bytes.TrimLeft(start, " \t")
	return len(start) >= 14 && strings.EqualFold(string(start[:14]), "%%MatrixMarket")
}
