package table

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"spmvtune/internal/base/term"
)

// markdownPage prints tables under a title and notes. Columns are aligned in the source, too,
// so that the file reads well in a terminal.
func markdownPage(title string, notes []string, tables []Table) []byte {
	var b bytes.Buffer
	b.WriteString("# " + markdownText(title) + "\n")
	for _, n := range notes {
		b.WriteString("\n" + markdownText(n) + "\n")
	}
	if len(tables) == 0 {
		b.WriteString("\nThe database holds no verified trials.\n")
	}

	for _, t := range tables {
		b.WriteString("\n## " + markdownText(t.Title) + "\n\n")
		t.markdown(&b)
	}

	return b.Bytes()
}

func (t *Table) markdown(b *bytes.Buffer) {
	width := make([]int, len(t.Columns))
	lines := make([][]string, 0, len(t.Rows)+1)

	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = markdownText(c.Name)
	}
	lines = append(lines, head)
	for n, r := range t.Rows {
		line := make([]string, len(r))
		for i, c := range r {
			if line[i] = markdownText(c.Text); t.IsBold(n, i) {
				line[i] = "**" + line[i] + "**"
			}
		}
		lines = append(lines, line)
	}

	for _, l := range lines {
		for i, s := range l {
			width[i] = max(width[i], utf8.RuneCountInString(s), 3)
		}
	}

	for n, l := range lines {
		for i, s := range l {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(s))
			if t.Columns[i].Right {
				b.WriteString("| " + pad + s + " ")
			} else {
				b.WriteString("| " + s + pad + " ")
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			for i, c := range t.Columns {
				rule := strings.Repeat("-", width[i]+1)
				if c.Right {
					b.WriteString("|" + rule + ":")
				} else {
					b.WriteString("|:" + rule)
				}
			}
			b.WriteString("|\n")
		}
	}
}

// markdownText escapes s for a table cell, a heading or a paragraph.
func markdownText(s string) string { return strings.ReplaceAll(term.Markdown(s), "|", `\|`) }
