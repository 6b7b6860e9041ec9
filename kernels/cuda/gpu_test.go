// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// These tests need a GPU: without one they fail with what the driver says.
var (
	gpuFolder  = flag.String("shared", "", "folder of .mtx.gz files (default ../shared/matrices beside the repository)")
	gpuKernels = flag.String("kernels", "", "kernels to test, a regular expression")
	gpuQuick   = flag.Bool("quick", false, "few configurations, small matrices: for compute-sanitizer")
	gpuRaces   = flag.Bool("races", false, "with -quick: one block and grid, few matrices, for its racecheck")
)

// TestGPUThere is what gpu-check runs first.
func TestGPUThere(t *testing.T) {
	b := testkit.Must(Open(0, false))
	testkit.Succeed(t, b.Close())
}

// TestGPUCorners runs every kernel over all its blocks on corner cases.
func TestGPUCorners(t *testing.T) {
	blocks := []int{1, 2, 33, 100, 1000}
	for b := 32; b <= 1024; b += 32 {
		blocks = append(blocks, b)
	}
	switch {
	case *gpuRaces:
		checkGPU(t, gpuCorners(), []int{128}, []int{3})
		return
	case *gpuQuick:
		checkGPU(t, gpuCorners(), []int{33, 64, 1024}, []int{3})
		return
	}
	checkGPU(t, gpuCorners(), blocks, []int{1, 7, 132, 1000, 65536})
}

// TestGPUGenerated runs every kernel on what generators make, and on a row of a
// million nonzeros.
func TestGPUGenerated(t *testing.T) {
	if *gpuQuick {
		t.Skip("quick")
	}
	checkGPU(t, gpuLarge(), []int{1, 32, 33, 64, 100, 128, 256, 512, 1000, 1024}, []int{1, 7, 132, 1000, 65536})
}

// TestGPUShared runs every kernel on real matrices.
func TestGPUShared(t *testing.T) {
	if *gpuQuick {
		t.Skip("quick")
	}
	gpuPatience = time.Second / 4
	checkGPU(t, gpuShared(t), []int{32, 33, 256, 1024}, []int{1, 132, 65536})
}

// gpuCount is what became of a kernel's configurations.
type gpuCount struct {
	kernel                string
	right, invalid, wrong int
	skipped               int           // because the kernel is slow on a matrix
	spent                 time.Duration // on the current matrix and precision
	worst                 float64       // error of real data, as a fraction of the bound
	failure, reason       string        // the first
}

// gpuPatience is the time of products after which a kernel's further
// configurations on a matrix are left out: a thread per row takes seconds for a
// row of a million, and shows nothing new.
var gpuPatience = 3 * time.Second

// quickSize is how many rows and nonzeros a matrix of a quick test has at most: the
// sanitizer takes a thousand times as long.
const quickSize = 10_000

// checkGPU verifies every kernel of the catalogue in both precisions, with integer
// data exactly and with real data within the bound, and prints a table.
func checkGPU(t *testing.T, matrices []gpuMatrix, blocks, grids []int) {
	b := openGPU(t)
	counts := map[string]*gpuCount{}
	for _, spec := range matrices {
		structure := spec.build(t)
		if *gpuQuick && structure.Rows+structure.NNZ() > quickSize || *gpuRaces && structure.NNZ() < 1000 {
			continue
		}
		y := make([]float64, structure.Rows)

		for _, integer := range []bool{true, false} {
			if *gpuQuick && !integer {
				continue // the same accesses again
			}
			m, x := withData(structure, integer)
			testkit.Succeed(t, b.Load(&kernels.Problem{A: m, X: x}))

			for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				ref := newGPUReference(m, x, p, integer)
				for _, k := range gpuSelected(t) {
					n := counts[k.Name]
					if n == nil {
						n = &gpuCount{kernel: k.Name}
						counts[k.Name] = n
					}

					n.spent = 0
					for _, c := range gpuConfigs(k, p, m.NNZ(), blocks, grids, integer) {
						if n.spent > gpuPatience {
							n.skipped++
							continue
						}
						if err := n.check(b, c, spec.name, ref, y); err != nil {
							gpuTable(t, counts)
							t.Fatalf("%s: %s: %v (the device can't be trusted any more)", spec.name, c, err)
						}
					}
				}
			}
		}
	}
	gpuTable(t, counts)
}

// newer is the reason for a kernel that never ran on a machine whose library lacks it.
const newer = "needs a newer cuSPARSE"

// check verifies one configuration. An error is a fault of the device.
func (n *gpuCount) check(b kernels.Backend, c kernels.Config, matrix string, ref *gpuReference, y []float64) error {
	p, err := b.Prepare(c, kernels.Options{})
	var invalid *kernels.InvalidError
	if errors.As(err, &invalid) {
		n.invalid++
		n.reason = cmp.Or(n.reason, fmt.Sprintf("%s on %s: %v", c, matrix, err))
		return nil
	}
	if err != nil {
		return err
	}

	start := time.Now()
	if err := kernels.Compute(p, nil, y); err != nil {
		return err
	}
	n.spent += time.Since(start)
	worst, row := ref.worst(y, c.Precision, p.Info().Window)
	if worst <= 1 {
		n.right++
		n.worst = max(n.worst, worst)
		return nil
	}

	n.wrong++
	n.failure = cmp.Or(n.failure, fmt.Sprintf("%s on %s: row %d is %g, should be %g (%.3g of the bound)", c, matrix,
		row, y[row], ref.hi[row], worst))
	return nil
}

// gpuTable prints the counts, and makes errors of wrong results and of kernels
// that never ran.
func gpuTable(t *testing.T, counts map[string]*gpuCount) {
	t.Helper()
	fmt.Printf("%-30s %8s %8s %8s %8s %10s\n", "kernel", "right", "invalid", "wrong", "skipped", "max error")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		fmt.Printf("%-30s %8d %8d %8d %8d %10.3f\n", name, n.right, n.invalid, n.wrong, n.skipped, n.worst)
	}

	for _, name := range slices.Sorted(maps.Keys(counts)) {
		switch n := counts[name]; {
		case n.wrong > 0:
			t.Errorf("wrong %d times: first %s", n.wrong, n.failure)
		case n.right == 0 && strings.Contains(n.reason, newer):
			t.Logf("%s was not run: %s", name, n.reason)
		case n.right == 0:
			t.Errorf("%s never ran: %s", name, n.reason)
		case n.invalid > 0:
			t.Logf("%s was invalid %d times: first %s", name, n.invalid, n.reason)
		}
	}
}

// gpuConfigs are all blocks with all grids and default parameters, and with a few
// blocks every other setting. Real data, which only bound an error, take fewer.
func gpuConfigs(k kernels.Kernel, p kernels.Precision, nnz int, blocks, grids []int, all bool) []kernels.Config {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b int) bool { return !k.Blocks.Contains(b) })
	if k.Block == "" {
		blocks = []int{0}
	}
	if k.Grid == "" {
		grids = []int{0}
	}

	few := blocks
	if len(few) > 3 {
		few = []int{blocks[0], blocks[len(blocks)/2], slices.Max(blocks)}
	}
	var configs []kernels.Config

	for i, s := range gpuSettings(k) {
		over := few
		switch {
		case i == 0 && all:
			over = blocks
		case i > 0 && !all:
			over = few[:1]
		}

		for _, block := range over {
			for _, grid := range grids {
				c := kernels.Config{Kernel: k.Name, Precision: p, Block: block, Grid: grid, Params: s}
				// A few threads take long for much, and show nothing new.
				slow := c.Grid > 0 && c.Grid*c.Block < 1024 && nnz > 300_000
				if !slow && k.Check(c) == nil {
					configs = append(configs, c)
				}
			}
		}
	}

	return configs
}

// gpuSettings are a kernel's defaults, and then each other value of a parameter,
// the others at their defaults.
func gpuSettings(k kernels.Kernel) []kernels.Params {
	all := []kernels.Params{""}
	params := k.Params
	if slices.Contains([]string{"csr_scalar", "coo_atomic", "sell_c_sigma"}, k.Name) {
		params = k.Choices() // the order of rows, too
	}
	for _, p := range params {
		values := p.Values
		if values == nil {
			values = []string{"1", "2", "70", "5000"}
		}
		for _, v := range values {
			if v != p.Default {
				all = append(all, kernels.NewParams(map[string]string{p.Name: v}))
			}
		}
	}

	return all
}

func gpuSelected(t *testing.T) []kernels.Kernel {
	t.Helper()
	pattern := testkit.Must(regexp.Compile(*gpuKernels))
	return slices.DeleteFunc(slices.Clone(kernels.Catalogue), func(k kernels.Kernel) bool {
		return k.Backend != "cuda" || !pattern.MatchString(k.Name)
	})
}

func openGPU(t *testing.T) *Backend {
	t.Helper()
	opened := testkit.Must(Open(0, false))

	b := opened.(*Backend)
	start := time.Now()
	t.Cleanup(func() {
		t.Logf("%s; all in %v", b.device.Name, time.Since(start))
		testkit.Succeed(t, b.Close())
	})

	return b
}

// A gpuMatrix is built when its turn comes.
type gpuMatrix struct {
	name  string
	build func(t *testing.T) *structure
}

// A gpuReference is a product computed here, row by row, with what bounds the
// error of each row.
type gpuReference struct {
	m      *structure
	exact  bool // integer data: any order of summation gives hi
	hi, lo []float64
	prefix []float64 // sums of |a||x| up to each nonzero
}

// newGPUReference multiplies in double-double arithmetic, after rounding A to
// float32 where the precision does. x is exact in float32.
func newGPUReference(m *structure, x []float64, p kernels.Precision, exact bool) *gpuReference {
	r := &gpuReference{m, exact, make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.NNZ()+1)}
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			a, b := m.Val[k], x[m.ColIdx[k]]
			if p == kernels.Float32 {
				a = float64(float32(a))
			}
			product := a * b
			sum := r.hi[i] + product
			z := sum - r.hi[i]

			r.lo[i] += r.hi[i] - (sum - z) + (product - z) + math.FMA(a, b, -product)
			r.hi[i] = sum
			r.prefix[k+1] = r.prefix[k] + math.Abs(product)
		}
	}

	return r
}

// worst compares y. It returns the largest error as a fraction of what its row
// may have, and that row; above 1 means wrong. window is ProductInfo.Window.
func (r *gpuReference) worst(y []float64, p kernels.Precision, window int) (worst float64, row int) {
	u := p.Roundoff()
	for i, got := range y {
		d := math.Abs(got - r.hi[i] - r.lo[i])
		if d == 0 {
			continue
		}
		lo, hi := int(r.m.RowPtr[i]), int(r.m.RowPtr[i+1])
		n := float64(hi - lo)
		if window > 0 && hi > lo {
			lo, hi = lo/window*window, min(ceilDiv(hi, window)*window, r.m.NNZ())
		}

		// The sum of magnitudes is itself rounded; a unit of its end keeps it an
		// upper bound.
		s := r.prefix[hi] - r.prefix[lo] + r.prefix[hi]*0x1p-50
		bound := u * (8*math.Sqrt(n) + 8) * s
		if math.IsNaN(d) || r.exact || bound == 0 {
			return math.Inf(1), i
		}

		if d/bound > worst {
			worst, row = d/bound, i
		}
	}

	return worst, row
}
