package cuda

import (
	"testing"

	"spmvtune/kernels"
)

func csrEmulator(t *testing.T) *emulator {
	t.Helper()
	return newEmulator(t, "csr_rows", "csr_tile", "csr_light", "csr_adaptive", "csr_pcsr", "csr_bins", "csr_merge", "sell")
}

// csrKernels are those with recipes that do not read COO.
func csrKernels() []kernels.Kernel {
	var all []kernels.Kernel
	for _, k := range kernels.Catalogue {
		if cooks[k.Name] != nil && k.Format != kernels.COO {
			all = append(all, k)
		}
	}
	return all
}

// The corners hold what the published kernels got wrong: a last row that CSR
// Adaptive did not count, rows fewer than the threads of PCSR's second kernel, and
// warps of CSR Vector without a row beside others at a barrier.
func TestCSRKernels(t *testing.T) {
	e := csrEmulator(t)
	for _, k := range csrKernels() {
		t.Run(k.Name, func(t *testing.T) { checkKernel(t, e, k) })
	}
}

// Blocks of several warps that take many rows, bins or tiles one after another use
// their shared memory again and again: a barrier missing in between shows.
func TestCSRKernelsOfFewBlocks(t *testing.T) {
	e := csrEmulator(t)
	m := randomRows(600, 300, 30, 3)
	for _, n := range []int{300, 64, 65, 299, 0} {
		for j := range n {
			m.ColIdx, m.Val = append(m.ColIdx, int32(j)), append(m.Val, float64(j%3))
		}
		m.Rows++
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}
	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = float64(j%5 - 2)
	}
	want := make([]float64, m.Rows)
	for i := range want {
		cols, vals := m.Row(i)
		for j, col := range cols {
			want[i] += vals[j] * x[col]
		}
	}
	for _, k := range csrKernels() {
		settings := kernels.Params("")
		for _, p := range k.Params {
			switch p.Name {
			case "shared":
				settings = settings.With(p.Name, "1")
			case "tile":
				settings = settings.With(p.Name, "256")
			case "long":
				settings = settings.With(p.Name, "128")
			}
		}
		for i, p := range []kernels.Params{"", settings} {
			for _, c := range []kernels.Config{
				{Kernel: k.Name, Precision: kernels.Float32, Block: 64, Grid: 1, Params: p},
				{Kernel: k.Name, Precision: kernels.Float64, Block: 256, Grid: 2, Params: p},
			} {
				got := e.run(t, m, x, c, int64(i))
				if row, ok := firstDifference(got, want); !ok {
					t.Errorf("%s: row %d is %v, want %v", c, row, got[row], want[row])
				}
			}
		}
	}
}
