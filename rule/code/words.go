package code

import (
	"fmt"
	"strings"
	"unicode"
)

// identifier makes a word that C and Go take as a name.
func identifier(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		switch {
		case c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}

	name := strings.TrimSuffix(b.String(), "_")
	if name == "" || unicode.IsDigit(rune(name[0])) {
		name = "rule_" + name
	}
	return strings.TrimSuffix(name, "_")
}

// comment makes a text from outside one that no comment of C or Go ends in: it has no asterisk,
// no backslash, and nothing that does not print.
func comment(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '*':
			return '.'
		case r == '\\':
			return '/'
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)), " ")
}

// quoted writes a string literal of C.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c == '"' || c == '\\' || c == '?' || c < ' ' || c > '~' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}

	b.WriteByte('"')
	return b.String()
}

// word makes the name of a kernel one of C; those of the catalogue are.
func word(kernel string) string {
	var b strings.Builder
	for i, c := range []byte(kernel) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		switch digit := c >= '0' && c <= '9'; {
		case letter || digit && i > 0:
			b.WriteByte(c)
		case digit:
			b.WriteByte('_')
			b.WriteByte(c)
		default:
			b.WriteByte('_')
		}
	}

	return b.String()
}

// camel makes an exported name of words with underscores between them.
func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.Split(s, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
