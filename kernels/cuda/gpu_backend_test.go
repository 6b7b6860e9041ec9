// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"math"
	"slices"
	"testing"
	"time"

	"gorgonia.org/cu"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

func loadedGPU(t *testing.T) (*Backend, *structure) {
	t.Helper()
	b := openGPU(t)
	m, x := withData(generated(t, "grid_5pt", map[string]any{"nx": 500, "ny": 500}), true)
	testkit.Succeed(t, b.Load(&kernels.Problem{A: m, X: x}))
	return b, m
}

func preparedGPU(t *testing.T, b *Backend, c kernels.Config) *product {
	t.Helper()
	return testkit.Must(b.Prepare(c, kernels.Options{Launch: kernels.Graph})).(*product)
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
		testkit.Succeed(t, p.Sample(dst, c.batch, c.cold))
		for i, s := range dst {
			if !(s > 0) {
				t.Errorf("%+v: sample %d is %g s", c, i, s)
			}
		}

		if b.clock.c.ungated != 0 {
			t.Fatalf("%+v: the gate gave up", c)
		}
	}

	for _, batch := range []int{0, 2} {
		testkit.Fails(t, p.Sample(make([]float64, 1), batch, true), "", "a cold batch of %d", batch)
	}
}

// A flushed cache makes a product slower where all of it fits into the cache.
func TestGPUBackendColdIsSlower(t *testing.T) {
	b, _ := loadedGPU(t)
	p := preparedGPU(t, b, scalarGPU)
	cold, warm := make([]float64, 50), make([]float64, 50)
	testkit.Succeed(t, p.Sample(cold, 1, true))
	testkit.Succeed(t, p.Sample(warm, 1, false))

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
	testkit.Succeed(t, b.Load(&kernels.Problem{A: m, X: x}))

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
	testkit.Succeed(t, p.Sample(s, batch, false))
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
	testkit.Fails(t, p.Multiply(make([]float64, m.Rows)), "", "a product from before the last Prepare")
	testkit.Fails(t, p.Sample(make([]float64, 1), 1, true), "", "a product from before the last Prepare")
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
			testkit.Succeed(t, preparedGPU(t, b, c).Multiply(make([]float64, m.Rows)))
		}
		testkit.Succeed(t, b.Load(&kernels.Problem{A: m, X: make([]float64, m.Cols)}))

		free, _, err := cu.MemInfo()
		testkit.Succeed(t, err)
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
	b, _ := loadedGPU(t)
	free, _, err := cu.MemInfo()
	testkit.Succeed(t, err)

	b.arrays.next()
	for i := range 20 { // 1.25 times what is free
		b.arrays.next()
		if _, err := b.arrays.get(i, free/16, reads, func(cu.DevicePtr) error { return nil }); err != nil {
			t.Fatalf("array %d: %v", i, err)
		}
	}

	rightGPU(t, b, scalarGPU, preparedGPU(t, b, scalarGPU))
}

// addresses are those of everything that a product touches.
func addresses(b *Backend) map[any]cu.DevicePtr {
	at := map[any]cu.DevicePtr{}
	for _, a := range b.arrays.kept {
		if a.turn == b.arrays.turn {
			at[a.key] = a.ptr
		}
	}
	return at
}

// A fresh product has the matrix, x, y and its scratch elsewhere, and is right there;
// one that is not fresh has them where they were.
func TestGPUBackendFresh(t *testing.T) {
	b, _ := loadedGPU(t)
	for _, c := range []kernels.Config{
		scalarGPU,
		{Kernel: "csr_merge", Precision: kernels.Float64, Block: 128, Grid: 264},
		{Kernel: "cusparse_csr_alg2", Precision: kernels.Float32},
	} {
		preparedGPU(t, b, c)
		first := addresses(b)
		preparedGPU(t, b, c)
		for key, at := range addresses(b) {
			testkit.Equal(t, at, first[key], "%s: %v moved without being asked to", c, key)
		}

		p := testkit.Must(b.Prepare(c, kernels.Options{Fresh: true, Launch: kernels.Graph}))
		moved := addresses(b)
		if len(moved) != len(first) || len(moved) < 4 {
			t.Errorf("%s: %d arrays, before %d", c, len(moved), len(first))
		}
		for key, at := range moved {
			if at == first[key] {
				t.Errorf("%s: %v is where it was", c, key)
			}
		}
		rightGPU(t, b, c, p)
	}
}

// rightGPU compares what p gives with a plain product of the problem.
func rightGPU(t *testing.T, b *Backend, c kernels.Config, p kernels.Product) {
	t.Helper()
	y := make([]float64, b.problem.A.Rows)
	testkit.Succeed(t, kernels.Compute(p, nil, y))
	checkProduct(t, c, b.problem.A, b.problem.X, y)
}

// A product that is replayed as a graph leaves the right y behind, for batches that
// fill graphs and that do not.
func TestGPUBackendReplays(t *testing.T) {
	b, m := loadedGPU(t)
	for _, c := range []kernels.Config{
		{Kernel: "coo_atomic", Precision: kernels.Float32, Block: 128},
		{Kernel: "csr_merge", Precision: kernels.Float64, Block: 128, Grid: 264},
		{Kernel: "cusparse_csr_alg1", Precision: kernels.Float32},
		{Kernel: "cusparse_coo_alg2", Precision: kernels.Float64},
		{Kernel: "cusparse_bsr", Precision: kernels.Float32, Params: "shape=2x2"},
	} {
		for _, batch := range []int{1, 3, 600} {
			p := preparedGPU(t, b, c)
			testkit.Succeed(t, p.Poison())
			times := make([]float64, 5)
			testkit.Succeed(t, p.Sample(times, batch, false))
			y := make([]float64, m.Rows)
			testkit.Succeed(t, p.Result(y))
			checkProduct(t, c, m, b.problem.X, y)
			if r := p.program.replay; r != nil && r.refused != 0 {
				t.Errorf("%s can't be captured", c)
			}
		}
	}
}

// A kernel whose first phase does nothing does not pass on what an earlier product left
// in the scratch.
func TestGPUBackendPoisonsScratch(t *testing.T) {
	b, m := loadedGPU(t)
	c := kernels.Config{Kernel: "csr_pcsr", Precision: kernels.Float32, Block: 256, Grid: 264}
	p := preparedGPU(t, b, c)
	rightGPU(t, b, c, p)

	y, ops := make([]float64, m.Rows), testkit.Must(secondPhase(b, p, c))
	p.program.release()
	p.program = newProgram(ops, kernels.Graph)
	testkit.Succeed(t, kernels.Compute(p, nil, y))
	for _, v := range y {
		if math.IsNaN(v) {
			return
		}
	}
	t.Error("the second phase alone gave a y without NaN")
}

// secondPhase is what p enqueues without its first kernel.
func secondPhase(b *Backend, p *product, c kernels.Config) ([]op, error) {
	r, err := newRecipe(b.problem.A, c, p.v)
	if err != nil {
		return nil, err
	}
	r.Steps = r.Steps[1:]
	own, err := b.place(r, p)
	if err != nil {
		return nil, err
	}
	return b.ops(r, own, p)
}

// Another x is in place for one product only.
func TestGPUBackendOtherX(t *testing.T) {
	b, m := loadedGPU(t)
	p := preparedGPU(t, b, scalarGPU)
	zeros, y := make([]float64, m.Cols), make([]float64, m.Rows)
	testkit.Succeed(t, kernels.Compute(p, zeros, y))
	if row, ok := firstDifference(y, zeros[:m.Rows]); !ok {
		t.Errorf("A·0 is %g in row %d", y[row], row)
	}
	rightGPU(t, b, scalarGPU, p)
}

// sensed reads the sensors, or says why they can't be read.
func sensed(t *testing.T, b *Backend) kernels.Reading {
	t.Helper()
	r, err := b.Sense()
	if err != nil {
		t.Skipf("the sensors can't be read: %v", err)
	}
	return r
}

// While products run the sensors say what such a device can be: it is faster than
// idle, warm, draws power, and uses as much energy as power and time make.
func TestGPUBackendSensors(t *testing.T) {
	b, _ := loadedGPU(t)
	before := sensed(t, b)
	p := preparedGPU(t, b, scalarGPU)
	samples := make([]float64, 1000)
	used := b.Energy()
	start := time.Now()
	var r kernels.Reading

	var power float64 // J/s, a mean over the readings
	reads := 0
	for ; time.Since(start) < 3*time.Second; reads++ {
		testkit.Succeed(t, p.Sample(samples, 20, false))
		r = sensed(t, b)
		power += r.Power
	}

	elapsed := time.Since(start).Seconds()
	power /= float64(reads)
	t.Logf("before: %+v", before)
	t.Logf("after %d readings in %.2f s: %+v", reads, elapsed, r)

	for _, f := range []struct {
		name           string
		got, low, high float64
	}{
		{"SM clock, MHz", float64(r.SMClock), 200, 4000},
		{"memory clock, MHz", float64(r.MemoryClock), 200, 20000},
		{"temperature", float64(r.Temperature), 5, 110},
		{"power, W", r.Power, 5, 1500},
	} {
		if f.got < f.low || f.got > f.high {
			t.Errorf("%s is %g, want %g to %g", f.name, f.got, f.low, f.high)
		}
	}

	if !r.HasReasons {
		t.Error("no reasons of the clocks are told")
	}
	if used == 0 {
		t.Log("this device counts no energy")
		return
	}

	mean := (b.Energy() - used) / elapsed
	t.Logf("energy: %.1f W on average, the power sensor said %.1f W", mean, power)
	// Power lags by a second.
	if mean < power/2 || mean > 2*power {
		t.Errorf("the energy of %.2f s is that of %.1f W, the power is %.1f W", elapsed, mean, power)
	}
}

// The sensors of a device that is closed can't be read, and it can be opened again.
func TestGPUBackendSensorsReopen(t *testing.T) {
	opened := testkit.Must(Open(0, false))
	b := opened.(*Backend)
	sensed(t, b)
	testkit.Succeed(t, b.Close())
	testkit.Fails(t, testkit.Err(b.Sense()), "", "a closed device")

	again := openGPU(t)
	if r := sensed(t, again); r.SMClock == 0 {
		t.Errorf("after opening again: %+v", r)
	}
}
