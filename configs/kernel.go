package configs

import (
	"slices"
	"strconv"
	"strings"

	"spmvtune/kernels"
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
	switch {
	case t.has("source"):
		return t.customSpace(backend, find)
	case t.has("command"):
		return t.programSpace(backend, p, find)
	}
	chosen, known := t.kernels(backend)
	s := Space{Grid: Grid{Auto: true}}
	for _, k := range chosen {
		s.Kernels = append(s.Kernels, k.Name)
	}

	// If a kernel's name is wrong, a key may be a parameter of the kernel that was meant. So
	// the parameters of all kernels are allowed.
	named := chosen
	if !known {
		named = kernels.Catalogue
	}
	keys := kernelKeys.names()

	for _, k := range named {
		for _, p := range k.Choices() {
			if !slices.Contains(keys, p.Name) {
				keys = append(keys, p.Name)
			}
		}
	}

	t.only(append(keys, t.misplaced(chosen, keys)...))
	s.Precisions = t.precisions()
	s.Block = t.block(chosen)
	t.grid(&s.Grid)
	s.Params = t.params(chosen)
	s.Where, s.filter = t.condition(variables(named))
	t.bounded(s, chosen)

	return s
}

// maxConfigs bounds the combinations of one section and kernel, before where.
const maxConfigs = 1 << 20

// bounded notes a section with more combinations than anyone can have meant, before they fill
// the memory.
func (t *table) bounded(s Space, chosen []kernels.Kernel) {
	for _, k := range chosen {
		n := len(s.Precisions) * len(s.blocks(k)) * len(s.grids(k, 1))
		for _, p := range k.Choices() {
			n = min(n, maxConfigs+1) * max(1, len(s.Params[p.Name]))
		}
		if n > maxConfigs {
			t.fail("", "take larger steps", "the choices for %s make more than %d combinations", k.Name, maxConfigs)
			return
		}
	}
}

// kernels reads the names of the kernels and reports whether all are known.
func (t *table) kernels(backend string) (chosen []kernels.Kernel, known bool) {
	const key = "name"
	given := 0
	for at, name := range t.texts(key) {
		given++
		k, ok := kernels.Lookup(name)
		if !ok {
			t.failAt(at, key, Suggest(name, "kernels", kernels.Names(), "spmvtune kernels"), "no kernel is called %q", name)
			continue
		}

		if backend != "auto" && k.Backend != backend {
			t.failAt(at, key, `set backend = "auto" in [device], or leave the kernel out`,
				"%s runs on %s, and [device] asks for %s", name, k.Backend, backend)
		}
		chosen = append(chosen, k)
	}

	if !t.has(key) || isEmptyList(t.vals[key]) {
		t.fail(key, `write name = "cpu_csr", or a list of names; spmvtune kernels prints all`,
			"the section names no kernel")
	}
	return chosen, given > 0 && len(chosen) == given
}

func isEmptyList(v any) bool {
	all, ok := v.([]any)
	return ok && len(all) == 0
}

// precisions reads one or both of float32 and float64.
func (t *table) precisions() []kernels.Precision {
	const key = "precision"
	both := []kernels.Precision{kernels.Float32, kernels.Float64}
	names := []string{string(kernels.Float32), string(kernels.Float64)}
	var out []kernels.Precision

	for at, name := range t.texts(key) {
		if !slices.Contains(names, name) {
			t.failAt(at, key, suggest(name, "precisions", names), "no precision is called %q", name)
			continue
		}
		out = append(out, kernels.Precision(name))
	}

	if isEmptyList(t.vals[key]) {
		t.fail(key, "leave the key out for both", "the list is empty")
	}
	if len(out) == 0 {
		return both
	}
	return out
}

// block reads the block sizes, each of which must be legal for every kernel of
// the section that has a choice of block.
func (t *table) block(chosen []kernels.Kernel) []int {
	const key = "block"
	all := t.ints(key, "")
	refused := map[*position]bool{} // once for each value that was written
	for _, b := range all {
		for _, k := range chosen {
			if k.Block == "" || k.Blocks.Contains(b.n) || refused[b.at] {
				continue
			}
			refused[b.at] = true
			t.failAt(b.at, key, sectionHint(chosen, k), "%d is impossible for %s: it must be %v", b.n, k.Name, k.Blocks)
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
func (t *table) grid(into *Grid) {
	const key = "grid"
	switch v := t.vals[key].(type) {
	case nil:
		return
	case string:
		if v != "auto" {
			t.fail(key, `write "auto", or the sizes as a list`, "%q is not a grid size", v)
		}
		return

	case map[string]any:
		if _, ok := v["per_sm"]; ok {
			sub := t.section(key)
			sub.only([]string{"per_sm"})
			*into = Grid{PerSM: values(sub.ints("per_sm", ""))}
			return
		}
	}
	*into = Grid{Values: values(t.ints(key, `, "auto" or { per_sm = [1, 2] }`))}
}

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
