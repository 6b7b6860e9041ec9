//go:build cuda

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// TestGPUSpeed prints the best bandwidth of every kernel over a few blocks, grids
// and settings on three structures, and how far cuSPARSE's best is. Every best
// configuration is verified. It judges no speed.
func TestGPUSpeed(t *testing.T) {
	if *gpuQuick {
		t.Skip("takes minutes")
	}
	b := openGPU(t)
	roof, err := b.Roof()
	if err != nil {
		t.Fatal(err)
	}

	fmt.Printf("%s, %s: read %.0f, copy %.0f, triad %.0f GB/s\n", b.device.Name, b.device.Driver, roof.Read, roof.Copy,
		roof.Triad)
	for _, spec := range []struct {
		generator string
		args      map[string]any
	}{
		{"grid_5pt", map[string]any{"nx": 4096, "ny": 4096}},
		{"mycielskian", map[string]any{"order": 16}},
		{"rmat", map[string]any{"scale": 21, "edge_factor": 18.0}},
	} {
		m, x := withData(generated(t, spec.generator, spec.args), false)
		if err := b.Load(&kernels.Problem{A: m, X: x}); err != nil {
			t.Fatal(err)
		}
		used := sparse.Analyze(m).ColsUsed
		fmt.Printf("\n%s, %s; warm, GB/s by the format's compulsory bytes\n", spec.generator, m)

		for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			ref := newGPUReference(m, x, p, false)
			var rows []gpuSpeed
			for _, k := range gpuSelected(t) {
				if s, ok := fastestGPU(t, b, k, p); ok {
					verifyGPU(t, b, s.config, ref)
					s.gbps = float64(s.bytes+int64(used+m.Rows)*int64(p.Bytes())) / 1e9 / s.seconds
					rows = append(rows, s)
				}
			}
			printSpeeds(p, rows)
		}
	}
}

type gpuSpeed struct {
	config  kernels.Config
	seconds float64 // per product, the median of a few samples
	bytes   int64   // of the format
	gbps    float64
	prepare float64 // seconds
}

// fastestGPU tries blocks, grids and settings of k.
func fastestGPU(t *testing.T, b *Backend, k kernels.Kernel, p kernels.Precision) (best gpuSpeed, ok bool) {
	t.Helper()
	var grids []int
	for _, perUnit := range []int{2, 8, 32, 128, 1024} {
		grids = append(grids, perUnit*b.device.Units)
	}

	try := func(c kernels.Config) {
		product, err := b.Prepare(c, kernels.Options{})
		var invalid *kernels.InvalidError
		if errors.As(err, &invalid) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}

		samples := make([]float64, 5)
		if err := product.Sample(samples, 1, false); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		slices.Sort(samples)
		info := product.Info()
		if seconds := samples[2]; !ok || seconds < best.seconds {
			best, ok = gpuSpeed{config: c, seconds: seconds, bytes: info.BytesFormat,
				prepare: info.Prepare.Seconds()}, true
		}
	}

	for _, c := range gpuConfigs(k, p, 0, []int{64, 128, 256, 512, 1024}, grids, true) {
		try(c)
	}
	return best, ok
}

func verifyGPU(t *testing.T, b *Backend, c kernels.Config, ref *gpuReference) {
	t.Helper()
	product, err := b.Prepare(c, kernels.Options{})
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}

	y := make([]float64, ref.m.Rows)
	if err := kernels.Compute(product, nil, y); err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	if worst, row := ref.worst(y, c.Precision, product.Info().Window); worst > 1 {
		t.Errorf("%s: row %d is %g, should be %g", c, row, y[row], ref.hi[row])
	}
}

// printSpeeds prints the fastest first.
func printSpeeds(p kernels.Precision, rows []gpuSpeed) {
	vendor := 0.0
	for _, s := range rows {
		if strings.HasPrefix(s.config.Kernel, "cusparse_") && (vendor == 0 || s.seconds < vendor) {
			vendor = s.seconds
		}
	}

	slices.SortFunc(rows, func(a, b gpuSpeed) int { return cmp.Compare(a.seconds, b.seconds) })
	fmt.Printf("%-30s %10s %8s %10s %12s  %s\n", p, "ms", "GB/s", "/cuSPARSE", "prepare ms", "configuration")
	for _, s := range rows {
		fmt.Printf("%-30s %10.4f %8.0f %10.2f %12.2f  block %d grid %d %s\n", s.config.Kernel, s.seconds*1e3, s.gbps,
			vendor/s.seconds, s.prepare*1e3, s.config.Block, s.config.Grid, s.config.Params)
	}
}
