// SPDX-License-Identifier: Apache-2.0

package code

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// What no name of C or Go has, in small letters and in any.
var notSmall, notName = regexp.MustCompile(`[^a-z0-9]+`), regexp.MustCompile(`[^A-Za-z0-9_]`)

// identifier makes a word that C and Go take as a name.
func identifier(s string) string {
	name := strings.Trim(notSmall.ReplaceAllString(strings.ToLower(s), "_"), "_")
	if name == "" || unicode.IsDigit(rune(name[0])) {
		name = "rule_" + name
	}
	return strings.TrimSuffix(name, "_")
}

// comment makes a text from outside one that no comment of C, Go or Python ends in: it has no asterisk, nothing that
// does not print, a backslash only before the digits of a character, and is ASCII, in which no encoding is in question.
func comment(s string) string {
	text := strconv.QuoteToASCII(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
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
	}, s)), " "))
	return strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
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
	name := notName.ReplaceAllString(kernel, "_")
	if name != "" && unicode.IsDigit(rune(name[0])) {
		name = "_" + name
	}
	return name
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
