// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// A promise is what holds for all matrices of a generator.
type promise struct {
	draw      func(r *rand.Rand) map[string]any // small random arguments
	nnz       string                            // what the planned nonzeros are
	symmetric bool
	values    string // what they are if not random
	fixed     bool   // the seed does not change the columns
}

const (
	exact  = "exact"
	atMost = "at most"
	ones   = "1"
	own    = "the generator's own"
)

var promised = joined(promisedClassics, promisedStructures(), promisedApplications)

func joined[V any](parts ...map[string]V) map[string]V {
	all := map[string]V{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

func promisedStructures() map[string]promise {
	promises := map[string]promise{}
	for name, c := range structured {
		p := promise{draw: func(r *rand.Rand) map[string]any { return drawStructure(name, r) }}
		p.symmetric, p.fixed = c.symmetric, c.fixed
		if c.exact {
			p.nnz = exact
		}
		if name == "delaunay_rcm" {
			p.values = ones
		}
		promises[name] = p
	}
	return promises
}

var promisedClassics = map[string]promise{
	"grid_5pt": {nnz: exact, symmetric: true, values: own, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nx": 1 + r.IntN(40), "ny": 1 + r.IntN(40)}
	}},
	"grid_blocks": {nnz: exact, symmetric: true, fixed: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nx": 1 + r.IntN(20), "ny": 1 + r.IntN(20), "dof": 1 + r.IntN(6), "seed": r.IntN(1000)}
	}},
	"triangular": {nnz: exact, values: own, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nx": 1 + r.IntN(40), "ny": 1 + r.IntN(40)}
	}},
	"delaunay": {nnz: atMost, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"points": 1 + r.IntN(1+r.IntN(3000)), "seed": r.IntN(1000)}
	}},
	"delaunay_shuffled": {nnz: atMost, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"points": 1 + r.IntN(1+r.IntN(3000)), "seed": r.IntN(1000)}
	}},
	"triangulation_dual": {nnz: exact, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		rows := 2 + r.IntN(1+r.IntN(3000))
		border := 4 + rows%2 + r.IntN(rows/2)*2
		return map[string]any{"rows": rows, "border": border * r.IntN(2), "seed": r.IntN(1000)}
	}},
	"mycielskian": {nnz: exact, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"order": 2 + r.IntN(8)}
	}},
	"rmat": {nnz: atMost, draw: func(r *rand.Rand) map[string]any {
		a, b := r.Float64(), r.Float64()
		return map[string]any{"scale": r.IntN(10), "edge_factor": r.Float64() * 20, "a": a, "b": (1 - a) * b,
			"c": (1 - a) * (1 - b) * r.Float64(), "symmetric": r.IntN(2), "seed": r.IntN(1000)}
	}},
	"uniform": {draw: func(r *rand.Rand) map[string]any {
		cols := r.IntN(600)
		density := []float64{0, 1, r.Float64(), r.Float64() / 50}[r.IntN(4)]
		return map[string]any{"rows": r.IntN(600), "cols": cols, "row_nnz": density * float64(cols),
			"seed": r.IntN(1000)}
	}},
	"fem_blocks": {symmetric: true, draw: func(r *rand.Rand) map[string]any {
		nodes, band := 1+r.IntN(300), 1+r.IntN(400)
		neighbours := r.Float64() * 1.8 * float64(min(nodes-1, band))
		return map[string]any{"nodes": nodes, "dof": 1 + r.IntN(6), "neighbours": neighbours, "band": band,
			"seed": r.IntN(1000)}
	}},
	"road": {nnz: atMost, symmetric: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"rows": 1 + r.IntN(1+r.IntN(3000)), "degree": 2.01 + r.Float64()*0.49,
			"seed": r.IntN(1000)}
	}},
	"twin": {draw: func(r *rand.Rand) map[string]any {
		t := twins()[r.IntN(len(twins()))]
		most := 1.0
		if t.NNZ > 0 || t.Name == "delaunay_n23" || t.Name == "hugetrace-00000" {
			most = min(1, 20_000/float64(max(t.NNZ, t.Rows, 3_000_000)))
		}
		args := map[string]any{"of": t.Name, "scale": max(1e-9, most*math.Pow(r.Float64(), 3)), "seed": r.IntN(1000)}
		if t.Local != nil {
			args["locality"] = localities[r.IntN(2)]
		}
		return args
	}},
	"giant_row": {nnz: exact, draw: func(r *rand.Rand) map[string]any {
		n := 1 + r.IntN(800)
		return map[string]any{"rows": n, "row_nnz": r.IntN(min(n, 20) + 1), "giant": r.IntN(n + 1),
			"position": r.Float64(), "seed": r.IntN(1000)}
	}},
}

func TestGrid(t *testing.T) {
	m := build(t, "grid_5pt", map[string]any{"nx": 1000, "ny": 1000})
	if m.Rows != 1_000_000 || m.Cols != 1_000_000 || m.NNZ() != 4_996_000 { // ecology1
		t.Errorf("1000 by 1000 is %v", m)
	}

	// 3 by 2, written out.
	m = build(t, "grid_5pt", map[string]any{"nx": 3, "ny": 2})
	want := [][]float64{
		{4, -1, 0, -1, 0, 0},
		{-1, 4, -1, 0, -1, 0},
		{0, -1, 4, 0, 0, -1},
		{-1, 0, 0, 4, -1, 0},
		{0, -1, 0, -1, 4, -1},
		{0, 0, -1, 0, -1, 4},
	}

	got := dense(m)
	testkit.Check(t, slices.EqualFunc(got, want, slices.Equal), "3 by 2 is %v", got)
}

// TestGridBlocks checks the size of the published fem_blocks, and the structure
// against the 5-point stencil's.
func TestGridBlocks(t *testing.T) {
	size, err := Plan("grid_blocks", map[string]any{"nx": 220, "ny": 220, "dof": 6})
	testkit.Succeed(t, err)
	testkit.Equal(t, size, Size{290_400, 290_400, 8_680_320, 0}, "plan of 220 by 220 blocks of 6 by 6")
	const nx, ny, dof = 7, 5, 3
	points := dense(build(t, "grid_5pt", map[string]any{"nx": nx, "ny": ny}))

	for i, row := range dense(build(t, "grid_blocks", map[string]any{"nx": nx, "ny": ny, "dof": dof})) {
		for j, v := range row {
			testkit.Equal(t, v != 0, points[i/dof][j/dof] != 0, "(%d, %d) has an entry", i, j)
		}
	}
}

func dense(m *sparse.CSR[float64]) [][]float64 {
	d := make([][]float64, m.Rows)
	for i := range d {
		d[i] = make([]float64, m.Cols)
		columns, values := m.Row(i)
		for k, j := range columns {
			d[i][j] = values[k]
		}
	}
	return d
}

// TestMycielskian checks sizes against SuiteSparse's group Mycielski, and what
// the construction is known for: no triangles.
func TestMycielskian(t *testing.T) {
	check := func(order, rows, nnz int) *sparse.CSR[float64] {
		t.Helper()
		m := build(t, "mycielskian", map[string]any{"order": order})
		testkit.EqualLists(t, []int{m.Rows, m.Cols, m.NNZ()}, []int{rows, rows, nnz}, "order %d", order)

		for _, v := range m.Val {
			testkit.Equal(t, v, 1, "order %d: value", order)
		}
		return m
	}

	rows, nnz := 2, 2
	for order := 2; order <= 12; order++ {
		m := check(order, rows, nnz)
		testkit.Check(t, order > 8 || !triangle(m), "order %d has a triangle", order)
		rows, nnz = 2*rows+1, 3*nnz+2*rows
	}

	check(12, 3071, 407_200)
	testkit.Long(t, "order 16 takes 500 MB")
	m := check(16, 49_151, 33_382_480)
	testkit.Equal(t, longest(m), 24_575, "the longest row of order 16")
}

// triangle reports whether two neighbours of a vertex are neighbours.
func triangle(m *sparse.CSR[float64]) bool {
	for i := range m.Rows {
		near, _ := m.Row(i)
		for _, j := range near {
			other, _ := m.Row(int(j))
			if slices.ContainsFunc(other, func(k int32) bool { return slices.Contains(near, k) }) {
				return true
			}
		}
	}

	return false
}

func TestGiantRow(t *testing.T) {
	for _, c := range []struct {
		position float64
		row      int
	}{{0, 0}, {0.5, 50_000}, {1, 99_999}} {
		m := build(t, "giant_row", map[string]any{"rows": 100_000, "row_nnz": 3, "giant": 54_321,
			"position": c.position})
		for i := range m.Rows {
			want := 3
			if i == c.row {
				want = 54_321
			}
			testkit.Equal(t, int(m.RowPtr[i+1]-m.RowPtr[i]), want, "position %v: nonzeros of row %d", c.position, i)
		}
	}
}
