//go:build cuda

package cuda

// #include <cudaProfiler.h>
import "C"

import "spmvtune/kernels"

// Profile begins or ends what a profiler counts that was told to wait for it. Before the products,
// it counts the launch of the gate, which Mark names. Caches are emptied by the profiler.
func (b *Backend) Profile(on, _ bool) error {
	if !on {
		return failed(result(C.cuProfilerStop()), "telling the profiler to end")
	}
	if err := result(C.cuProfilerStart()); err != nil {
		return failed(err, "telling the profiler to begin")
	}
	gate, err := b.modules.entry(Mark)
	if err != nil {
		return err
	}
	// Every gate is open for ticket 0.
	mark := newProgram([]op{{function: gate.f, grid: 1, block: 1, args: []uint64{uint64(b.clock.c.device_flag), 0, 0}}},
		kernels.Stream)
	defer mark.release()
	if err := mark.enqueue(b.stream); err != nil {
		return failed(err, "marking where products begin")
	}
	return failed(b.stream.Synchronize(), "marking where products begin")
}
