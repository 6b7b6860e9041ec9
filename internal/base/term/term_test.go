// SPDX-License-Identifier: Apache-2.0

package term

import (
	"math"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		want    string
	}{
		{1.234e-8, "12.3 ns"}, {9.996e-7, "1.00 µs"}, {9.996e-6, "10.0 µs"}, {2.5e-4, "250 µs"}, {9.996e-4, "1.00 ms"},
		{0.0996, "99.6 ms"}, {0.9999, "1.00 s"}, {1234, "1234 s"}, {0, "0 ns"},
	} {
		testkit.Equal(t, Seconds(tt.seconds), tt.want, "%g s", tt.seconds)
	}
}

// Whatever the words are, a shell gets them as they were.
func TestShell(t *testing.T) {
	words := []string{"plain-1.0/x", "two words", "it's", "", "$HOME `x` \"y\" *", "a\nb", "é"}
	out := testkit.Must(exec.Command("sh", "-c", "printf '%s\\0' "+Shell(words...)).Output())
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); strings.Join(got,
		"|") != strings.Join(words, "|") {
		t.Errorf("%q came back as %q", words, got)
	}
}

func TestWrap(t *testing.T) {
	text := strings.Repeat("ein längeres Wort und µ ", 20)
	lines := strings.Split(Wrap(text, 40, "    "), "\n")
	for i, line := range lines {
		line, indented := strings.CutPrefix(line, "    ")
		n := utf8.RuneCountInString(line)
		testkit.Check(t, n <= 40 && (i >= len(lines)-1 || n >= 30) && indented == (i > 0), "line %d: %q", i, line)
	}
	testkit.Equal(t, strings.Join(strings.Fields(strings.Join(lines, " ")), " "), strings.TrimSpace(text),
		"words are lost")
}

// The numbers of a column have the same number of digits behind the point, and
// integers have none.
func TestColumnsAreEven(t *testing.T) {
	for _, tt := range []struct{ in, want []any }{
		{[]any{18470.0, 3.0, 0.0, nil}, []any{"18470", "3", "0", ""}},
		{[]any{2.345678, 12.3, 0.0, math.NaN()}, []any{"2.35", "12.30", "0", ""}},
		{[]any{0.999, 10.0}, []any{"0.999", "10.000"}},
		{[]any{1e-12, 0.5}, []any{"1.00e-12", "5.00e-01"}},
		{[]any{int64(18470), int64(2)}, []any{"18470", "2"}},
		{[]any{strings.Repeat("0a", 32), "0a"}, []any{"0a0a0a0a0a0a", "0a"}},
	} {
		g := Table{Columns: []string{"c"}}
		for _, v := range tt.in {
			g.Rows = append(g.Rows, []any{v})
		}
		round := g.rounding(0)
		for i, v := range tt.in {
			testkit.Equal[any](t, short(v, round), tt.want[i], "%v of %v", v, tt.in)
		}
	}
}

// A size is read as Bytes prints it, and in the other units.
func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"20GB": 20e9, "1.5 mb": 15e5, "7": 7, "7B": 7, "0": 0, "2TB": 2e12} {
		testkit.Equal(t, testkit.Must(ParseBytes(text)), want, "%s", text)
	}
	for _, text := range []string{"", "GB", "-1GB", "NaN", "1e30", "inf GB", "20 parsecs"} {
		testkit.Fails(t, testkit.Err(ParseBytes(text)), "", "%q", text)
	}
}
