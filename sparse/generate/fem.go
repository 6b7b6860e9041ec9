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
