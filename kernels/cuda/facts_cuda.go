//go:build cuda

package cuda

import (
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A launch is a step that the device can run.
type launch struct {
	*entry
	step
	perUnit int // blocks that fit on a multiprocessor
}

// facts notes what the launches take: for the largest by its threads, under plain names; if
// there are several, also each under NAME:ENTRY.
//
// The occupancy is theoretical: resident warps over the most that a
// multiprocessor can hold, as registers, shared memory and block size allow
// (CUDA C++ Best Practices Guide, "Occupancy").
func (m *modules) facts(launches []launch, into map[string]float64) {
	var largest launch
	for _, l := range launches {
		if l.Grid*l.Block > largest.Grid*largest.Block {
			largest = l
		}
	}

	note := func(l launch, suffix string) {
		warps := (l.Block + 31) / 32
		into["registers"+suffix] = float64(l.registers)
		into["shared_bytes"+suffix] = float64(l.shared + l.Shared)
		into["local_bytes"+suffix] = float64(l.local)
		into["blocks_per_sm"+suffix] = float64(l.perUnit)
		into["occupancy"+suffix] = float64(l.perUnit*warps) / float64(m.limits.threadsPerUnit/32)
	}

	if largest.entry != nil {
		note(largest, "")
	}
	if len(launches) > 1 {
		for _, l := range launches {
			note(l, ":"+l.Entry)
		}
	}
}

// formatBytes is the size of a in a kernel's format, padding included.
func formatBytes(f kernels.Format, a *sparse.CSR[float64], v int, r *recipe) int64 {
	nnz := int64(a.NNZ())
	switch f {
	case kernels.COO:
		return int64(8+v) * nnz
	case kernels.SELL, kernels.BSR, kernels.Tiles, kernels.Panels:
		var bytes int64
		for _, x := range r.Aux {
			bytes += 4*int64(len(x.Ints)) + int64(v)*int64(len(x.Vals))
		}
		return bytes
	default:
		return 4*int64(a.Rows+1) + int64(4+v)*nnz
	}
}
