package configs

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/expr-lang/expr"

	"spmvtune/sparse/generate"
)

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

		var next []map[string]any
		for _, args := range all {
			for _, v := range values {
				more := maps.Clone(args)
				more[a.Name] = v
				next = append(next, more)
			}
		}
		all = next
	}

	return all
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
