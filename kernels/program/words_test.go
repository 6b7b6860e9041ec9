package program

import (
	"slices"
	"strings"
	"testing"
)

// Values are never split and never seen by a shell.
func TestWords(t *testing.T) {
	values := map[string]string{"matrix": "/a b/$(rm -rf x).mtx", "block": "64"}
	for command, want := range map[string][]string{
		`./my-spmv  {matrix}	{block}`:      {"./my-spmv", values["matrix"], "64"},
		`x '{matrix} {block}' ""`:          {"x", values["matrix"] + " 64", ""},
		`x --block={block} "it's" a'b c'd`: {"x", "--block=64", "it's", "ab cd"},
		`awk {{print}} $HOME \n`:           {"awk", "{print}", "$HOME", `\n`},
	} {
		words, err := Split(command)
		if err == nil {
			words, err = Expand(words, values)
		}
		if err != nil || !slices.Equal(words, want) {
			t.Errorf("%s: %q, %v, want %q", command, words, err, want)
		}
	}
	if _, err := Split(`x 'y`); err == nil {
		t.Error("a quote without an end is taken")
	}
	for word, want := range map[string]string{
		"{blok}": "no placeholder {blok}: there are {block}, {matrix}", "a{": `a brace in "a{" stands alone: write {{`,
	} {
		if _, err := Expand([]string{word}, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", word, err)
		}
	}
	if !Uses([]string{"a", "--x={y}"}, "y") || Uses([]string{"{{y}}"}, "y") {
		t.Error("placeholders are not told from braces")
	}
}
