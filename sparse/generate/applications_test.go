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

// skewed draws rows, columns and a mean row.
func skewed(r *rand.Rand) map[string]any {
	cols := 2 + r.IntN(600)
	return map[string]any{"rows": 1 + r.IntN(600), "cols": cols, "row_nnz": 1 + r.Float64()*(float64(cols)/2-1),
		"seed": r.IntN(1000)}
}

func layer(r *rand.Rand) map[string]any {
	return map[string]any{"rows": 1 + r.IntN(300), "cols": 2 + r.IntN(300), "density": 0.01 + 0.43*r.Float64(),
		"seed": r.IntN(1000)}
}

func scene(r *rand.Rand) map[string]any {
	track := 2 + r.IntN(6)
	return map[string]any{"points": 1 + r.IntN(200), "cameras": 2*track + r.IntN(40), "track": track,
		"seed": r.IntN(1000)}
}

var promisedApplications = map[string]promise{
	"bipartite":     {nnz: exact, draw: skewed},
	"term_document": {nnz: exact, draw: skewed},
	"sat": {draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"rows": 1 + r.IntN(2000), "ratio": 0.2 + 5*r.Float64(), "long": r.Float64() * r.Float64(),
			"reach": r.Float64(), "seed": r.IntN(1000)}
	}},
	"latin_square": {nnz: exact, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"order": 1 + r.IntN(15)}
	}},
	"bundle_jacobian": {nnz: exact, draw: scene},
	"bundle_normal":   {nnz: exact, symmetric: true, draw: scene},
	"bundle_schur":    {symmetric: true, draw: scene},
	"kkt": {symmetric: true, draw: func(r *rand.Rand) map[string]any {
		row := 1 + r.IntN(8)
		return map[string]any{"unknowns": max(8, 4*row) + r.IntN(500), "constraints": r.Float64(), "row_nnz": row,
			"seed": r.IntN(1000)}
	}},
	"power_grid": {nnz: exact, symmetric: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"buses": 1 + r.IntN(1+r.IntN(1000)), "degree": 2 + 0.99*r.Float64(), "seed": r.IntN(1000)}
	}},
	"fem_globals": {symmetric: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nodes": 30 + r.IntN(300), "dof": 1 + r.IntN(6), "neighbours": 20 * r.Float64(),
			"globals": r.IntN(10), "seed": r.IntN(1000)}
	}},
	"bordered_blocks": {nnz: exact, symmetric: true, fixed: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"blocks": 1 + r.IntN(30), "size": 1 + r.IntN(20), "border": r.IntN(12),
			"seed": r.IntN(1000)}
	}},
	"single_cell": {draw: layer},
	"pruned":      {draw: layer},
	"nm_pruned": {nnz: exact, draw: func(r *rand.Rand) map[string]any {
		m := 2 + r.IntN(10)
		return map[string]any{"rows": 1 + r.IntN(200), "cols": m * (1 + r.IntN(40)), "m": m, "n": 1 + r.IntN(m),
			"seed": r.IntN(1000)}
	}},
	"block_pruned": {draw: func(r *rand.Rand) map[string]any {
		b := 1 + r.IntN(8)
		return map[string]any{"rows": b * (1 + r.IntN(40)), "cols": b * (2 + r.IntN(40)), "block": b,
			"density": 0.01 + 0.99*r.Float64(), "seed": r.IntN(1000)}
	}},
	"attention": {nnz: atMost, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"rows": 1 + r.IntN(200), "window": r.IntN(30), "global": r.IntN(20), "random": r.IntN(10),
			"block": 1 + r.IntN(4), "seed": r.IntN(1000)}
	}},
}

// applied has a case for each of applications.
var applied = map[string]structure{
	"bipartite": {args: map[string]any{"rows": 20_000, "cols": 3000}, digest: "caa5bef317469ea5",
		is: func(m *sparse.CSR[float64]) bool { // a fifth of users, and of items, have most; neighbours are not alike
			return share(m, 5) > 0.5 && share(m.Transpose(), 5) > 0.5 && inFirst(m) < 0.3 && inFirst(m.Transpose()) < 0.3
		}},
	"term_document": {args: map[string]any{"rows": 20_000, "cols": 3000, "row_nnz": 10}, digest: "4187ab0f9ba0074b",
		is: func(m *sparse.CSR[float64]) bool { // twice as far down the list, half as many
			at := func(i int) float64 { return float64(m.RowPtr[i+1] - m.RowPtr[i]) }
			return sorted(m) && longest(m) > 2000 && near(at(500), 2*at(1007)) && near(at(1000), 2*at(2007)) &&
				share(m.Transpose(), 5) < 0.25
		}},
	"sat": {args: map[string]any{"rows": 20_000, "long": 0.1, "reach": 0.01}, digest: "5d90ba200e0c4b17",
		is: func(m *sparse.CSR[float64]) bool {
			long := rowsWith(m, 4)
			return rowsWith(m, 3) == 20_000 && long == 2000 && longest(m) > 100 && rowsWith(m, 20) < long/4
		}},
	"latin_square": {args: map[string]any{"order": 9}, digest: "314c91217aa0d02a",
		is: func(m *sparse.CSR[float64]) bool {
			columns, _ := m.Row(3*9 + 2)
			return slices.Equal(columns, []int32{2, 11, 20, 27, 28, 30, 31, 32, 33, 34, 35, 38, 47, 56, 65, 74})
		}},
	"bundle_jacobian": {args: map[string]any{"points": 2000, "cameras": 40}, digest: "64a442e84fab935c",
		is: func(m *sparse.CSR[float64]) bool {
			for i := range m.Rows {
				columns, _ := m.Row(i)
				camera, point := columns[0], columns[9]
				before, _ := m.Row(i - i%2)
				if len(columns) != 12 || camera%9 != 0 || columns[8] != camera+8 || (point-9*40)%3 != 0 ||
					columns[11] != point+2 || !slices.Equal(columns, before) {
					return false
				}
			}
			return m.Rows == 2*5*2000 && m.Cols == 9*40+3*2000
		}},
	"bundle_normal": {args: map[string]any{"points": 2000, "cameras": 40}, digest: "1a06ca1ced2cfe04",
		is: func(m *sparse.CSR[float64]) bool {
			// Cameras see more points than points have cameras.
			return longest(m) > 9+3*200 && rowsWith(m, 3+9*8+1) == 9*40 && rowsWith(m, 3+9*2) == m.Rows
		}},
	"bundle_schur": {args: map[string]any{"points": 2000, "cameras": 400}, digest: "f9a49b8dded0752a",
		is: func(m *sparse.CSR[float64]) bool {
			return within(m, 9*20) == m.NNZ() && rowsWith(m, 9*20) > m.Rows/2 && longest(m) <= 9*39
		}},
	"kkt": {args: map[string]any{"unknowns": 10_000, "constraints": 0.3, "row_nnz": 7}, digest: "9ddc709600977e43",
		is: func(m *sparse.CSR[float64]) bool { // no entry in the lower right corner, a full diagonal elsewhere
			for i := range m.Rows {
				columns, _ := m.Row(i)
				_, diagonal := slices.BinarySearch(columns, int32(i))
				if diagonal != (i < 10_000) || i >= 10_000 && (len(columns) != 7 || columns[6] >= 10_000) {
					return false
				}
			}
			return m.Rows == 13_000
		}},
	"power_grid": {args: map[string]any{"buses": 10_000}, digest: "b276a2d4d7258ebe",
		is: func(m *sparse.CSR[float64]) bool {
			// Each bus is tied to one before it, so all hang together; there are 2 by 2 blocks.
			for i := 2; i < m.Rows; i++ {
				columns, _ := m.Row(i)
				before, _ := m.Row(i - i%2)
				if int(columns[0]) >= i-i%2 || !slices.Equal(columns, before) {
					return false
				}
			}
			return rowsWith(m, 3*2) > m.Rows/2 && longest(m) < 2*20
		}},
	"fem_globals": {args: map[string]any{"nodes": 2000}, digest: "360dd56895fe50ab",
		is: func(m *sparse.CSR[float64]) bool {
			for g := range 4 {
				columns, _ := m.Row(6000 + g)
				if len(columns) != 2000 || columns[0] != int32(g%3) || columns[1999] != int32(5997+g%3) {
					return false
				}
			}
			return rowsWith(m, 2000) == 4
		}},
	"bordered_blocks": {args: map[string]any{"blocks": 3, "size": 2, "border": 1}, digest: "9f0eb4cdd83706c9",
		is: func(m *sparse.CSR[float64]) bool {
			return slices.Equal(m.RowPtr, []int32{0, 3, 6, 9, 12, 15, 18, 25}) && slices.Equal(m.ColIdx,
				[]int32{0, 1, 6, 0, 1, 6, 2, 3, 6, 2, 3, 6, 4, 5, 6, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6})
		}},
	"single_cell": {args: map[string]any{"rows": 5000, "cols": 2000}, digest: "26a91a0a36a07b45",
		is: func(m *sparse.CSR[float64]) bool {
			// The median gene is in far fewer cells than the mean one, some are in nearly all.
			return rowsWith(m, 2000*4/100) < 2500 && rowsWith(m, 2000*90/100) > 25 && share(m.Transpose(), 5) < 0.25
		}},
	"pruned": {args: map[string]any{"rows": 2000, "cols": 1000}, digest: "d12a2da64f5cb87d",
		is: func(m *sparse.CSR[float64]) bool {
			even := func(m *sparse.CSR[float64], mean int) bool {
				return rowsWith(m, mean*2) == 0 && near(float64(rowsWith(m, mean)), float64(m.Rows)/2) &&
					rowsWith(m, mean*5/4) > m.Rows/6 && rowsWith(m, mean/3) == m.Rows
			}
			return even(m, 100) && even(m.Transpose(), 200)
		}},
	"nm_pruned": {args: map[string]any{"rows": 100, "cols": 400, "n": 3, "m": 8}, digest: "6415e0dc9755ad45",
		is: func(m *sparse.CSR[float64]) bool {
			for k, j := range m.ColIdx {
				if int(j)/8 != k%150/3 {
					return false
				}
			}
			return true
		}},
	"block_pruned": {args: map[string]any{"rows": 800, "cols": 1600, "block": 8}, digest: "6a1f8bee505bf4a7",
		is: func(m *sparse.CSR[float64]) bool {
			for i := range m.Rows {
				columns, _ := m.Row(i)
				first, _ := m.Row(i - i%8)
				for k, j := range columns {
					if int(j)%8 != k%8 || first[k] != j {
						return false
					}
				}
			}
			return true
		}},
	"attention": {args: map[string]any{"rows": 1000, "window": 5, "global": 3, "random": 2}, digest: "599a97f9d9d1b950",
		is: func(m *sparse.CSR[float64]) bool {
			columns, _ := m.Row(500)
			around := m.NNZ() == 3*1000+997*(3+2)+997*11-5*6 && rowsWith(m, 1000) == 3
			for j := 495; j <= 505; j++ {
				around = around && slices.Contains(columns, int32(j))
			}
			return around && slices.Equal(columns[:3], []int32{0, 1, 2}) && len(columns) == 3+11+2
		}},
}

func near(a, b float64) bool { return math.Abs(a/b-1) < 0.1 }

// sorted reports whether no row is longer than the one before it, or the next entry's worth.
func sorted(m *sparse.CSR[float64]) bool {
	for i := range m.Rows - 1 {
		if m.RowPtr[i+2]-m.RowPtr[i+1] > m.RowPtr[i+1]-m.RowPtr[i]+1 {
			return false
		}
	}
	return true
}

// share is what part of the entries the longest one in so many rows have.
func share(m *sparse.CSR[float64], one int) float64 {
	lengths := make([]int, m.Rows)
	for i := range lengths {
		lengths[i] = int(m.RowPtr[i+1] - m.RowPtr[i])
	}
	slices.Sort(lengths)
	sum := 0
	for _, n := range lengths[len(lengths)-len(lengths)/one:] {
		sum += n
	}
	return float64(sum) / float64(m.NNZ())
}

// inFirst is what part of the entries the first fifth of the rows has.
func inFirst(m *sparse.CSR[float64]) float64 {
	return float64(m.RowPtr[m.Rows/5]) / float64(m.NNZ())
}

// Where as many are asked for as there are, all are chosen, each once.
func TestAllOfThem(t *testing.T) {
	const n = 50
	columns := make([]int32, n)
	for seed := range uint64(20) {
		s := source(seed).stream(0)
		newZipf(n, 1).ranks(columns, &s)
		first := slices.Clone(columns)
		sample(columns, n, &s)
		for k := range int32(n) {
			testkit.EqualLists(t, []int32{first[k], columns[k]}, []int32{k, k}, "ranks and sample")
		}
	}
}

// TestBundle holds the normal matrix and the Schur complement against products of the Jacobian.
func TestBundle(t *testing.T) {
	args := map[string]any{"points": 700, "cameras": 60, "track": 4}
	const border = 9 * 60
	j, n, s := build(t, "bundle_jacobian", args), build(t, "bundle_normal", args), build(t, "bundle_schur", args)
	of := j.Transpose()
	union := func(m *sparse.CSR[float64], rows []int32) (all []int32) {
		for _, i := range rows {
			columns, _ := m.Row(int(i))
			all = append(all, columns...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}

	for i := range n.Rows {
		rows, _ := of.Row(i)
		columns, _ := n.Row(i)
		testkit.EqualLists(t, columns, union(j, rows), "columns of row %d of JᵀJ", i)
		if i >= border {
			continue
		}

		points := slices.DeleteFunc(slices.Clone(columns), func(j int32) bool { return j < border })
		want := slices.DeleteFunc(union(n, points), func(j int32) bool { return j >= border })
		columns, _ = s.Row(i)
		testkit.EqualLists(t, columns, want, "columns of row %d of the Schur complement", i)
	}
}
