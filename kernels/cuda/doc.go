// Package cuda runs sparse matrix-vector products on an NVIDIA GPU. It implements
// kernels.Backend for the kernels of the catalogue that need one, and for
// cuSPARSE.
//
// A kernel has three parts. CUDA C++ in a .cu file is compiled ahead to PTX, which is committed
// and embedded (go generate); where it pays, for newer devices as well, and a device gets the best
// that it takes. A recipe says, without a device, what a configuration launches
// over which arrays (recipes.go). A row in the catalogue describes it. The backend (files
// *_cuda.go, build tag cuda) puts the arrays of a recipe on the device, asks the driver whether
// each launch is possible, and makes a list of operations in C's memory that one call enqueues.
// Without the tag there are recipes and PTX, and Open says how to rebuild.
//
// Arrays are in device memory only, made when first needed and kept until the next Load; a full
// device drops the least recently used ones. Arrays packed on the host are kept as well
// (packing.go). A product is timed by events around all of its operations, the zeroing of y
// among them, behind a kernel that holds the stream until the samples are enqueued (gate.cu).
//
// Everything runs on one stream, in the device's primary context, on the thread
// that opened it. An error of the device is returned like any other, but after
// one such as an illegal address all calls of the process fail: whoever runs
// products must be ready to start another process.
//
// Clocks, temperature and power are read through NVML, which is opened at run time
// (internal/nvml); without it, Sense says why, and everything else works.
//
// Note: gorgonia.org/cu gives contexts, memory, modules and streams. Its Launch allocates for
// each call and reads each argument as 8 bytes, so products are enqueued by this package's own
// C (launch_cuda.c); cuSPARSE is opened by name (cusparse_cuda.c), because a build must not
// need it. cu ends the process where the driver finds no device, which is why a program built
// with the tag is a second one, a worker for the first.
package cuda

import (
	"math/bits"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// What an error of Open says where no GPU can be used, each followed by more or nothing.
const (
	NoDriver = "there is no NVIDIA driver (libcuda.so.1 is missing)"
	NoDevice = "the NVIDIA driver finds no GPU"
	NoStart  = "the NVIDIA driver can't be initialised: "
)

//go:generate sh generate.sh

// Limits gives what is enough for a configuration to be legal on a matrix, where that follows from its
// features. Where it also depends on the pattern, other matrices may be legal, too. Kernels that are
// legal on any matrix have none, and neither has one whose refusals no feature tells.
func Limits(c kernels.Config) []kernels.Limit {
	v := c.Precision.Bytes()
	switch c.Kernel {
	case "sell_local":
		return []kernels.Limit{
			most("cols", mostPanels*mostOfPanel(c, v)),
			most("rows", sparse.MaxIndex/2/mostPanels),
		}
	case "csr_lanes":
		if setting(c, "x") == "panels" {
			return []kernels.Limit{lanesLimit(mostSpaced(settingInt(c, "x_kb"), v))}
		}
		return []kernels.Limit{most("cols", 1<<(bits.Len(uint(256*lanesPlaces(c, v)))-1))}
	case "csr_narrow":
		if setting(c, "columns") == "16" {
			return []kernels.Limit{most("cols", 1<<16)}
		}
	case "panel_sell":
		return []kernels.Limit{most("cols", 1<<16-1), panelLimit(c, v)}
	case "sell_c_sigma":
		return []kernels.Limit{{{
			times(1, "rows", "row_max"), times(settingFloat(c, "chunk"), "row_max"),
			times(-float64(mostEntries(0))),
		}}}
	case "sell_diagonals":
		// A slice of 32 rows has all diagonals at most, and fills up its last turn.
		turn := settingFloat(c, "turn")
		return []kernels.Limit{
			most("diagonals", sparse.MaxDiagonals-settingInt(c, "turn")),
			{{
				times(1, "rows", "diagonals"), times(warp, "diagonals"), times(turn, "rows"),
				times(warp * turn), times(-2, "nonzeros"),
			}},
		}
	}
	return nil
}

// most limits a feature.
func most(feature string, n int) kernels.Limit {
	return kernels.Limit{{times(1, feature), times(-float64(n))}}
}

// lanesLimit asks for one panel, or for as many nonzeros a row as there are panels. They are at most twice
// as many as the columns need, because blocks share them evenly.
func lanesLimit(width int) kernels.Limit {
	return append(most("cols", width), kernels.Sum{
		times(2, "cols", "rows"), times(2*float64(width), "rows"), times(-float64(width), "nonzeros"),
	})
}

// panelLimit keeps a panel in shared memory whatever its pattern. A row has a slot in it, and one more for
// each 64 nonzeros. A panel has a block's share of them, and a column more; blocks have at least four
// nonzeros of each row.
func panelLimit(c kernels.Config, v int) kernels.Limit {
	const shared = 220 << 10
	value := float64(v)
	return kernels.Limit{{
		times(value*(1+9./64), "rows"), times(value/64/float64(c.Grid), "nonzeros"),
		times(value * settingFloat(c, "columns")), times(2, "rows"), times(2 - shared),
	}}
}

func settingFloat(c kernels.Config, name string) float64 { return float64(settingInt(c, name)) }

func times(factor float64, features ...string) kernels.Term {
	return kernels.Term{Factor: factor, Features: features}
}

// tick is the smallest difference between two of the times, in seconds, and at most most.
// Differences below a nanosecond come from rounding: no GPU clock resolves them.
func tick(times []float64, most float64) float64 {
	smallest := most
	times = slices.Sorted(slices.Values(times))
	for i, t := range times[1:] {
		if d := t - times[i]; d > 1e-9 {
			smallest = min(smallest, d)
		}
	}
	return smallest
}
