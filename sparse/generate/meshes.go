// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math"

	"example.org/spmvtune/sparse"
)

// kept is the share of the stencil's couplings that a mesh has; the gaps are
// what keeps it from being a regular grid.
const kept = 0.9

// planFEM couples node i with i ± o for the offsets o of a stencil, each
// coupling left out with some probability. Consecutive nodes thus have similar
// neighbours, as in a mesh, and a row is known without looking at others.
func planFEM(v values) (plan, error) {
	f, blocks, err := newMesh(v)
	if err != nil {
		return plan{}, err
	}
	inner := square(f.nodes, blocks)
	return blocked(v, inner, v.int("dof"), source.symmetricValue, inner.pattern(v, f.row))
}

// A mesh is a graph of nodes.
type mesh struct {
	nodes   int
	offsets []int  // increasing
	keep    uint64 // couplings below this, of 2³², exist
	src     source
}

// newMesh returns the mesh of some arguments, and how many couplings it has, those of nodes with themselves
// included.
func newMesh(v values) (f *mesh, couplings int, err error) {
	f = &mesh{nodes: v.int("nodes"), src: newSource(v.seed(), forStructure)}
	n := int(math.Ceil(v["neighbours"] / 2 / kept)) // offsets to later nodes
	reach := min(v.int("band"), f.nodes-1)
	if n > reach {
		return nil, 0, wrong("neighbours",
			"%v neighbours need a band of at least %d and more nodes than that; the band reaches %d",
			v["neighbours"], n, reach)
	}
	if n > 0 {
		s := newSource(v.seed(), forStencil).stream(0)
		f.offsets = stencil(n, reach, &s)
		f.keep = uint64(v["neighbours"] / float64(2*n) * (1 << 32))
	}
	return f, int(math.Round(float64(f.nodes) * (1 + v["neighbours"]))), nil
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

// row appends node i and its neighbours.
func (f *mesh) row(i int, s *stream, columns []int32) []int32 {
	columns = append(f.before(i, columns), int32(i))
	for k, o := range f.offsets {
		if i+o < f.nodes && f.coupled(i, k) {
			columns = append(columns, int32(i+o))
		}
	}
	return columns
}

// before appends the neighbours of node i before it.
func (f *mesh) before(i int, columns []int32) []int32 {
	for k := len(f.offsets) - 1; k >= 0; k-- {
		if j := i - f.offsets[k]; j >= 0 && f.coupled(j, k) {
			columns = append(columns, int32(j))
		}
	}
	return columns
}

// coupled reports whether node i and the one at the k-th offset after it are
// neighbours.
func (f *mesh) coupled(i, k int) bool {
	return f.src.at(uint64(i*len(f.offsets)+k))>>32 < f.keep
}

// planGrid makes the 5-point stencil.
func planGrid(v values) (plan, error) {
	size, row := grid5(v)
	return drawn(v, size, func(_ source, i, j int) float64 {
		if i == j {
			return 4
		}
		return -1
	}, row)
}

// grid5 is the pattern of a 5-point stencil. Point (x, y) is row y·nx + x, and is coupled
// with those below, left, right and above.
func grid5(v values) (Size, rowDraw) {
	nx, ny := v.int("nx"), v.int("ny")
	n := nx * ny
	return square(n, 5*n-2*nx-2*ny), func(i int, _ *stream, columns []int32) []int32 {
		x := i % nx
		if i >= nx {
			columns = append(columns, int32(i-nx))
		}
		if x > 0 {
			columns = append(columns, int32(i-1))
		}
		columns = append(columns, int32(i))
		if x < nx-1 {
			columns = append(columns, int32(i+1))
		}
		if i < n-nx {
			columns = append(columns, int32(i+nx))
		}
		return columns
	}
}

// planBlocks makes the 5-point stencil with a dense dof by dof block for each of its
// entries. Unknown d of point (x, y) is row (y·nx + x)·dof + d.
func planBlocks(v values) (plan, error) {
	inner, row := grid5(v)
	return blocked(v, inner, v.int("dof"), source.symmetricValue, inner.pattern(v, row))
}

// Of the Hessian: mean neighbours of an unknown, and the farthest.
const (
	coupledKKT = 4
	bandKKT    = 200
)

// planKKT has a mesh as the Hessian. A constraint takes unknowns near its place among the others.
func planKKT(v values) (plan, error) {
	n, m := v.int("unknowns"), int(math.Round(v["unknowns"]*v["constraints"]))
	row := v.int("row_nnz")
	window := 4 * row // unknowns that a constraint chooses from
	if window > n {
		return plan{}, wrong("row_nnz", "%d is too many for %d unknowns; at most %d", row, n, n/4)
	}
	f, couplings, err := newMesh(values{"nodes": v["unknowns"], "neighbours": coupledKKT, "band": bandKKT,
		"seed": v["seed"]})
	if err != nil {
		return plan{}, err
	}

	src := newSource(v.seed(), forColumns)
	size := square(n+m, couplings+2*m*row)
	below := size.pattern(v, func(i int, _ *stream, columns []int32) []int32 {
		if i < n {
			return f.before(i, columns)
		}
		s := src.stream(uint64(i))
		columns, near := room(columns, row)
		sample(near, window, &s)
		for k := range near {
			near[k] += int32((i - n) * (n - window + 1) / m)
		}
		return columns
	})
	return plan{size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		return symmetric(ctx, func(i int) bool { return i < n }, newSource(v.seed(), forValues).symmetricValue, below)
	}}, nil
}

// planGlobals adds unknowns to fem_blocks, as Lagrange multipliers are: the g-th is tied to one
// unknown of every node, the g-th of its dof, and has no diagonal entry.
func planGlobals(v values) (plan, error) {
	f, blocks, err := newMesh(v)
	if err != nil {
		return plan{}, err
	}
	dof, globals := v.int("dof"), v.int("globals")
	n := f.nodes * dof
	return drawn(v, square(n+globals, blocks*dof*dof+2*globals*f.nodes), source.symmetricValue,
		func(i int, _ *stream, columns []int32) []int32 {
			if i >= n {
				for k := range f.nodes {
					columns = append(columns, int32(k*dof+(i-n)%dof))
				}
				return columns
			}
			for _, node := range f.row(i/dof, nil, nil) {
				columns = run(columns, int(node)*dof, dof)
			}
			for g := i % dof; g < globals; g += dof {
				columns = append(columns, int32(n+g))
			}
			return columns
		})
}

// planBordered makes an arrow of blocks: dense ones along the diagonal, and last rows and columns
// that are full.
func planBordered(v values) (plan, error) {
	size, border := v.int("size"), v.int("border")
	inner := v.int("blocks") * size
	n := inner + border
	return drawn(v, square(n, inner*(size+border)+border*n), source.symmetricValue, func(i int, _ *stream, columns []int32) []int32 {
		first, length := i-i%size, size
		if i >= inner {
			first, length = 0, inner
		}
		return run(run(columns, first, length), inner, border)
	})
}

// cellSize is the side of a cell, in the unit of coordinates.
const cellSize = 1 << 20

// planParticles ties particles to those in the cells around theirs that are within the radius.
func planParticles(v values) (plan, error) {
	b := boxOf(v)
	if b.side < 3 {
		return plan{}, wrong("rows", "too few for so many neighbours: a box has at least 3 cells a side")
	}
	size := square(b.n, int(float64(b.n)*(1+v["neighbours"])))
	return drawn(v, size, source.symmetricValue, func(i int, _ *stream, columns []int32) []int32 {
		cell := i * b.cells() / b.n
		at := b.place(i)
		for k := range 27 {
			columns = b.within(columns, cell, [3]int{k%3 - 1, k/3%3 - 1, k/9 - 1}, at)
		}
		return columns
	})
}

// A particleBox has as many particles in each of its cells, but for rounding. A cell's side is
// at least the radius.
type particleBox struct {
	n, side int
	squared int64 // the radius
	src     source
}

func boxOf(v values) *particleBox {
	n := v.int("rows")
	share := max(v["neighbours"], 1) / (4 * math.Pi / 3) // particles in a cube as wide as the radius
	b := &particleBox{n: n, side: int(math.Cbrt(float64(n) / share)), src: newSource(v.seed(), forStructure)}
	radius := math.Cbrt(share * float64(b.cells()) / float64(n))
	b.squared = int64(radius * radius * cellSize * cellSize)
	return b
}

func (b *particleBox) cells() int { return b.side * b.side * b.side }

// first is the first particle of a cell.
func (b *particleBox) first(cell int) int { return (cell*b.n + b.cells() - 1) / b.cells() }

// place returns where in its cell a particle is.
func (b *particleBox) place(i int) [3]int64 {
	r := b.src.at(uint64(i))
	return [3]int64{int64(r % cellSize), int64(r >> 20 % cellSize), int64(r >> 40 % cellSize)}
}

// within appends the particles near a place of a cell that are in the cell at an offset from it.
func (b *particleBox) within(columns []int32, cell int, offset [3]int, at [3]int64) []int32 {
	other, width := 0, 1
	for d, rest := 0, cell; d < 3; d, rest = d+1, rest/b.side {
		other += (rest%b.side + offset[d] + b.side) % b.side * width
		width *= b.side
	}

	for j := b.first(other); j < b.first(other+1); j++ {
		squared := int64(0)
		for d, p := range b.place(j) {
			distance := int64(offset[d])*cellSize + p - at[d]
			squared += distance * distance
		}
		if squared <= b.squared {
			columns = append(columns, int32(j))
		}
	}
	return columns
}
