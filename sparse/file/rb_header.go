// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/term"
)

// An rbHeader is the first four or five lines, checked against each other.
type rbHeader struct {
	header

	pointers, indices, values section
	rightSides                bool // behind the values
}

// sizeLine has the type and the sizes.
const sizeLine = 3

var (
	rbFields     = map[byte]string{'r': "real", 'i': "integer", 'c': "complex", 'p': "pattern", 'q': "pattern"}
	rbSymmetries = map[byte]string{'u': "general", 'r': "general", 's': "symmetric", 'z': "skew-symmetric",
		'h': "hermitian"}

	typePattern = regexp.MustCompile(`^(?i)([rcipq])([suhzr])([ae])\s+\d`)
)

// startsRB reports whether a text starts as a Rutherford-Boeing file does: with a
// type in line 3 and formats in line 4.
func startsRB(start []byte) bool {
	lines := bytes.SplitN(start, []byte("\n"), 5)
	return len(lines) >= 4 && typePattern.Match(lines[2]) && bytes.HasPrefix(bytes.TrimLeft(lines[3], " "), []byte("("))
}

// readRBHeader reads the header and leaves s at the line after it. It refuses what opt does not ask for.
func readRBHeader(s *source, opt Options) (*rbHeader, error) {
	h := &rbHeader{header: header{Format: "rutherford-boeing", TypeLine: sizeLine, SizeLine: sizeLine}}
	var lines []string
	for _, what := range []string{"title", "counts of lines", "type and sizes", "formats"} {
		line, err := headerLine(s, what)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	h.note([]byte(strings.TrimSpace(lines[0])))

	err := h.typeAndSizes(s, lines[2])
	if err == nil {
		err = h.check(s, opt)
	}
	if err == nil {
		err = h.formats(s, lines[3])
	}
	if err == nil {
		err = h.counts(s, lines[1])
	}
	if err == nil && h.rightSides {
		_, err = headerLine(s, "type of the right-hand sides")
	}
	return h, err
}

// headerLine reads the next line.
func headerLine(s *source, what string) (string, error) {
	content, err := s.nextLine()
	if err == io.EOF {
		return "", s.errorf(s.Line, "the file ends before line %d, the %s: it was cut off, or is no Rutherford-Boeing "+
			"file", s.Line, what)
	}
	return strings.TrimRight(string(content), " \t\r\n"), err
}

// typeAndSizes checks line 3: type, rows, columns, entries, elements.
func (h *rbHeader) typeAndSizes(s *source, line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || len(words[0]) != 3 {
		return s.errorf(sizeLine, "a Rutherford-Boeing file has its type in line 3, three letters such as \"rua\", "+
			"not %s", quote([]byte(line)))
	}

	kind := strings.ToLower(words[0])
	var okField, okSymmetry bool
	h.Field, okField = rbFields[kind[0]]
	h.Symmetry, okSymmetry = rbSymmetries[kind[1]]

	switch {
	case !okField || !okSymmetry || kind[2] != 'a' && kind[2] != 'e':
		return s.errorf(sizeLine, "unknown type %s: it is one of r, i, c, p or q, one of s, u, h, z or r, and a, as "+
			"in \"rua\"; a file of right-hand sides or the like holds no matrix", quote([]byte(words[0])))
	case kind[2] == 'e':
		return s.errorf(sizeLine, "the matrix is elemental (%s), a sum of small dense ones: only assembled matrices "+
			"are read", kind)
	}

	sizes, err := readSizes(s, sizeLine, words[1:], 3, 4,
		"behind the type stand rows, columns, entries and, of an elemental matrix, elements")
	if err != nil {
		return err
	}
	h.Rows, h.Cols, h.Entries = sizes[0], sizes[1], sizes[2]
	if len(sizes) == 4 && sizes[3] != 0 {
		return s.errorf(sizeLine, "the matrix is said to have %d element matrices and to be assembled (%s): write 0 "+
			"if it is", sizes[3], kind)
	}

	return nil
}

// formats reads line 4: those of pointers, of row indices and of values, and of
// right-hand sides.
func (h *rbHeader) formats(s *source, line string) error {
	h.pointers = section{what: "column pointer", plural: "column pointers", numbers: h.Cols + 1, most: h.Entries + 1}
	h.indices = section{what: "row index", plural: "row indices", numbers: h.Entries, most: h.Rows}
	h.values = section{what: "value", plural: "values", numbers: h.numbers() * h.Entries}
	for _, c := range h.sections() {
		if c == &h.values && h.numbers() == 0 {
			break
		}
		_, after, there := strings.Cut(line, "(")
		written, rest, closed := strings.Cut(after, ")")
		if !there || !closed {
			return s.errorf(4, "line 4 has no Fortran format for the %s, such as (26I3) or (1P,5E16.8)", c.plural)
		}
		line = rest

		var err error
		if c.fortran, err = parseFormat("(" + written + ")"); err == nil && c.most > 0 && !c.whole {
			err = fmt.Errorf("the format %s is not one of whole numbers, such as (26I3)", c.text)
		}
		if err != nil {
			return s.errorf(4, "%s: %v", c.plural, err)
		}
	}
	return nil
}

func (h *rbHeader) sections() []*section { return []*section{&h.pointers, &h.indices, &h.values} }

// counts checks line 2, the numbers of lines: of all, of pointers, of row indices,
// of values, and of right-hand sides.
func (h *rbHeader) counts(s *source, line string) error {
	counts, err := readSizes(s, 2, strings.Fields(line), 4, 5,
		"line 2 counts lines: all, those of pointers, indices, values and, in old files, right-hand sides")
	if err != nil {
		return err
	}

	for k, c := range h.sections() {
		given, want := counts[1+k], 0
		if c.numbers > 0 {
			want = c.lines(c.numbers)
		}
		if given != want && (c.numbers > 0 || given > 1) { // a blank line stands for none
			return s.errorf(2, "%s for the %s, but %d of them take %d in the format %s: one of the lines 2 to 4 is wrong",
				term.Count(given, "line", "lines"), c.plural, c.numbers, want, c.text)
		}
	}
	h.rightSides = len(counts) == 5 && counts[4] > 0
	return nil
}

// A fortran format is how Fortran lays numbers out on lines: a fixed number to a line, each in its own
// columns.
type fortran struct {
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
func parseFormat(s string) (fortran, error) {
	f := fortran{text: s}
	parts := formatPattern.FindStringSubmatch(strings.ToUpper(strings.ReplaceAll(s, " ", "")))
	if parts == nil {
		return f, fmt.Errorf("the format %s is not one that is read, such as (26I3), (4D20.12) or (1P,5E16.8)",
			quote([]byte(s)))
	}

	number := func(s string, none int) int {
		if s == "" {
			return none
		}
		n, err := strconv.Atoi(s)
		if err != nil { // too large
			return blockSize
		}

		return n
	}

	f.scale, f.perLine, f.width, f.digits = number(parts[1], 0), number(parts[2], 1), number(parts[4],
		0), number(parts[5], 0)
	f.whole = parts[3] == "I"
	if f.whole {
		f.scale, f.digits = 0, 0
	}

	if f.perLine < 1 || f.width < 1 || f.perLine >= blockSize/f.width || f.digits >= blockSize {
		return f, fmt.Errorf("the format %s has lines of no or of too many bytes", quote([]byte(s)))
	}
	return f, nil
}

// lines is how many lines that many numbers take.
func (f fortran) lines(numbers int) int { return (numbers + f.perLine - 1) / f.perLine }

// value reads the number in a field, which '\n' follows.
func (f *fortran) value(field []byte) (v float64, ok bool) {
	i, word := skipBlanks(field, 0), field[:f.width]
	if i == f.width {
		return 0, true
	}
	v, next, ok := parseValue(field, i)
	if !ok || skipBlanks(field, next) != f.width || f.digits > 0 && bytes.IndexByte(word, '.') < 0 ||
		f.scale != 0 && !bytes.ContainsAny(word, "eEdD") {
		return f.slowValue(word)
	}
	return v, true
}

var numberPattern = regexp.MustCompile(`^([+-]?)(\d*)(\.?)(\d*)(?:[EQD]?([+-]\d+)|[EQD](\d+))?$`)

// slowValue reads a field as Fortran does, whatever it holds.
func (f *fortran) slowValue(field []byte) (v float64, ok bool) {
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
