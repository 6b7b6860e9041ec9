package term

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

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
		if b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}

	for r := range unicode.MaxRune {
		if s := Visible(string(r)); strings.ContainsFunc(s, obeyed) {
			t.Errorf("%q gives %q", r, s)
		}
	}
	var b strings.Builder
	if err := WriteJSON(Escaped(&b), "\u202e\u009b\U000e0041"); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != "\u202e\u009b\U000e0041" {
		t.Errorf("%q, %v", back, err)
	}
}

// Texts that a spreadsheet would take for formulas have an apostrophe; Markdown has no HTML.
func TestTextsFromOutside(t *testing.T) {
	table := Table{Columns: []string{"a"}, Rows: [][]any{{"=1+2"}, {"@x"}, {"-2+3|x"}, {"-5"}, {int64(-3)}, {"+4.5%"},
		{"\x1b\u202e"}}}
	var csv, markdown strings.Builder
	if err := table.Write(&csv, "csv"); err != nil || csv.String() != "a\n'=1+2\n'@x\n'-2+3|x\n-5\n-3\n+4.5%\n"+`\u001b\u202e`+"\n" {
		t.Errorf("%v %q", err, csv.String())
	}
	table = Table{Columns: []string{"a"}, Rows: [][]any{{"<b>|*x*"}}}
	if err := table.Write(&markdown, "markdown"); err != nil || !strings.Contains(markdown.String(), `\<b>\|\*x\*`) {
		t.Errorf("%v %q", err, markdown.String())
	}
}
