package term

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most width columns. All lines but the first begin with
// the indent, which does not count.
func Wrap(text string, width int, indent string) string {
	return Fill(strings.Fields(text), width, indent)
}

// Paragraph wraps text to the width of a page. It indents all lines but the first by this
// many columns, and leaves as much room in the first.
func Paragraph(text string, indent int) string {
	return Wrap(text, PageWidth-indent, strings.Repeat(" ", indent))
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
