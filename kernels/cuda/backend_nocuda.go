//go:build !cuda

package cuda

import (
	"errors"

	"spmvtune/kernels"
)

// Built reports whether this program was built with CUDA.
const Built = false

// Open returns a backend for the GPU with this index, counted as the driver
// does (CUDA_VISIBLE_DEVICES). This build has none; the error says how to get it.
func Open(index int) (kernels.Backend, error) { return nil, errBuild }

// Count returns how many GPUs there are, counted in the same way.
func Count() int { return 0 }

// Names lists the models of all GPUs.
func Names() []string { return nil }

// Ahead does what opening a GPU takes and needs none, which is nothing here.
func Ahead() {}

var errBuild = errors.New("this program was built without CUDA: install the CUDA toolkit's headers and run `make`, " +
	"or `go build -tags cuda`")
