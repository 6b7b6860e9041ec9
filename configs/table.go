package configs

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
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
		Problem: printable(fmt.Sprintf(format, args...)),
		Hint:    printable(hint),
	})
}

// printable keeps a message on one line, even if strings of the file contain line ends.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// only notes every key of t that is not in keys.
func (t *table) only(keys []string) {
	for _, key := range slices.Sorted(maps.Keys(t.vals)) {
		if !slices.Contains(keys, key) {
			t.fail(key, suggest(key, "the keys here", keys), "unknown key")
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

// text reads a string of one line.
func (t *table) text(key string, into *string) {
	v, ok := t.vals[key]
	if !ok {
		return
	}
	s, ok := v.(string)
	if !ok {
		t.wrong(t.at.key(key), key, v, "a string")
		return
	}

	if t.oneLine(t.at.key(key), key, s) {
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
		hint := ""
		if near := Nearest(s, options); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		t.fail(key, hint, "want %s, not %q", list(options), s)
		return
	}
	t.text(key, into)
}

// flag reads true or false.
func (t *table) flag(key string, into *bool) {
	switch v := t.vals[key].(type) {
	case nil:
	case bool:
		*into = v
	default:
		t.wrong(t.at.key(key), key, v, "true or false")
	}
}

// count reads an integer from least up.
func (t *table) count(key string, into *int, least int) {
	if v, ok := t.vals[key]; ok {
		if n, ok := t.integer(t.at.key(key), key, v, least); ok {
			*into = n
		}
	}
}

// integer checks that v, at a position inside key, is an integer of at least least that fits in
// 32 bits.
func (t *table) integer(at *position, key string, v any, least int) (int, bool) {
	n, ok := v.(int64)
	switch {
	case !ok:
		t.wrong(at, key, v, "an integer")
	case n < int64(least):
		t.failAt(at, key, "", "%d is too small: the least is %d", n, least)
	case n > math.MaxInt32:
		t.failAt(at, key, "", "%d is too large: the most is %d", n, math.MaxInt32)
	default:
		return int(n), true
	}

	return 0, false
}

// number reads an integer or a float, want in words; ok is whether key has one.
func (t *table) number(key, want string) (f float64, ok bool) {
	switch v := t.vals[key].(type) {
	case nil:
	case int64:
		return float64(v), true
	case float64:
		return v, true
	default:
		t.wrong(t.at.key(key), key, v, want)
	}

	return 0, false
}

// duration reads a time such as "2s"; it must not be negative, nor 0 if
// positive.
func (t *table) duration(key string, into *time.Duration, positive bool) {
	const form = `write a number and its unit, as in "500ms", "2s" or "1h30m"`
	v, ok := t.vals[key]
	if !ok {
		return
	}

	s, ok := v.(string)
	if !ok {
		t.failAt(t.at.key(key), key, form, "want a duration, not %s", describe(v))
		return
	}

	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		t.fail(key, form, "%q is not a duration", s)
	case d < 0:
		t.fail(key, "", "a negative duration: %q", s)
	case d == 0 && positive:
		t.fail(key, form, "must be greater than zero")
	default:
		*into = d
	}
}

// texts reads a list of strings, or a single one, with their places.
func (t *table) texts(key string) iter.Seq2[*position, string] {
	return func(yield func(*position, string) bool) {
		at := t.at.key(key)
		switch v := t.vals[key].(type) {
		case nil:
		case string:
			yield(at, v)
		case []any:
			for i, e := range v {
				s, ok := e.(string)
				if !ok {
					t.wrong(at.item(i), key, e, "a string")
				} else if !yield(at.item(i), s) {
					return
				}
			}
		default:
			t.wrong(at, key, v, "a list of strings")
		}
	}
}

// section returns the table called key, an empty one if it is missing.
func (t *table) section(key string) *table {
	sub := &table{errs: t.errs, file: t.file, name: t.path(key), at: t.at.key(key)}
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
	at := t.at.key(key)
	var out []*table
	add := func(at *position, vals map[string]any) {
		out = append(out, &table{errs: t.errs, file: t.file, name: t.path(key), vals: vals, at: at})
	}

	switch v := t.vals[key].(type) {
	case nil:
	case []map[string]any:
		for i, vals := range v {
			add(at.item(i), vals)
		}
	case []any:
		for i, e := range v {
			if vals, ok := e.(map[string]any); ok {
				add(at.item(i), vals)
			} else {
				t.failAt(at.item(i), key, hint, "want a table, not %s", describe(e))
			}
		}

	case map[string]any: // the meaning is plain: go on, to find what is wrong inside
		t.fail(key, hint, "is a list of tables")
		add(at, v)
	default:
		t.fail(key, hint, "is a list of tables, not %s", describe(v))
	}

	return out
}
