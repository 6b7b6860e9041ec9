package cuda

import (
	"slices"
	"testing"

	"spmvtune/internal/testing/long"
	"spmvtune/kernels"
)

// TestEmulated runs every kernel that has a recipe, and the measurement of gathering, on
// the processor.
func TestEmulated(t *testing.T) {
	e := newEmulator(t)
	for _, k := range kernels.Catalogue {
		if recipes[k.Name] == nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			checkKernel(t, e, k)
			if k.Format != kernels.COO && long.Asked() {
				checkFewBlocks(t, e, k)
			}
		})
	}
	t.Run("gather", func(t *testing.T) { checkGather(t, e) })
}

// kernelSources are the .cu files, without ending, of all kernels that have a recipe.
func kernelSources(t *testing.T) []string {
	t.Helper()
	var names []string
	for kernel := range recipes {
		files := kernelFiles(kernel)
		if len(files) == 0 {
			t.Fatalf("no PTX has an entry of %s: go generate ./kernels/cuda makes it from a .cu file", kernel)
		}
		for _, c := range files {
			names = append(names, c.source)
		}
	}

	slices.Sort(names)
	return slices.Compact(names)
}

// checkFewBlocks runs k in blocks of several warps that take many rows, bins or tiles one
// after another, and use their shared memory again and again: a barrier missing in between
// shows.
func checkFewBlocks(t *testing.T, e *emulator, k kernels.Kernel) {
	m := randomRows(600, 300, 30, 3)
	for _, n := range []int{300, 64, 65, 299, 0} {
		for j := range n {
			m.ColIdx, m.Val = append(m.ColIdx, int32(j)), append(m.Val, float64(j%3))
		}
		m.Rows++
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}

	first, last := kernels.Params(""), kernels.Params("")
	for _, p := range k.Params {
		values := p.Values
		if values == nil { // a number
			values = []string{p.Default, "128"}
		}
		first, last = first.With(p.Name, values[0]), last.With(p.Name, values[len(values)-1])
	}

	for i, p := range []kernels.Params{"", first, last} {
		checkExact(t, e, m, kernels.Config{Kernel: k.Name, Precision: kernels.Float32, Block: 64, Grid: 1, Params: p},
			int64(i))
		checkExact(t, e, m, kernels.Config{Kernel: k.Name, Precision: kernels.Float64, Block: 256, Grid: 2, Params: p},
			int64(i))
	}
}
