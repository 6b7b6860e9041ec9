// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
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
		testkit.Equal(t, roofBytes(gib/4, memory, 2), want, "with memory of %d bytes: are streamed over", memory)
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
	text := "processor\t: 0\nmodel name\t: A B: 2 GHz\nmodel name\t: C\nno colon\nMemTotal:  16 kB\n"
	for key, want := range map[string]string{"model name": "A B: 2 GHz", "MemTotal": "16 kB", "no colon": "", "model": ""} {
		testkit.Equal(t, field(text, key), want, "%s", key)
	}
}

// A product that is prepared anew shares nothing with what is kept, and does not lie at the same place of a page each
// time; others share their vectors.
func TestFreshLiesElsewhere(t *testing.T) {
	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, c := range []kernels.Config{
			config("cpu_csr_rows", precision, 8, 2), config("cpu_coo_chunks", precision, 8, 2), config("cpu_sell", precision, 8, 2),
		} {
			for _, order := range []string{"none", "rcm", "rows-by-length"} {
				c := ordered(order, c)
				b := load(t, 300, rising(300))
				rows := func(p kernels.Product) bool {
					y := make([]float64, 300)
					err := kernels.Compute(p, nil, y)
					return err == nil && slices.Equal(y[:2], []float64{0, 1}) && y[299] == 299
				}
				fresh := testkit.Must(b.Prepare(c, kernels.Options{Fresh: true}))
				kept := prepareConfig(t, b, c)
				other := testkit.Must(b.Prepare(c, kernels.Options{Fresh: true}))
				testkit.Check(t, rows(kept) && rows(fresh) && rows(other) && rows(prepareConfig(t, b, c)), "%s: wrong", c)
				spoil(b) // all rows of a spoiled product go to one place, which is a race
				if !testkit.RaceDetector && rows(kept) || !rows(fresh) || !rows(other) {
					t.Errorf("%s: a fresh product has a part of what is kept", c)
				}
			}
		}
	}

	b := load(t, 300, rising(300))
	c := config("cpu_csr", kernels.Float64, 0, 0)
	prepare := func(fresh bool) *operand[float64] {
		return testkit.Must(b.Prepare(c, kernels.Options{Fresh: fresh})).(*product[float64]).o
	}
	first := prepare(false)
	shifts := map[string]bool{} // last three digits of addresses: places in a page
	for range 10 {
		address := fmt.Sprintf("%p", prepare(true).x)
		shifts[address[len(address)-3:]] = true
		testkit.Equal(t, prepare(false), first, "the vectors of a product that need not be fresh")
	}
	testkit.Check(t, len(shifts) >= 3, "x begins at %v of a page", shifts)
	for range 3 { // as where it is built
		at := fmt.Sprintf("%p", b.formats.elsewhere(make([]int32, 1<<14)).([]int32))
		testkit.Check(t, strings.HasSuffix(at, "000"), "a form begins at %s, within a page", at)
	}
}

// spoil overwrites all that b keeps of its problem.
func spoil(b *Backend) {
	clear(b.problem.A.RowPtr)
	clear(b.problem.A.ColIdx)
	clear(b.problem.A.Val)
	spoilOperand(b.single)
	spoilOperand(b.double)
	for _, e := range b.formats.kept {
		switch v := e.value.(type) {
		case []int32:
			clear(v)
		case *sparse.SELL[float32]:
			spoilSELL(v)
		case *sparse.SELL[float64]:
			spoilSELL(v)
		case *ordering[float32]:
			spoilOrdering(v)
		case *ordering[float64]:
			spoilOrdering(v)
		}
	}
}

func spoilOperand[V sparse.Float](o *operand[V]) {
	if o != nil {
		clear(o.a.RowPtr)
		clear(o.a.ColIdx)
		clear(o.a.Val)
		clear(o.x)
		clear(o.room)
	}
}

func spoilSELL[V sparse.Float](s *sparse.SELL[V]) {
	clear(s.ChunkPtr)
	clear(s.Perm)
	clear(s.ColIdx)
	clear(s.Val)
}

func spoilOrdering[V sparse.Float](r *ordering[V]) {
	spoilOperand(r.inner)
	clear(r.columns)
	clear(r.places)
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
