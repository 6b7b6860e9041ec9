// SPDX-License-Identifier: Apache-2.0

//go:build !cuda

package cuda

import (
	"errors"

	"example.org/spmvtune/kernels"
)

// Built reports whether this program was built with CUDA.
const Built = false

// Open returns a backend for the GPU with this index, counted as the driver
// does (CUDA_VISIBLE_DEVICES). This build has none; the error says how to get it.
func Open(index int, lean bool) (kernels.Backend, error) { return nil, errBuild }

// Names lists the models of all GPUs, in the same order.
func Names() []string { return nil }

// Ahead does what opening a GPU takes and needs none, which is nothing here.
func Ahead() {}

var errBuild = errors.New("this program was built without CUDA: install the CUDA toolkit's headers and run `make`, " +
	"or `go build -tags cuda`")
