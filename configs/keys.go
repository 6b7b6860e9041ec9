package configs

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"spmvtune/internal/base/term"
)

// A key is an entry that a section may have. All about it stands in one row: its name, its text
// in the help, and how its value is read.
type key struct {
	name string
	// example is the value that the help shows: the default where there is one.
	example string
	// doc is the key's text in the help.
	doc string
	// read reads the value. It is nil where the section's own code does that.
	read func(t *table, key string)
}

// A section is a list of keys, in the order of the help.
type section []key

// names are the names of the keys.
func (s section) names() []string {
	var names []string
	for _, k := range s {
		names = append(names, k.name)
	}
	return names
}

// read reads all keys of s, and notes those of t that s does not have.
func (t *table) read(s section) {
	t.only(s.names())
	for _, k := range s {
		if k.read != nil {
			k.read(t, k.name)
		}
	}
}

// The readers of keys with a plain value.

func text(into *string) func(*table, string) {
	return func(t *table, key string) { t.text(key, into) }
}

func choice(into *string, options ...string) func(*table, string) {
	return func(t *table, key string) { t.choice(key, into, options) }
}

func flag(into *bool) func(*table, string) {
	return func(t *table, key string) { t.flag(key, into) }
}

func count(into *int, least int) func(*table, string) {
	return func(t *table, key string) { t.count(key, into, least) }
}

func duration(into *time.Duration, positive bool) func(*table, string) {
	return func(t *table, key string) { t.duration(key, into, positive) }
}

// lines reads a string or a list of strings, each of one line.
func lines(into *[]string) func(*table, string) {
	return func(t *table, key string) {
		for at, line := range t.texts(key) {
			if t.oneLine(at, key, line) {
				*into = append(*into, line)
			}
		}
	}
}

// example shows the keys of s with their values, and what they mean in comments.
func (s section) example() string {
	names, values := 0, 0
	for _, k := range s {
		names = max(names, utf8.RuneCountInString(k.name))
		values = max(values, utf8.RuneCountInString(k.example))
	}

	var b strings.Builder
	for _, k := range s {
		if k.doc == "" {
			fmt.Fprintf(&b, "%-*s = %s\n", names, k.name, k.example)
			continue
		}
		head := fmt.Sprintf("%-*s = %-*s  # ", names, k.name, values, k.example)
		indent := utf8.RuneCountInString(head)
		b.WriteString(head + term.Wrap(k.doc, term.PageWidth-indent, strings.Repeat(" ", indent-2)+"# ") + "\n")
	}

	return b.String()
}

// comments lists the keys of s in comments, where a section has no single example.
func (s section) comments() string {
	width := 0
	for _, name := range s.names() {
		width = max(width, len(name))
	}

	var b strings.Builder
	for _, k := range s {
		head := fmt.Sprintf("#     %-*s  ", width, k.name)
		b.WriteString(head + term.Wrap(k.doc, term.PageWidth-len(head), "#"+strings.Repeat(" ", len(head)-1)) + "\n")
	}
	return b.String()
}

// without returns s without some keys.
func (s section) without(names ...string) section {
	return slices.DeleteFunc(slices.Clone(s), func(k key) bool { return slices.Contains(names, k.name) })
}
