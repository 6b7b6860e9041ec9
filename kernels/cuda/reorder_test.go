// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"math/rand/v2"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/reorder"
)

// Products of a matrix in another order are those of the matrix, whatever arrays a kernel
// reads: CSR, COO with a y that is added to, packed values, several steps.
func TestEmulatedReorder(t *testing.T) {
	e := newEmulator(t)
	square := randomRows(300, 300, 40, 5)
	square.Cols = 300
	wide := randomRows(200, 500, 30, 6)
	for i, kernel := range []string{"csr_scalar", "coo_atomic", "sell_c_sigma", "csr_merge", "csr_bins"} {
		k, _ := kernels.Lookup(kernel)
		for _, how := range reorder.Methods {
			params := k.Complete(kernels.NewParams(map[string]string{kernels.Reorder: string(how)}))
			for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				c := kernels.Config{Kernel: kernel, Precision: p, Block: 64, Params: params}
				if k.Grid != "" {
					c.Grid = 3
				}
				for _, m := range []*structure{square, wide, rowsOfLength(0, 0, 0), rowsOfLength(1)} {
					checkExact(t, e, m, c, int64(i))
				}
			}
		}
	}
}

// A matrix that is not square has no order of both rows and columns, which is said.
func TestReorderRefuses(t *testing.T) {
	c := kernels.Config{Kernel: "csr_scalar", Precision: kernels.Float32, Block: 64, Grid: 1,
		Params: kernels.Params("reorder=rcm")}
	_, err := newRecipe(randomRows(200, 500, 30, 6), c, 4)
	testkit.Fails(t, err, "rcm orders rows and columns alike, and 200×500 is not square")
}

// The order of a matrix is found once for all configurations, also while other orders are used.
func TestOrderIsShared(t *testing.T) {
	m := randomRows(200, 500, 30, 7)
	array := func(params kernels.Params) *int32 {
		c := kernels.Config{Kernel: "sell_c_sigma", Precision: kernels.Float32, Block: 64, Grid: 1, Params: params}
		r, err := newRecipe(m, c, 4)
		testkit.Succeed(t, err)
		for a := range r.arrays {
			if a.own != nil && len(a.own.Vals) > 0 {
				return &a.own.Vals[0]
			}
		}
		t.Fatal("no values")
		return nil
	}
	first := array("reorder=rows-by-length")
	plain := array("")
	array("reorder=rows-by-column")
	testkit.Check(t, array("reorder=rows-by-length") == first && array("") == plain, "values are packed again")
}

// A product that leaves out equal values has one of them, and one that reads them has all, in whatever order they come.
func TestOrderOfEqualValues(t *testing.T) {
	m := withValue(randomRows(200, 500, 30, 7), 3)
	stored := func(values string) int {
		params := kernels.NewParams(map[string]string{"values": values, kernels.Reorder: "rows-by-length"})
		c := kernels.Config{Kernel: "sell_local", Precision: kernels.Float32, Block: 64, Grid: 1, Params: params}
		r, err := newRecipe(m, c, 4)
		testkit.Succeed(t, err)
		return len(r.Steps[0].Args[1].own.Vals)
	}
	if one, all := stored("equal"), stored("stored"); one != 1 || all < m.NNZ() {
		t.Errorf("%d values, and %d of %d nonzeros", one, all, m.NNZ())
	}
}

// checkGather checks that whichever element is the only one that is not 0 is read once: the
// sum of the thread that reads it is then 1, which is stored.
func checkGather(t *testing.T, e *emulator) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, bits := range []int{1, 5, 10} {
		for range 20 {
			x := make([]float64, 1<<bits)
			at := rng.IntN(len(x))
			x[at] = 1
			arrays := map[string][]byte{"x": packValues(x, 8), "sink": packValues([]float64{0}, 8)}
			gather := step{Entry: "roof_gather", Grid: 3, Block: 64,
				Args: []arg{{array: "x"}, {array: "sink"}, {value: int32(bits)}}}
			got := unpackValues(e.launch(t, "gathering", arrays, []step{gather}, "sink", 1), 8)[0]
			testkit.Equal(t, got, 1, "%d bits: element %d adds to the sums", bits, at)
		}
	}
}
