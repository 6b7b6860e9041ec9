// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/base/lists"
)

// Once is what a command line changes of a sweep: for once, and not in its file.
type Once struct {
	// Set has texts KEY=VALUE, with a value of TOML or a text without quotes. A key of [[matrix]] or [[kernel]] is set in
	// each of these sections.
	Set []string
	// Matrix and Kernel are names, or patterns of names (* ? [a-c]), of which those left over match one; all if there
	// are none.
	Matrix, Kernel []string
	// Look is called for each folder that a glob of the sweep looks into, if it is not nil. An error of it ends that.
	Look func() error
}

// Words are the flags that say so.
func (o Once) Words() (words []string) {
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--set", o.Set}, {"--matrix", o.Matrix}, {"--kernel", o.Kernel}} {
		for _, v := range flag.values {
			words = append(words, flag.name, v)
		}
	}
	return words
}

// LoadOnce is Load with changes. They are recorded with the text of the sweep: it has the values, and says in a comment
// what was left out.
func LoadOnce(nameOrPath string, once Once) (*Sweep, error) {
	s, err := load(nameOrPath, once.Look)
	if err != nil || len(once.Words()) == 0 {
		return s, err
	}
	text := s.Text
	if len(once.Set) > 0 {
		vals := map[string]any{}
		if _, err := toml.Decode(string(text), &vals); err != nil {
			return nil, err
		}
		for _, set := range once.Set {
			change, err := setting(set)
			if err != nil {
				return nil, err
			}
			merge(vals, change)
		}
		var b bytes.Buffer
		if err := toml.NewEncoder(&b).Encode(vals); err != nil {
			return nil, err
		}
		text = b.Bytes()
		s, err = parseHere(s.Path, text, once.Look)
		if mistakes, ok := errors.AsType[Errors](err); ok {
			for _, m := range mistakes {
				m.File, m.Line = strings.Join(once.Words(), " "), 0 // lines are not those of the file
			}
			err = slices.CompactFunc(mistakes, func(a, b *Error) bool { return *a == *b })
		}
		if err != nil {
			return nil, err
		}
	}

	names := lists.Of(s.Matrices, func(m Matrix) string { return m.Name })
	s.Matrices = lists.Where(s.Matrices, func(m Matrix) bool { return matches(once.Matrix, m.Name) })
	var all []string
	for i := range s.Kernels {
		k := &s.Kernels[i]
		all = append(all, k.Kernels...)
		k.Kernels = lists.Where(k.Kernels, func(name string) bool { return matches(once.Kernel, name) })
	}
	s.Kernels = lists.Where(s.Kernels, func(k Space) bool { return len(k.Kernels) > 0 })
	if len(s.Matrices) == 0 {
		return nil, nothing("--matrix", "matrices of the sweep", once.Matrix, names)
	}
	if len(s.Kernels) == 0 {
		return nil, nothing("--kernel", "kernels of the sweep", once.Kernel, all)
	}
	s.Text = fmt.Appendf(nil, "# once: %q\n%s", once.Words(), text)
	return s, nil
}

// setting is what KEY=VALUE says, as a tree of TOML.
func setting(text string) (map[string]any, error) {
	key, value, is := strings.Cut(text, "=")
	vals := map[string]any{}
	_, err := toml.Decode(text, &vals)
	if err != nil {
		vals = map[string]any{}
		_, err = toml.Decode(fmt.Sprintf("%s = %q", key, value), &vals)
	}
	if err != nil || !is {
		return nil, Errors{{File: "--set " + text, Problem: "is not KEY=VALUE", Hint: "as in --set protocol.cache=warm"}}
	}
	return vals, nil
}

// merge gives the tree to the values of from. A list of tables gets them in each.
func merge(to, from map[string]any) {
	for key, v := range from {
		below, deeper := v.(map[string]any)
		switch old := to[key].(type) {
		case map[string]any:
			if deeper {
				merge(old, below)
				continue
			}
		case []map[string]any:
			if deeper {
				for _, section := range old {
					merge(section, below)
				}
				continue
			}
		case []any: // of inline tables
			tables := lists.Where(old, func(v any) bool { _, is := v.(map[string]any); return is })
			if deeper && len(old) > 0 && len(tables) == len(old) {
				for _, v := range tables {
					merge(v.(map[string]any), below)
				}
				continue
			}
		}
		to[key] = v
	}
}

// matches reports whether a pattern matches name, or there is none.
func matches(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		fits, err := path.Match(p, name)
		return p == name || err == nil && fits
	})
}

func nothing(flag, what string, given, valid []string) error {
	return Errors{{File: flag + " " + strings.Join(given, " "), Problem: "leaves nothing",
		Hint: Suggest(given[0], what, valid, "")}}
}
