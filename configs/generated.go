package configs

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse/generate"
)

// generated completes m for a generator and its arguments.
func (t *table) generated(m Matrix) []Matrix {
	m.Expand = true
	keys := []string{"generate", "name", "class", "expand", "complex"}
	for _, key := range keys[3:] {
		if t.has(key) {
			t.fail(key, "leave it out", "is for files: a generated matrix is real and whole")
		}
	}
	class := t.generator(&m, keys)
	g, ok := generate.Lookup(m.Generate)
	if !ok {
		return nil
	}
	if m.Name == "" {
		m.Name = nameOf(g, m.Args)
	}
	if m.Class == "" {
		m.Class = class
	}
	return []Matrix{m}
}

// generator reads the generator of m and its arguments, which are keys beside others,
// and returns its class.
func (t *table) generator(m *Matrix, keys []string) (class string) {
	if t.text("generate", &m.Generate); m.Generate == "" && t.vals["generate"] != "" {
		return "" // not even a string
	}
	keys = slices.Clip(keys)
	g, ok := generate.Lookup(m.Generate)
	if !ok {
		var names []string
		for _, g := range generate.Generators {
			names = append(names, g.Name)
		}
		t.fail("generate", suggest(m.Generate, "generators", names), "no generator is called %q", m.Generate)
		t.only(append(keys, argNames(generate.Generators)...))
		return ""
	}
	t.only(append(keys, argNames([]generate.Generator{*g})...))
	m.Args = map[string]any{}
	for _, a := range g.Args {
		if v, ok := t.vals[a.Name]; ok {
			m.Args[a.Name] = v
		}
	}
	t.checkArgs(*m)
	return cmp.Or(generate.ClassOf(m.Generate, m.Args), g.Class)
}

// argNames returns the names of all arguments of some generators.
func argNames(gs []generate.Generator) []string {
	var names []string
	for _, g := range gs {
		for _, a := range g.Args {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// checkArgs notes what the generator refuses.
func (t *table) checkArgs(m Matrix) {
	bad := argErrors(generate.Check(m.Generate, m.Args))
	for _, err := range bad {
		var arg *generate.ArgError
		if errors.As(err, &arg) {
			t.fail(arg.Arg, "", "%s", arg.Reason)
		} else {
			t.fail("generate", "", "%v", err)
		}
	}
}

// argErrors takes joined errors apart.
func argErrors(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// nameOf names a matrix for its generator and what was given to it:
// "grid_5pt-1000-1000".
func nameOf(g *generate.Generator, args map[string]any) string {
	parts := []string{g.Name}
	for _, a := range g.Args {
		switch v := args[a.Name].(type) {
		case int64:
			parts = append(parts, strconv.FormatInt(v, 10))
		case string:
			parts = append(parts, v)
		case float64:
			parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return strings.Join(parts, "-")
}
