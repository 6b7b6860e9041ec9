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

// Print prints text in lines of at most the page's width. All lines but the first are indented.
func Print(w io.Writer, text string) {
	fmt.Fprintln(w, Wrap(text, pageOf(w)-2, "  "))
}

// Item prints text like Print, one level deeper.
func Item(w io.Writer, text string) {
	fmt.Fprintln(w, "  "+Wrap(text, pageOf(w)-4, "    "))
}

// pageOf is the width of running text on w: the page's, or that of a narrower terminal.
func pageOf(w io.Writer) int {
	if n := Columns(w); n > 0 {
		return max(min(n, PageWidth), 20)
	}
	return PageWidth
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
