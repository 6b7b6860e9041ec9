// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// build is Build for arguments that are right.
func build(t testing.TB, name string, args map[string]any) *sparse.CSR[float64] {
	t.Helper()
	m, err := Build(t.Context(), name, args)
	if err != nil {
		t.Fatalf("building %s: %v", Spec(name, args), err)
	}
	return m
}

// wellFormed fails unless m is a valid CSR matrix with columns increasing.
func wellFormed(t *testing.T, spec string, m *sparse.CSR[float64]) {
	t.Helper()
	testkit.EqualLists(t, []int{len(m.RowPtr), int(m.RowPtr[0]), int(m.RowPtr[m.Rows]), len(m.Val)},
		[]int{m.Rows + 1, 0, len(m.ColIdx), len(m.ColIdx)}, "%s: sizes of %v", spec, m)

	for i := range m.Rows {
		before := int32(-1)
		columns, _ := m.Row(i)
		for _, j := range columns {
			testkit.Require(t, j > before && int(j) < m.Cols, "%s: row %d of %v has column %d after %d", spec, i, m, j, before)
			before = j
		}
	}
}

// symmetric fails unless m equals its transpose, values included.
func isSymmetric(t *testing.T, spec string, m *sparse.CSR[float64]) {
	t.Helper()
	for i := range m.Rows {
		columns, values := m.Row(i)
		for k, j := range columns {
			mirror, mirrorValues := m.Row(int(j))
			at, ok := slices.BinarySearch(mirror, int32(i))
			if !ok || mirrorValues[at] != values[k] {
				t.Fatalf("%s: entry (%d, %d) = %v has no equal at (%d, %d)", spec, i, j, values[k], j, i)
			}
		}
	}
}

// digest hashes everything that m is.
func digest(m *sparse.CSR[float64]) string {
	h := sha256.New()
	for _, part := range []any{int64(m.Rows), int64(m.Cols), m.RowPtr, m.ColIdx, m.Val} {
		binary.Write(h, binary.LittleEndian, part)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestRandomArguments holds what is promised of every generator against
// arguments nobody thought of.
func TestRandomArguments(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for _, g := range Generators() {
		t.Run(g.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range testkit.Draws(60) {
				p := promised[g.Name]
				args := p.draw(r)
				spec := Spec(g.Name, args)
				runtime.GOMAXPROCS(1)
				m := build(t, g.Name, args)
				runtime.GOMAXPROCS(4)
				testkit.Equal(t, digest(build(t, g.Name, args)), digest(m), "%s: on 4 cores", spec)

				wellFormed(t, spec, m)

				size, err := Plan(g.Name, args)
				testkit.Succeed(t, err)
				testkit.Equal(t, [2]int{size.Rows, size.Cols}, [2]int{m.Rows, m.Cols}, "%s: planned", spec)
				if g.Name == "twin" {
					likeTwin(t, spec, args, size, m)
					continue
				}

				if p.nnz == exact && size.NNZ != m.NNZ() || p.nnz == atMost && size.NNZ < m.NNZ() {
					t.Errorf("%s: planned %s %d nonzeros, made %d", spec, p.nnz, size.NNZ, m.NNZ())
				}
				if p.symmetric || args["symmetric"] == 1 {
					isSymmetric(t, spec, m)
				}

				switch p.values {
				case own:
					continue
				case ones:
					testkit.Require(t, !slices.ContainsFunc(m.Val, func(v float64) bool { return v != 1 }), "%s: a value is not 1", spec)
					continue
				}

				for _, v := range m.Val {
					if v == 0 || v <= -1 || v >= 1 || float64(float32(v)) != v {
						t.Fatalf("%s: value %v is not a nonzero float32 in (-1, 1)", spec, v)
					}
				}
			}
		})
	}
}

// TestGolden pins the bytes of a small matrix of each kind: databases name
// matrices by their content.
func TestGolden(t *testing.T) {
	testkit.Equal(t, Version, "2", "pin the new matrices, and this version")
	for _, c := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"grid_5pt", map[string]any{"nx": 30, "ny": 20}, "23d546da9e14d43c"},
		{"grid_blocks", map[string]any{"nx": 20, "ny": 10}, "7956c4340155c9dd"},
		{"triangular", map[string]any{"nx": 20, "ny": 30}, "047a4d1c69da9b26"},
		{"delaunay", map[string]any{"points": 20_000}, "779f766edb57464b"},
		{"delaunay_shuffled", map[string]any{"points": 20_000}, "ed87105cd17f4f17"},
		{"triangulation_dual", map[string]any{"rows": 20_001, "border": 99, "seed": 7}, "f52db2a4934f17de"},
		{"mycielskian", map[string]any{"order": 8}, "8b96ac55fcf177f7"},
		{"rmat", map[string]any{"scale": 9}, "ee9e8e8887be6e0e"},
		{"rmat", map[string]any{"scale": 8, "edge_factor": 4.5, "symmetric": 1, "seed": 7}, "5cebb7c0d3a58d7b"},
		{"uniform", map[string]any{"rows": 500, "cols": 300, "row_nnz": 4.5}, "87ee8ebd0a596d1f"},
		{"fem_blocks", map[string]any{"nodes": 200, "band": 60}, "3d0e4ed8f6f8bfa1"},
		{"road", map[string]any{"rows": 3000}, "488ed4e5e9ab9974"},
		{"giant_row", map[string]any{"rows": 1000, "giant": 700}, "be089a295b8e8a8a"},
		{"twin", map[string]any{"of": "webbase-1M", "scale": 0.001}, "2ac0aebe6d95a621"},
		{"twin", map[string]any{"of": "rail4284", "scale": 0.001}, "cd828052f1084da1"},
		{"twin", map[string]any{"of": "mouse_gene", "scale": 0.002}, "d112122378f2ccc3"},
	} {
		testkit.Equal(t, digest(build(t, c.name, c.args)), c.want, "%s: if that is meant, raise Version", c.name)
	}
}

// By the longest row that is announced, a plan tells which kernels are hopeless.
func TestLongest(t *testing.T) {
	for name, args := range map[string]map[string]any{
		"twin":      {"of": "mawi_201512012345", "scale": 0.004},
		"giant_row": {"rows": 1000, "row_nnz": 3, "giant": 700},
	} {
		size, m := testkit.Must(Plan(name, args)), build(t, name, args)
		testkit.Near(t, float64(longest(m)), float64(size.Longest), 0.1*float64(size.Longest), "%s: longest row", name)
		testkit.Check(t, size.Longest > size.Rows/2, "%s: a longest row of %d is announced", name, size.Longest)
	}
}

func TestSeedsDiffer(t *testing.T) {
	for _, g := range Generators() {
		if !slices.ContainsFunc(g.Args, func(a Arg) bool { return a.Name == "seed" }) {
			continue
		}
		args := map[string]any{"scale": 8, "rows": 500, "cols": 500, "row_nnz": 4, "nodes": 500, "giant": 100, "nx": 20,
			"ny": 20, "points": 500, "of": "model7", "cameras": 50, "unknowns": 500, "buses": 500, "blocks": 50}
		if g.Name == "twin" {
			args["scale"] = 1
		}

		if c, ok := structured[g.Name]; ok {
			args = maps.Clone(c.args)
		}
		for key := range args {
			if !slices.ContainsFunc(g.Args, func(a Arg) bool { return a.Name == key }) {
				delete(args, key)
			}
		}

		one := build(t, g.Name, args)
		args["seed"] = 2
		two := build(t, g.Name, args)
		testkit.Check(t, promised[g.Name].fixed || !slices.Equal(one.ColIdx, two.ColIdx), "%s: seeds 1 and 2 share columns", g.Name)

		if promised[g.Name].values == ones {
			continue
		}
		testkit.Check(t, !slices.Equal(one.Val, two.Val), "%s: seeds 1 and 2 share values", g.Name)

		mean := 0.0
		for _, v := range one.Val {
			mean += v / float64(one.NNZ())
		}
		testkit.Near(t, mean, 0, 5/math.Sqrt(3*float64(one.NNZ())/2), "%s: the mean of values", g.Name)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, g := range Generators() {
		args := promised[g.Name].draw(rand.New(rand.NewPCG(1, 2)))
		if g.Name == "mycielskian" {
			args["order"] = 5
		}
		if m, err := Build(ctx, g.Name, args); m != nil || !errors.Is(err, context.Canceled) ||
			!strings.Contains(err.Error(), Spec(g.Name, args)) {
			t.Errorf("cancelled: got %v, %v", m, err)
		}
	}
}
