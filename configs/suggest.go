package configs

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// suggest says how to correct a name that is not in valid: it names the nearest one, or all of
// them if none is near. what is their plural, as in "kernels".
func suggest(name, what string, valid []string) string {
	if near := Nearest(name, valid); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const few = 24 // more names than these on a line do not help
	if len(valid) == 0 || len(valid) > few {
		return ""
	}
	return what + " are " + strings.Join(valid, ", ")
}

// Nearest returns the name of valid that is the fewest edits away from name. It
// returns "" where more than two letters and a third of the name would have to change, or
// more than one letter of a name of up to three. Case, and a dash for an underscore, make no difference.
func Nearest(name string, valid []string) string {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "_")) }
	best, least := "", max(2, len(name)/3)+1
	if len(name) < 4 {
		least = 2
	}
	for _, v := range valid {
		d := levenshtein.Distance(fold(name), fold(v), nil)
		if d < least && d < max(len(v), len(name))-1 {
			best, least = v, d
		}
	}
	return best
}

// list puts names in quotes and joins them: `"a", "b" or "c"`.
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
