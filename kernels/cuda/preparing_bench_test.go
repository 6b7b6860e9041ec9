// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/generate"
)

// preparingKernels are the kernels that prepare the matrix, and orders of rows with one that does
// not. Block and grid are such as tuning finds on a large GPU.
var preparingKernels = []kernels.Config{
	{Kernel: "csr_adaptive", Block: 256},
	{Kernel: "csr_bins", Block: 256, Grid: 1056},
	{Kernel: "csr_lanes", Block: 1024, Grid: 132, Params: "x=panels x_kb=160"},
	{Kernel: "csr_lanes", Block: 1024, Grid: 132, Params: "x=hot x_kb=160"},
	{Kernel: "csr_narrow", Block: 256, Grid: 1056},
	{Kernel: "csr_segscan", Block: 256, Grid: 1056},
	{Kernel: "csr_stream", Block: 256, Grid: 528},
	{Kernel: "panel_sell", Block: 1024, Grid: 132},
	{Kernel: "sell_blocks", Block: 256, Grid: 1056},
	{Kernel: "sell_c_sigma", Block: 256, Grid: 1056},
	{Kernel: "sell_diagonals", Block: 256, Grid: 1056},
	{Kernel: "sell_hot", Block: 1024, Grid: 132, Params: "x_kb=160"},
	{Kernel: "sell_local", Block: 1024, Grid: 132, Params: "x_kb=160"},
	{Kernel: "csr_scalar", Block: 256, Grid: 1056, Params: "reorder=rows-by-length"},
	{Kernel: "csr_scalar", Block: 256, Grid: 1056, Params: "reorder=rows-by-column"},
	{Kernel: "csr_scalar", Block: 256, Grid: 1056, Params: "reorder=rcm"},
}

// BenchmarkPreparing shows all that the host does for a kernel's form of a matrix, without copying it
// to the device.
func BenchmarkPreparing(b *testing.B) {
	for _, of := range []struct {
		name, generator string
		args            map[string]any
	}{
		{"grid", "grid_5pt", map[string]any{"nx": 1250, "ny": 1250}},
		{"fem", "fem_blocks", map[string]any{"nodes": 30000, "band": 1000}},
		{"uniform", "uniform", map[string]any{"rows": 30000, "cols": 20000, "row_nnz": 200}},
		{"rmat", "rmat", map[string]any{"scale": 19, "edge_factor": 16}},
	} {
		b.Run(of.name, func(b *testing.B) {
			m := testkit.Must(generate.Build(b.Context(), of.generator, of.args))
			b.Logf("%s", m)
			for _, c := range preparingKernels {
				c.Precision = kernels.Float64
				name := strings.TrimPrefix(fmt.Sprint(c.Kernel, "_", c.Params), "csr_scalar_reorder=")
				if c.Kernel != "csr_scalar" && c.Kernel != "csr_lanes" {
					name = c.Kernel
				}
				b.Run(name, func(b *testing.B) { prepareOnHost(b, m, c) })
			}
		})
	}
}

// prepareOnHost makes the arrays of a configuration as a backend does.
func prepareOnHost(b *testing.B, m *structure, c kernels.Config) {
	defer forget()
	part := make([]float64, 1<<19) // as much as a backend stages
	for b.Loop() {
		forget()
		r, err := newRecipe(m, c, 8)
		if invalid := new(kernels.InvalidError); errors.As(err, &invalid) {
			b.Skip(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		for a := range r.arrays {
			if a.own != nil {
				for order := range slices.Chunk(a.own.Vals, len(part)) {
					collect(part[:len(order)], order, m.Val)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/nonzero")
}
