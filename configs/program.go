package configs

import (
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/kernels/program"
)

// programKeys are those of a [[kernel]] with a command, beside kernelKeys and params.
var programKeys = section{
	{name: "command", doc: `somebody else's program, as in "./my-spmv {matrix} {block}": docs/extending.md says what it ` +
		"is told and what it prints"},
	{name: "backend", doc: `"cpu" or "cuda": where the program computes; default: [device]'s, else "cpu"`},
}

// programSpace reads a [[kernel]] section with a command.
func (t *table) programSpace(device string, p Protocol, find finder) Space {
	t.only(slices.Concat(kernelKeys.names(), programKeys.names(), []string{"params"}))
	o := kernels.Own{Kernel: kernels.Kernel{
		Source: "a program, called by the sweep", Format: kernels.CSR, Scope: kernels.ScopeRow, Guest: true,
	}}
	t.ownName(&o)
	if o.Backend = "cpu"; device != "auto" {
		o.Backend = device
	}
	t.choice("backend", &o.Backend, []string{"cpu", "cuda"})
	if device != "auto" && o.Backend != device {
		t.fail("backend", `set backend = "auto" in [device], or leave the kernel out`,
			"the program runs on %s, and [device] asks for %s", o.Backend, device)
	}

	values := t.ownParams(&o)
	t.command(&o, p, find)
	return t.spaceOf(&o, values)
}

// command reads the command, and makes the kernel of what it uses.
func (t *table) command(o *kernels.Own, p Protocol, find finder) {
	const key = "command"
	text, single := t.vals[key].(string)
	for _, word := range t.texts(key) {
		o.Command = append(o.Command, word)
	}
	if single {
		var err error
		if o.Command, err = program.Split(text); err != nil {
			t.fail(key, "write the words as a list", "%v", err)
			return
		}
	}
	if len(o.Command) == 0 {
		t.fail(key, `write command = "./my-spmv {matrix}", or a list of words`, "the command has no program")
		return
	}
	if _, err := program.Expand(o.Command, program.Placeholders(*o, kernels.Config{})); err != nil {
		t.fail(key, "write {{ and }} for braces", "%v", err)
		return
	}
	t.beside(o.Command, find)

	uses := func(name string) bool { return program.Uses(o.Command, name) }
	if !uses("matrix") {
		t.fail(key, "pass it the file: {matrix}", "the program is not told the matrix")
	}
	if p.Cache != "warm" && !uses("cache") {
		t.fail(key, `set cache = "warm" in [protocol], or pass {cache} to a program that flushes them where it is "cold"`,
			"the caches are flushed before each product of others, but nobody flushes them for a program")
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
	told := program.Placeholders(kernels.Own{}, kernels.Config{})
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
	names := map[string]bool{}
	for _, o := range s.Own() {
		if o.Command != nil {
			names[o.Name] = true
		}
	}
	return names
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
