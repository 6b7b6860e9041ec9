// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"context"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/generate"
)

// How long a process needs to open the device, and what of it.
func BenchmarkGPUOpen(b *testing.B) {
	for b.Loop() {
		opened := testkit.Must(Open(0, false))
		testkit.Succeed(b, opened.Close())
	}
}

// It logs what each step of a trial takes beside the product itself, on a small matrix and on one with many short rows and one
// of a million.
func TestGPUTrialTakes(t *testing.T) {
	const each = 50 * time.Millisecond
	opened := testkit.Must(Open(0, false)).(*Backend)
	defer opened.Close()
	for _, m := range []struct {
		name string
		args map[string]any
	}{
		{"grid_5pt", map[string]any{"nx": int64(100), "ny": int64(100)}},
		{"giant_row", map[string]any{"rows": int64(10_000_000), "giant": int64(1_000_000)}},
	} {
		a := testkit.Must(generate.Build(context.Background(), m.name, m.args))
		x, sparse := make([]float64, a.Cols), make([]float64, a.Cols)
		for i := range x {
			x[i], sparse[i] = 0.5, float64(i%2)
		}
		start := time.Now()
		testkit.Succeed(t, opened.Load(&kernels.Problem{A: a, X: x}))
		t.Logf("%s: loaded in %v", m.name, time.Since(start))
		for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			c := kernels.Config{Kernel: "csr_merge", Precision: precision, Block: 128, Grid: 16 * opened.device.Units}
			if k, _ := kernels.Lookup(c.Kernel); k.Check(c) != nil {
				t.Fatal(k.Check(c))
			}
			ref := kernels.Reference{Hi: make([]float64, a.Rows), Bound: make([]float64, a.Rows)}
			for i := range ref.Bound {
				ref.Bound[i] = 1e9
			}
			some, y := make([]int, 1025), make([]float64, a.Rows)
			for i := range some {
				some[i] = i * 997 % a.Rows
			}
			var p *product
			for _, step := range []struct {
				name string
				do   func() error
			}{
				{"prepare", func() error {
					made, err := opened.Prepare(c, kernels.Options{Launch: kernels.Graph})
					p, _ = made.(*product)
					return err
				}},
				{"prepare fresh", func() error {
					made, err := opened.Prepare(c, kernels.Options{Launch: kernels.Graph, Fresh: true})
					p, _ = made.(*product)
					return err
				}},
				{"poison", func() error { return p.Poison() }},
				{"multiply", func() error { return p.Multiply(nil) }},
				{"multiply another x", func() error { return p.Multiply(sparse) }},
				{"judge", func() error { p.checked = false; _, _, err := p.Judge(ref); return err }},
				{"rows", func() error { return p.Rows(some, y[:len(some)]) }},
				{"result", func() error { return p.Result(y) }},
				{"digest of a reference", func() error { digestOf(ref); return nil }},
				{"judge a new reference", func() error {
					opened.originals.forget()
					_, _, err := p.Judge(ref)
					return err
				}},
				{"sample 1", func() error { return p.Sample(make([]float64, 1), 1, false) }},
				{"sample 10", func() error { return p.Sample(make([]float64, 10), 1, false) }},
				{"sample 10 cold", func() error { return p.Sample(make([]float64, 10), 1, true) }},
				{"capture 256 and sample", func() error {
					p.program.replay.products[0] = 0
					return p.Sample(make([]float64, 1), 256, false)
				}},
				{"sense", func() error { _, err := opened.Sense(); _ = err; return nil }},
			} {
				testkit.Succeed(t, step.do())
				start, times := time.Now(), 0
				for ; times < 3 || time.Since(start) < each; times++ {
					testkit.Succeed(t, step.do())
				}
				t.Logf("%s, %s, %s: %v", m.name, precision, step.name, time.Since(start)/time.Duration(times))
			}
		}
	}
}
