package term

import (
	"fmt"
	"strconv"
	"strings"
)

// Noun returns the form of a noun, or of a verb, that agrees with n.
func Noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count returns n and its noun: "1 entry", "1200 entries".
func Count(n int, one, many string) string { return strconv.Itoa(n) + " " + Noun(n, one, many) }

// GroupedCount is Count with a narrow space between thousands: "1 200 entries".
func GroupedCount(n int, one, many string) string { return Grouped(n) + " " + Noun(n, one, many) }

// Trials and Matrices count the nouns that occur most often.
func Trials(n int) string   { return Count(n, "trial", "trials") }
func Matrices(n int) string { return Count(n, "matrix", "matrices") }

// Grouped prints n with a narrow space between thousands.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Some joins names with commas. Of more than most+1 names it gives the first, and how many
// more there are.
func Some(names []string, most int) string {
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
