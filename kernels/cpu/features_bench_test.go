package cpu

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// BenchmarkFeatures reports the time of sparse.Analyze in sequential products of
// the same matrix, cpu_csr in float64, on all cores and on one. At most 2 is the
// aim. docs/features.md has a table made of it.
func BenchmarkFeatures(b *testing.B) {
	for _, g := range []struct {
		name string
		args map[string]any
	}{
		{"grid_5pt", map[string]any{"nx": 1000, "ny": 1000}},
		{"grid_blocks", map[string]any{"nx": 200, "ny": 200, "dof": 4}},
		{"triangular", map[string]any{"nx": 512, "ny": 1024}},
		{"delaunay", map[string]any{"points": 1 << 19}},
		{"mycielskian", map[string]any{"order": 13}},
		{"rmat", map[string]any{"scale": 18, "edge_factor": 16.0}},
		{"uniform", map[string]any{"rows": 1_000_000, "cols": 1_000_000, "row_nnz": 8.0}},
		{"uniform", map[string]any{"rows": 2000, "cols": 500_000, "row_nnz": 2000.0}},
		{"uniform", map[string]any{"rows": 20_000, "cols": 20_000, "row_nnz": 40.0}},
		{"fem_blocks", map[string]any{"nodes": 30_000}},
		{"road", map[string]any{"rows": 2_000_000}},
		{"giant_row", map[string]any{"rows": 1_000_000, "giant": 900_000}},
	} {
		b.Run(generate.Spec(g.name, g.args), func(b *testing.B) {
			a, err := generate.Build(b.Context(), g.name, g.args)
			if err != nil {
				b.Fatal(err)
			}
			features(b, a)
		})
	}

	files, err := filepath.Glob("../../../shared/matrices/*.mtx.gz")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".mtx.gz")
		b.Run(name, func(b *testing.B) {
			read, err := file.Read(b.Context(), path, file.Options{Expand: true, Complex: file.RealPart})
			if err != nil {
				b.Fatal(err)
			}
			features(b, read.A)
		})
	}
}

// features reports both with the caches full of other data, as a sweep measures by
// default, and one after the other.
func features(b *testing.B, a *sparse.CSR[float64]) {
	backend := open(b)
	if err := backend.Load(&kernels.Problem{A: a, X: make([]float64, a.Cols)}); err != nil {
		b.Fatal(err)
	}
	prepareConfig(b, backend, config("cpu_csr", kernels.Float64, 0, 0))
	m := viewCSR(backend.double)
	best := map[string]float64{}

	seconds := func(name string, f func()) {
		backend.evictor.evict(backend.pool, len(backend.cores))
		for _, cache := range []string{"cold", "warm"} {
			start := time.Now()
			f()
			s := time.Since(start).Seconds()
			if old, there := best[name+cache]; !there || s < old {
				best[name+cache] = s
			}
		}
	}

	for b.Loop() {
		seconds("product", func() { m.rowsOf(0, m.rows) })
		seconds("all", func() { sparse.Analyze(a) })
		cores := runtime.GOMAXPROCS(1)
		seconds("one", func() { sparse.Analyze(a) })
		runtime.GOMAXPROCS(cores)
	}

	for _, cache := range []string{"cold", "warm"} {
		b.ReportMetric(best["all"+cache]/best["product"+cache], cache+"-products")
		b.ReportMetric(best["one"+cache]/best["product"+cache], cache+"-products-1core")
		b.ReportMetric(1e9*best["product"+cache]/float64(max(a.NNZ(), 1)), cache+"-product-ns/nnz")
		b.ReportMetric(1e9*best["one"+cache]/float64(max(a.NNZ(), 1)), cache+"-1core-ns/nnz")
	}
	b.ReportMetric(0, "ns/op")
}
