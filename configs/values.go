// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
)

// A key is an entry that a section may have. All about it stands in one row: its name, its text
// in the help, its default, and what its value may be.
type key struct {
	name string
	// doc is the key's text in the help.
	doc string
	// into is where the value goes, a pointer; nil where the section's own code reads it. What is there
	// before is the default.
	into any
	// example is the value that the help shows in place of the default.
	example string
	// What the value may be: the texts that it is one of, the form of a text, and the least number.
	options []string
	form    *form
	least   int64
	// positive says that a duration must not be 0.
	positive bool
	// want names the numbers that legal allows.
	want  string
	legal func(x float64) bool
	// sub are the keys of a section, and check is called when it is read.
	sub   section
	check func(t *table)
	// read reads the value in place of all that.
	read func(t *table, key string)
}

// A section is a list of keys, in the order of the help.
type section []key

// names are the names of the keys.
func (s section) names() []string {
	return lists.Of(s, func(k key) string { return k.name })
}

// read reads all keys of s, and notes those of t that s does not have.
func (t *table) read(s section) {
	t.only(s.names())
	for _, k := range s {
		switch {
		case k.read != nil:
			k.read(t, k.name)
		case k.sub != nil:
			sub := t.section(k.name)
			if sub.read(k.sub); k.check != nil {
				k.check(sub)
			}
		default:
			t.value(k)
		}
	}
}

// value reads the value of a key by its type.
func (t *table) value(k key) {
	switch into := k.into.(type) {
	case *string:
		if k.options != nil {
			t.choice(k.name, into, k.options)
		} else if t.text(k.name, into); k.form != nil {
			k.form.check(t, t.at.key(k.name), k.name, *into)
		}
	case *bool:
		t.flag(k.name, into)
	case *int:
		t.count(k.name, into, k.least)
	case *uint64:
		if t.has(k.name) {
			n, _ := t.integer(t.at.key(k.name), k.name, t.vals[k.name], 0, math.MaxInt64)
			*into = uint64(n)
		}
	case *float64:
		t.number(k.name, into, k.want, k.legal)
	case *[2]int:
		if low, high, ok := t.pair(k.name, "write [fewest, most], as in [10, 200]"); ok {
			*into = [2]int{low, high}
		}
	case *time.Duration:
		t.duration(k.name, into, k.positive)
	case *[]string:
		if k.options != nil {
			*into = t.names(k.name, k.name, k.options)
			return
		}
		for _, line := range t.texts(k.name) {
			if t.oneLine(line.at, k.name, line.v) {
				*into = append(*into, line.v)
			}
		}
	}
}

// shown is the value that the help shows: the example, or the default.
func (k key) shown() string {
	if k.example != "" {
		return k.example
	}
	switch v := reflect.ValueOf(k.into).Elem().Interface().(type) {
	case time.Duration:
		text := strings.Replace(v.String(), "m0s", "m", 1)
		return strconv.Quote(strings.Replace(text, "h0m", "h", 1))
	case [2]int:
		return fmt.Sprintf("[%d, %d]", v[0], v[1])
	case string, kernels.Launch:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}

// Example shows the keys of s with their values, and what they mean in comments, at most width columns wide.
func (s section) Example(width int) string {
	names := slices.Max(lists.Of(s.names(), utf8.RuneCountInString))
	values := slices.Max(lists.Of(s, func(k key) int { return utf8.RuneCountInString(k.shown()) }))
	var b strings.Builder
	for _, k := range s {
		if k.doc == "" {
			fmt.Fprintf(&b, "%-*s = %s\n", names, k.name, k.shown())
			continue
		}
		head := fmt.Sprintf("%-*s = %-*s  # ", names, k.name, values, k.shown())
		indent := utf8.RuneCountInString(head)
		b.WriteString(head + term.Wrap(k.doc, width-indent, strings.Repeat(" ", indent-2)+"# ") + "\n")
	}

	return b.String()
}

// Comments lists the keys of s in comments, where a section has no single example.
func (s section) Comments(width int) string {
	names := slices.Max(lists.Of(s.names(), utf8.RuneCountInString))
	var b strings.Builder
	for _, k := range s {
		head := fmt.Sprintf("#     %-*s  ", names, k.name)
		b.WriteString(head + term.Wrap(k.doc, width-len(head), "#"+strings.Repeat(" ", len(head)-1)) + "\n")
	}
	return b.String()
}

// without returns s without some keys.
func (s section) without(names ...string) section {
	return slices.DeleteFunc(slices.Clone(s), func(k key) bool { return slices.Contains(names, k.name) })
}

// maxValues bounds the values of one key. A typing error such as { from = 1, to = 1000000000 }
// is refused before it fills the memory.
const maxValues = 1 << 16

// ints reads positive integers in any of their forms: 256, [64, 128], { from = 32, to = 1024,
// step = 32 } or { pow2 = [32, 1024] }. more names further forms of the key, for the message.
func (t *table) ints(key, more string) []placed[int] {
	switch t.vals[key].(type) {
	case nil, int64, []any:
	case map[string]any:
		if sub := t.section(key); sub.has("pow2") {
			return sub.powers()
		} else {
			return sub.steps()
		}
	default:
		t.wrong(t.at.key(key), key, t.vals[key], "a list, an integer, { from, to, step } or { pow2 = [lo, hi] }"+more)
		return nil
	}

	var out []placed[int]
	for _, e := range t.some(key) {
		if n, ok := t.integer(e.at, key, e.v, 1, math.MaxInt32); ok {
			out = append(out, placed[int]{int(n), e.at})
		}
	}
	return out
}

// steps reads from, from+step, … up to to.
func (t *table) steps() []placed[int] {
	from, to, step := 0, 0, 1
	before := len(*t.errs)
	t.read(section{
		{name: "from", into: &from, least: 1},
		{name: "to", into: &to, least: 1},
		{name: "step", into: &step, least: 1},
	})
	for _, key := range []string{"from", "to"} {
		if !t.has(key) {
			t.fail("", "write { from = 32, to = 1024, step = 32 }", "%s is missing", key)
		}
	}

	var out []placed[int]
	switch n := (to-from)/step + 1; {
	case len(*t.errs) > before:
	case from > to:
		t.fail("from", "", "from is %d, which is more than to, %d", from, to)
	case n > maxValues:
		t.fail("", "take a larger step", "gives %d values: the most is %d", n, maxValues)
	default:
		for n := from; n <= to; n += step {
			out = append(out, placed[int]{n, t.at})
		}
	}
	return out
}

// pair reads a list of two integers from 1 up, of which the second is not the smaller one.
func (t *table) pair(key, form string) (low, high int, ok bool) {
	if !t.has(key) {
		return 0, 0, false
	}
	both := t.elements(key)
	if len(both) != 2 {
		t.fail(key, form, "want two integers")
		return 0, 0, false
	}
	a, isA := t.integer(both[0].at, key, both[0].v, 1, math.MaxInt32)
	b, isB := t.integer(both[1].at, key, both[1].v, 1, math.MaxInt32)
	if isA && isB && a > b {
		t.fail(key, form, "the first, %d, is more than the second, %d", a, b)
	}
	return int(a), int(b), isA && isB && a <= b
}

// powers reads the powers of two from lo to hi.
func (t *table) powers() []placed[int] {
	const key, form = "pow2", "write { pow2 = [32, 1024] } for 32, 64, …, 1024"
	t.only([]string{key})
	low, high, ok := t.pair(key, form)
	if !ok {
		return nil
	}
	for _, n := range []int{low, high} {
		if bits.OnesCount(uint(n)) != 1 {
			t.fail(key, form, "%d is not a power of two", n)
			return nil
		}
	}
	var out []placed[int]
	for n := low; n <= high; n *= 2 {
		out = append(out, placed[int]{n, t.at})
	}
	return out
}

// values returns the values without their positions.
func values[T any](all []placed[T]) []T {
	return lists.Of(all, func(p placed[T]) T { return p.v })
}
