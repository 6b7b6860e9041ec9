// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"example.org/spmvtune/internal/base/term"
)

// A table is a TOML table being read. Its methods set what they are given a
// pointer to if the key is there and right; if it is wrong they note the
// mistake and leave the default, so that reading goes on and one pass finds
// every mistake.
type table struct {
	errs *Errors
	file string
	name string // of the section: "protocol"; "" at the top of the file
	vals map[string]any
	at   *position
}

// has reports whether key is there, right or wrong.
func (t *table) has(key string) bool {
	_, ok := t.vals[key]
	return ok
}

// path returns key with its section.
func (t *table) path(key string) string {
	if t.name == "" || key == "" {
		return t.name + key
	}
	return t.name + "." + key
}

// fail notes a mistake at key, or at the header of the table if the key is missing or "".
func (t *table) fail(key, hint, format string, args ...any) {
	t.failAt(t.at.key(key), key, hint, format, args...)
}

// failAt notes a mistake at a position inside key, such as an element.
func (t *table) failAt(at *position, key, hint, format string, args ...any) {
	*t.errs = append(*t.errs, &Error{
		File:    t.file,
		Line:    at.line,
		Key:     t.path(key),
		Problem: term.OneLine(fmt.Sprintf(format, args...)), // strings of the file may contain line ends
		Hint:    term.OneLine(hint),
	})
}

// only notes every key of t that is not in keys.
func (t *table) only(keys []string) {
	for _, key := range slices.Sorted(maps.Keys(t.vals)) {
		if !slices.Contains(keys, key) {
			t.fail(key, Suggest(key, "the keys here", keys, ""), "unknown key")
		}
	}
}

// wrong notes that the value of key has another type than wanted.
func (t *table) wrong(at *position, key string, v any, want string) {
	t.failAt(at, key, "", "want %s, not %s", want, describe(v))
}

// describe names a value's type as a TOML user knows it.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the string %q", v)
	case int64:
		return fmt.Sprintf("the integer %d", v)
	case float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return fmt.Sprint(v)

	case time.Time:
		return "a date"
	case map[string]any:
		return "a table"
	default:
		return "a list"
	}
}

// given returns the value of key if it has the type T, and notes one of another type; want names T.
func given[T any](t *table, key, want string) (T, bool) {
	v, has := t.vals[key]
	x, ok := v.(T)
	if has && !ok {
		t.wrong(t.at.key(key), key, v, want)
	}
	return x, ok
}

// text reads a string of one line.
func (t *table) text(key string, into *string) {
	if s, ok := given[string](t, key, "a string"); ok && t.oneLine(t.at.key(key), key, s) {
		*into = s
	}
}

// oneLine notes a string that holds more than a line.
func (t *table) oneLine(at *position, key, s string) bool {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return true
	}
	t.failAt(at, key, "write it on one line", "has a line end or another control character in it")
	return false
}

// choice reads a string that must be one of options.
func (t *table) choice(key string, into *string, options []string) {
	if s, ok := t.vals[key].(string); ok && !slices.Contains(options, s) {
		t.fail(key, didYouMean(s, options), "want %s, not %q", list(options), s)
		return
	}
	t.text(key, into)
}

// flag reads true or false.
func (t *table) flag(key string, into *bool) {
	if v, ok := given[bool](t, key, "true or false"); ok {
		*into = v
	}
}

// count reads an integer from least up.
func (t *table) count(key string, into *int, least int64) {
	if t.has(key) {
		if n, ok := t.integer(t.at.key(key), key, t.vals[key], least, math.MaxInt32); ok {
			*into = int(n)
		}
	}
}

// integer checks that v, at a position inside key, is an integer of at least least and at most most.
func (t *table) integer(at *position, key string, v any, least, most int64) (int64, bool) {
	n, ok := v.(int64)
	switch {
	case !ok:
		t.wrong(at, key, v, "an integer")
	case n < least:
		t.failAt(at, key, "", "%d is too small: the least is %d", n, least)
	case n > most:
		t.failAt(at, key, "", "%d is too large: the most is %d", n, most)
	default:
		return n, true
	}
	return 0, false
}

// number reads an integer or a float that legal allows; want says which those are.
func (t *table) number(key string, into *float64, want string, legal func(x float64) bool) {
	x, is := t.vals[key].(float64)
	if n, whole := t.vals[key].(int64); whole {
		x, is = float64(n), true
	}
	if is && legal(x) {
		*into = x
	} else if t.has(key) {
		t.wrong(t.at.key(key), key, t.vals[key], want)
	}
}

// duration reads a time such as "2s"; it must not be negative, nor 0 if
// positive.
func (t *table) duration(key string, into *time.Duration, positive bool) {
	const form = `a duration, as "500ms", "2s" or "1h30m"`
	s, ok := given[string](t, key, form)
	if !ok {
		return
	}
	switch d, err := time.ParseDuration(s); {
	case err != nil:
		t.fail(key, "write "+form, "%q is not a duration", s)
	case d < 0:
		t.fail(key, "", "a negative duration: %q", s)
	case d == 0 && positive:
		t.fail(key, "", "must be greater than zero")
	default:
		*into = d
	}
}

// A placed value has the position at which it was written.
type placed[T any] struct {
	v  T
	at *position
}

// elements are the values of a key: those of its list, or a single one.
func (t *table) elements(key string) []placed[any] {
	at := t.at.key(key)
	list, isList := t.vals[key].([]any)
	if !isList && t.has(key) {
		return []placed[any]{{t.vals[key], at}}
	}
	all := make([]placed[any], len(list))
	for i, v := range list {
		all[i] = placed[any]{v, at.item(i)}
	}
	return all
}

// some are the elements of a key that must not be an empty list.
func (t *table) some(key string) []placed[any] {
	all := t.elements(key)
	if t.has(key) && len(all) == 0 {
		t.fail(key, "leave the key out for the default", "the list is empty")
	}
	return all
}

// texts reads a list of strings, or a single one.
func (t *table) texts(key string) []placed[string] {
	var out []placed[string]
	for _, e := range t.elements(key) {
		if s, ok := e.v.(string); ok {
			out = append(out, placed[string]{s, e.at})
		} else {
			t.wrong(e.at, key, e.v, "a string")
		}
	}
	return out
}

// names reads strings, one or a list, of which each must be in valid. what is their plural.
func (t *table) names(key, what string, valid []string) []string {
	var out []string
	for _, e := range t.texts(key) {
		if slices.Contains(valid, e.v) {
			out = append(out, e.v)
		} else {
			t.failAt(e.at, key, Suggest(e.v, what, valid, ""), "there is no %q", e.v)
		}
	}
	return out
}

// below is a table at key.
func (t *table) below(key string, at *position, vals map[string]any) *table {
	return &table{errs: t.errs, file: t.file, name: t.path(key), vals: vals, at: at}
}

// section returns the table called key, an empty one if it is missing.
func (t *table) section(key string) *table {
	sub := t.below(key, t.at.key(key), nil)
	switch v := t.vals[key].(type) {
	case nil:
	case map[string]any:
		sub.vals = v
	case []map[string]any:
		t.fail(key, fmt.Sprintf("write [%s], once", key), "there can be only one")
	default:
		t.failAt(sub.at, key, fmt.Sprintf("write [%s] on a line of its own", key), "want a table, not %s", describe(v))
	}

	return sub
}

// sections returns the tables of the array called key.
func (t *table) sections(key string) []*table {
	hint := fmt.Sprintf("write [[%s]], with two brackets", key)
	var out []*table
	if tables, ok := t.vals[key].([]map[string]any); ok {
		for i, vals := range tables {
			out = append(out, t.below(key, t.at.key(key).item(i), vals))
		}
		return out
	}
	if _, ok := t.vals[key].(map[string]any); ok { // the meaning is plain: go on, to find what is wrong inside
		t.fail(key, hint, "is a list of tables")
	}
	for _, e := range t.elements(key) {
		if vals, ok := e.v.(map[string]any); ok {
			out = append(out, t.below(key, e.at, vals))
		} else {
			t.failAt(e.at, key, hint, "want a table, not %s", describe(e.v))
		}
	}
	return out
}
