// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
)

// An Error is one mistake in a sweep file.
type Error struct {
	// File is the file as the user named it.
	File string
	// Line counts from 1; it is 0 if the mistake has no position in a file.
	Line int
	// Key includes its section, as in "kernel.block"; it is "" for the file as a whole.
	Key string
	// Problem says what is wrong.
	Problem string
	// Hint says what to do about it; it is "" where the problem says so itself.
	Hint string
}

// Error gives e on one line: `file:line: key: problem (hint)`.
func (e *Error) Error() string {
	text := e.Problem
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	}
	return e.File + ": " + text
}

// Errors are all the mistakes of a sweep file, sorted by line. It is never
// empty where it is returned as an error.
type Errors []*Error

// Error gives one mistake per line.
func (es Errors) Error() string {
	return strings.Join(lists.Of(es, (*Error).Error), "\n")
}

// err returns es, sorted by line, as an error: nil if there are none.
// Mistakes of one line keep the order in which they were found.
func (es Errors) err() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	return es
}

// mostListed is how many names are listed at most: more on a line do not help.
const mostListed = 40

// Suggest says how to correct a name that is not in valid: it names the nearest one, or all of them, or the closest
// of many with the command that lists all, if there is one. what is their plural, as in "kernels".
func Suggest(name, what string, valid []string, command string) string {
	switch near := didYouMean(name, valid); {
	case near != "":
		return near
	case len(valid) == 0:
		return ""
	case len(valid) <= mostListed:
		return what + " are " + strings.Join(valid, ", ")
	case command == "":
		return ""
	}
	return fmt.Sprintf("the closest %s are %s; `%s` lists all", what, strings.Join(closest(name, valid), ", "), command)
}

// didYouMean names the nearest name of valid, if one is near.
func didYouMean(name string, valid []string) string {
	if near := Nearest(name, valid); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// closest returns the names of valid that are the most like name, by their closest words.
func closest(name string, valid []string) []string {
	const few = 6
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	}
	away := func(v string) int {
		least := 100 // per cent of the letters
		for _, a := range words(name) {
			for _, b := range words(v) {
				least = min(least, 100*levenshtein.Distance(a, b, nil)/max(len(a), len(b)))
			}
		}
		return least
	}
	sorted := slices.Clone(valid)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(away(a), away(b)) })
	return sorted[:min(few, len(sorted))]
}

// Nearest returns the name of valid that is the fewest edits away from name. It
// returns "" where more than two letters and a third of the name would have to change, or
// more than one letter of a name of up to three. Case, and a dash for an underscore, make no difference. The same
// letters in another order are one edit, and a word that others use is ours.
func Nearest(name string, valid []string) string {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "_")) }
	best, least := "", max(2, len(name)/3)+1
	if len(name) < 4 {
		least = 2
	}
	if ours := synonyms[fold(name)]; slices.Contains(valid, ours) {
		return ours
	}
	for _, v := range valid {
		d := levenshtein.Distance(fold(name), fold(v), nil)
		if letters(fold(name)) == letters(fold(v)) {
			d = min(d, 1)
		}
		if d < least && d < max(len(v), len(name))-1 {
			best, least = v, d
		}
	}
	return best
}

// Instead suggests the name of valid that is nearest to name, or says which there are: some, as they may be any number.
func Instead(name string, valid []string) string {
	return cmp.Or(didYouMean(name, valid), "there are "+term.Some(valid, 12))
}

// synonyms are the words of this program for those of others.
var synonyms = map[string]string{"gpu": "cuda", "nvidia": "cuda", "processor": "cpu", "host": "cpu",
	"double": "float64", "fp64": "float64", "f64": "float64", "single": "float32", "float": "float32", "fp32": "float32",
	"f32": "float32"}

// letters are those of a text, sorted.
func letters(text string) string {
	sorted := []byte(text)
	slices.Sort(sorted)
	return string(sorted)
}

// list puts names in quotes and joins them: `"a", "b" or "c"`.
func list(names []string) string { return term.Or(lists.Of(names, strconv.Quote)) }
