// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/reorder"
)

// shapes are the test matrices: the number of columns, and the length of each
// row.
var shapes = []struct {
	name string
	cols int
	rows []int
}{
	{"nothing", 0, nil},
	{"no rows", 5, nil},
	{"no columns", 0, repeat(3, 0)},
	{"no nonzeros", 7, repeat(9, 0)},
	{"1x1", 1, []int{1}},
	{"one row", 1000, []int{777}},
	{"one column", 1, repeat(501, 1)},
	{"one column with gaps", 1, []int{0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0}},
	{"empty rows first and last", 50, []int{0, 0, 0, 5, 3, 0, 1, 7, 0, 0}},
	{"only the last row", 40, []int{0, 0, 0, 0, 0, 0, 0, 40}},
	{"long runs of empty rows", 30, slices.Concat([]int{3}, repeat(400, 0), []int{2, 9}, repeat(300, 0), []int{1})},
	{"one giant row among short", 1001, slices.Concat(repeat(150, 2), []int{1001}, repeat(149, 1))},
	{"wide", 5000, repeat(13, 97)},
	{"even", 300, repeat(256, 8)},
	{"rising", 101, rising(101)},
	{"square with empty rows", 200, slices.Concat(repeat(60, 3), repeat(20, 0), rising(60), repeat(60, 1))},
}

// Integer-valued data leaves no room for rounding: all kernels, whatever the
// block, the workers and the parameters, must give the exact result, having
// written every row of a poisoned y.
func TestExact(t *testing.T) {
	integer := func(r *rand.Rand) float64 { return float64(r.IntN(17) - 8) }
	forEachProduct(t, integer, func(t *testing.T, p *kernels.Problem, c kernels.Config, y []float64) {
		for i := range y {
			var want float64
			cols, vals := p.A.Row(i)
			for k, j := range cols {
				want += vals[k] * p.X[j]
			}

			testkit.Equal(t, y[i], want, "%v: row %d", c, i)
		}
	})
}

// Real data must stay within the bound by which trials are judged:
// u·(8·√n + 8)·S, n the row's nonzeros and S the sum of its magnitudes.
func TestRealWithinBound(t *testing.T) {
	real := func(r *rand.Rand) float64 { return float64(float32(2*r.Float64() - 1)) }
	forEachProduct(t, real, func(t *testing.T, p *kernels.Problem, c kernels.Config, y []float64) {
		for i := range y {
			cols, vals := p.A.Row(i)
			want, scale := reference(cols, vals, p.X)
			bound := c.Precision.Roundoff() * (8*math.Sqrt(float64(len(cols))) + 8) * scale
			testkit.Near(t, y[i], want, bound, "%v: row %d", c, i)
		}
	})
}

// reference returns a row's product, compensated as in Ogita, Rump and Oishi,
// Accurate sum and dot product, 2005, Alg. 5.3, and the sum of its magnitudes.
func reference(cols []int32, vals, x []float64) (sum, scale float64) {
	var low float64
	for k, j := range cols {
		h := vals[k] * x[j]
		r := math.FMA(vals[k], x[j], -h)
		s := sum + h
		z := s - sum
		low += (sum - (s - z)) + (h - z) + r
		sum = s
		scale += math.Abs(h)
	}

	return sum + low, scale
}

// forEachProduct runs every kernel in both precisions with many blocks, workers
// and parameters on every shape, and hands over each result. draw gives values
// of A and x.
func forEachProduct(t *testing.T, draw func(*rand.Rand) float64,
	check func(*testing.T, *kernels.Problem, kernels.Config, []float64)) {
	b := open(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			p := problem(rand.New(rand.NewPCG(1, 2)), shape.cols, shape.rows, draw)
			testkit.Succeed(t, b.Load(p))
			y := make([]float64, p.A.Rows)

			for _, c := range configs() {
				product, err := b.Prepare(c, kernels.Options{})
				if how, _ := c.Params.Get(kernels.Reorder); reorder.Method(how).Suits(p.A.Rows, p.A.Cols) != nil {
					if invalid := new(kernels.InvalidError); !errors.As(err, &invalid) {
						t.Fatalf("%v: %v, and the matrix is not square", c, err)
					}
					continue
				}
				testkit.Succeed(t, err)
				for range 2 { // nothing of a product may leak into the next
					testkit.Succeed(t, kernels.Compute(product, nil, y))
					check(t, p, c, y)
				}
			}
		})
	}
}

// configs are points all over the space of all kernels of this package.
func configs() []kernels.Config {
	var all []kernels.Config
	for _, k := range kernels.Catalogue {
		if k.Backend != "cpu" {
			continue
		}
		blocks, grids, params := []int{1, 3, 4, 8, 32, 100, 1024}, []int{1, 2, 3, 16}, []kernels.Params{""}
		if k.Block == "" {
			blocks = []int{0}
		}

		if k.Grid == "" {
			grids = []int{0}
		}
		for _, p := range k.Params {
			values := p.Values
			if values == nil { // a number
				values = []string{"1", "48"}
			}
			for _, v := range values {
				params = append(params, kernels.Params(p.Name+"="+v))
			}
		}

		for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			for _, block := range blocks {
				for _, grid := range grids {
					for _, p := range params {
						all = append(all, kernels.Config{Kernel: k.Name, Precision: precision, Block: block, Grid: grid,
							Params: p})
					}
				}
			}
		}
	}

	return append(all, orderedConfigs()...)
}

// orderedConfigs are all kernels in all orders of the matrix.
func orderedConfigs() []kernels.Config {
	var all []kernels.Config
	for _, how := range reorder.Methods {
		for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			for _, k := range kernels.Catalogue {
				c := kernels.Config{Kernel: k.Name, Precision: p, Params: kernels.Params(kernels.Reorder + "=" + string(how))}
				if k.Block != "" {
					c.Block = 7
				}
				if k.Grid != "" {
					c.Grid = 3
				}
				if k.Backend == "cpu" {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// problem draws a matrix with rows of the given lengths, at random columns, and
// an x.
func problem(r *rand.Rand, cols int, rows []int, draw func(*rand.Rand) float64) *kernels.Problem {
	a := &sparse.CSR[float64]{Rows: len(rows), Cols: cols, RowPtr: []int32{0}}
	for _, n := range rows {
		for j, left := 0, min(n, cols); left > 0; j++ { // selection sampling, Knuth 3.4.2 S
			if r.IntN(cols-j) < left {
				a.ColIdx = append(a.ColIdx, int32(j))
				a.Val = append(a.Val, draw(r))
				left--
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.ColIdx)))
	}

	x := make([]float64, cols)
	for j := range x {
		x[j] = draw(r)
	}
	return &kernels.Problem{A: a, X: x}
}

func open(t testing.TB) *Backend {
	t.Helper()
	b := testkit.Must(Open())

	t.Cleanup(func() {
		testkit.Succeed(t, b.Close())
	})
	return b
}

func repeat(n, length int) []int { return slices.Repeat([]int{length}, n) }

func rising(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// Every worker runs every job once, whether it has a core or not, and whether
// it spins or is parked when the job comes. It stays awake where jobs come soon.
func TestPoolRunsEveryWorkerOnce(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := newPool(usableCores())
	defer p.close()
	const most = 40
	var calls [most]int // written by one worker each, read after the job
	expect := [most]int{}

	run := func(n int) {
		p.run(n, func(w int) { calls[w]++ })
		for w := range n {
			expect[w]++
		}
		testkit.Equal(t, calls, expect, "after a job for %d", n)
	}

	for i := range 3000 {
		run(1 + i%4)
	}
	for _, n := range []int{2, most, 1, 3, most, 2} {
		time.Sleep(2 * time.Millisecond) // long enough to park
		run(n)
	}
	awake := 0 // times in a row
	for tries := 0; awake < 5 && len(p.cpus) > 1; tries++ {
		run(2)
		for start := time.Now(); time.Since(start) < 100*time.Microsecond; { // what a solver does between products
		}
		awake = (awake + 1) * (1 - int(p.workers[0].start.asleep.Load()))
		testkit.Require(t, tries < 20_000, "a worker sleeps 100 µs after a job")
	}
}

// A worker that waits for its peers must not keep them from running, with more
// workers than cores.
func TestPoolWorkersRunAtOnce(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := newPool(usableCores())
	defer p.close()
	n := 2*len(p.cpus) + 1
	var arrived atomic.Int32
	p.run(n, func(int) {
		arrived.Add(1)
		for arrived.Load() < int32(n) {
			runtime.Gosched()
		}
	})
}

func TestCloseEndsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	b := testkit.Must(Open())

	b.pool.run(9, func(int) {})
	testkit.Succeed(t, b.Close())
	testkit.Succeed(t, b.Close())

	for i := 0; runtime.NumGoroutine() > before; i++ {
		testkit.Require(t, i != 1000, "%d goroutines, %d before", runtime.NumGoroutine(), before)
		time.Sleep(time.Millisecond)
	}
}

// What prepares the matrix for kernels, and what they call, is part of their digests.
func TestSourceCountsWhatIsUsed(t *testing.T) {
	code := testkit.Must(sourceCode())
	everywhere := []string{"planOrdered", "Of", "cuthillMcKee", "rim", "sorted", "Apply", "moveColumns", "Inverse"}
	for kernel, functions := range map[string][]string{
		"cpu_sell": {"NewSELL", "sortWindows", "fillChunk", "tall", "take"}, "cpu_coo": {"COO", "all"},
		"cpu_coo_chunks": {"COO", "chunk", "take", "work", "notify"}, "cpu_csr": {"rowsOf"},
		"cpu_csr_rows": {"rowsOf", "take", "notify"}, "cpu_csr_merge": {"pathAt", "dot", "notify"},
	} {
		used := code.functions(sources[kernel], "planOrdered")
		for _, f := range append(functions, everywhere...) {
			testkit.Says(t, kernel, used, " "+f+" ")
		}
	}
	testkit.Lacks(t, "cpu_csr", code.functions(sources["cpu_csr"], "planOrdered"), "NewSELL")
}

// The files with formats that are embedded are all that the kernels use.
func TestSourceIsWhole(t *testing.T) {
	counted := map[string]bool{}
	add := func(dir string, files fs.FS) {
		names, err := fs.Glob(files, "*.go")
		testkit.Require(t, err == nil && len(names) != 0, "%s has no files: %v", dir, err)
		for _, name := range names {
			counted[filepath.Join(dir, name)] = true
		}
	}
	add("kernels/cpu", sourceFiles)
	add("sparse", sparse.Source)
	add("sparse/reorder", reorder.Source)
	found := testkit.Must(usesBetween("../..", []string{"example.org/spmvtune/kernels/cpu", "example.org/spmvtune/sparse", "example.org/spmvtune/sparse/reorder"}))
	for _, u := range found {
		if counted[u.From] && strings.HasPrefix(u.To, "sparse/") && !counted[u.To] {
			t.Errorf("%s uses %s of %s: embed that file beside the others of its package, else no digest counts it",
				u.From, u.Name, u.To)
		}
	}
}
