package tuner

import (
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A trial that fails in a worker where a kernel of the sweep's own has run is done again in another: that kernel
// may have left behind what ended it.
func TestOwnKernelsCostNoOther(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		sweep := testSweep(101, 102, 103, 104, 105, 106)
		mine := kernels.Kernel{Name: "mine", Backend: "cpu", Format: kernels.CSR, Block: "any", Guest: true,
			Blocks: kernels.Range{Min: 1, Max: 1 << 30, Step: 1}}
		if gpu {
			sweep, mine.Backend = onGPU(sweep), "cuda"
		}
		space := sweep.Kernels[0]
		space.Kernels, space.Own, space.Block = []string{"mine"}, &kernels.Own{Kernel: mine, File: "mine.c"}, []int{leaveBehind}
		sweep.Kernels = append([]configs.Space{sweep.Kernels[0]}, space)
		rec := &memory{}
		if sum := runTest(t, sweep, rec, Options{}); sum.Measured[trial.OK] != 7 {
			t.Errorf("GPU: %t: %v, %+v", gpu, sum.Measured, sum.Failed)
		}
	}
}
