// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// A structure is a matrix of a generator: arguments, the digest of what they make, whether plan's
// nonzeros are exact, whether the matrix is symmetric, whether the seed does not change its
// columns, and what makes it what it is.
type structure struct {
	args                    map[string]any
	digest                  string
	exact, symmetric, fixed bool
	is                      func(m *sparse.CSR[float64]) bool
}

// structured has a case for each of structures.
var structured = map[string]structure{
	"hypergraph": {args: map[string]any{"nets": 30_000, "cells": 30_000}, digest: "d452669db1304fac",
		is: func(m *sparse.CSR[float64]) bool {
			return rowsWith(m, 200) > 2 && rowsWith(m, 2) > 28_000 && 2*within(m, 30) > m.NNZ() // most are near, a few nets large
		}},
	"cliques": {args: map[string]any{"rows": 20_000}, digest: "ad5c9586ae6b8445",
		symmetric: true, is: func(m *sparse.CSR[float64]) bool {
			return triangle(m)
		}},
	"citations": {args: map[string]any{"rows": 20_000}, digest: "1d749d9fa312bab8",
		is: func(m *sparse.CSR[float64]) bool {
			return lower(m) && longest(m.Transpose()) > 20*longest(m)/2
		}},
	"small_world": {args: map[string]any{"rows": 20_000}, digest: "609121548b9c1003",
		symmetric: true, is: func(m *sparse.CSR[float64]) bool {
			share := float64(within(m, 5)) / float64(m.NNZ())
			return share > 0.88 && share < 0.92
		}},
	"rails": {args: map[string]any{"rows": 20_000}, digest: "36a79a6c85d830c1",
		symmetric: true, is: func(m *sparse.CSR[float64]) bool {
			return rowsWith(m, 2500) == 2 && rowsWith(m, 100) == 2
		}},
	"road_rcm": {args: map[string]any{"rows": 20_000}, digest: "9f69aee33a32aebd",
		symmetric: true, is: func(m *sparse.CSR[float64]) bool {
			return within(m, 400) == m.NNZ()
		}},
	"delaunay_rcm": {args: map[string]any{"points": 20_000}, digest: "e264089aad091990",
		symmetric: true, is: func(m *sparse.CSR[float64]) bool {
			return within(m, 800) == m.NNZ() && longest(m) < 20
		}},
	"stencil_3d": {args: map[string]any{"nx": 20, "ny": 11, "nz": 7}, fixed: true, digest: "e76a3485283ab441",
		exact: true, symmetric: true,
		is: func(m *sparse.CSR[float64]) bool { return rowsWith(m, 7) == 18*9*5 && longest(m) == 7 }},
	"transfer": {args: map[string]any{"nx": 9, "ny": 7, "nz": 5}, fixed: true, digest: "cce22d5011c5a4cd",
		exact: true, is: func(m *sparse.CSR[float64]) bool {
			return rowsWith(m, 8) == 8*6*4 && rowsWith(m, 1) == m.Rows
		}},
	"queues": {args: map[string]any{"queues": 3, "capacity": 12}, fixed: true, digest: "d014d9a4ee84c445", exact: true,
		is: func(m *sparse.CSR[float64]) bool { return longest(m) == 5 && rowsWith(m, 2) == m.Rows }},
	"spins": {args: map[string]any{"sites": 14, "up": 5}, fixed: true, digest: "fd15938e38cfe740", exact: true, symmetric: true,
		is: func(m *sparse.CSR[float64]) bool { return longest(m) == 11 && rowsWith(m, 3) == m.Rows }},
	"particles": {args: map[string]any{"rows": 20_000}, digest: "6bb4ed363361e3b0",
		symmetric: true, is: func(m *sparse.CSR[float64]) bool {
			return longest(m) < 90 && rowsWith(m, 15) == m.Rows
		}},
	"ldpc": {args: map[string]any{"checks": 12, "symbols": 24, "size": 81, "weight": 7}, digest: "ac09937c4abbfb0a",
		exact: true,
		is:    func(m *sparse.CSR[float64]) bool { return longest(m) == 7 && follows(m) > m.NNZ()*95/100 }},
	"low_rank": {args: map[string]any{"rows": 20_000, "rank": 300, "support": 30}, digest: "028b9749a3496feb",
		symmetric: true,
		is:        func(m *sparse.CSR[float64]) bool { return rowsWith(m, 30) > 7000 && triangle(m) }},
	"kronecker": {args: map[string]any{"outer": 200, "outer_nnz": 3, "inner": 100, "inner_nnz": 5},
		digest: "bd721754a72345a1",
		exact:  true,
		is: func(m *sparse.CSR[float64]) bool {
			first, _ := m.Row(0)
			next, _ := m.Row(100)
			return first[4]/100 == first[0]/100 && next[4]-next[0] == first[4]-first[0]
		}},
	"dense_columns": {args: map[string]any{"rows": 20_000, "dense": 5}, digest: "2616a37cdaab181a",
		is: func(m *sparse.CSR[float64]) bool {
			return rowsWith(m.Transpose(), 9500) == 5 && rowsWith(m.Transpose(), 100) == 5
		}},
	"staircase": {args: map[string]any{"periods": 50, "rows": 300, "cols": 500}, digest: "b08f27eaf440780e",
		is: func(m *sparse.CSR[float64]) bool {
			for i := range m.Rows {
				columns, _ := m.Row(i)
				for _, j := range columns {
					if back := i/300 - int(j)/500; back < 0 || back > 1 {
						return false
					}
				}
			}
			return true
		}},
	"unfolding": {args: map[string]any{"rows": 5000, "second": 300, "third": 200}, digest: "2420d96de6314aad",
		is: func(m *sparse.CSR[float64]) bool { return longest(m) > 300 && longest(m.Transpose()) > 100 }},
	"windows": {args: map[string]any{"rows": 5000, "window": 50, "stride": 3}, digest: "ed24be0b14b76270",
		is: func(m *sparse.CSR[float64]) bool {
			columns, _ := m.Row(1000)
			return columns[0] >= 3000 && columns[len(columns)-1] < 3050
		}},
	"tomography": {args: map[string]any{"side": 64, "directions": 20}, fixed: true, digest: "374b179dcbf38684",
		is: func(m *sparse.CSR[float64]) bool {
			return longest(m) == 128 && longest(m.Transpose()) <= 41
		}},
}

// drawStructure makes small random arguments for one of structures.
func drawStructure(name string, r *rand.Rand) map[string]any {
	args := map[string]any{"seed": r.IntN(1000)}
	for key, usual := range structured[name].args {
		args[key] = 1 + r.IntN(min(usual.(int), 300))
	}
	switch name {
	case "particles":
		args["rows"] = 400 + r.IntN(1000)
	case "spins":
		args["sites"] = 3 + r.IntN(10)
		args["up"] = 1 + r.IntN(args["sites"].(int))
	case "ldpc":
		args["weight"] = 1 + r.IntN(args["symbols"].(int))
	case "low_rank":
		args["rows"], args["rank"] = 30+r.IntN(500), 1+r.IntN(20)
	case "kronecker":
		args["outer_nnz"], args["inner_nnz"] = 1+r.IntN(min(5, args["outer"].(int))), 1+r.IntN(min(5, args["inner"].(int)))
	case "dense_columns":
		args["rows"] = 5 + r.IntN(500)
	case "transfer":
		args["restrict"] = r.IntN(2)
	case "stencil_3d":
		args["corners"] = r.IntN(2)
	}
	return args
}

func TestStructures(t *testing.T) {
	for name, c := range joined(structured, applied) {
		t.Run(name, func(t *testing.T) {
			size := testkit.Must(Plan(name, c.args))
			m := build(t, name, c.args)
			off := math.Abs(float64(m.NNZ())/float64(size.NNZ) - 1)
			testkit.Check(t, off <= 0.12 && (!c.exact || off == 0), "planned %+v, made %v", size, m)

			testkit.Check(t, c.is(m), "%v is none", m)
			testkit.Equal(t, digest(m), c.digest, "digest: if that is meant, raise Version")
		})
	}
}

// within counts nonzeros at most so far from the diagonal.
func within(m *sparse.CSR[float64], distance int) (count int) {
	for i := range m.Rows {
		columns, _ := m.Row(i)
		for _, j := range columns {
			if max(i-int(j), int(j)-i) <= distance {
				count++
			}
		}
	}
	return count
}

// follows counts nonzeros whose lower right neighbour is one.
func follows(m *sparse.CSR[float64]) (count int) {
	for i := range m.Rows - 1 {
		columns, _ := m.Row(i)
		next, _ := m.Row(i + 1)
		for _, j := range columns {
			if slices.Contains(next, j+1) {
				count++
			}
		}
	}
	return count
}

// rowsWith counts rows of at least that many nonzeros.
func rowsWith(m *sparse.CSR[float64], least int) (count int) {
	for i := range m.Rows {
		if int(m.RowPtr[i+1]-m.RowPtr[i]) >= least {
			count++
		}
	}
	return count
}

func longest(m *sparse.CSR[float64]) (most int) {
	for i := range m.Rows {
		most = max(most, int(m.RowPtr[i+1]-m.RowPtr[i]))
	}
	return most
}

func lower(m *sparse.CSR[float64]) bool {
	for i := range m.Rows {
		if columns, _ := m.Row(i); len(columns) > 0 && int(columns[len(columns)-1]) >= i {
			return false
		}
	}
	return true
}

// BenchmarkBuild says how long a nonzero takes.
func BenchmarkBuild(b *testing.B) {
	for name, c := range joined(structured, applied) {
		b.Run(name, func(b *testing.B) {
			nonzeros := 0
			for b.Loop() {
				nonzeros += build(b, name, c.args).NNZ()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nonzeros), "ns/nonzero")
		})
	}
}

// TestTriangularSizes compares with the table of MARCA's data sets.
func TestTriangularSizes(t *testing.T) {
	for _, c := range []struct{ nx, ny, rows, nnz int }{
		{10, 10, 121, 441},
		{64, 16, 1105, 4257},
		{64, 64, 4225, 16_641},
		{100, 100, 10_201, 40_401},
		{256, 64, 16_705, 66_177},
		{512, 128, 66_177, 263_425},
		{512, 256, 131_841, 525_825},
	} {
		m := build(t, "triangular", map[string]any{"nx": c.nx, "ny": c.ny})
		testkit.EqualLists(t, []int{m.Rows, m.NNZ()}, []int{c.rows, c.nnz}, "%d by %d", c.nx, c.ny)
	}
}

// TestTriangularIsMC2DEPI compares with what is known of SuiteSparse's mc2depi.
func TestTriangularIsMC2DEPI(t *testing.T) {
	m := build(t, "triangular", map[string]any{"nx": 512, "ny": 1024})
	testkit.EqualLists(t, []int{m.Rows, m.Cols, m.NNZ()}, []int{525_825, 525_825, 2_100_225}, "size")
	f, squares, widest := sparse.Analyze(m), 0.0, 0.0
	for i := range m.Rows {
		columns, values := m.Row(i)
		span := float64(columns[len(columns)-1] - columns[0])
		squares, widest = squares+span*span, max(widest, span)
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		testkit.Equal(t, sum, 0, "the sum of row %d", i)
	}

	testkit.Near(t, f.RowMean, 3.994152, 1e-6, "mean length")
	testkit.Near(t, f.RowStd, 0.076323, 1e-6, "deviation of lengths")
	testkit.Near(t, f.RowSpanMean, 705.746224, 1e-6, "mean span")
	testkit.Near(t, math.Sqrt(squares/float64(m.Rows)-f.RowSpanMean*f.RowSpanMean), 143.827514, 1e-6, "deviation of spans")
	testkit.Near(t, f.NeighbourRate, 0.498297, 1e-6, "neighbour rate")
	testkit.Near(t, f.RowSimilarity, 0.998906, 5*0.0005, "row_similarity") // estimated; it deviates little from row to row
	testkit.EqualLists(t, []float64{float64(f.RowMin), float64(f.RowMax), widest}, []float64{2, 4, 770}, "lengths, and the widest span")
}

// TestTriangularWritten has 2 by 1 written out: the states in order are (0, 0),
// (1, 0), (2, 0), (0, 1), (1, 1), (2, 1).
func TestTriangularWritten(t *testing.T) {
	want := [][]float64{
		{-2025, 2025, 0, 0, 0, 0},
		{0, -2026, 2025, 1, 0, 0},
		{0, 0, -2, 0, 2, 0},
		{1, 0, 0, -2026, 2025, 0},
		{0, 1, 0, 0, -2026, 2025},
		{0, 0, 1, 0, 0, -1},
	}

	if got := dense(build(t, "triangular", map[string]any{"nx": 2, "ny": 1})); !slices.EqualFunc(got, want,
		slices.Equal) {
		t.Errorf("got %v", got)
	}
}
