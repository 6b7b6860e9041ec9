//go:build cuda

package cuda

// #include <cudaProfiler.h>
import "C"

// Profile begins or ends what a profiler counts that was told to wait for it. The profiler itself
// empties caches.
func (b *Backend) Profile(on, _ bool) error {
	if on {
		return failed(result(C.cuProfilerStart()), "telling the profiler to begin")
	}
	return failed(result(C.cuProfilerStop()), "telling the profiler to end")
}
