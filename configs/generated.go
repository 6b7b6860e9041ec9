// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse/generate"
)

// generated completes m for a generator and its arguments. Where arguments are lists, there is
// a matrix for each combination.
func (t *table) generated(m Matrix) []Matrix {
	m.Expand = true
	for _, key := range []string{"expand", "complex"} {
		if t.has(key) {
			t.fail(key, "leave it out", "applies only to files: a generated matrix is real and complete")
		}
	}

	g := t.generator(&m, matrixKeys.without("path", "suitesparse").names())
	if g == nil {
		return nil
	}
	family := t.family(g)
	if m.Name != "" && len(family) > 1 {
		t.fail("name", "leave it out: each is named for its arguments", "one name for the %d matrices of the section",
			len(family))
		return nil
	}

	var list []Matrix
	before := len(*t.errs)
	for _, args := range family {
		one := m
		one.Args = args
		t.complete(&one, g)
		one.Name = cmp.Or(one.Name, NameOf(g, args))
		if len(*t.errs) > before { // the others are likely to be wrong in the same way
			return []Matrix{one}
		}
		list = append(list, one)
	}

	return t.within(list)
}

// SuggestGenerator is Suggest for the name of a generator.
func SuggestGenerator(name string) string {
	names := lists.Of(generate.Generators(), func(g generate.Generator) string { return g.Name })
	return Suggest(name, "generators", names, "spmvtune help config")
}

// generator reads the name of m's generator, and notes keys that are neither its arguments nor
// among keys. It returns nil for an unknown name.
func (t *table) generator(m *Matrix, keys []string) *generate.Generator {
	if t.text("generate", &m.Generate); m.Generate == "" && t.vals["generate"] != "" {
		return nil // not even a string
	}
	keys = slices.Clip(keys)
	g, ok := generate.Lookup(m.Generate)
	if !ok {
		t.fail("generate", SuggestGenerator(m.Generate), "no generator is called %q", m.Generate)
		t.only(append(keys, argNames(generate.Generators())...))
		return nil
	}

	t.only(append(keys, argNames([]generate.Generator{*g})...))
	return g
}

// complete checks the arguments of m and, where the section gives no class, sets the
// generator's.
func (t *table) complete(m *Matrix, g *generate.Generator) {
	t.checkArgs(*m)
	m.Class = cmp.Or(m.Class, generate.ClassOf(m.Generate, m.Args), g.Class)
}

// args returns the arguments of a generator that the section gives.
func (t *table) args(g *generate.Generator) map[string]any {
	args := map[string]any{}
	for _, a := range g.Args {
		if v, ok := t.vals[a.Name]; ok {
			args[a.Name] = v
		}
	}
	return args
}

// argNames returns the names of all arguments of some generators.
func argNames(gs []generate.Generator) []string {
	args := slices.Concat(lists.Of(gs, func(g generate.Generator) []generate.Arg { return g.Args })...)
	return lists.Distinct(args, func(a generate.Arg) string { return a.Name })
}

// checkArgs notes what the generator refuses.
func (t *table) checkArgs(m Matrix) {
	_, err := generate.Plan(m.Generate, m.Args)
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		if arg, ok := errors.AsType[*generate.ArgError](err); ok {
			t.fail(arg.Arg, "", "%s", arg.Reason)
		} else if err != nil {
			t.fail("generate", "", "%v", err)
		}
	}
}

// NameOf names a matrix for its generator and arguments: "grid_5pt-1000-1000". Of a twin
// with two forms it says which.
func NameOf(g *generate.Generator, args map[string]any) string {
	parts := []string{g.Name}
	for _, a := range g.Args {
		if v, given := args[a.Name]; given {
			parts = append(parts, fmt.Sprint(v))
		}
	}

	if _, given := args["locality"]; !given {
		if form := generate.TwinLocality(g.Name, args); form != "" {
			parts = append(parts, form)
		}
	}
	return strings.Join(parts, "-")
}

// maxFamily bounds the matrices of one section, before where.
const maxFamily = 4096

// family returns the arguments of every matrix of a section: a matrix for each combination of
// the listed values. With nx = [10, 20] and ny = [5, 6] there are four; the last argument
// changes first.
func (t *table) family(g *generate.Generator) []map[string]any {
	all := []map[string]any{{}}
	for _, a := range g.Args {
		v, ok := t.vals[a.Name]
		if !ok {
			continue
		}
		values, isList := v.([]any)

		switch {
		case !isList:
			values = []any{v}
		case len(values) == 0:
			t.fail(a.Name, "leave the key out for the default", "the list is empty")
			return nil
		case len(all)*len(values) > maxFamily:
			t.fail(a.Name, "give shorter lists, or several sections", "the lists make more than %d matrices", maxFamily)
			return nil
		}

		all = product(all, values, func(args map[string]any, v any) map[string]any {
			more := maps.Clone(args)
			more[a.Name] = v
			return more
		})
	}

	return all
}

// product extends each of all by each of values.
func product[T, V any](all []T, values []V, with func(T, V) T) []T {
	var next []T
	for _, one := range all {
		for _, v := range values {
			next = append(next, with(one, v))
		}
	}
	return next
}

// sizes are the variables in the where of a generated matrix.
var sizes = map[string]any{"rows": 0, "cols": 0, "nnz": 0}

// within keeps the matrices whose sizes, as the generator announces them, the section's where
// allows.
func (t *table) within(list []Matrix) []Matrix {
	const key = "where"
	text, f := t.condition(sizes)
	if f == nil {
		return list
	}

	kept := list[:0]
	for _, m := range list {
		size, err := generate.Plan(m.Generate, m.Args)
		if err != nil {
			return nil // noted where the arguments were checked
		}
		v, err := expr.Run(f.program, map[string]any{"rows": size.Rows, "cols": size.Cols, "nnz": size.NNZ})
		if err != nil {
			t.fail(key, "", "evaluating the expression for %s: %s", m.Name, message(err))
			return nil
		}

		if v.(bool) { // as AsBool made sure
			kept = append(kept, m)
		}
	}

	if len(kept) == 0 && len(list) > 0 {
		t.fail(key, "leave the section out, or allow for other sizes", "no matrix satisfies %s", text)
	}
	return kept
}

// shuffle puts matrices into an order that mixes their sections. The order depends only on the
// seed and on their names: adding a matrix moves no other.
func shuffle(list []Matrix, seed uint64) {
	place := make(map[string]uint64, len(list))
	for _, m := range list {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", seed, m.Name)
		place[m.Name] = mixed(h.Sum64())
	}
	slices.SortStableFunc(list, func(a, b Matrix) int {
		return cmp.Compare(place[a.Name], place[b.Name])
	})
}

// mixed spreads a hash over all bits: FNV's high ones hardly depend on the last
// characters, by which the names of a family differ. It is the finalizer of
// MurmurHash3.
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
