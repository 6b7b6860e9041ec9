package cpu

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spmvtune/internal/testing/cloop"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// grid is the 5-point Laplacian on 3000×3000 points: 9 million rows and 45
// million nonzeros, 576 MB in float64, larger than the caches of most machines.
var grid = sync.OnceValue(func() *kernels.Problem {
	const n = 3000
	a := &sparse.CSR[float64]{Rows: n * n, Cols: n * n, RowPtr: make([]int32, 1, n*n+1)}
	a.ColIdx = make([]int32, 0, 5*n*n)
	for i := range n * n {
		row, col := i/n, i%n
		for _, e := range []struct {
			exists bool
			j      int
		}{{row > 0, i - n}, {col > 0, i - 1}, {true, i}, {col < n-1, i + 1}, {row < n-1, i + n}} {
			if e.exists {
				a.ColIdx = append(a.ColIdx, int32(e.j))
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.ColIdx)))
	}
	a.Val = make([]float64, len(a.ColIdx))
	x := make([]float64, a.Cols)
	for k := range a.Val {
		a.Val[k] = 1 - 2*float64(k%7)/8
	}
	for j := range x {
		x[j] = 1 - 2*float64(j%1021)/1024
	}
	return &kernels.Problem{A: a, X: x}
})

// compare runs two sides in turn, so that both see the same neighbours on a
// shared machine, and reports the median and the best of first over second as
// metrics.
func compare(b *testing.B, unit string, first, second func()) {
	var ratios []float64
	best := [2]float64{}
	seconds := func(i int, side func()) float64 {
		start := time.Now()
		side()
		s := time.Since(start).Seconds()
		if best[i] == 0 || s < best[i] {
			best[i] = s
		}
		return s
	}

	first()
	second()
	for b.Loop() {
		one := seconds(0, first)
		ratios = append(ratios, one/seconds(1, second))
	}

	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], unit+"-median")
	b.ReportMetric(best[0]/best[1], unit+"-best")
	b.ReportMetric(0, "ns/op")
}

// openGrid opens a backend with grid loaded. Every benchmark opens its own: worker
// 0 is pinned with the goroutine that opens, and a sub-benchmark is another one.
func openGrid(b *testing.B) *Backend {
	b.Helper()
	backend := open(b)
	if err := backend.Load(grid()); err != nil {
		b.Fatal(err)
	}
	return backend
}

// BenchmarkCSRAgainstC reports the time of cpu_csr over that of the same loop
// in C at -O3. At most 1.1 is the aim.
func BenchmarkCSRAgainstC(b *testing.B) {
	b.Run("float64", func(b *testing.B) {
		backend := openGrid(b)
		prepareConfig(b, backend, config("cpu_csr", kernels.Float64, 0, 0))
		o := backend.double
		m := viewCSR(o)
		compare(b, "go/c", func() { m.rowsOf(0, m.rows) },
			func() { cloop.CSR64(o.a.RowPtr, o.a.ColIdx, o.a.Val, o.x, o.y) })
	})

	b.Run("float32", func(b *testing.B) {
		backend := openGrid(b)
		prepareConfig(b, backend, config("cpu_csr", kernels.Float32, 0, 0))
		o := backend.single
		m := viewCSR(o)
		compare(b, "go/c", func() { m.rowsOf(0, m.rows) },
			func() { cloop.CSR32(o.a.RowPtr, o.a.ColIdx, o.a.Val, o.x, o.y) })
	})
}

// BenchmarkSpeedup reports how much faster two workers are than the sequential
// form of each parallel kernel: cpu_coo, cpu_csr, or one worker. At least 1.8
// is the aim. The first line, arithmetic in registers, is what the machine
// allows: where it is not near 2, the cores are not free and the others say
// nothing.
func BenchmarkSpeedup(b *testing.B) {
	if len(usableCores()) < 2 {
		b.Skip("two cores are needed")
	}
	b.Run("control", func(b *testing.B) {
		backend := open(b)
		var sink [2]float64
		divide := func(w int) {
			v := 1.0
			for range 10_000_000 {
				v = 1 + 1/v
			}
			sink[w] = v
		}
		compare(b, "speedup", func() { divide(0); divide(1) }, func() { backend.pool.run(2, divide) })
	})

	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, c := range []struct{ sequential, parallel kernels.Config }{
			{config("cpu_coo", precision, 0, 0), config("cpu_coo_chunks", precision, 1<<18, 2)},
			{config("cpu_csr", precision, 0, 0), config("cpu_csr_rows", precision, 1<<16, 2)},
			{config("cpu_csr", precision, 0, 0), config("cpu_csr_merge", precision, 0, 2)},
			{config("cpu_sell", precision, 32, 1), config("cpu_sell", precision, 32, 2)},
		} {
			b.Run(c.parallel.Kernel+"/"+string(precision), func(b *testing.B) {
				backend := openGrid(b)
				run := func(p kernels.Product) func() {
					dst := make([]float64, 1)
					return func() {
						if err := p.Sample(dst, 1, false); err != nil {
							b.Fatal(err)
						}
					}
				}
				compare(b, "speedup", run(prepareConfig(b, backend, c.sequential)),
					run(prepareConfig(b, backend, c.parallel)))
			})
		}
	}
}

// BenchmarkDispatch shows what a product costs that has nothing to do.
func BenchmarkDispatch(b *testing.B) {
	backend := open(b)
	n := backend.Device().Units
	for b.Loop() {
		backend.pool.run(n, func(int) {})
	}
}

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
