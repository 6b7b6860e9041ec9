//go:build cuda

package cuda

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "cusparse_cuda.h"
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// libraryNames are tried in this order.
var libraryNames = []string{"libcusparse.so.13", "libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"}

// A cusparse is the open library.
type cusparse struct {
	lib  *C.spmv_cusparse
	warm bool  // it has analysed a matrix before
	err  error // why there is none; it is not looked for twice
}

// library opens cuSPARSE at its first call. A missing one is an
// *kernels.InvalidError: the other kernels go on.
func (b *Backend) cusparse() (*cusparse, error) {
	if b.vendor == nil {
		b.vendor = &cusparse{lib: (*C.spmv_cusparse)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_cusparse{}))))}
		b.vendor.err = b.vendor.open(b.stream)
	}
	return b.vendor, b.vendor.err
}

func (l *cusparse) open(s cu.Stream) error {
	var why string
	for _, name := range libraryPaths() {
		text := C.CString(name)
		failure := C.spmv_cusparse_open(l.lib, text)
		C.free(unsafe.Pointer(text))
		if failure != nil {
			why = C.GoString(failure)
			continue
		}

		if err := l.status(C.spmv_cusparse_start(l.lib, C.CUstream(stream(s)))); err != nil {
			return fmt.Errorf("starting %s: %w", name, err)
		}
		return nil
	}

	return &kernels.InvalidError{Reason: fmt.Sprintf("cuSPARSE can't be opened (%s): install it, or add its folder "+
		"to LD_LIBRARY_PATH", why)}
}

// version is the library's, as in "12.6.3".
func (l *cusparse) version() string {
	v := int(l.lib.version)
	return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100)
}

// can returns an *kernels.InvalidError if this version of the library lacks what m needs.
func (l *cusparse) can(kernel string, m vendorMatrix) error {
	if C.spmv_cusparse_has(l.lib, C.int(m.form), C.int(m.algorithm)) != 0 {
		return nil
	}
	return &kernels.InvalidError{Reason: fmt.Sprintf("%s needs a newer cuSPARSE than %s, which is what this "+
		"machine has", kernel, l.version())}
}

// libraryPaths are where cuSPARSE is looked for: where the loader does, and in
// the toolkit's usual places.
func libraryPaths() []string {
	paths := libraryNames
	for _, root := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda"} {
		if root == "" {
			continue
		}
		for _, name := range libraryNames {
			paths = append(paths[:len(paths):len(paths)], filepath.Join(root, "lib64", name))
		}
	}

	return paths
}

func (l *cusparse) status(code C.int) error {
	switch {
	case code == 0:
		return nil
	case code == 2: // CUSPARSE_STATUS_ALLOC_FAILED
		return fmt.Errorf("cuSPARSE: the device is %w", kernels.ErrMemory)
	case code == 10: // CUSPARSE_STATUS_NOT_SUPPORTED
		return &kernels.InvalidError{Reason: "cuSPARSE " + l.version() + " does not support this product"}
	}
	return fmt.Errorf("cuSPARSE: %s", C.GoString(C.spmv_cusparse_text(l.lib, code)))
}

func (l *cusparse) close() error {
	C.spmv_cusparse_close(l.lib)
	C.free(unsafe.Pointer(l.lib))
	return nil
}
