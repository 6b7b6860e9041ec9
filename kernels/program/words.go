package program

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Split splits a command at blanks. Quotes, single or double, keep what is between them together;
// no other character is special.
func Split(command string) (words []string, err error) {
	var word strings.Builder
	inside, quote := false, rune(0)
	for _, c := range command {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inside = c, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", c):
			if inside {
				words = append(words, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}

	if quote != 0 {
		return nil, fmt.Errorf("the quote %c has no end", quote)
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}

// placeholder matches {name}, and {{ and }}, which stand for braces.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// Expand puts values in the place of placeholders. A word stays one word, whatever the values are.
func Expand(words []string, values map[string]string) ([]string, error) {
	var errs []error
	expanded := make([]string, len(words))
	for i, word := range words {
		expanded[i] = placeholder.ReplaceAllStringFunc(word, func(found string) string {
			switch found {
			case "{{", "}}":
				return found[:1]
			case "{", "}":
				errs = append(errs, fmt.Errorf("a brace in %q stands alone: write %s%[2]s for a brace", word, found))
				return ""
			}
			v, known := values[found[1:len(found)-1]]
			if !known {
				errs = append(errs, fmt.Errorf("there is no placeholder %s: there are {%s}", found,
					strings.Join(slices.Sorted(maps.Keys(values)), "}, {")))
			}
			return v
		})
	}
	return expanded, errors.Join(errs...)
}

// Uses reports whether words have a placeholder.
func Uses(words []string, name string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(placeholder.FindAllString(word, -1), "{"+name+"}")
	})
}
