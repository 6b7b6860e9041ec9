package sparse_test

import (
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// BenchmarkSlices compares converting a matrix to slices with reading it once, on one core.
func BenchmarkSlices(b *testing.B) {
	m, err := generate.Build(b.Context(), "grid_5pt", map[string]any{"nx": 1000, "ny": 1000})
	if err != nil {
		b.Fatal(err)
	}
	fem, err := generate.Build(b.Context(), "fem_blocks", map[string]any{"nodes": 20000, "band": 1000})
	if err != nil {
		b.Fatal(err)
	}
	bench := func(name string, m *sparse.CSR[float64], f func(m *sparse.CSR[float64])) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(m)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/nonzero")
		})
	}
	x := make([]float64, 1000000)
	read := func(m *sparse.CSR[float64]) {
		sum := 0.0
		for i := range m.Rows {
			columns, values := m.Row(i)
			for k, j := range columns {
				sum += values[k] * x[j]
			}
		}
		x[0] = sum
	}
	jagged := func(r int) func(m *sparse.CSR[float64]) {
		return func(m *sparse.CSR[float64]) {
			if _, err := sparse.NewJagged(m, r, r, 2*m.NNZ()); err != nil {
				b.Fatal(err)
			}
		}
	}
	bench("grid/read", m, read)
	bench("grid/diagonals", m, func(m *sparse.CSR[float64]) {
		if _, err := sparse.NewDiagonals(m, 5, 2*m.NNZ()); err != nil {
			b.Fatal(err)
		}
	})
	narrow := func(m *sparse.CSR[float64]) {
		if _, err := sparse.NewNarrow(m, 512, 4); err != nil {
			b.Fatal(err)
		}
	}
	bench("grid/narrow", m, narrow)
	bench("fem/narrow", fem, narrow)
	bench("fem/read", fem, read)
	bench("fem/blocks", fem, jagged(3))
}
