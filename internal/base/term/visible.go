package term

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible makes signs that a terminal would obey visible, such as escape and those that turn the
// direction of text, in the way of JSON: \u001b. Line ends, tabs and spaces stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, obeyed) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !obeyed(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escape(&b, high)
			escape(&b, low)
		default:
			escape(&b, r)
		}
	}
	return b.String()
}

func escape(b *strings.Builder, unit rune) {
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte("0123456789abcdef"[unit>>shift&15])
	}
}

func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}

// A visible writer makes all that is written visible.
type visible struct {
	w    io.Writer
	wide bool   // tables have all columns
	rest []byte // the beginning of a rune
}

// Escaped gives a writer that makes all that it is given visible, see Visible.
func Escaped(w io.Writer) io.Writer { return &visible{w: w} }

// Raw gives the writer behind one that Escaped gave, for what a terminal shall obey.
func Raw(w io.Writer) io.Writer {
	if v, ok := w.(*visible); ok {
		return v.w
	}
	return w
}

// Columns is the width of the terminal behind it.
func (v *visible) Columns() int {
	if v.wide {
		return 0
	}
	return Columns(v.w)
}

// Wide gives a writer to the same place on which tables have all columns.
func Wide(w io.Writer) io.Writer { return &visible{w: Raw(w), wide: true} }

func (v *visible) Write(p []byte) (int, error) {
	text := append(v.rest, p...)
	end := len(text)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
		}
	}
	v.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(v.w, Visible(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Cell keeps a spreadsheet from taking a text of a CSV file for a formula: it puts an apostrophe
// before one. Numbers stay.
func Cell(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64); err == nil {
		return s
	}
	return "'" + s
}

// Markdown escapes s for a table cell, a heading or a paragraph, but for the bars of a table.
// Characters that Markdown or HTML would interpret get a backslash, and control characters, which
// would end the row, become spaces. An underscore inside a word has no meaning in GitHub's
// Markdown, so kernels' names stay readable.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < ' ' || r == 0x7f:
			r = ' '
		case strings.ContainsRune("\\`*[]~<&", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return Visible(b.String())
}
