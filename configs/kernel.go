// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// kernelKeys are those of [[kernel]]; the parameters of its kernels are also keys. The
// section's own code reads them, because legal values depend on the kernels.
var kernelKeys = section{
	{name: "name", doc: "a kernel or a list of them"},
	{name: "precision", doc: `"float32", "float64" or a list; default: both`},
	{name: "block", doc: "default: one that suits the kernel"},
	{name: "grid", doc: `"auto", the default: every worker count up to the cores; on a GPU 1, 2, 4, 8 and 16 ` +
		"blocks per multiprocessor"},
	{name: "where", doc: "keep only what this is true for; default: all"},
}

// space reads a [[kernel]] section for a device's backend.
func (t *table) space(backend string, p Protocol, find finder) Space {
	if t.has("source") || t.has("command") {
		return t.customSpace(backend, p, find)
	}
	chosen, known := t.kernels(backend)
	s := Space{Kernels: lists.Of(chosen, func(k kernels.Kernel) string { return k.Name })}

	// If a kernel's name is wrong, a key may be a parameter of the kernel that was meant. So
	// the parameters of all kernels are allowed.
	named := chosen
	if !known {
		named = kernels.Catalogue
	}
	keys := append(kernelKeys.names(), params(named)...)
	// A parameter of other kernels is a known key in a wrong place.
	for _, name := range params(kernels.Catalogue) {
		if t.has(name) && !slices.Contains(keys, name) {
			keys = append(keys, name)
			t.lacking(chosen, name)
		}
	}
	t.only(keys)
	s.Params = t.params(chosen)
	t.choices(&s, chosen, named)
	return s
}

// choices reads the keys that all spaces have, for the chosen kernels; where may use the parameters of those named.
func (t *table) choices(s *Space, chosen, named []kernels.Kernel) {
	s.Precisions, s.Block, s.Grid = t.precisions(), t.block(chosen), t.grid()
	s.Where, s.filter = t.condition(variables(named))
}

// params are the names of the parameters of some kernels.
func params(of []kernels.Kernel) []string {
	all := slices.Concat(lists.Of(of, kernels.Kernel.Choices)...)
	return lists.Distinct(all, func(p kernels.Param) string { return p.Name })
}

// maxConfigs bounds the combinations of a sweep's kernels, before where: more than anyone can have meant fill the memory.
const maxConfigs = 1 << 20

// most is how many combinations s has, or values where these are more: more than maxConfigs may be fewer than there are.
func (s Space) most() int {
	combinations, values := 0, len(s.Block)+len(s.Grid.Values)+len(s.Grid.PerSM)
	for _, list := range s.Params {
		values += len(list)
	}
	for _, k := range s.chosen() {
		n := len(s.Precisions) * len(s.blocks(k)) * len(s.grids(k, 1))
		for _, p := range k.Choices() {
			n = min(n, maxConfigs+1) * max(1, len(s.Params[p.Name]))
		}
		combinations = min(combinations+n, maxConfigs+1)
	}
	return max(combinations, values)
}

// kernels reads the names of the kernels and reports whether all are known.
func (t *table) kernels(backend string) (chosen []kernels.Kernel, known bool) {
	const key = "name"
	given := t.texts(key)
	for _, name := range given {
		k, ok := kernels.Lookup(name.v)
		if !ok {
			t.failAt(name.at, key, Suggest(name.v, "kernels", kernels.Names(), "spmvtune kernels"),
				"no kernel is called %q", name.v)
			continue
		}
		t.runsOn(name.at, key, name.v, k.Backend, backend)
		chosen = append(chosen, k)
	}
	if len(t.elements(key)) == 0 {
		t.fail(key, `write name = "cpu_csr", or a list of names; spmvtune kernels prints all`,
			"the section names no kernel")
	}
	return chosen, len(given) > 0 && len(chosen) == len(given)
}

// runsOn notes a kernel of another backend than that of [device].
func (t *table) runsOn(at *position, key, name, backend, device string) {
	if device != "auto" && device != backend {
		t.failAt(at, key, `set backend = "auto" in [device], or leave the kernel out`,
			"%s runs on %s, and [device] asks for %s", name, backend, device)
	}
}

// precisions reads one or both of float32 and float64.
func (t *table) precisions() []kernels.Precision {
	const key = "precision"
	both := []string{string(kernels.Float32), string(kernels.Float64)}
	given := both
	if len(t.some(key)) > 0 {
		given = t.names(key, "precisions", both)
	}
	return lists.Of(given, func(name string) kernels.Precision { return kernels.Precision(name) })
}

// block reads the block sizes, each of which must be legal for every kernel of
// the section that has a choice of block.
func (t *table) block(chosen []kernels.Kernel) []int {
	const key = "block"
	all := t.ints(key, "")
	refused := map[*position]bool{} // once for each value that was written
	for _, b := range all {
		for _, k := range chosen {
			if k.Block != "" && !k.Blocks.Contains(b.v) && !refused[b.at] {
				refused[b.at] = true
				t.failAt(b.at, key, sectionHint(chosen, k), "%d is impossible for %s: it must be %v", b.v, k.Name, k.Blocks)
			}
		}
	}
	return values(all)
}

// sectionHint is the hint for a value that k refuses in a section with several kernels.
func sectionHint(chosen []kernels.Kernel, k kernels.Kernel) string {
	if len(chosen) == 1 {
		return ""
	}
	return "leave it out, or give " + k.Name + " a [[kernel]] section of its own"
}

// grid reads the grid sizes.
func (t *table) grid() Grid {
	const key = "grid"
	switch v := t.vals[key].(type) {
	case nil:
		return Grid{Auto: true}
	case string:
		if v != "auto" {
			t.fail(key, `write "auto", or the sizes as a list`, "%q is not a grid size", v)
		}
		return Grid{Auto: true}
	case map[string]any:
		if sub := t.section(key); sub.has("per_sm") {
			sub.only([]string{"per_sm"})
			return Grid{PerSM: values(sub.ints("per_sm", ""))}
		}
	}
	return Grid{Values: values(t.ints(key, `, "auto" or { per_sm = [1, 2] }`))}
}

// params reads the values of the kernels' further parameters. Every kernel of the section must
// have the parameter, and every value must be legal for it.
func (t *table) params(chosen []kernels.Kernel) map[string][]string {
	out := map[string][]string{}
	for _, name := range params(chosen) {
		if !t.has(name) {
			continue
		}
		out[name] = []string{}
		for _, v := range t.settings(name) {
			if t.allowed(v.at, chosen, name, v.v) {
				out[name] = append(out[name], v.v)
			}
		}
		t.lacking(chosen, name)
	}
	return out
}

// settings reads the values of a parameter: an integer or a name, a list of
// them, or steps.
func (t *table) settings(key string) []placed[string] {
	if _, steps := t.vals[key].(map[string]any); steps {
		return lists.Of(t.ints(key, ""), func(n placed[int]) placed[string] {
			return placed[string]{strconv.Itoa(n.v), n.at}
		})
	}
	var out []placed[string]
	for _, e := range t.some(key) {
		switch e.v.(type) {
		case int64, string:
			out = append(out, placed[string]{fmt.Sprint(e.v), e.at})
		default:
			t.wrong(e.at, key, e.v, "an integer or a name")
		}
	}
	return out
}

// allowed notes a value that one of the kernels with the parameter refuses.
// Kernel.Check asks the same of a whole configuration.
func (t *table) allowed(at *position, chosen []kernels.Kernel, param, value string) bool {
	for _, k := range chosen {
		p, has := k.Param(param)
		if legal, ok := p.Allows(value); has && !ok {
			t.failAt(at, param, didYouMean(value, p.Values), "%q is impossible for %s: it must be %s", value, k.Name, legal)
			return false
		}
	}
	return true
}

// lacking notes the kernels of the section that have no such parameter.
func (t *table) lacking(chosen []kernels.Kernel, param string) {
	without := lists.Where(chosen, func(k kernels.Kernel) bool {
		_, has := k.Param(param)
		return !has
	})
	hint := "give kernels with and without it a [[kernel]] section each"
	if len(without) == len(chosen) {
		hint = "leave it out; spmvtune kernels NAME prints the parameters of a kernel"
	}
	if len(without) > 0 {
		names := lists.Of(without, func(k kernels.Kernel) string { return k.Name })
		t.fail(param, hint, "not a parameter of %s", strings.Join(names, ", "))
	}
}
