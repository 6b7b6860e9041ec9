// SPDX-License-Identifier: Apache-2.0

// Package worker measures trials in a process of its own, which holds the device and the
// current matrix. The parent starts it and asks it through a [Client].
//
// Every trial takes the same way. Its product is computed once into a poisoned y and
// compared in full with a reference of higher precision. It is timed only if every row is
// within its error bound, and is compared once more afterwards, as is one product more
// into a poisoned y. Its samples give a median with a 95% interval.
//
// What a sample is, is decided here and by the backends: see [Version].
package worker

import (
	"fmt"
	"strings"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// A Request is what the parent asks of its worker; exactly one field is set. Requests and
// replies alternate, encoded with encoding/gob, which carries NaN and infinities and
// tolerates a worker that was built with other tags.
type Request struct {
	Open  *OpenRequest
	Build []kernels.Config // of own kernels, to be compiled before the first is measured
	Roof  bool
	Load  *LoadRequest
	Ready *LoadRequest // reads what a Load of the same will want, if it can, before the device is opened
	Trial *TrialRequest
}

// An OpenRequest asks for a device.
type OpenRequest struct {
	Device configs.Device
	// Own are the kernels that the sweep defines, and Compiled the folder of what is compiled.
	Custom   []kernels.Custom
	Compiled string
	// Scratch is the folder of the sweep's programs, "" if it has none.
	Scratch string
}

// A LoadRequest asks for a matrix.
type LoadRequest struct {
	Matrix configs.Matrix
	Seed   uint64 // for the vector x
	// Looking says that nothing will be measured: only the description is wanted, and nothing is kept.
	Looking bool
}

// A TrialRequest asks for a trial.
type TrialRequest struct {
	Trial    trial.Trial
	Protocol configs.Protocol
	// Fresh puts everything that the trial touches at other addresses than before.
	Fresh bool
	// Full lets the worker compare all rows itself, too, where the device does.
	Full bool
	// Next are configurations to come, whose formats may be made meanwhile.
	Next []kernels.Config
	// Best is the lowest median of the trial's place so far in seconds; 0: there is none.
	Best float64
}

// A Reply answers the request before it.
type Reply struct {
	Err     string // why the request failed; "" if it did not
	Device  *kernels.Device
	Sources map[string]string // digest of each kernel that the device can run
	// NoSensors is why the device's sensors can't be read; "" if they can, or if there are
	// none.
	NoSensors string
	// Unbuilt is why each configuration of Build can't be compiled; "" for those that can.
	Unbuilt   []string
	Roof      *kernels.Roof
	Matrix    *trial.Matrix
	Result    *trial.Result
	Breakdown TimeBreakdown // where the time of the trial went, and that before it: the worker's part of it
	// Spoiled says that the device or the process is in doubt after this trial, and that
	// the worker must be replaced.
	Spoiled bool
}

// ProtocolText returns the canonical form of what a protocol says about a sample. It leaves
// out the cache state, which is part of each trial, and the timeout, which only decides
// whether there is a result.
func ProtocolText(p configs.Protocol) string {
	parts := []string{
		fmt.Sprintf("warmup=%d", p.Warmup),
		fmt.Sprintf("samples=%d..%d", p.Samples[0], p.Samples[1]),
		fmt.Sprintf("target=%g", p.Target),
		fmt.Sprintf("budget=%s", p.Budget),
		fmt.Sprintf("seed=%d", p.Seed),
	}

	parts = append(parts, fmt.Sprintf("launch=%s", p.Launch))
	if p.Slow > 0 {
		parts = append(parts, fmt.Sprintf("slow=%g", p.Slow))
	}
	return strings.Join(parts, " ")
}

// Version is the version of the measurement: of the code that decides what a sample is. It
// is part of the identity of a trial and recorded with each result, because times of
// different versions can't be compared.
//
//	1  everything from before results had a version; what a warm sample is changed twice
//	2  a warm sample lasts at least 50 µs, and longer where the clock is coarse
//	3  a GPU replays the products of a sample as a CUDA graph, unless the protocol says
//	   launch = "stream"; cold samples find clean lines in the caches, no modified ones;
//	   one product ends a trial that is far slower than the best of its case
//
// testdata/measurement lists the files that decide it, with their digests. TestVersion
// fails when one of them changes, and says what to do.
const Version = 3

// bytesMin returns the compulsory traffic of a product: the arrays of the format once, the
// elements of x that occur once, y once. A bandwidth computed from it can't exceed the
// device's when caches are cold.
func bytesMin(f sparse.Features, p kernels.Precision, info kernels.ProductInfo) int64 {
	return info.BytesFormat + int64(f.ColsUsed+f.Rows)*int64(p.Bytes())
}
