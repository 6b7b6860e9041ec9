// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
)

// gpuCorners are the structures at which kernels go wrong, in sizes that need a
// device.
func gpuCorners() []gpuMatrix {
	var all []gpuMatrix
	add := func(name string, m *structure) {
		all = append(all, gpuMatrix{name, func(*testing.T) *structure { return m }})
	}
	small := corners()
	for _, name := range slices.Sorted(maps.Keys(small)) {
		add(name, small[name])
	}

	add("no nonzeros", rowsOfLength(make([]int, 5000)...))
	add("no rows, columns", withColumns(rowsOfLength(), 7))
	empty := make([]int, 3000)
	add("empty rows at both ends, long", rowsOfLength(slices.Concat(empty, []int{5, 0, 700, 1, 1, 64, 65, 0, 2},
		empty)...))
	add("few rows are not empty", rowsOfLength(spread(70001, 37, 3)...))
	add("one column, many rows", rowsOfLength(slices.Repeat([]int{1}, 100003)...))

	add("lengths around warps and tiles", rowsOfLength(
		1, 31, 32, 33, 0, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 0, 0, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 1))
	add("long rows and a prime of nonzeros", rowsOfLength(9973, 8191, 1, 12345, 7, 0, 3))
	add("wide", randomRows(17, 60000, 9000, 3))
	add("tall", randomRows(60000, 17, 14, 4))
	add("a multiple of 12", randomRows(120, 360, 60, 6))
	add("columns beyond 16 bits", randomRows(100, 1<<17, 40, 5))
	return all
}

// gpuLarge are a row of a million nonzeros and one member of every generator.
func gpuLarge() []gpuMatrix {
	all := []gpuMatrix{
		{"a row of a million", func(*testing.T) *structure { return rowsOfLength(3, 0, 1_000_003, 1, 0, 2) }},
	}
	for _, g := range []struct {
		name string
		args map[string]any
	}{
		{"grid_5pt", map[string]any{"nx": 211, "ny": 307}},
		{"mycielskian", map[string]any{"order": 11}},
		{"rmat", map[string]any{"scale": 14}},
		{"uniform", map[string]any{"rows": 30011, "cols": 20011, "row_nnz": 7.5}},
		{"fem_blocks", map[string]any{"nodes": 3001}},
		{"road", map[string]any{"rows": 100003}},
		{"giant_row", map[string]any{"rows": 200003, "giant": 150001}},
	} {
		all = append(all, gpuMatrix{g.name, func(t *testing.T) *structure { return generated(t, g.name, g.args) }})
	}

	return all
}

// gpuShared are the matrices that lie beside the repository, or where the flag
// says. Complex ones give their real part.
func gpuShared(t *testing.T) []gpuMatrix {
	t.Helper()
	folder := *gpuFolder
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "matrices")
	}

	paths := testkit.Must(filepath.Glob(filepath.Join(folder, "*.mtx.gz")))
	if len(paths) == 0 {
		t.Skipf("no matrices in %s: name their folder by -shared", folder)
	}

	var all []gpuMatrix
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".mtx.gz")
		all = append(all, gpuMatrix{name, func(t *testing.T) *structure {
			f := testkit.Must(os.Open(path))
			defer f.Close()
			m := testkit.Must(file.Decode(f, path, file.Options{Expand: true, Complex: file.RealPart}))

			return m.A
		}})
	}

	return all
}

func generated(t *testing.T, name string, args map[string]any) *structure {
	t.Helper()
	return testkit.Must(generate.Build(context.Background(), name, args))
}

func withColumns(m *structure, cols int) *structure {
	m.Cols = cols
	return m
}

// spread returns rows lengths, every every-th of them n and the others 0.
func spread(rows, every, n int) []int {
	lengths := make([]int, rows)
	for i := every / 2; i < rows; i += every {
		lengths[i] = n
	}
	return lengths
}

// withData returns m with other values, and an x. Integers are so small that no
// order of summation rounds in float32, up to a row of a million; real ones are
// within [−1, 1], x exact in float32.
func withData(m *structure, integer bool) (*structure, []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() float64 {
		if integer {
			return float64(rng.IntN(7) - 3)
		}
		return float64(2*rng.Float32() - 1)
	}

	filled := *m
	filled.Val = make([]float64, m.NNZ())
	for k := range filled.Val {
		if filled.Val[k] = draw(); !integer {
			filled.Val[k] += 0x1p-40 // not exact in float32
		}
	}

	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = draw()
	}
	return &filled, x
}
