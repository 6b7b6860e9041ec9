// SPDX-License-Identifier: Apache-2.0

package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// SizeOf returns a function that tells how many columns and lines the terminal behind w has;
// 0 stands for unknown. SizeOf returns nil if w is not a terminal on which text can be redrawn.
func SizeOf(w any) func() (width, height int) {
	if out, ok := w.(io.Writer); ok {
		w = Raw(out)
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() (width, height int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	}
}

// InPlace returns what shows a page from the upper left corner of a terminal. It clears each line
// to its end and then the rest, so that nothing flickers. Of a page that is too long it shows the
// top, and lines that are too wide it cuts, because the terminal would scroll. A width or height
// of 0 is not known.
func InPlace(page string, width, height int) string {
	const corner, toEnd, rest = "\x1b[H", "\x1b[K\n", "\x1b[J"
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	// The cursor has a line of its own.
	if height > 1 && len(lines) > height-1 {
		more := fmt.Sprintf("… and %s more", Count(len(lines)-(height-2), "line", "lines"))
		lines = append(slices.Clip(lines[:height-2]), more)
	}

	for i, line := range lines {
		if width > 0 {
			lines[i] = text.Trim(line, width)
		}
	}

	return corner + strings.Join(lines, toEnd) + toEnd + rest
}

// OneLine keeps a text on one line: what controls a terminal becomes a blank.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// Visible makes signs that a terminal would obey visible, such as escape and those that turn the
// direction of text, in the way of JSON: \u001b. Line ends, tabs and spaces stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, obeyed) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !obeyed(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}

// A visible writer makes all that is written visible.
type visible struct {
	w    io.Writer
	wide bool   // tables have all columns
	rest []byte // the beginning of a rune
	lost error  // why something could not be written
}

// Lost is why something could not be written, or printed as a table, on a writer of Escaped: who prints need not ask.
func Lost(w io.Writer) error { return w.(*visible).lost }

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

// Wide makes w, or a writer to the same place, one on which tables have all columns.
func Wide(w io.Writer) io.Writer {
	if v, ours := w.(*visible); ours {
		v.wide = true
		return v
	}
	return &visible{w: w, wide: true}
}

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
		v.lost = err
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

// Wrap breaks text into lines of at most width columns. All lines but the first begin with
// the indent, which does not count.
func Wrap(text string, width int, indent string) string {
	return Fill(strings.Fields(text), width, indent)
}

// Print prints text in the Lines of w.
func Print(w io.Writer, text string) { fmt.Fprintln(w, Lines(w, text)) }

// Item prints text like Print, one level deeper.
func Item(w io.Writer, text string) { fmt.Fprintln(w, "  "+Hanging(w, text, 4)) }

// Lines breaks text into lines that fit the terminal behind w, and the page. All but the first are indented. Where w is
// no terminal, text stays one line, for other programs to search.
func Lines(w io.Writer, text string) string { return Hanging(w, text, 2) }

// Hanging is Lines with this indent.
func Hanging(w io.Writer, text string, indent int) string {
	n := Columns(w)
	if n == 0 {
		return strings.Join(strings.Fields(text), " ")
	}
	return Wrap(text, max(min(n, PageWidth), 20)-indent, strings.Repeat(" ", indent))
}

// Fill puts items on lines as Wrap does, and breaks none of them.
func Fill(items []string, width int, indent string) string {
	var b strings.Builder
	used := 0
	for i, item := range items {
		n := utf8.RuneCountInString(item)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}

		b.WriteString(item)
		used += n
	}
	return b.String()
}

// FillList is Fill with a comma after each item but the last.
func FillList(items []string, width int, indent string) string {
	items = slices.Clone(items)
	for i := range len(items) - 1 {
		items[i] += ","
	}
	return Fill(items, width, indent)
}
