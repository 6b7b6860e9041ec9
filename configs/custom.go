// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
)

// customKeys are those of a [[kernel]] with a source, beside kernelKeys.
var customKeys = section{
	{name: "source", doc: "a kernel of your own: its file, .cu for a GPU, .c or .cpp for a processor; name names it. " +
		"spmvtune kernels new NAME writes one"},
	{name: "entry", doc: `the function; default: name`},
	{name: "format", doc: `what it is given: "csr", the default, "coo" or "sell"`},
	{name: "blocks", doc: `on a GPU, the blocks that are launched; default: grid, else "(rows + block - 1) / block"; ` +
		"over rows, cols, nonzeros, block, grid, value_bytes and params"},
	{name: "shared", doc: "on a GPU, the dynamic shared memory of a block in bytes, as in \"block * value_bytes\"; " +
		"default: 0"},
	{name: "zero", doc: "whether y is zeroed within each product, for a kernel that adds to it; default: false"},
	{name: "params", doc: "parameters and their values, as in { unroll = [1, 2, 4] }: each is a macro in capitals"},
}

// programKeys are those of a [[kernel]] with a command, beside kernelKeys and params.
var programKeys = section{
	{name: "command", doc: `an external program, as in "./my-spmv {matrix} {block}": docs/extending.md says what it ` +
		"is told and what it prints"},
	{name: "backend", doc: `"cpu" or "cuda": where the program computes; default: [device]'s, else "cpu"`},
}

// What may stand in a macro or name a function.
var (
	entryName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	macroName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	macroValue = regexp.MustCompile(`^[A-Za-z0-9_.]{1,32}$`)
)

// endings are the backends of sources.
var endings = map[string]string{".cu": "cuda", ".c": "cpu", ".cc": "cpu", ".cpp": "cpu", ".cxx": "cpu"}

// customSpace reads a [[kernel]] section with a source or a command, for the backend of [device].
func (t *table) customSpace(device string, p Protocol, find finder) Space {
	o := &kernels.Custom{Kernel: kernels.Kernel{
		Source: "defined by the sweep", Format: kernels.CSR, Scope: kernels.ScopeRow, Custom: true,
	}}
	keys, read, launch := customKeys, func() { t.source(o, device, find) }, func() { t.customLaunch(o) }
	if !t.has("source") {
		o.Source = "a program, called by the sweep"
		keys = slices.Concat(programKeys, customKeys[len(customKeys)-1:])
		read, launch = func() { t.program(o, device) }, func() { t.command(o, p, find) }
	}
	t.only(append(kernelKeys.names(), keys.names()...))
	t.text("name", &o.Name)
	if err := custom.CheckName(o.Name); err != nil {
		t.fail("name", "choose another name, such as \"mine\"", "%v", err)
	}
	read()
	s := Space{Custom: o, Params: t.customParams(o)}
	launch()
	s.Kernels = []string{o.Name}
	chosen := []kernels.Kernel{o.Kernel}
	t.choices(&s, chosen, chosen)
	return s
}

// source reads the source and what it includes, its function, and what that is given.
func (t *table) source(o *kernels.Custom, device string, find finder) {
	o.Entry = o.Name
	if t.text("entry", &o.Entry); !entryName.MatchString(o.Entry) {
		t.fail("entry", "", "no function is called %q", o.Entry)
	}
	t.choice("format", (*string)(&o.Format), []string{"csr", "coo", "sell"})
	t.flag("zero", &o.Zero)

	const key = "source"
	var source string
	if t.text(key, &source); source == "" {
		return
	}
	known := false
	if o.Backend, known = endings[filepath.Ext(source)]; !known {
		t.fail(key, "name a file that ends in .cu for a GPU, or in .c, .cc, .cpp or .cxx for a processor",
			"%q is not the name of a source file", source)
		return
	}
	t.runsOn(t.at.key(key), key, source, o.Backend, device)
	if strings.ContainsAny(source, `*?[\`) {
		t.fail(key, "name one file", "%q is a pattern", source)
		return
	}
	found, err := find(source)
	if err == nil {
		o.Files, o.File, err = custom.Gather(found[0])
		if errors.Is(err, fs.ErrNotExist) { // only a node may find what is not there, see Use
			err = nil
		}
	}
	if err != nil {
		t.fail(key, "paths are relative to the folder of the sweep file", "%v", err)
	}
}

// program reads where a program computes.
func (t *table) program(o *kernels.Custom, device string) {
	if o.Backend = "cpu"; device != "auto" {
		o.Backend = device
	}
	t.choice("backend", &o.Backend, []string{"cpu", "cuda"})
	t.runsOn(t.at.key("backend"), "backend", "the program", o.Backend, device)
}

// customParams reads the parameters and their values. Matrices as SELL have two more.
func (t *table) customParams(o *kernels.Custom) map[string][]string {
	const key = "params"
	values := map[string][]string{}
	lists, _ := given[map[string]any](t, key, "a table of lists, as in { unroll = [1, 2, 4] }")
	sub := t.below(key, t.at.key(key), lists)
	for _, name := range slices.Sorted(maps.Keys(sub.vals)) {
		if !macroName.MatchString(name) || customVariables[name] {
			sub.fail(name, "write small letters, digits and underscores, and no name of this section",
				"no parameter can be called %q", name)
			continue
		}
		for _, v := range sub.settings(name) {
			if !macroValue.MatchString(v.v) {
				sub.failAt(v.at, name, "", "%q is neither a number nor a name", v.v)
				continue
			}
			values[name] = append(values[name], v.v)
		}
		if len(values[name]) > 0 {
			o.Params = append(o.Params, kernels.Param{Name: name, Values: values[name], Default: values[name][0],
				Doc: "the macro " + strings.ToUpper(name)})
		}
	}
	if o.Format == kernels.SELL {
		t.customSlices(o, values)
	}
	return values
}

// customSlices makes sure of the parameters of SELL-C-sigma: the rows of a chunk, and of a window
// that is sorted.
func (t *table) customSlices(o *kernels.Custom, values map[string][]string) {
	for name, usual := range map[string]string{"chunk": "32", "sigma": "1024"} {
		if values[name] == nil {
			o.Params = append(o.Params, kernels.Param{Name: name, Values: []string{usual}, Default: usual,
				Doc: "of SELL-C-sigma"})
		}
		for _, v := range values[name] {
			if n := kernels.Params(name+"="+v).Int(name, 0); n < 1 || n > 1<<20 {
				t.fail("params", "write rows, as in "+name+" = ["+usual+"]", "%s is %q", name, v)
			}
		}
	}
	slices.SortFunc(o.Params, func(a, b kernels.Param) int { return strings.Compare(a.Name, b.Name) })
}

// customVariables are what an expression of a launch may use beside params.
var customVariables = map[string]bool{"rows": true, "cols": true, "nonzeros": true, "nnz": true, "block": true,
	"grid": true, "value_bytes": true, "kernel": true, "precision": true, "spmv_real": true, "min": true, "max": true}

// customLaunch reads the launch, which depends on what was read before.
func (t *table) customLaunch(o *kernels.Custom) {
	if t.has("grid") {
		o.Grid = "what the kernel takes it for"
	}
	if o.Backend != "cuda" {
		if t.has("block") {
			o.Block, o.Blocks = "what the kernel takes it for", kernels.Range{Min: 1, Max: 1 << 30, Step: 1}
		}
		for _, key := range []string{"blocks", "shared"} {
			if t.has(key) {
				t.fail(key, "leave it out", "only kernels for a GPU are launched so")
			}
		}
		return
	}
	o.Block, o.Blocks = "threads in a block", kernels.Range{Min: 1, Max: 1024, Step: 1}
	o.Launch, o.Shared = "(rows + block - 1) / block", "0"
	if o.Format == kernels.COO {
		o.Launch = "(nonzeros + block - 1) / block"
	}
	if t.has("grid") {
		o.Launch = "grid"
	}
	for key, into := range map[string]*string{"blocks": &o.Launch, "shared": &o.Shared} {
		t.text(key, into)
		if _, err := custom.Value(*into, o.Variables(kernels.Config{Block: 64, Grid: 64, Precision: kernels.Float64},
			1000, 1000, 5000)); err != nil {
			t.fail(key, `it is an integer, as in "(rows + block - 1) / block"`, "%v", err)
		}
	}
}

// Custom returns the kernels that the sweep defines.
func (s *Sweep) Custom() []kernels.Custom {
	own := lists.Where(s.Kernels, func(space Space) bool { return space.Custom != nil })
	return lists.Of(own, func(space Space) kernels.Custom { return *space.Custom })
}

// Lookup returns a kernel of the space, or of the catalogue.
func (s Space) Lookup(name string) (kernels.Kernel, bool) {
	if s.Custom != nil && s.Custom.Name == name {
		return s.Custom.Kernel, true
	}
	return kernels.Lookup(name)
}

// Use takes the definitions of its kernels from list, where they stand in for the files of the
// sweep, as on a node that does not see them.
func (s *Sweep) Use(list []kernels.Custom) error {
	for i, space := range s.Kernels {
		if space.Custom == nil {
			continue
		}
		o, known := kernels.LookupCustom(list, space.Custom.Name)
		if !known {
			return fmt.Errorf("there is no definition of the kernel %s", space.Custom.Name)
		}
		s.Kernels[i].Custom = &o
	}
	return nil
}

// command reads the command, and makes the kernel of what it uses.
func (t *table) command(o *kernels.Custom, p Protocol, find finder) {
	const key = "command"
	text, single := t.vals[key].(string)
	o.Command = values(t.texts(key))
	if single {
		var err error
		if o.Command, err = custom.SplitCommand(text); err != nil {
			t.fail(key, "write the words as a list", "%v", err)
			return
		}
	}
	if len(o.Command) == 0 {
		t.fail(key, `write command = "./my-spmv {matrix}", or a list of words`, "the command has no program")
		return
	}
	if _, err := custom.Expand(o.Command, custom.Placeholders(*o, kernels.Config{})); err != nil {
		t.fail(key, "write {{ and }} for braces", "%v", err)
		return
	}
	t.beside(o.Command, find)

	uses := func(name string) bool { return custom.Uses(o.Command, name) }
	if !uses("matrix") {
		t.fail(key, "pass it the file: {matrix}", "the program is not told the matrix")
	}
	if p.Cache != "warm" && !uses("cache") {
		t.fail(key, `set cache = "warm" in [protocol], or pass {cache} to a program that flushes them where it is "cold"`,
			"an external program must flush caches itself")
	}
	if uses("block") {
		o.Block, o.Blocks = "what the program takes it for", kernels.Range{Min: 1, Max: 1 << 30, Step: 1}
	}
	if uses("grid") {
		o.Grid = "what the program takes it for"
	}
	if uses("block") != t.has("block") {
		t.fail("block", "give both, or neither", "the section's block and the command's {block} belong together")
	}
	if t.has("grid") && !uses("grid") {
		t.fail("grid", "pass it to the program, or leave it out", "the command has no {grid}")
	}
	told := custom.Placeholders(kernels.Custom{}, kernels.Config{})
	for _, p := range o.Params {
		if _, taken := told[p.Name]; taken {
			t.fail("params", "choose another name", "no parameter can be called %q: the program is told {%[1]s} anyway", p.Name)
		}
		if !uses(p.Name) && !uses("params") {
			t.fail("params", "pass it to the program, or leave it out", "the command has no {%s}", p.Name)
		}
	}
	if !uses("y") {
		o.Name += kernels.NotVerified
	}
}

// Programs returns the names of the sweep's kernels that are programs, whose times are their own.
func (s *Sweep) Programs() map[string]bool {
	return lists.Keyed(s.Custom(), func(o kernels.Custom) (string, bool) { return o.Name, o.Command != nil })
}

// beside makes words that begin with ./ or ../ files in the folder of the sweep file.
func (t *table) beside(words []string, find finder) {
	for i, word := range words {
		if !strings.HasPrefix(word, "./") && !strings.HasPrefix(word, "../") {
			continue
		}
		found, err := find(word)
		if err != nil {
			t.fail("command", "words that begin with ./ or ../ are files, relative to the folder of the sweep file", "%v", err)
			continue
		}
		words[i] = found[0]
	}
}
