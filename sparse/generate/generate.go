// SPDX-License-Identifier: Apache-2.0

// Package generate makes matrices whose structure is known: exact members of
// published families (stencils on grids, an epidemic's lattice, Mycielskian graphs,
// Delaunay triangulations and their duals) and seeded random ones that look like a
// class of real matrices (power laws, roads, finite elements, one giant row), or like
// one that is published (twins).
//
// Every generator is a row of the table [Generators], which generators.toml holds: its arguments are
// declared there, checked by [Build] before anything is allocated, and spelled
// out by [Spec]. A generator's output depends on its arguments and on [Version]
// alone, never on the number of cores: rows and edges draw from counter-based
// random numbers of their own, so they can be made in any order. Columns are
// strictly increasing within a row. Random values lie in (−1, 1), are never
// zero, and are exact in float32.
//
// It refuses sizes beyond [sparse.MaxIndex].
package generate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse"
)

// Version changes whenever the output of any generator does, so that a matrix
// made by an older program is not mistaken for today's.
const Version = "2"

// A Generator is a row of the table: the matrices it makes and its arguments.
type Generator struct {
	Name  string
	Doc   string // one line, with the source of the structure
	Class string // structure class: matrices of one class are a family
	Args  []Arg  // in the order of Spec

	// plan says what the arguments ask for. It reports arguments that contradict each other by
	// wrong, and leaves what takes time or memory to the plan's build.
	plan planner
	// class says which class the arguments ask for, if that is not always Class.
	class func(v values) string
}

// A planner plans the matrix of some arguments.
type planner = func(v values) (plan, error)

// A plan is the size of a matrix, and the way to make it.
type plan struct {
	Size
	build func(ctx context.Context) (*sparse.CSR[float64], error)
}

// square is the size of a square matrix.
func square(n, nnz int) Size { return Size{Rows: n, Cols: n, NNZ: nnz} }

// A Size is the size of the matrix that a generator will make.
type Size struct {
	Rows, Cols int
	// NNZ is the number of nonzeros: exact; or an upper bound, for rmat, road, delaunay, its twin
	// and shuffled form, and attention; or about what is expected, where entries are drawn.
	NNZ int
	// Longest is about how many entries the longest row has of a matrix that has a giant one; 0: it has none.
	Longest int
}

// ClassOf returns the structure class of the matrix that Build would make for args:
// the generator's, or of a twin that of the matrix it is like.
func ClassOf(name string, args map[string]any) string {
	g, v, _, err := prepare(name, args)
	switch {
	case err != nil:
		return ""
	case g.class != nil:
		return g.class(v)
	}
	return g.Class
}

// Lookup returns the generator of that name.
func Lookup(name string) (*Generator, bool) {
	i := slices.IndexFunc(Generators(), func(g Generator) bool { return g.Name == name })
	if i < 0 {
		return nil, false
	}
	return &Generators()[i], true
}

// Build makes the matrix that the named generator gives for args. Numbers of
// any Go integer or floating-point type are accepted; an integer argument may
// be given as 1e6. Missing optional arguments have their defaults. Every
// mistake in args is an *ArgError, all of them joined in one error. Build
// returns ctx's error soon after ctx is cancelled.
func Build(ctx context.Context, name string, args map[string]any) (*sparse.CSR[float64], error) {
	_, _, p, err := prepare(name, args)
	if err != nil {
		return nil, err
	}
	m, err := p.build(ctx)
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", Spec(name, args), err)
	}
	return m, nil
}

// Plan returns the size of the matrix that Build would make. It refuses what
// Build refuses.
func Plan(name string, args map[string]any) (Size, error) {
	_, _, p, err := prepare(name, args)
	return p.Size, err
}

// Spec gives a matrix its canonical name, with all arguments spelled out in the order of the
// table, but for the locality of a twin that has one form:
// "rmat(scale=18, edge_factor=16, …, seed=1)". Arguments that Build would refuse are
// shown as given, sorted by name.
func Spec(name string, args map[string]any) string {
	var parts []string
	if g, v, _, err := prepare(name, args); err == nil {
		for _, a := range g.Args {
			if a.only == nil || a.only(v) {
				parts = append(parts, a.Name+"="+a.text(v[a.Name]))
			}
		}
	} else {
		for _, key := range slices.Sorted(maps.Keys(args)) {
			parts = append(parts, fmt.Sprintf("%s=%v", key, args[key]))
		}
	}

	return name + "(" + strings.Join(parts, ", ") + ")"
}

// prepare finds a generator, checks and completes its arguments, and makes
// sure that 32-bit indices can hold the matrix.
func prepare(name string, args map[string]any) (*Generator, values, plan, error) {
	g, ok := Lookup(name)
	if !ok {
		names := lists.Of(Generators(), func(g Generator) string { return g.Name })
		return nil, nil, plan{}, fmt.Errorf("unknown generator %q; there are %s", name, strings.Join(names, ", "))
	}
	v, err := g.resolve(args)
	if err != nil {
		return nil, nil, plan{}, err
	}

	p, err := g.plan(v)
	if e, ok := errors.AsType[*ArgError](err); ok {
		e.Generator = name
	}
	if err != nil {
		return nil, nil, plan{}, err
	}
	for _, n := range []struct {
		what  string
		count int
	}{{"rows", p.Rows}, {"columns", p.Cols}, {"nonzeros", p.NNZ}} {
		if n.count < 0 { // an int can't hold it either
			n.count = math.MaxInt
		}
		if n.count > sparse.MaxIndex {
			return nil, nil, plan{}, fmt.Errorf("%s: %d %s are more than the %d that 32-bit indices can hold",
				name, n.count, n.what, sparse.MaxIndex)
		}
	}

	return g, v, p, nil
}
