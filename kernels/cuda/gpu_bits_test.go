//go:build cuda

package cuda

import (
	"errors"
	"math"
	"testing"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// bitsRuns is how often TestGPUDeterministic runs a configuration.
const bitsRuns = 4

// A kernel that the catalogue calls deterministic gives the same bits in every run: elsewhere in
// memory, after warm and cold products, and while another stream takes bandwidth and
// multiprocessors. Those that add by atomics are run as well: coo_atomic must be found out.
func TestGPUDeterministic(t *testing.T) {
	b := openGPU(t)
	other := otherWork(t)
	varied := map[string]int{}
	for _, spec := range []gpuMatrix{
		{"rmat", func(t *testing.T) *structure { return generated(t, "rmat", map[string]any{"scale": 15}) }},
		{"giant_row", func(t *testing.T) *structure {
			return generated(t, "giant_row", map[string]any{"rows": 60000, "giant": 50001})
		}},
		{"fem_blocks", func(t *testing.T) *structure {
			return generated(t, "fem_blocks", map[string]any{"nodes": 3000})
		}},
		{"grid_5pt", func(t *testing.T) *structure {
			return generated(t, "grid_5pt", map[string]any{"nx": 200, "ny": 200})
		}},
		{"wide", func(*testing.T) *structure { return randomRows(90, 60000, 9000, 3) }},
	} {
		m, x := withData(spec.build(t), false)
		if err := b.Load(&kernels.Problem{A: m, X: x}); err != nil {
			t.Fatalf("%s: %v", spec.name, err)
		}
		for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			t.Logf("%s, %s", spec.name, p)
			for _, k := range gpuSelected(t) {
				varied[k.Name] += 0
				for _, c := range gpuConfigs(k, p, m.NNZ(), []int{256, 512}, []int{264}, false) {
					same, err := sameBits(b, c, m.Rows, other)
					if err != nil {
						t.Fatalf("%s: %s: %v", spec.name, c, err)
					}
					if !same {
						varied[k.Name]++
					}
					if !same && k.Deterministic {
						t.Errorf("%s: %s gives other bits in another run", spec.name, c)
					}
				}
			}
		}
	}
	t.Logf("configurations whose bits varied, by kernel: %v", varied)
	if n, run := varied["coo_atomic"]; run && n == 0 {
		t.Error("coo_atomic gave the same bits in all runs: the test would find nothing")
	}
}

// sameBits runs a configuration several times and compares y. One that the device or the matrix
// refuses has nothing to compare.
func sameBits(b *Backend, c kernels.Config, rows int, other func(turn int) error) (bool, error) {
	first, y := make([]float64, rows), make([]float64, rows)
	for turn := range bitsRuns {
		p, err := b.Prepare(c, kernels.Options{Fresh: turn%2 == 1, Launch: kernels.Graph})
		var invalid *kernels.InvalidError
		if errors.As(err, &invalid) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if err := p.Sample(make([]float64, turn%3), 1, turn%2 == 0); err != nil {
			return false, err
		}
		if err := other(turn); err != nil {
			return false, err
		}
		if err := kernels.Compute(p, nil, y); err != nil {
			return false, err
		}

		if turn == 0 {
			copy(first, y)
		}
		for i := range y {
			if math.Float64bits(y[i]) != math.Float64bits(first[i]) {
				return false, nil
			}
		}
	}
	return true, nil
}

// otherWork returns what keeps the device busy on a stream of its own, other each turn.
func otherWork(t *testing.T) func(turn int) error {
	t.Helper()
	const size = 64 << 20
	stream, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := cu.MemAlloc(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(stream.Synchronize(), cu.MemFree(buffer), stream.Destroy()); err != nil {
			t.Error(err)
		}
	})

	return func(turn int) error {
		for range turn {
			if err := cu.MemsetD8Async(buffer, byte(turn), size, stream); err != nil {
				return err
			}
		}
		return nil
	}
}
