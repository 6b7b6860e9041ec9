// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// A Space is the product of all choices for some kernels, less what Where
// refuses. Expand lists it, Keep applies Where.
type Space struct {
	Kernels    []string
	Precisions []kernels.Precision
	// Block lists block sizes; nil stands for one that suits the kernel.
	Block []int
	// Grid is ignored, as Block is, by kernels without that choice.
	Grid Grid
	// Params has the values of parameters by name; a missing one has its default.
	Params map[string][]string
	// Where is an expression over block, grid, the parameters, kernel, precision, rows, cols
	// and nnz.
	Where string
	// Custom is the kernel that the section defines, nil if it names those of the catalogue.
	Custom *kernels.Custom

	filter *filter // Where, compiled; nil: not yet
}

// Grid lists grid sizes, some of which depend on the device.
type Grid struct {
	// Values are grid sizes as they are.
	Values []int
	// PerSM are grid sizes times the device's units.
	PerSM []int
	// Auto stands for 1, 2, …, cores on a CPU, and for 1, 2, 4, 8 and 16 blocks per
	// multiprocessor on a GPU.
	Auto bool
}

// autoPerSM are the grids of "auto" on a GPU, in blocks per multiprocessor: from one block to
// enough waiting blocks to hide the end of the longest.
var autoPerSM = []int{1, 2, 4, 8, 16}

// Expand gives the configurations of s on a device with this many units (multiprocessors, or
// cores that can be used), each once: kernel by kernel, then by precision, parameters, block
// and grid, in the order of the file. A kernel without a choice of block or grid has 0 for it,
// so that the values given for its neighbours collapse to one configuration. Parameters are
// complete: defaults are spelled out; configurations share them, so they must not be changed.
// Configurations that Kernel.Check or Where refuse are still among them.
func (s Space) Expand(units int) iter.Seq[kernels.Config] {
	return func(yield func(kernels.Config) bool) {
		for _, k := range s.chosen() {
			blocks, grids, settings := distinctValues(s.blocks(k)), distinctValues(s.grids(k, units)), s.settings(k)

			for _, precision := range distinctValues(s.Precisions) {
				for _, params := range settings {
					for _, block := range blocks {
						for _, grid := range grids {
							if !yield(kernels.Config{Kernel: k.Name, Precision: precision, Block: block, Grid: grid,
								Params: params}) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// chosen are the kernels of s, each once. An unknown one is only in a Space that Parse has not seen.
func (s Space) chosen() (all []kernels.Kernel) {
	for _, name := range distinctValues(s.Kernels) {
		if k, ok := s.Lookup(name); ok {
			all = append(all, k)
		}
	}
	return all
}

// distinctValues returns each value of a list once, in the order in which they come
// first.
func distinctValues[T comparable](list []T) []T {
	return lists.Distinct(list, func(v T) T { return v })
}

// blocks returns the block sizes of k, 0 if it has no choice.
func (s Space) blocks(k kernels.Kernel) []int {
	switch {
	case k.Block == "":
		return []int{0}
	case len(s.Block) > 0:
		return s.Block
	default: // on a GPU, 256 threads are legal for every kernel and fill a multiprocessor evenly
		return []int{cmp.Or(k.Blocks.Default, 256)}
	}
}

// grids returns the grid sizes of k, 0 if it has no choice.
func (s Space) grids(k kernels.Kernel, units int) []int {
	if k.Grid == "" {
		return []int{0}
	}
	out := slices.Clone(s.Grid.Values)
	perSM := s.Grid.PerSM
	if s.Grid.Auto && k.Backend == "cpu" {
		for workers := range units {
			out = append(out, workers+1)
		}
	} else if s.Grid.Auto {
		perSM = autoPerSM
	}

	return append(out, lists.Of(perSM, func(n int) int { return n * units })...)
}

// settings returns the product of k's parameters, complete.
func (s Space) settings(k kernels.Kernel) []kernels.Params {
	all := []kernels.Params{k.Complete("")}
	for _, p := range k.Choices() {
		if chosen := distinctValues(s.Params[p.Name]); len(chosen) > 0 {
			all = product(all, chosen, func(base kernels.Params, value string) kernels.Params {
				return k.Complete(base.With(p.Name, value))
			})
		}
	}

	return all
}

// Keep reports whether Where keeps c on a matrix of that size. Without Where, it keeps
// everything. An error means that the expression could not be evaluated, as when it divides by
// zero.
func (s Space) Keep(c kernels.Config, rows, cols, nnz int) (bool, error) {
	if s.Where == "" {
		return true, nil
	}
	f := s.filter
	if f == nil {
		var err error
		if f, err = newFilter(s.Where, variables(s.chosen())); err != nil {
			return false, fmt.Errorf("compiling where: %s", message(err))
		}
	}

	return f.keep(c, rows, cols, nnz)
}

// A filter is a compiled where.
type filter struct {
	program *vm.Program
	zero    map[string]any // every variable with the zero of its type
	where   *Error         // place in the file; nil outside of one
}

// variables returns what a where over some kernels may use: block, grid,
// kernel, precision, the matrix's rows, cols and nnz, and every parameter of
// the kernels, an integer if all its values are, else a string.
func variables(chosen []kernels.Kernel) map[string]any {
	zero := map[string]any{
		"block": 0, "grid": 0, "kernel": "", "precision": "",
		"rows": 0, "cols": 0, "nnz": 0,
	}

	for _, k := range chosen {
		for _, p := range k.Choices() {
			_, text := zero[p.Name].(string)
			if text || isText(p.Default) || slices.ContainsFunc(p.Values, isText) {
				zero[p.Name] = ""
			} else {
				zero[p.Name] = 0
			}
		}
	}

	return zero
}

// newFilter compiles a where over variables, given with the zeros of their types.
func newFilter(where string, zero map[string]any) (*filter, error) {
	if len(where) > longestWhere {
		return nil, fmt.Errorf("the expression is longer than %d characters", longestWhere)
	}
	options := []expr.Option{expr.Env(zero), expr.AsBool(), expr.DisableAllBuiltins()}
	for _, name := range []string{"abs", "ceil", "float", "floor", "int", "len", "lower", "max", "min", "round", "upper"} {
		options = append(options, expr.EnableBuiltin(name))
	}
	var grows growth
	program, err := expr.Compile(where, append(options, expr.Patch(&grows))...)
	if err == nil && grows != "" {
		err = fmt.Errorf("where can't use %s: write the condition out", string(grows))
	}
	if err != nil {
		return nil, err
	}
	return &filter{program: program, zero: zero}, nil
}

// longestWhere bounds an expression. With what growth refuses, it bounds its time and memory.
const longestWhere = 10_000

// growth is what an expression has that could take much time or memory, such as a variable that
// doubles a text. Functions over lists are not known to it: they are disabled.
type growth string

func (g *growth) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.VariableDeclaratorNode:
		*g = "let"
	case *ast.PredicateNode:
		*g = "a function over a list"
	case *ast.BinaryNode:
		if n.Operator == ".." {
			*g = ".."
		}
	}
}

// isText reports whether a parameter's value is not a number.
func isText(value string) bool {
	_, err := strconv.Atoi(value)
	return err != nil
}

// keep evaluates the expression. A parameter that c's kernel lacks is 0 or "".
func (f *filter) keep(c kernels.Config, rows, cols, nnz int) (bool, error) {
	env := maps.Clone(f.zero)
	if k, ok := kernels.Lookup(c.Kernel); ok {
		for _, p := range k.Choices() {
			if p.Optional {
				env[p.Name] = p.Default
			}
		}
	}
	for name, value := range c.Params.All() {
		switch f.zero[name].(type) {
		case int:
			env[name] = c.Params.Int(name, 0)
		case string:
			env[name] = value
		}
	}

	env["block"], env["grid"] = c.Block, c.Grid
	env["kernel"], env["precision"] = c.Kernel, string(c.Precision)
	env["rows"], env["cols"], env["nnz"] = rows, cols, nnz
	v, err := expr.Run(f.program, env)
	if err != nil {
		problem := fmt.Sprintf("evaluating the expression for %v: %s", c, message(err))
		if f.where == nil {
			return false, fmt.Errorf("where: %s", problem)
		}
		e := *f.where
		e.Problem = problem
		return false, &e
	}

	return v.(bool), nil // as AsBool made sure
}

// condition reads a where over variables, given with the zeros of their types, and
// compiles it. Without one, or with a wrong one, it returns nil.
func (t *table) condition(zero map[string]any) (string, *filter) {
	const key = "where"
	if !t.has(key) {
		return "", nil
	}
	var text string
	if t.text(key, &text); text == "" {
		if t.vals[key] == "" {
			t.fail(key, "leave the key out to keep everything", "the expression is empty")
		}
		return "", nil
	}

	f, err := newFilter(text, zero)
	if err == nil {
		f.where = &Error{File: t.file, Line: t.at.key(key).line, Key: t.path(key)}
		return text, f
	}
	problem := message(err)
	if name, ok := strings.CutPrefix(problem, "unknown name "); ok {
		t.fail(key, Suggest(name, "the variables", slices.Sorted(maps.Keys(zero)), ""), "unknown variable %q", name)
	} else {
		t.fail(key, `it says what to keep, as in "block * grid >= 8192" of a kernel or "nnz <= 1_000_000" of a matrix`,
			"%s", problem)
	}

	return "", nil
}

// message gives the first line of an error of the expression language, which
// otherwise draws the expression below it.
func message(err error) string {
	if e, ok := errors.AsType[*file.Error](err); ok {
		return e.Message
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
