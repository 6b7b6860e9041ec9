package generate

import (
	"context"
	"fmt"
	"math"

	"spmvtune/sparse"
)

// Of the Hessian: mean neighbours of an unknown, and the farthest.
const (
	coupledKKT = 4
	bandKKT    = 200
)

func planKKT(v values) (Size, error) {
	n, row := v.int("unknowns"), v.int("row_nnz")
	if window := windowKKT(v); window > n {
		return Size{}, &ArgError{"kkt", "row_nnz", fmt.Sprintf("%d is too many for %d unknowns; at most %d", row, n,
			n/4)}
	}
	m := constraintsKKT(v)
	return Size{Rows: n + m, Cols: n + m, NNZ: n*(1+coupledKKT) + 2*m*row}, nil
}

func constraintsKKT(v values) int { return int(math.Round(v["unknowns"] * v["constraints"])) }

// windowKKT is how many unknowns a constraint chooses from.
func windowKKT(v values) int { return 4 * v.int("row_nnz") }

// buildKKT has a mesh as the Hessian. A constraint takes unknowns near its place among the others.
func buildKKT(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n, m, window := v.int("unknowns"), constraintsKKT(v), windowKKT(v)
	f := newMesh(values{"nodes": v["unknowns"], "neighbours": coupledKKT, "band": bandKKT, "seed": v["seed"]})
	src := newSource(v.seed(), forColumns)
	columns := func(i int, visit func(j int)) {
		if i < n {
			f.before(i, visit)
			return
		}
		s := src.stream(uint64(i))
		near := make([]int32, v.int("row_nnz"))
		sample(near, window, &s)
		for _, j := range near {
			visit((i-n)*(n-window+1)/m + int(j))
		}
	}

	a := visited(n+m, n+m, columns, newSource(v.seed(), forValues).symmetricValue)
	return a.symmetric(ctx, func(i int) bool { return i < n })
}
