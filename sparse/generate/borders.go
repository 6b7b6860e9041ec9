package generate

import (
	"context"

	"spmvtune/sparse"
)

func planGlobals(v values) (Size, error) {
	size, err := planMesh("fem_globals", v)
	n := v.int("nodes")
	size.Rows += v.int("globals")
	size.Cols = size.Rows
	size.NNZ += 2 * v.int("globals") * n
	return size, err
}

// buildGlobals adds unknowns to fem_blocks, as Lagrange multipliers are: the g-th is tied to one
// unknown of every node, the g-th of its dof, and has no diagonal entry.
func buildGlobals(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	dof, globals := v.int("dof"), v.int("globals")
	f := newMesh(v)
	inner := visited(f.nodes, f.nodes, f.each, nil).blocks(dof)
	n := inner.rows
	a := assembly{
		rows: n + globals, cols: n + globals,
		length: func(i int) int {
			if i >= n {
				return f.nodes
			}
			return inner.length(i) + tiesTo(i%dof, dof, globals)
		},
		fill: func(i int, columns []int32) {
			if i >= n {
				for k := range columns {
					columns[k] = int32(k*dof + (i-n)%dof)
				}
				return
			}

			own := len(columns) - tiesTo(i%dof, dof, globals)
			inner.fill(i, columns[:own])
			for k := range columns[own:] {
				columns[own+k] = int32(n + i%dof + k*dof)
			}
		},
		value: newSource(v.seed(), forValues).symmetricValue,
	}

	return a.build(ctx)
}

// tiesTo is how many of the globals are tied to the d-th unknown of a node.
func tiesTo(d, dof, globals int) int { return (globals - d + dof - 1) / dof }

func planBordered(v values) (Size, error) {
	inner, size, border := v.int("blocks")*v.int("size"), v.int("size"), v.int("border")
	n := inner + border
	return Size{Rows: n, Cols: n, NNZ: inner*(size+border) + border*n}, nil
}

// buildBordered makes an arrow of blocks: dense ones along the diagonal, and last rows and columns
// that are full.
func buildBordered(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	size, border := v.int("size"), v.int("border")
	inner := v.int("blocks") * size
	n := inner + border
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			if i >= inner {
				return n
			}
			return size + border
		},
		fill: func(i int, columns []int32) {
			first, own := i-i%size, size
			if i >= inner {
				first, own = 0, inner
			}
			for k := range columns {
				columns[k] = int32(first + k)
				if k >= own {
					columns[k] = int32(inner + k - own)
				}
			}
		},
		value: newSource(v.seed(), forValues).symmetricValue,
	}

	return a.build(ctx)
}
