package generate

import (
	"context"
	"fmt"
	"math"

	"spmvtune/sparse"
)

// kept is the share of the stencil's couplings that a mesh has; the gaps are
// what keeps it from being a regular grid.
const kept = 0.9

func planFEM(v values) (Size, error) { return planMesh("fem_blocks", v) }

func planMesh(generator string, v values) (Size, error) {
	nodes, dof := v.int("nodes"), v.int("dof")
	if need, have := stencilSize(v), reachFEM(v); need > have {
		return Size{}, &ArgError{generator, "neighbours", fmt.Sprintf(
			"%v neighbours need a band of at least %d and more nodes than that; the band reaches %d",
			v["neighbours"], need, have)}
	}
	blocks := math.Round(float64(nodes) * (1 + v["neighbours"]))
	return Size{Rows: nodes * dof, Cols: nodes * dof, NNZ: int(blocks) * dof * dof}, nil
}

// stencilSize is the number of offsets to later nodes.
func stencilSize(v values) int { return int(math.Ceil(v["neighbours"] / 2 / kept)) }

// reachFEM is the largest offset there can be.
func reachFEM(v values) int { return min(v.int("band"), v.int("nodes")-1) }

// buildFEM couples node i with i ± o for the offsets o of a stencil, each
// coupling left out with some probability. Consecutive nodes thus have similar
// neighbours, as in a mesh, and a row is known without looking at others.
func buildFEM(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	f := newMesh(v)
	value := newSource(v.seed(), forValues).symmetricValue
	return visited(f.nodes, f.nodes, f.each, value).blocks(v.int("dof")).build(ctx)
}

// A mesh is a graph of nodes.
type mesh struct {
	nodes   int
	offsets []int  // increasing
	keep    uint64 // couplings below this, of 2³², exist
	src     source
}

func newMesh(v values) *mesh {
	f := &mesh{nodes: v.int("nodes"), src: newSource(v.seed(), forStructure)}
	if n := stencilSize(v); n > 0 {
		s := newSource(v.seed(), forStencil).stream(0)
		f.offsets = stencil(n, reachFEM(v), &s)
		f.keep = uint64(v["neighbours"] / float64(2*n) * (1 << 32))
	}
	return f
}

// stencil chooses n of the offsets 1 to reach: 1 itself, and runs of three
// spread over the rest, as the 13 later neighbours in a grid of hexahedra are
// 1 and four runs of three. Where there is no room they are 1 to n.
func stencil(n, reach int, s *stream) []int {
	offsets := []int{1}
	runs := (n - 1 + 2) / 3
	if runs > 0 && (reach-1)/runs < 3 {
		for len(offsets) < n {
			offsets = append(offsets, len(offsets)+1)
		}
	}

	for r := 0; len(offsets) < n; r++ {
		length := min(3, n-len(offsets))
		lo, hi := 2+r*(reach-1)/runs, 2+(r+1)*(reach-1)/runs
		first := lo + s.below(hi-lo-length+1)
		for k := range length {
			offsets = append(offsets, first+k)
		}
	}

	return offsets
}

// each calls visit for node i and its neighbours, in increasing order.
func (f *mesh) each(i int, visit func(node int)) {
	f.before(i, visit)
	visit(i)
	for k, o := range f.offsets {
		if i+o >= f.nodes {
			break
		}
		if f.coupled(i, k) {
			visit(i + o)
		}
	}
}

// before calls visit for the neighbours of node i before it.
func (f *mesh) before(i int, visit func(node int)) {
	for k := len(f.offsets) - 1; k >= 0; k-- {
		if j := i - f.offsets[k]; j >= 0 && f.coupled(j, k) {
			visit(j)
		}
	}
}

// coupled reports whether node i and the one at the k-th offset after it are
// neighbours.
func (f *mesh) coupled(i, k int) bool {
	return f.src.at(uint64(i*len(f.offsets)+k))>>32 < f.keep
}

func planGrid(v values) (Size, error) {
	nx, ny := v.int("nx"), v.int("ny")
	n := nx * ny
	return Size{Rows: n, Cols: n, NNZ: 5*n - 2*nx - 2*ny}, nil
}

// buildGrid makes the 5-point stencil. Point (x, y) is row y·nx + x.
func buildGrid(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	nx, ny := v.int("nx"), v.int("ny")
	n := nx * ny
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			_, count := stencil5(i, nx, n)
			return count
		},
		fill: func(i int, columns []int32) {
			points, count := stencil5(i, nx, n)
			copy(columns, points[:count])
		},
		value: func(i, j int) float64 {
			if i == j {
				return 4
			}
			return -1
		},
	}

	return a.build(ctx)
}

// stencil5 returns the points that row i of an nx-wide grid of n points
// couples: below, left, itself, right, above.
func stencil5(i, nx, n int) (points [5]int32, count int) {
	x := i % nx
	add := func(ok bool, j int) {
		if ok {
			points[count] = int32(j)
			count++
		}
	}

	add(i >= nx, i-nx)
	add(x > 0, i-1)
	add(true, i)
	add(x < nx-1, i+1)
	add(i < n-nx, i+nx)
	return points, count
}

func planBlocks(v values) (Size, error) {
	size, err := planGrid(v)
	dof := v.int("dof")
	return Size{Rows: size.Rows * dof, Cols: size.Cols * dof, NNZ: size.NNZ * dof * dof}, err
}

// buildBlocks makes the 5-point stencil with a dense dof by dof block for each of its
// entries. Unknown d of point (x, y) is row (y·nx + x)·dof + d.
func buildBlocks(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	nx, dof := v.int("nx"), v.int("dof")
	n := nx * v.int("ny")
	a := assembly{
		rows: n * dof, cols: n * dof,
		length: func(i int) int {
			_, count := stencil5(i/dof, nx, n)
			return count * dof
		},
		fill: func(i int, columns []int32) {
			points, _ := stencil5(i/dof, nx, n)
			for k := range columns {
				columns[k] = points[k/dof]*int32(dof) + int32(k%dof)
			}
		},
		value: newSource(v.seed(), forValues).symmetricValue,
	}

	return a.build(ctx)
}

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
