package canvas

import (
	"strings"
)

// Slug turns words into a part of a file name: lower-case letters, digits, dots and single
// hyphens.
func Slug(words ...string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.Join(words, " ")) {
		inWord := b.Len() > 0 && !strings.HasSuffix(b.String(), "-")
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.' && inWord && !strings.HasSuffix(b.String(), "."):
			b.WriteRune(r)
		case inWord:
			b.WriteByte('-')
		}
	}

	s := strings.TrimRight(b.String(), "-.")
	const longest = 120 // file systems allow 255 bytes, with suffixes and a temporary name
	return s[:min(len(s), longest)]
}
