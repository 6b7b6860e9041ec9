package rb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// A header is the first four or five lines, checked against each other.
type header struct {
	text.Header

	pointers, indices, values format
	numbers                   int  // to an entry: 0 in a pattern, 2 if complex, else 1
	rightSides                bool // behind the values
}

// sizeLine has the type and the sizes.
const sizeLine = 3

var (
	fields     = map[byte]string{'r': "real", 'i': "integer", 'c': "complex", 'p': "pattern", 'q': "pattern"}
	symmetries = map[byte]string{'u': "general", 'r': "general", 's': "symmetric", 'z': "skew-symmetric",
		'h': "hermitian"}

	typePattern = regexp.MustCompile(`^(?i)([rcipq])([suhzr])([ae])\s+\d`)
)

// starts reports whether a text starts as a Rutherford-Boeing file does: with a
// type in line 3 and formats in line 4.
func starts(start []byte) bool {
	lines := bytes.SplitN(start, []byte("\n"), 5)
	return len(lines) >= 4 && typePattern.Match(lines[2]) && bytes.HasPrefix(bytes.TrimLeft(lines[3], " "), []byte("("))
}

// readHeader reads the header and leaves s at the line after it. It refuses what opt does not ask for.
func readHeader(s *text.Source, opt text.Options) (*header, error) {
	var lines [4]string
	for k, what := range []string{"title", "counts of lines", "type and sizes", "formats"} {
		content, _, err := s.NextLine()
		if errors.Is(err, io.EOF) {
			if k == 0 {
				return nil, s.Errorf(1, "the file is empty")
			}
			return nil, s.Errorf(k+1, "the file ends before line %d, the %s: it was cut off, or is no "+
				"Rutherford-Boeing file", k+1, what)
		}
		if err != nil {
			return nil, err
		}
		lines[k] = strings.TrimRight(string(content), " \t\r\n")
	}

	h := &header{Header: text.Header{Format: "rutherford-boeing", Comment: strings.TrimSpace(lines[0]),
		TypeLine: sizeLine, SizeLine: sizeLine}}
	if len(h.Comment) > 1<<10 {
		h.Comment = h.Comment[:1<<10]
	}
	if err := h.typeAndSizes(s, lines[2]); err != nil {
		return nil, err
	}
	if err := h.formats(s, lines[3]); err != nil {
		return nil, err
	}
	if err := h.counts(s, lines[1]); err != nil {
		return nil, err
	}

	if h.rightSides {
		if _, _, err := s.NextLine(); err != nil {
			return nil, s.Errorf(5, "the file ends before line 5, the type of the right-hand sides: it was cut off")
		}
	}
	return h, h.Wanted(s, opt)
}

// typeAndSizes checks line 3: type, rows, columns, entries, elements.
func (h *header) typeAndSizes(s *text.Source, line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || len(words[0]) != 3 {
		return s.Errorf(sizeLine, "a Rutherford-Boeing file has its type in line 3, three letters such as \"rua\", "+
			"not %s", text.Quote([]byte(line)))
	}

	kind := strings.ToLower(words[0])
	var okField, okSymmetry bool
	h.Field, okField = fields[kind[0]]
	h.Symmetry, okSymmetry = symmetries[kind[1]]

	switch {
	case !okField || !okSymmetry || kind[2] != 'a' && kind[2] != 'e':
		return s.Errorf(sizeLine, "unknown type %s: it is one of r, i, c, p or q, one of s, u, h, z or r, and a, as "+
			"in \"rua\"; a file of right-hand sides or the like holds no matrix", text.Quote([]byte(words[0])))
	case kind[2] == 'e':
		return s.Errorf(sizeLine, "the matrix is elemental (%s), a sum of small dense ones: only assembled matrices "+
			"are read", kind)
	case h.Field == "pattern" && (h.Symmetry == "skew-symmetric" || h.Symmetry == "hermitian"):
		return s.Errorf(sizeLine, "a pattern can't be %s (%s), since it has no values", h.Symmetry, kind)
	}

	h.numbers = h.Numbers()
	sizes, err := wholeNumbers(words[1:])
	if err != nil {
		return s.Errorf(sizeLine, "sizes: %v", err)
	}

	if len(sizes) < 3 || len(sizes) > 4 {
		return s.Errorf(sizeLine, "there are %d numbers behind the type: rows, columns, entries and, of an "+
			"elemental matrix, elements belong there", len(sizes))
	}
	h.Rows, h.Cols, h.Entries = sizes[0], sizes[1], sizes[2]
	if len(sizes) == 4 && sizes[3] != 0 {
		return s.Errorf(sizeLine, "the matrix is said to have %d element matrices and to be assembled (%s): write 0 "+
			"if it is", sizes[3], kind)
	}

	if h.Symmetry != "general" && h.Rows != h.Cols {
		return s.Errorf(sizeLine, "a %s matrix must be square, not %d×%d", h.Symmetry, h.Rows, h.Cols)
	}
	if h.Entries > 0 && (h.Rows == 0 || h.Cols == 0) {
		return s.Errorf(sizeLine, "%s in a matrix of %d×%d, which holds none",
			term.Count(h.Entries, "entry", "entries"), h.Rows, h.Cols)
	}

	return nil
}

// wholeNumbers reads numbers from 0 to sparse.MaxIndex.
func wholeNumbers(words []string) ([]int, error) {
	var out []int
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if errors.Is(err, strconv.ErrRange) || n > sparse.MaxIndex {
			return nil, fmt.Errorf("%s is too large: 32-bit indices hold at most %d", text.Quote([]byte(w)),
				sparse.MaxIndex)
		}

		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s is not a whole number from 0", text.Quote([]byte(w)))
		}
		out = append(out, n)
	}

	return out, nil
}

// formats reads line 4: those of pointers, of row indices and of values, and of
// right-hand sides.
func (h *header) formats(s *text.Source, line string) error {
	var all []string
	for rest := line; ; {
		open := strings.IndexByte(rest, '(')
		if open < 0 {
			break
		}
		end := strings.IndexByte(rest[open:], ')')
		if end < 0 {
			return s.Errorf(4, "the format %s has no closing parenthesis", text.Quote([]byte(rest[open:])))
		}

		all = append(all, rest[open:open+end+1])
		rest = rest[open+end+1:]
	}

	for k, part := range []struct {
		what  string
		to    *format
		whole bool
	}{{"column pointers", &h.pointers, true}, {"row indices", &h.indices, true}, {"values", &h.values, false}} {
		if k == 2 && h.numbers == 0 {
			break
		}
		if k >= len(all) {
			return s.Errorf(4, "line 4 has no Fortran format for the %s, such as (26I3) or (1P,5E16.8)", part.what)
		}

		f, err := parseFormat(all[k])
		if err == nil && part.whole && !f.whole {
			err = fmt.Errorf("the format %s is not one of whole numbers, such as (26I3)", all[k])
		}
		if err != nil {
			return s.Errorf(4, "%s: %v", part.what, err)
		}
		*part.to = f
	}

	return nil
}

// counts checks line 2, the numbers of lines: of all, of pointers, of row indices,
// of values, and of right-hand sides.
func (h *header) counts(s *text.Source, line string) error {
	counts, err := wholeNumbers(strings.Fields(line))
	if err != nil {
		return s.Errorf(2, "counts of lines: %v", err)
	}
	if len(counts) < 4 || len(counts) > 5 {
		return s.Errorf(2, "there are %d counts of lines: four or five belong there, of all lines, of pointers, "+
			"indices, values and, in old files, right-hand sides", len(counts))
	}

	for k, part := range []struct {
		what    string
		numbers int
		format
	}{{"column pointers", h.Cols + 1, h.pointers}, {"row indices", h.Entries, h.indices}, {"values",
		h.numbers * h.Entries, h.values}} {
		want := 0
		if part.numbers > 0 {
			want = part.lines(part.numbers)
		}
		if counts[1+k] == want || part.numbers == 0 && counts[1+k] <= 1 { // a blank line stands for none
			continue
		}

		if part.what == "values" && h.numbers == 0 {
			return s.Errorf(2, "%s of values in a pattern: line 3 should say r for real values, not p",
				term.Count(counts[3], "line", "lines"))
		}
		return s.Errorf(2, "%s for the %s, but %d of them in the format %s take %d: one of the lines 2 to 4 is wrong",
			term.Count(counts[1+k], "line", "lines"), part.what, part.numbers, part.text, want)
	}

	h.rightSides = len(counts) == 5 && counts[4] > 0
	return nil
}

// A format is how Fortran lays numbers out on lines: a fixed number to a line, each in its own
// columns.
type format struct {
	text    string
	perLine int
	width   int  // of a field, in bytes
	whole   bool // whole numbers
	digits  int  // behind the point of a number that is written without one
	scale   int  // of a number without an exponent: it is read as 10^−scale of itself
}

// formatPattern takes (26I3), (4D20.12), (1P,5E16.8), (1P3ES25.16E3).
var formatPattern = regexp.MustCompile(`^\((?:([+-]?\d{1,3})P,?)?(\d*)(I|F|G|D|E[SN]?)(\d+)(?:\.(\d+)(?:E\d+)?)?\)$`)

// parseFormat reads a format as it stands in a header.
func parseFormat(s string) (format, error) {
	f := format{text: s}
	parts := formatPattern.FindStringSubmatch(strings.ToUpper(strings.ReplaceAll(s, " ", "")))
	if parts == nil {
		return f, fmt.Errorf("the format %s is not one that is read, such as (26I3), (4D20.12) or (1P,5E16.8)",
			text.Quote([]byte(s)))
	}

	number := func(s string, none int) int {
		if s == "" {
			return none
		}
		n, err := strconv.Atoi(s)
		if err != nil { // too large
			return text.BlockSize
		}

		return n
	}

	f.scale, f.perLine, f.width, f.digits = number(parts[1], 0), number(parts[2], 1), number(parts[4],
		0), number(parts[5], 0)
	f.whole = parts[3] == "I"
	if f.whole {
		f.scale, f.digits = 0, 0
	}

	if f.perLine < 1 || f.width < 1 || f.perLine >= text.BlockSize/f.width || f.digits >= text.BlockSize {
		return f, fmt.Errorf("the format %s has lines of no or of too many bytes", text.Quote([]byte(s)))
	}
	return f, nil
}

// lines is how many lines that many numbers take.
func (f *format) lines(numbers int) int { return (numbers + f.perLine - 1) / f.perLine }

// index reads a whole number without sign in a field. ok is false if there is none, or if it
// exceeds 2³¹−1.
func index(field []byte) (n int, ok bool) {
	i := 0
	for i < len(field) && field[i] == ' ' {
		i++
	}
	from := i

	for ; i < len(field) && field[i]-'0' <= 9; i++ {
		if n = n*10 + int(field[i]-'0'); n > 1<<31-1 {
			return n, false
		}
	}

	ok = i > from
	for ; i < len(field); i++ {
		ok = ok && field[i] == ' '
	}
	return n, ok
}

// value reads the number in block[lo:hi]; at hi there is something in block, which
// is changed for a moment.
func (f *format) value(block []byte, lo, hi int) (v float64, ok bool) {
	behind := block[hi]
	block[hi] = '\n'
	i := text.SkipBlanks(block, lo)
	if i == hi {
		block[hi] = behind
		return 0, true
	}

	v, next, ok := text.ParseValue(block, i)
	ok = ok && text.SkipBlanks(block, next) == hi
	block[hi] = behind
	if field := block[lo:hi]; !ok || f.digits > 0 && bytes.IndexByte(field, '.') < 0 || f.scale != 0 &&
		!bytes.ContainsAny(field, "eEdD") {
		return f.slowValue(field)
	}

	return v, true
}

var numberPattern = regexp.MustCompile(`^([+-]?)(\d*)(\.?)(\d*)(?:[EQD]?([+-]\d+)|[EQD](\d+))?$`)

// slowValue reads a field as Fortran does, whatever it holds.
func (f *format) slowValue(field []byte) (v float64, ok bool) {
	word := strings.ToUpper(strings.ReplaceAll(string(field), " ", ""))
	switch strings.TrimLeft(word, "+-") {
	case "INF", "INFINITY", "NAN":
		v, err := strconv.ParseFloat(word, 64)
		return v, err == nil
	}

	parts := numberPattern.FindStringSubmatch(word)
	if parts == nil || parts[2]+parts[4] == "" {
		return 0, false
	}
	written := parts[5] + parts[6]
	if len(written) > 8 {
		return 0, false
	}

	exponent, _ := strconv.Atoi(written)
	if written == "" {
		exponent -= f.scale
	}
	if parts[3] == "" {
		exponent -= f.digits
	}

	v, err := strconv.ParseFloat(fmt.Sprintf("%s%s.%se%d", parts[1], parts[2], parts[4], exponent), 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}
