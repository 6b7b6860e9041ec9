package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most width columns. All lines but the first begin with
// the indent, which does not count.
func Wrap(text string, width int, indent string) string {
	return Fill(strings.Fields(text), width, indent)
}

// Print prints text in the Lines of w.
func Print(w io.Writer, text string) { fmt.Fprintln(w, Lines(w, text)) }

// Item prints text like Print, one level deeper.
func Item(w io.Writer, text string) { fmt.Fprintln(w, "  "+lines(w, text, 4)) }

// Lines breaks text into lines that fit the terminal behind w, and the page. All but the first are indented. Where w is
// no terminal, text stays one line, for other programs to search.
func Lines(w io.Writer, text string) string { return lines(w, text, 2) }

func lines(w io.Writer, text string, indent int) string {
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
