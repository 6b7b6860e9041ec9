//go:build cuda

package cuda

import (
	"slices"
	"testing"
	"time"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

func loadedGPU(t *testing.T) (*Backend, *structure) {
	t.Helper()
	b := openGPU(t)
	m, x := withData(generated(t, "grid_5pt", map[string]any{"nx": 500, "ny": 500}), true)
	if err := b.Load(&kernels.Problem{A: m, X: x}); err != nil {
		t.Fatal(err)
	}
	return b, m
}

func preparedGPU(t *testing.T, b *Backend, c kernels.Config) *product {
	t.Helper()
	p, err := b.Prepare(c, kernels.Options{Launch: kernels.Graph})
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return p.(*product)
}

var scalarGPU = kernels.Config{Kernel: "csr_scalar", Precision: kernels.Float32, Block: 128, Grid: 264}

// Samples of any number and batch are taken, and none of them waited for the
// host.
func TestGPUBackendSamples(t *testing.T) {
	b, _ := loadedGPU(t)
	p := preparedGPU(t, b, scalarGPU)
	for _, c := range []struct {
		samples, batch int
		cold           bool
	}{{1, 1, false}, {1, 1, true}, {500, 1, true}, {300, 3, false}, {2, 3000, false}, {0, 1, true}} {
		dst := make([]float64, c.samples)
		if err := p.Sample(dst, c.batch, c.cold); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for i, s := range dst {
			if !(s > 0) {
				t.Errorf("%+v: sample %d is %g s", c, i, s)
			}
		}

		if b.clock.ungated() {
			t.Fatalf("%+v: the gate gave up", c)
		}
	}

	for _, batch := range []int{0, 2} {
		if err := p.Sample(make([]float64, 1), batch, true); err == nil {
			t.Errorf("a cold batch of %d was taken", batch)
		}
	}
}

// A flushed cache makes a product slower where all of it fits into the cache.
func TestGPUBackendColdIsSlower(t *testing.T) {
	b, _ := loadedGPU(t)
	p := preparedGPU(t, b, scalarGPU)
	cold, warm := make([]float64, 50), make([]float64, 50)
	if err := p.Sample(cold, 1, true); err != nil {
		t.Fatal(err)
	}
	if err := p.Sample(warm, 1, false); err != nil {
		t.Fatal(err)
	}

	if c, w := median(cold), median(warm); c <= w {
		t.Errorf("cold %g s, warm %g s", c, w)
	}
}

// Batches of a short product say the same of it, whether they last a quarter of a
// millisecond or ten times as long. A single product also has the cost of starting and
// stopping the clock, which is printed.
func TestGPUBackendBatchesAgree(t *testing.T) {
	b := openGPU(t)
	m, x := withData(generated(t, "grid_5pt", map[string]any{"nx": 64, "ny": 64}), true)
	if err := b.Load(&kernels.Problem{A: m, X: x}); err != nil {
		t.Fatal(err)
	}

	p := preparedGPU(t, b, scalarGPU)
	single, each := timeGPU(t, p, 1, 40)[20], timeGPU(t, p, 1000, 40)[20]
	if each > 20e-6 {
		t.Fatalf("a product takes %g s: it is not short", each)
	}

	n := int(250e-6/each) + 1
	var small, large []float64
	for range 10 { // in turns, so that a drift of the clocks meets both
		small = append(small, timeGPU(t, p, n, 4)...)
		large = append(large, timeGPU(t, p, 10*n, 4)...)
	}

	// The interval between the 14th and the 27th of 40 samples covers the median with
	// 95%; it can't be narrower than a tick of the clock.
	half := func(s []float64, batch int) float64 {
		slices.Sort(s)
		return max(s[26]-s[13], b.tick/float64(batch)) / 2
	}
	smallHalf, largeHalf := half(small, n), half(large, 10*n)
	t.Logf("single %.3f µs; batches of %d: %.4f ± %.4f µs, of %d: %.4f ± %.4f µs; a tick is %.0f ns",
		1e6*single, n, 1e6*small[20], 1e6*smallHalf, 10*n, 1e6*large[20], 1e6*largeHalf, 1e9*b.tick)

	started := max(single-each, 0) / float64(n) // a share that the larger batch does not have
	if d := small[20] - large[20]; d > smallHalf+largeHalf+started || -d > smallHalf+largeHalf {
		t.Errorf("they differ by %g s, more than their intervals and %g s for starting", d, started)
	}
}

// timeGPU takes samples, in seconds per product, sorted.
func timeGPU(t *testing.T, p *product, batch, samples int) []float64 {
	t.Helper()
	s := make([]float64, samples)
	if err := p.Sample(s, batch, false); err != nil {
		t.Fatal(err)
	}
	slices.Sort(s)
	return s
}

func median(s []float64) float64 {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

// What a configuration takes on the device is known before it runs.
func TestGPUBackendFacts(t *testing.T) {
	b, m := loadedGPU(t)
	info := preparedGPU(t, b, scalarGPU).Info()
	for _, name := range []string{"registers", "blocks_per_sm", "occupancy"} {
		if v, ok := info.Properties[name]; !ok || v <= 0 {
			t.Errorf("%s is %g", name, v)
		}
	}

	if o := info.Properties["occupancy"]; o > 1 {
		t.Errorf("occupancy is %g", o)
	}
	format := int64(4*(m.Rows+1) + 8*m.NNZ())
	if info.BytesFormat != format || info.BytesKernel != format+4*int64(m.Rows+m.Cols) {
		t.Errorf("%d bytes of format, %d of all, want %d and %d", info.BytesFormat, info.BytesKernel, format,
			format+4*int64(m.Rows+m.Cols))
	}
}

// A product ends with the next one; using it is an error, not a crash.
func TestGPUBackendStaleProduct(t *testing.T) {
	b, m := loadedGPU(t)
	p := preparedGPU(t, b, scalarGPU)
	preparedGPU(t, b, scalarGPU)
	if err := p.Multiply(make([]float64, m.Rows)); err == nil {
		t.Error("multiplied by a product from before the last Prepare")
	}
	if err := p.Sample(make([]float64, 1), 1, true); err == nil {
		t.Error("sampled a product from before the last Prepare")
	}
}

// Memory of an earlier matrix is free for the next.
func TestGPUBackendFreesMemory(t *testing.T) {
	b, m := loadedGPU(t)
	var before int64
	for turn := range 4 {
		for _, k := range []string{"csr_scalar", "coo_atomic"} {
			c := scalarGPU
			if c.Kernel = k; k == "coo_atomic" {
				c.Grid = 0
			}
			if err := preparedGPU(t, b, c).Multiply(make([]float64, m.Rows)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Load(&kernels.Problem{A: m, X: make([]float64, m.Cols)}); err != nil {
			t.Fatal(err)
		}

		free, _, err := cu.MemInfo()
		if err != nil {
			t.Fatal(err)
		}
		if turn == 1 {
			before = free
		}

		if turn > 1 && free < before-1<<20 {
			t.Errorf("%d bytes were free after the second load, %d after load %d", before, free, turn+1)
		}
	}
}

// A full device drops what is not in use; a product never loses what it needs.
func TestGPUBackendEvicts(t *testing.T) {
	b, m := loadedGPU(t)
	free, _, err := cu.MemInfo()
	if err != nil {
		t.Fatal(err)
	}

	b.arrays.next()
	for i := range 20 { // 1.25 times what is free
		b.arrays.next()
		if _, err := b.arrays.get(i, free/16, reads, func(cu.DevicePtr) error { return nil }); err != nil {
			t.Fatalf("array %d: %v", i, err)
		}
	}

	y := make([]float64, m.Rows)
	if err := kernels.Compute(preparedGPU(t, b, scalarGPU), nil, y); err != nil {
		t.Fatal(err)
	}
	want := make([]float64, m.Rows)

	for i := range want {
		cols, vals := m.Row(i)
		for j, col := range cols {
			want[i] += vals[j] * b.problem.X[col]
		}
	}
	if row, ok := firstDifference(y, want); !ok {
		t.Errorf("row %d is %g, want %g", row, y[row], want[row])
	}
}

// What a configuration costs beside its product is reported, not judged.
func TestGPUBackendOverhead(t *testing.T) {
	b, _ := loadedGPU(t)
	sample := make([]float64, 10)
	const turns = 200
	var prepare, samples time.Duration

	for i := range turns {
		c := scalarGPU
		c.Block = 32 * (i%32 + 1)
		start := time.Now()
		p := preparedGPU(t, b, c)
		prepare += time.Since(start)
		start = time.Now()
		if err := p.Sample(sample, 1, false); err != nil {
			t.Fatal(err)
		}

		samples += time.Since(start)
		for _, s := range sample {
			samples -= time.Duration(s * 1e9)
		}
	}
	t.Logf("per configuration: preparing %v, 10 warm samples %v beyond their kernels", prepare/turns, samples/turns)
}
