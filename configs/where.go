package configs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"spmvtune/kernels"
)

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
		err = fmt.Errorf("%s is not for where: write the condition out", string(grows))
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
		t.fail(key, suggest(name, "the variables", slices.Sorted(maps.Keys(zero))), "unknown variable %q", name)
	} else {
		t.fail(key, `it says what to keep, as in "block * grid >= 8192" of a kernel or "nnz <= 1_000_000" of a matrix`,
			"%s", problem)
	}

	return "", nil
}

// message gives the first line of an error of the expression language, which
// otherwise draws the expression below it.
func message(err error) string {
	var e *file.Error
	if errors.As(err, &e) {
		return e.Message
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
