package data

import (
	"fmt"
	"strings"
)

// Enumerate names some of a list, and says how many more there are.
func Enumerate(names []string) string {
	const named = 6
	text := strings.Join(names[:min(named, len(names))], ", ")
	if rest := len(names) - named; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
