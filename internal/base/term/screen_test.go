// SPDX-License-Identifier: Apache-2.0

package term

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"example.org/spmvtune/internal/testing/testkit"
)

// A page that does not fit a terminal is cut where it is least missed, at its end, and
// never makes it scroll.
func TestWatchShowsTheTop(t *testing.T) {
	var page strings.Builder
	for i := range 30 {
		fmt.Fprintf(&page, "line %d %s\n", i, strings.Repeat("x", 100))
	}
	for _, height := range []int{0, 1, 2, 3, 24, 30, 31, 100} {
		got := InPlace(page.String(), 40, height)
		lines := strings.Split(got, "\n")
		testkit.Check(t, height <= 1 || len(lines) <= height, "%d rows: %d lines", height, len(lines))
		if height != 2 && !strings.HasPrefix(lines[0], "\x1b[Hline 0 xxx") || len(lines[0]) > 40+len("\x1b[H\x1b[K") {
			t.Errorf("%d rows: begins with %q", height, lines[0])
		}
		testkit.Equal(t, strings.Contains(got, " lines more"), (height > 1 && height < 31),
			"%d rows: it says that it was cut", height)
	}
	testkit.Says(t, "24 rows", InPlace(page.String(), 40, 24), "line 21 ", "… and 8 lines more")
}

// No terminal obeys what is written, however it is cut into pieces, and JSON stays the same.
func TestEscaped(t *testing.T) {
	const text = "a\x1b[31m\u009b1mä\u202e×\U000e0041\r\n\tµ\xff\x9b\u202f"
	for size := 1; size < 9; size++ {
		var b strings.Builder
		w := Escaped(&b)
		for i := 0; i < len(text); i += size {
			fmt.Fprint(w, text[i:min(i+size, len(text))])
		}
		const want = `a\u001b[31m\u009b1mä\u202e×\udb40\udc41\u000d` + "\n\tµ\ufffd\ufffd\u202f"
		testkit.Equal(t, b.String(), want, "in pieces of %d", size)
	}

	for r := range unicode.MaxRune {
		s := Visible(string(r))
		testkit.Check(t, !strings.ContainsFunc(s, obeyed), "%q gives %q", r, s)
	}
	var b strings.Builder
	testkit.Succeed(t, WriteJSON(Escaped(&b), "\u202e\u009b\U000e0041"))
	var back string
	testkit.Succeed(t, json.Unmarshal([]byte(b.String()), &back))
	testkit.Equal(t, back, "\u202e\u009b\U000e0041", "read back")
}

// Texts that a spreadsheet would take for formulas have an apostrophe; Markdown has no HTML.
func TestTextsFromOutside(t *testing.T) {
	table := Table{Columns: []string{"=a"}, Rows: [][]any{{"=1+2"}, {"@x"}, {"-2+3|x"}, {"-5"}, {int64(-3)}, {"+4.5%"},
		{"\x1b\u202e"}}}
	var csv, markdown strings.Builder
	testkit.Succeed(t, table.Write(&csv, "csv"))
	testkit.Equal(t, csv.String(), "'=a\n'=1+2\n'@x\n'-2+3|x\n-5\n-3\n+4.5%\n"+`\u001b\u202e`+"\n", "as CSV")
	table = Table{Columns: []string{"a"}, Rows: [][]any{{"<b>|*x*"}}}
	testkit.Succeed(t, table.Write(&markdown, "markdown"))
	testkit.Says(t, "as Markdown", markdown.String(), `\<b>\|\*x\*`)
}
