// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/cloop"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// grid is the 5-point Laplacian on 3000×3000 points: 9 million rows and 45
// million nonzeros, 576 MB in float64, larger than the caches of most machines.
var grid = sync.OnceValue(func() *kernels.Problem {
	const n = 3000
	a := testkit.Must(generate.Build(context.Background(), "grid_5pt", map[string]any{"nx": n, "ny": n}))
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
	testkit.Succeed(b, backend.Load(grid()))
	return backend
}

// BenchmarkCSRAgainstC reports the time of cpu_csr over that of the same loop
// in C at -O3. At most 1.1 is the aim.
func BenchmarkCSRAgainstC(b *testing.B) {
	double := func(b *Backend) *operand[float64] { return b.double }
	single := func(b *Backend) *operand[float32] { return b.single }
	b.Run("float64", func(b *testing.B) { againstC(b, kernels.Float64, double, cloop.CSR64) })
	b.Run("float32", func(b *testing.B) { againstC(b, kernels.Float32, single, cloop.CSR32) })
}

func againstC[V sparse.Float](b *testing.B, p kernels.Precision, of func(*Backend) *operand[V],
	inC func(rowPtr, colIdx []int32, val, x, y []V)) {
	backend := openGrid(b)
	prepareConfig(b, backend, config("cpu_csr", p, 0, 0))
	o := of(backend)
	m := viewCSR(o)
	compare(b, "go/c", func() { m.rowsOf(0, m.rows) }, func() { inC(o.a.RowPtr, o.a.ColIdx, o.a.Val, o.x, o.y) })
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
						testkit.Succeed(b, p.Sample(dst, 1, false))
					}
				}
				compare(b, "speedup", run(prepareConfig(b, backend, c.sequential)),
					run(prepareConfig(b, backend, c.parallel)))
			})
		}
	}
}
