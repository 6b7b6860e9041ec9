package table

import (
	"unicode"
	"unicode/utf8"
)

// sentences turns errors into sentences.
func sentences(list []error) []string {
	texts := make([]string, len(list))
	for i, err := range list {
		texts[i] = Sentence(err.Error())
	}
	return texts
}

// Sentence starts s with a capital and ends it with a full stop.
func Sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}
