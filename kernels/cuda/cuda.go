// SPDX-License-Identifier: Apache-2.0

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
// device drops the least recently used ones. Fresh ones are copies of originals that are kept on the
// device (originals_cuda.go). Arrays packed on the host are kept as well
// (packing.go). A product is timed by events around all of its operations, the zeroing of y
// among them, behind a kernel that holds the stream until the samples are enqueued (gate.cu).
//
// Everything runs on one stream, in the device's primary context, on the thread
// that opened it. An error of the device is returned like any other, but after
// one such as an illegal address all calls of the process fail: whoever runs
// products must be ready to start another process.
//
// Clocks, temperature and power are read through NVML, which is opened at run time
// (package native); without it, Sense says why, and everything else works.
//
// Note: gorgonia.org/cu gives contexts, memory, modules and streams. Its Launch allocates for
// each call and reads each argument as 8 bytes, so products are enqueued by this package's own
// C (launch_cuda.c); cuSPARSE is opened by name (cusparse_cuda.c), because a build must not
// need it. cu ends the process where the driver finds no device, which is why a program built
// with the tag is a second one, a worker for the first.
package cuda

import "slices"

// What an error of Open says where no GPU can be used, each followed by more or nothing.
const (
	NoDriver = "there is no NVIDIA driver (libcuda.so.1 is missing)"
	NoDevice = "the NVIDIA driver finds no GPU"
	NoStart  = "the NVIDIA driver can't be initialised: "
)

//go:generate sh generate.sh

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
