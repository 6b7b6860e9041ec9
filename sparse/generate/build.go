package generate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spmvtune/sparse"
)

// Build makes the matrix that the named generator gives for args. Numbers of
// any Go integer or floating-point type are accepted; an integer argument may
// be given as 1e6. Missing optional arguments have their defaults. Every
// mistake in args is an *ArgError, all of them joined in one error. Build
// returns ctx's error soon after ctx is cancelled.
func Build(ctx context.Context, name string, args map[string]any) (*sparse.CSR[float64], error) {
	g, v, _, err := prepare(name, args)
	if err != nil {
		return nil, err
	}
	m, err := g.build(ctx, v)
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", Spec(name, args), err)
	}
	return m, nil
}

// Check reports what Build would refuse in args, without building.
func Check(name string, args map[string]any) error {
	_, _, _, err := prepare(name, args)
	return err
}

// Plan returns the size of the matrix that Build would make. It refuses what
// Build refuses.
func Plan(name string, args map[string]any) (Size, error) {
	_, _, size, err := prepare(name, args)
	return size, err
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
func prepare(name string, args map[string]any) (*Generator, values, Size, error) {
	g, err := find(name)
	if err != nil {
		return nil, nil, Size{}, err
	}
	v, err := g.resolve(args)
	if err != nil {
		return nil, nil, Size{}, err
	}

	size, err := g.plan(v)
	if err != nil {
		return nil, nil, Size{}, err
	}
	for _, n := range []struct {
		what  string
		count int
	}{{"rows", size.Rows}, {"columns", size.Cols}, {"nonzeros", size.NNZ}} {
		if n.count < 0 { // an int can't hold it either
			n.count = math.MaxInt
		}
		if n.count > sparse.MaxIndex {
			return nil, nil, Size{}, fmt.Errorf("%s: %d %s are more than the %d that 32-bit indices can hold",
				name, n.count, n.what, sparse.MaxIndex)
		}
	}

	return g, v, size, nil
}
