package configs

import (
	"slices"
	"strconv"
	"strings"

	"spmvtune/kernels"
)

// params reads the values of the kernels' further parameters. Every kernel of the section must
// have the parameter, and every value must be legal for it.
func (t *table) params(chosen []kernels.Kernel) map[string][]string {
	out := map[string][]string{}
	for _, k := range chosen {
		for _, p := range k.Choices() {
			if _, done := out[p.Name]; done || !t.has(p.Name) {
				continue
			}
			values := []string{}

			for _, v := range t.settings(p.Name) {
				if t.allowed(v.at, chosen, p.Name, v.text) {
					values = append(values, v.text)
				}
			}

			out[p.Name] = values
			t.lacking(chosen, p.Name)
		}
	}

	return out
}

// A setting is a parameter's value and its position.
type setting struct {
	text string
	at   *position
}

// settings reads the values of a parameter: an integer or a name, a list of
// them, or steps.
func (t *table) settings(key string) []setting {
	at := t.at.key(key)
	var out []setting
	add := func(at *position, v any) {
		switch v := v.(type) {
		case int64:
			out = append(out, setting{strconv.FormatInt(v, 10), at})
		case string:
			out = append(out, setting{v, at})
		default:
			t.wrong(at, key, v, "an integer or a name")
		}
	}

	switch v := t.vals[key].(type) {
	case map[string]any:
		for _, n := range t.ints(key, "") {
			add(n.at, int64(n.n))
		}
	case []any:
		if len(v) == 0 {
			t.fail(key, "leave the key out for the default", "the list is empty")
		}
		for i, e := range v {
			add(at.item(i), e)
		}
	default:
		add(at, v)
	}

	return out
}

// allowed notes a value that one of the kernels with the parameter refuses.
// Kernel.Check asks the same of a whole configuration.
func (t *table) allowed(at *position, chosen []kernels.Kernel, param, value string) bool {
	for _, k := range chosen {
		choices := k.Choices()
		i := slices.IndexFunc(choices, func(p kernels.Param) bool { return p.Name == param })
		if i < 0 {
			continue
		}
		legal := choices[i].Values
		if legal == nil {
			if n, err := strconv.ParseInt(value, 10, 32); err != nil || n < 1 || strconv.FormatInt(n, 10) != value {
				t.failAt(at, param, "", "%q is impossible for %s: it must be a positive integer", value, k.Name)
				return false
			}
		} else if !slices.Contains(legal, value) {
			t.failAt(at, param, suggest(value, "values", legal), "%q is impossible for %s", value, k.Name)
			return false
		}
	}

	return true
}

// misplaced notes the keys, besides those given, that are parameters of other kernels, and returns
// them.
func (t *table) misplaced(chosen []kernels.Kernel, keys []string) []string {
	var others []string
	for _, k := range kernels.Catalogue {
		for _, p := range k.Choices() {
			if t.has(p.Name) && !slices.Contains(keys, p.Name) && !slices.Contains(others, p.Name) {
				others = append(others, p.Name)
				t.lacking(chosen, p.Name)
			}
		}
	}
	return others
}

// lacking notes the kernels of the section that have no such parameter.
func (t *table) lacking(chosen []kernels.Kernel, param string) {
	var names []string
	for _, k := range chosen {
		if !slices.ContainsFunc(k.Choices(), func(p kernels.Param) bool { return p.Name == param }) {
			names = append(names, k.Name)
		}
	}

	hint := "give kernels with and without it a [[kernel]] section each"
	if len(names) == len(chosen) {
		hint = "leave it out; spmvtune kernels NAME prints the parameters of a kernel"
	}
	if len(names) > 0 {
		t.fail(param, hint, "not a parameter of %s", strings.Join(names, ", "))
	}
}
