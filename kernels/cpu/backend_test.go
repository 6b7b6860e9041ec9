// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// ordered is c with the matrix in another order.
func ordered(how string, c kernels.Config) kernels.Config {
	c.Params = kernels.Params(kernels.Reorder + "=" + how)
	return c
}

func config(kernel string, precision kernels.Precision, block, grid int) kernels.Config {
	return kernels.Config{Kernel: kernel, Precision: precision, Block: block, Grid: grid}
}

func ones(*rand.Rand) float64 { return 1 }

// load opens a backend with a matrix of the given row lengths, all values 1.
func load(t testing.TB, cols int, rows []int) *Backend {
	t.Helper()
	b := open(t)
	testkit.Succeed(t, b.Load(problem(rand.New(rand.NewPCG(3, 4)), cols, rows, ones)))
	return b
}

func prepareConfig(t testing.TB, b *Backend, c kernels.Config) kernels.Product {
	t.Helper()
	return testkit.Must(b.Prepare(c, kernels.Options{}))
}

// Times that were taken with some cores must not pass for those with others.
func TestCoresTellDevicesApart(t *testing.T) {
	if one, two := describe([]int{0}), describe([]int{0, 1}); one.Driver == two.Driver {
		t.Errorf("one core and two: both %q", one.Driver)
	}
}

// Inner loops trust the matrix, so a bad one must not get past Load.
func TestLoadRefuses(t *testing.T) {
	b := open(t)
	refuse := func(name string, a *sparse.CSR[float64], x int) {
		t.Helper()
		testkit.Fails(t, b.Load(&kernels.Problem{A: a, X: make([]float64, x)}), "", "%s", name)
		testkit.Fails(t, testkit.Err(b.Prepare(config("cpu_csr", kernels.Float64, 0, 0), kernels.Options{})), "", "%s", name)
	}

	m := func(rowPtr, cols []int32) *sparse.CSR[float64] {
		return &sparse.CSR[float64]{Rows: 2, Cols: 3, RowPtr: rowPtr, ColIdx: cols, Val: make([]float64, len(cols))}
	}
	refuse("a column beyond the last", m([]int32{0, 1, 2}, []int32{0, 3}), 3)
	refuse("a negative column", m([]int32{0, 1, 2}, []int32{-1, 2}), 3)
	refuse("a row pointer that falls", m([]int32{0, 3, 2}, []int32{0, 1}), 3)
	refuse("a missing row pointer", m([]int32{0, 2}, []int32{0, 1}), 3)
	refuse("an x that is too short", m([]int32{0, 1, 2}, []int32{0, 2}), 2)
}

func TestPrepareInvalid(t *testing.T) {
	// One full row of 60,000 and 20,000 empty ones: chunks of 1024 rows would
	// store every entry 1024 times.
	b := load(t, 60_000, slices.Concat([]int{60_000}, repeat(20_000, 0)))
	invalid := func(c kernels.Config, want string) {
		t.Helper()
		_, err := b.Prepare(c, kernels.Options{})
		var e *kernels.InvalidError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want an InvalidError with %q", c, err, want)
		}
	}

	invalid(config("cpu_nothing", kernels.Float64, 0, 0), "not a kernel for the processor")
	invalid(config("csr_scalar", kernels.Float64, 32, 1), "not a kernel for the processor")
	invalid(config("cpu_csr_rows", kernels.Float64, 0, 1), "block is 0")
	invalid(config("cpu_csr_rows", kernels.Float64, 32, MaxGrid+1), "at most 1024 workers")
	invalid(config("cpu_sell", kernels.Float64, 1024, 1), "smaller block")
	prepareConfig(t, b, config("cpu_sell", kernels.Float64, 4, 1)) // 4 times 60,000 is no explosion
}

// A kernel that leaves rows unwritten must be seen to do so.
func TestMultiplyPoisons(t *testing.T) {
	b := load(t, 4, repeat(5, 2))
	p := prepareConfig(t, b, config("cpu_csr", kernels.Float32, 0, 0)).(*product[float32])
	y := make([]float64, 5)
	testkit.Succeed(t, kernels.Compute(p, nil, y))

	p.run = func() {}
	testkit.Succeed(t, kernels.Compute(p, nil, y))
	testkit.Check(t, !slices.ContainsFunc(y, func(v float64) bool { return !math.IsNaN(v) }), "a product that did nothing gave %v", y)
	testkit.Fails(t, kernels.Compute(p, nil, y[:4]), "", "a y that is too short")
}

// Sums of a row that a worker failed to leave must not be those of the product before.
func TestPoisonSpoilsWhatWorkersLeave(t *testing.T) {
	b := load(t, 4, []int{999})
	p := prepareConfig(t, b, config("cpu_csr_merge", kernels.Float64, 0, 3))
	y := make([]float64, 1)
	if err := kernels.Compute(p, nil, y); err != nil || math.IsNaN(y[0]) {
		t.Fatalf("the sum of a row of three workers is %v, %v", y[0], err)
	}

	pool := b.pool
	pool.close()
	lame := &worker{}
	pool.workers = []*worker{lame}
	go func() { // notes that it has worked, and has not
		for {
			lame.start.wait(0, func() bool { return lame.epoch.Load() > 0 })
			lame.epoch.Store(0)
			ended := pool.job == nil
			pool.pending.Add(-1)
			pool.done.notify()
			if ended {
				return
			}
		}
	}()
	if err := kernels.Compute(p, nil, y); err != nil || !math.IsNaN(y[0]) {
		t.Errorf("without the second worker's part, the sum is %v, %v", y[0], err)
	}
}

// A sample is the time of one product, whatever the batch: all products together take no longer than sampling did, and
// no less than they are known to take. Before a cold one the caches are flushed.
func TestSample(t *testing.T) {
	const least = time.Millisecond
	b := load(t, 4, repeat(5, 2))
	b.evictor.size = 1 << 20 // the time of a full one is not what is tested
	p := prepareConfig(t, b, config("cpu_csr", kernels.Float64, 0, 0)).(*product[float64])
	p.run = func() { time.Sleep(least) }
	for _, s := range []struct {
		batch int
		cold  bool
	}{{1, false}, {20, false}, {1, true}} {
		dst := make([]float64, 2)
		start := time.Now()
		testkit.Succeed(t, p.Sample(dst, s.batch, s.cold))
		all, most := float64(s.batch)*(dst[0]+dst[1]), time.Since(start).Seconds()
		if all > 1.001*most || all < 2*float64(s.batch)*least.Seconds()*0.999 || s.cold != (b.evictor.written != nil) {
			t.Errorf("%+v: by samples %v s, of %v s; flushed: %v", s, all, most, b.evictor.written != nil)
		}
	}
	if p.Sample(make([]float64, 1), 2, true) == nil || p.Sample(make([]float64, 1), 0, false) == nil {
		t.Error("an impossible batch is accepted")
	}
}

// Garbage made by a product would be collected during another's samples.
func TestProductsDoNotAllocate(t *testing.T) {
	b := load(t, 300, repeat(300, 9))
	for _, c := range []kernels.Config{
		config("cpu_coo", kernels.Float32, 0, 0),
		config("cpu_csr", kernels.Float32, 0, 0),
		config("cpu_coo_chunks", kernels.Float32, 50, 2),
		config("cpu_csr_rows", kernels.Float32, 10, 2),
		config("cpu_csr_merge", kernels.Float32, 0, 2),
		config("cpu_sell", kernels.Float32, 8, 2),
		ordered("rcm", config("cpu_csr_rows", kernels.Float32, 10, 2)),
	} {
		p := prepareConfig(t, b, c)
		dst := make([]float64, 1)
		if n := testing.AllocsPerRun(20, func() { _ = p.Sample(dst, 3, false) }); n > 0 {
			t.Errorf("%v allocates %v times", c, n)
		}
	}
}

// The sizes are counted by hand from the arrays of each kernel, for 10 rows, 6
// columns and 30 nonzeros of float32.
func TestBytes(t *testing.T) {
	b := load(t, 6, repeat(10, 3))
	const vectors, entries = 4 * (10 + 6), 30 * 8
	for _, c := range []struct {
		config kernels.Config
		format int64 // of the matrix in the kernel's format
		own    int64 // of what else the kernel has
	}{
		{config("cpu_coo", kernels.Float32, 0, 0), entries + 30*4, 0},
		{config("cpu_csr", kernels.Float32, 0, 0), entries + 11*4, 0},
		{config("cpu_csr_rows", kernels.Float32, 4, 2), entries + 11*4, 0},
		{config("cpu_csr_merge", kernels.Float32, 0, 2), entries + 11*4, 2 * (8 + 4)},
		{config("cpu_coo_chunks", kernels.Float32, 7, 2), entries + 30*4, 5 * (4 + 4)},
		// 3 chunks of 4 rows, the last with 2 lanes of padding
		{config("cpu_sell", kernels.Float32, 4, 2), 36*8 + 10*4 + 4*8, 0},
		// a chunk of 16 rows, 6 of them padding; each worker has a sum per row, a line apart
		{config("cpu_sell", kernels.Float32, 16, 2), 48*8 + 10*4 + 2*8, 2 * (16 + 64) * 4},
		// a second y, and the place of each row
		{ordered("rows-by-length", config("cpu_csr", kernels.Float32, 0, 0)), entries + 11*4, 10 * (4 + 4)},
	} {
		got := prepareConfig(t, b, c.config).Info()
		testkit.EqualLists(t, []int64{got.BytesFormat, got.BytesKernel}, []int64{c.format, c.format + c.own + vectors}, "%v: bytes", c.config)
	}
}

// The cost of a format is the cost of building it, also where it was kept from
// an earlier product; and a format is not built for a new problem by accident.
func TestFormatsAreKept(t *testing.T) {
	b := load(t, 200, repeat(5000, 4))
	c := config("cpu_sell", kernels.Float64, 16, 1)
	first := prepareConfig(t, b, c).Info().Prepare
	prepareConfig(t, b, config("cpu_sell", kernels.Float64, 8, 1))
	coo := prepareConfig(t, b, config("cpu_coo_chunks", kernels.Float64, 9, 1)).Info().Prepare
	csr := prepareConfig(t, b, config("cpu_csr", kernels.Float64, 0, 0)).Info().Prepare
	if again := prepareConfig(t, b, c).Info().Prepare; first <= 0 || again != first || coo <= 0 || csr != 0 {
		t.Errorf("building SELL took %v, and then %v, COO %v, CSR %v", first, again, coo, csr)
	}
	testkit.Succeed(t, b.Load(problem(rand.New(rand.NewPCG(5, 6)), 3, repeat(2, 1), ones)))
	y := make([]float64, 2)
	testkit.Succeed(t, kernels.Compute(prepareConfig(t, b, c), nil, y))
	testkit.EqualLists(t, y, []float64{1, 1}, "the next problem gave")
}

// Preparing a matrix in another order contains the ordering, which is made once for all kernels. x and y in
// that order are spoiled with the others, and a kernel that writes beside its y is caught there, too.
func TestOrderIsPrepared(t *testing.T) {
	b := load(t, 3000, repeat(3000, 9))
	plain := prepareConfig(t, b, config("cpu_csr", kernels.Float64, 0, 0))
	first := prepareConfig(t, b, ordered("rcm", config("cpu_csr", kernels.Float64, 0, 0))).(*product[float64])
	again := prepareConfig(t, b, ordered("rcm", config("cpu_csr_rows", kernels.Float64, 50, 2)))
	if cost := first.Info().Prepare; cost <= 0 || cost != again.Info().Prepare || plain.Info().Prepare != 0 {
		t.Errorf("preparing took %v, then %v, and %v as it is", cost, again.Info().Prepare, plain.Info().Prepare)
	}

	testkit.Succeed(t, first.Multiply(nil))
	y := make([]float64, 3000)
	testkit.Succeed(t, first.Result(y))
	r, _, _ := orderingOf(b, b.double, kernels.Float64, "rcm")
	if err := first.Poison(); err != nil || !math.IsNaN(r.inner.x[2999]) || !math.IsNaN(r.inner.y[2999]) {
		t.Errorf("poisoned, x is %v and y is %v in the order of rows (%v)", r.inner.x[2999], r.inner.y[2999], err)
	}
	r.inner.room[0] = 1
	testkit.Fails(t, first.Result(y), "", "a product wrote before its y")
}

// A changed kernel must not pass for the old one, so each has a digest.
func TestSource(t *testing.T) {
	b := open(t)
	code := testkit.Must(sourceCode())
	seen := map[string]string{}
	for _, k := range kernels.Catalogue {
		digest := b.Source(k.Name)
		testkit.Equal(t, digest != "", k.Backend == "cpu", "%s is in sources of plans.go and has a digest", k.Name)
		if plan := sources[k.Name]; digest != "" && code.functions(plan) == "" {
			t.Errorf("plans.go embeds no file that has %s, so the digest of %s is not of its code", plan, k.Name)
		}
		if digest == "" {
			continue
		}
		if other, ok := seen[digest]; ok {
			t.Errorf("%s and %s have the same digest", k.Name, other)
		}

		seen[digest] = k.Name
		testkit.Equal(t, b.Source(k.Name), digest, "the digest of %s changes", k.Name)
	}
}

// Arrays that bandwidth is measured with are written as a whole: else it would be that of the caches.
func TestArraysOfTheRoofAreWritten(t *testing.T) {
	b := open(t)
	b.cores = append(b.cores, b.cores...)
	if s := b.filled(1001, 3); len(s) != 1001 || slices.Min(s) != 3 || slices.Max(s) != 3 {
		t.Errorf("%d elements, from %v to %v", len(s), slices.Min(s), slices.Max(s))
	}
}

func TestDeviceAndRoof(t *testing.T) {
	b := open(t)
	d := b.Device()
	testkit.Check(t, d.Backend == "cpu" && d.Name != "" && d.Units >= 1 && strings.HasPrefix(d.Driver, "go"), "the device is %+v", d)

	r := b.roof(b.filled(1<<16, 1), 3)
	testkit.Check(t, r.Read > 0 && r.Copy > 0 && r.Triad > 0, "the roof is %+v", r)
	if g := b.gather(b.filled(1<<16, 1), 16, 3); !(g > 0) {
		t.Errorf("%g GB/s at random", g)
	}
}

// What a pass does to arrays is what its bandwidth is counted for: one that left elements out would raise the roof.
func TestPassesOfTheRoof(t *testing.T) {
	x := make([]float64, 1<<10)
	for i := range x {
		x[i] = float64(i)
		testkit.Equal(t, sum(x[:i+1]), float64(i*(i+1)/2), "0 + … + %d", i)
	}
	for n, want := range map[int]int{1 << 10: 1, 1 << 25: 1, 3 << 25: 3, 1 << 27: 4, 1 << 30: 4} {
		testkit.Equal(t, piecesOf(n), want, "of %d elements, pieces", n)
	}
	testkit.Equal(t, gatherSum(x, 10, 0, 300)+gatherSum(x, 10, 300, len(x)), sum(x), "in two parts: is gathered")
	a := make([]float64, 3)
	triad(a, []float64{1, 2, 3}, []float64{10, 20, 30})
	testkit.EqualLists(t, a, []float64{31, 62, 93}, "1, 2, 3 plus three times 10, 20, 30")
}

// Where a pass is slow, the best of few is taken, and of one at least.
func TestRoofEndsInTime(t *testing.T) {
	for seconds, want := range map[int]int{0: 10, 3: 3, 60: 1} {
		synctest.Test(t, func(t *testing.T) {
			var pieces []int
			best(10, 4, 1, func(piece int) {
				pieces = append(pieces, piece)
				time.Sleep(time.Duration(seconds) * time.Second)
			})
			testkit.EqualLists(t, pieces, []int{0, 1, 2, 3, 0, 1, 2, 3, 0, 1}[:want], "pieces of passes of %d s", seconds)
		})
	}
}

// A job's limit is that of its control group or of one above, in both versions of them.
func TestMemoryLimit(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"job/memory.max": "3000\n", "job/step/memory.max": "max\n", "memory.max": "max\n",
		"memory/old/memory.limit_in_bytes":      "9223372036854771712\n",
		"memory/old/step/memory.limit_in_bytes": "2000\n",
	} {
		path := filepath.Join(root, file)
		testkit.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
	}

	for _, tt := range []struct {
		memory int64
		groups string
		want   int64
	}{
		{5000, "", 5000},
		{5000, "0::/", 5000},
		{5000, "0::/job/step", 3000},
		{1000, "0::/job/step", 1000},
		{0, "0::/job/step", 3000},
		{5000, "0::/not/there", 5000},
		{5000, "0::/../../job", 3000},
		{5000, "9:cpu:/job\n4:hugetlb,memory:/old/step\n0::/\n", 2000},
		{5000, "4:memory:/old\n", 5000},
		{5000, "4:memory\n", 5000},
	} {
		testkit.Equal(t, limitOf(tt.memory, tt.groups, root), tt.want, "%q in %d bytes", tt.groups, tt.memory)
	}
}

// What a scheduler gives a process holds also where nothing confines it to that.
func TestMemoryOfShare(t *testing.T) {
	all := (&Backend{}).memoryLimit()
	if all < 200<<20 {
		t.Skip("the system does not report the memory")
	}
	for given, want := range map[int64]int64{0: all, 100 << 20: 100 << 20, 2 * all: all} {
		testkit.Equal(t, (&Backend{given: given}).memoryLimit(), want, "given %d", given)
	}
}

// Forms that outgrow the limit are dropped, the one used longest ago first, but never the last.
func TestFormatsThatAreKept(t *testing.T) {
	f := &formats{limit: 10}
	for _, step := range []struct {
		c     int
		bytes int64
		built bool
		kept  int
	}{{1, 4, true, 1}, {2, 4, true, 2}, {1, 4, false, 2}, {3, 4, true, 2}, {1, 4, false, 2}, {2, 4, true, 2},
		{4, 9, true, 1}, {5, 20, true, 1}, {5, 20, false, 1}} {
		built := false
		value, _, err := build(f, formatKey{c: step.c}, func() (int, int64, error) {
			built = true
			return step.c, step.bytes, nil
		})
		if err != nil || value != step.c || built != step.built || len(f.kept) != step.kept {
			t.Errorf("%+v: got %d, built %v, %d are kept, %v", step, value, built, len(f.kept), err)
		}
	}
}

// Every line of both buffers is reached, however many cores share them.
func TestEvictionReachesEveryLine(t *testing.T) {
	b := open(t)
	const lines = 101
	for _, cores := range []int{1, 3} {
		e := evictor{size: lines * cacheLine}
		e.evict(b.pool, cores)
		e.evict(b.pool, cores)
		for i := 0; i < len(e.written); i += cacheLine {
			testkit.Check(t, slices.Max(e.written[i:i+cacheLine]) != 0, "%d cores leave line %d unwritten", cores, i/cacheLine)
		}
		read := 0
		for _, n := range e.sums {
			read += n
		}
		if read < 2*lines || read > 2*(lines+cores) { // where two parts meet, both may read the line
			t.Errorf("%d cores read %d of %d lines", cores, read, 2*lines)
		}
	}
}
