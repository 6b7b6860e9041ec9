package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}

	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Problem)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}

	return b.String()
}

// Errors are all the mistakes of a sweep file, sorted by line. It is never
// empty where it is returned as an error.
type Errors []*Error

// Error gives one mistake per line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single mistake.
func (es Errors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
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
