package cpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
)

// SELL may store 8 entries per nonzero and 2²⁰ more, and take half of the memory.
func TestPaddingIsBounded(t *testing.T) {
	// A full row of 60,000 among empty ones: chunks of C rows store it C times. 8·60,000 + 2²⁰
	// entries are 25 times as many, but not 26 times.
	b := load(t, 60_000, slices.Concat([]int{60_000}, repeat(100, 0)))
	b.device.Memory = 0
	check := func(precision kernels.Precision, c int, want bool) {
		t.Helper()
		_, err := b.Prepare(config("cpu_sell", precision, c, 1), kernels.Options{})
		if invalid := new(kernels.InvalidError); (err == nil) != want || err != nil && !errors.As(err, &invalid) {
			t.Errorf("C = %d in %s, memory of %d bytes: error is %v", c, precision, b.device.Memory, err)
		}
	}
	check(kernels.Float64, 25, true)
	check(kernels.Float64, 26, false)

	b.device.Memory = 2 * 10 * 60_000 * (4 + 8)
	check(kernels.Float64, 10, true)
	check(kernels.Float64, 11, false)
	check(kernels.Float32, 15, true)
	check(kernels.Float32, 16, false)
}

// By hand: a take is 65,536 rows, and a worker has 16 takes.
func TestChunksPerTake(t *testing.T) {
	for _, tt := range []struct{ chunks, c, workers, want int }{
		{1 << 20, 4, 1, 16384}, {1 << 20, 1024, 1, 64}, {320, 4, 2, 10}, {31, 4, 2, 1}, {1000, 1 << 17, 2, 1},
	} {
		testkit.Equal(t, chunksPerTake(tt.chunks, tt.c, tt.workers), tt.want, "%+v: chunks", tt)
	}
}

func TestSizes(t *testing.T) {
	const gib = 1 << 30
	testkit.Equal(t, cacheOr(0), 64<<20, "bytes of an unknown cache")
	testkit.Equal(t, cacheOr(1), 1, "bytes of a cache of one")
	testkit.Equal(t, formatLimit(0), gib, "bytes that forms may take of unknown memory")
	testkit.Equal(t, formatLimit(8*gib), 2*gib, "bytes that forms may take of 8 GiB")
	// 2²⁷ float64 are a GiB.
	for _, tt := range []struct {
		cache, memory int64
		want          int
	}{
		{gib / 4, 0, 27}, {gib / 4, 16 * gib, 27}, {gib / 4, 8 * gib, 27}, {gib / 4, 4 * gib, 26}, {gib/4 + 2, 0, 28},
		{64 * gib, 0, 31},
	} {
		testkit.Equal(t, gatherLog(tt.cache, tt.memory), tt.want, "cache of %d and memory of %d bytes: gathered", tt.cache, tt.memory)
	}
	for memory, want := range map[int64]int64{0: gib, 8 * gib: gib, gib: gib / 2} {
		testkit.Equal(t, roofBytes(gib/4, memory), want, "with memory of %d bytes: are streamed over", memory)
	}
	for text, want := range map[string]int64{"32768K": 32 << 20, "3M": 3 << 20, "1G": gib, "512": 512, "": 0, "xK": 0} {
		testkit.Equal(t, cacheSize(text), want, "a cache of %q", text)
	}
}

// A clock that steps less than each second is what samples are taken with.
func TestTick(t *testing.T) {
	if step := tick(); !(step > 0 && step < 1) {
		t.Errorf("the clock steps by %v s", step)
	}
}

func TestField(t *testing.T) {
	text := []byte("processor\t: 0\nmodel name\t: A B: 2 GHz\nmodel name\t: C\nno colon\nMemTotal:  16 kB\n")
	for key, want := range map[string]string{"model name": "A B: 2 GHz", "MemTotal": "16 kB", "no colon": "", "model": ""} {
		testkit.Equal(t, field(text, key), want, "%s", key)
	}
}

// A product that is prepared anew has its matrix and vectors elsewhere, and not at the same
// place of a page each time; others share them.
func TestFreshLiesElsewhere(t *testing.T) {
	b := load(t, 300, rising(300))
	sell := config("cpu_sell", kernels.Float64, 8, 2)
	prepare := func(fresh bool) *product[float64] {
		p := testkit.Must(b.Prepare(sell, kernels.Options{Fresh: fresh}))
		y := make([]float64, 300)
		if err := kernels.Compute(p, nil, y); err != nil || y[0] != 0 || y[299] != 299 {
			t.Fatalf("fresh is %v: rows of 0 and 299 ones give %v and %v, %v", fresh, y[0], y[299], err)
		}
		return p.(*product[float64])
	}
	first := prepare(false)
	testkit.Equal(t, prepare(false).o, first.o, "the vectors of a second product")
	shifts := map[string]bool{} // last three digits of addresses: places in a page
	for range 10 {
		fresh := prepare(true)
		o, old := fresh.o, first.o
		if &o.a.Val[0] == &old.a.Val[0] || &o.a.ColIdx[0] == &old.a.ColIdx[0] || &o.a.RowPtr[0] == &old.a.RowPtr[0] ||
			&o.x[0] == &old.x[0] || &o.y[0] == &old.y[0] {
			t.Error("a fresh product shares an array with an earlier one")
		}
		testkit.Equal(t, prepare(false).o, o, "the vectors of the next product")
		address := fmt.Sprintf("%p", o.x)
		shifts[address[len(address)-3:]] = true
	}
	if len(shifts) < 3 {
		t.Errorf("x begins at %v of a page", shifts)
	}
}

// A product that writes beside y, or less than all of it, is found.
func TestGuards(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		for _, at := range []int{-32, -1, 10, 41} {
			b := load(t, 4, repeat(10, 2))
			p := testkit.Must(b.Prepare(config("cpu_csr", kernels.Float32, 0, 0), kernels.Options{Fresh: fresh}))
			q := p.(*product[float32])
			whole := q.run
			q.run = func() { whole(); q.o.room[guard+at] = 0 }
			overrun := new(kernels.OverrunError)
			if err := kernels.Compute(p, nil, make([]float64, 10)); !errors.As(err, &overrun) || overrun.Array != "y" {
				t.Errorf("a product that writes element %d of y of 10: %v", at, err)
			}
		}
	}
}

// A product can be of another x, and that is forgotten after it.
func TestMultiplyByAnotherX(t *testing.T) {
	b := open(t)
	p := problem(rand.New(rand.NewPCG(7, 8)), 3, []int{3}, ones)
	testkit.Succeed(t, b.Load(p))
	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		product := prepareConfig(t, b, config("cpu_csr", precision, 0, 0))
		y := make([]float64, 1)
		for _, tt := range []struct {
			x    []float64
			want float64
		}{{nil, 3}, {[]float64{1, 10, 100}, 111}, {nil, 3}} {
			testkit.Succeed(t, kernels.Compute(product, tt.x, y))
			testkit.Equal(t, y[0], tt.want, "%s, x of %v", precision, tt.x)
		}
		testkit.Fails(t, product.Multiply([]float64{1, 2}), "", "an x that is too short")
	}
}
