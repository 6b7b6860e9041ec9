package table

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"spmvtune/internal/base/term"
)

// nasty is a table of what each form gives a meaning.
func nasty() Sheet {
	t := Table{Title: "50% of a_b & {c}", Columns: Columns("matrix", ">time (ms)")}
	for _, name := range []string{`a\b`, "x_1 & 2", "50%", "$5", "#", "{", "}}", "~^", "a|b", "naïve ± µ",
		"two\nlines", `"quoted", twice`, "[2pt] x", "*", "=1+2", "\x1b[31m\u202e", "*/ \\end{document}"} {
		t.Rows = append(t.Rows, []Cell{Text(name), {"1.23 ± 0.04", 1.2345}})
	}
	t.Rows = append(t.Rows, []Cell{Text("none"), {term.Missing, math.NaN()}})
	t.embolden(0, 1)
	return Sheet{Stem: "nasty", Title: "A title & more", Notes: []string{"first\nsecond"}, Tables: []Table{t, t}}
}

// TestLaTeX: what is written is ASCII, its braces and environments match, no character
// with a meaning is left of a text, and each row has as many cells as the header.
func TestLaTeX(t *testing.T) {
	s := nasty()
	text := string(s.latex())
	depth, escaped := 0, false
	for _, r := range text {
		switch {
		case r > 0x7e || r < ' ' && r != '\n':
			t.Errorf("%q is not ASCII", r)
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '{':
			depth++
		case r == '}':
			if depth--; depth < 0 {
				t.Fatalf("a brace closes that was not opened:\n%s", text)
			}
		}
	}
	if depth != 0 {
		t.Errorf("%d braces are left open", depth)
	}
	for _, name := range []string{"table", "tabular"} {
		if b, e := strings.Count(text, `\begin{`+name+`}`), strings.Count(text, `\end{`+name+`}`); b != 2 || e != 2 {
			t.Errorf("%s begins %d times and ends %d times", name, b, e)
		}
	}
	rows := 0
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\\\\\n") {
			if strings.HasPrefix(line, "%") && strings.Count(line, "\n") != 1 {
				t.Errorf("a comment goes on: %q", line)
			}
			continue
		}
		rows++
		plain := strings.NewReplacer(`\\`, "", `\&`, "", `\%`, "", `\$`, "", `\#`, "", `\_`, "", `\{`, "", `\}`,
			"").Replace(line)
		if n := strings.Count(plain, "&"); n != 1 {
			t.Errorf("%d cells: %s", n+1, line)
		}
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
			t.Errorf("an option of the row before: %s", line)
		}
		if strings.ContainsAny(plain, "%#_^~") || strings.Count(plain, "$")%2 != 0 {
			t.Errorf("a character with a meaning: %s", line)
		}
	}
	if want := 2 * (1 + len(s.Tables[0].Rows)); rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
	if n := strings.Count(text, `\textbf{1.23 $\pm$ 0.04}`); n != 2 {
		t.Errorf("%d bold cells, want 2", n)
	}
}

// TestCSV: names come back as they were, unless they are formulas, and numbers with all digits.
func TestCSV(t *testing.T) {
	s := nasty()
	lines, err := csv.NewReader(strings.NewReader(string(s.csv()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1+2*len(s.Tables[0].Rows) {
		t.Fatalf("%d lines", len(lines))
	}
	for i, row := range s.Tables[0].Rows {
		want := "1.2345"
		if row[1].Text == term.Missing {
			want = ""
		}
		name := row[0].Text
		if name == "=1+2" { // a spreadsheet would compute it
			name = "'" + name
		}
		if l := lines[i+1]; l[0] != s.Tables[0].Title || l[1] != name || l[2] != want {
			t.Errorf("line %q of %q", l, row[0].Text)
		}
	}
}

func TestMarkdownBold(t *testing.T) {
	s := nasty()
	if text := string(markdownPage(s.Title, s.Notes, s.Tables)); strings.Count(text, "**1.23 ± 0.04**") != 2 {
		t.Errorf("bold cells are lost:\n%s", text)
	}
}

// What needs no escape is written as it is: the file is also read in a terminal.
func TestMarkdownText(t *testing.T) {
	for text, want := range map[string]string{
		`Algorithm 3's "best"`:  `Algorithm 3's "best"`,
		`coo_atomic, > 100 × x`: `coo_atomic, > 100 × x`,
		`a|b*c`:                 `a\|b\*c`,
		`<b>&lt;`:               `\<b>\&lt;`,
		"two\nlines":            "two lines",
		"\x1b[31m\u202e":        ` \[31m\u202e`,
	} {
		if got := markdownText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
