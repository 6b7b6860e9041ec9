// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "cusparse_cuda.h"
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/internal/native"
)

// A vendorProduct is the cuSPARSE part of a product.
type vendorProduct struct {
	lib  *cusparse
	call *C.spmv_call
}

func newVendorProduct(lib *cusparse) *vendorProduct {
	return &vendorProduct{lib, (*C.spmv_call)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_call{}))))}
}

// failure is the error of the library's last call, or nil.
func (p *vendorProduct) failure() error { return p.lib.status(p.call.status) }

func (p *vendorProduct) release() {
	C.spmv_call_release(p.call)
	C.free(unsafe.Pointer(p.call))
}

// prepareVendor makes a product of cuSPARSE. Its Prepare time is that of the arrays beyond CSR
// (row indices, slices), and of the library's own analysis.
func (b *Backend) prepareVendor(k kernels.Kernel, c kernels.Config, launch kernels.Launch) (*product, error) {
	start := time.Now()
	lib, err := b.cusparse()
	b.modules.cost += time.Since(start)
	if err != nil {
		return nil, err
	}
	var m vendorMatrix
	p, _, own, err := b.begin(k, c, func() (*recipe, error) {
		if m, err = vendorRecipes[c.Kernel](b.problem.A, c); err == nil {
			err = lib.can(c.Kernel, m)
		}
		return m.recipe(), err
	})
	if err != nil {
		return nil, err
	}

	// Before its first product, the library loads its own kernels, which is not what preparing a product takes: it
	// analyses the matrix once for nothing.
	if start = time.Now(); !lib.warm {
		first := newVendorProduct(lib)
		_, err := b.analyse(first, m, p.v, own)
		first.release()
		if err != nil {
			return nil, err
		}
		lib.warm = true
		b.modules.cost += time.Since(start)
		start = time.Now()
	}
	p.vendor, p.entries = newVendorProduct(lib), []*entry{{}} // the library loads what it launches
	size, err := b.analyse(p.vendor, m, p.v, own)
	if err != nil {
		p.vendor.release()
		return nil, err
	}

	p.info.Prepare += time.Since(start)
	p.info.BytesKernel += size
	p.info.Properties["buffer_bytes"] = float64(size)
	p.program = newProgram([]op{{call: C.spmv_call_run, data: unsafe.Pointer(p.vendor.call)}}, launch)
	return p, nil
}

// analyse describes the matrix to the library, gives it the buffer that it asks
// for, and lets it analyse. It returns the buffer's size in bytes.
func (b *Backend) analyse(p *vendorProduct, m vendorMatrix, v int, own map[string]*array) (int64, error) {
	lib := p.lib
	at := func(g arg) C.CUdeviceptr { return C.CUdeviceptr(own[g.array].ptr) }
	a := b.problem.A
	matrix := C.spmv_matrix{
		form: C.int(m.form),
		rows: C.int64_t(a.Rows), cols: C.int64_t(a.Cols), nnz: C.int64_t(a.NNZ()),
		entries: C.int64_t(m.entries), height: C.int64_t(m.height),
		starts: at(m.starts), col_idx: at(m.columns), val: at(m.values),
	}
	var size C.size_t
	err := lib.status(C.spmv_call_prepare(p.call, lib.lib, C.int(m.algorithm), C.int(v), &matrix, at(ptr(vecX)), at(ptr(vecY)),
		&size))
	if err != nil {
		return 0, fmt.Errorf("describing the matrix: %w", err)
	}
	buffer, err := b.arrays.get(scratchKey("cusparse"), int64(size), reads, func(cu.DevicePtr) error { return nil })
	if err != nil {
		return 0, err
	}
	if err := lib.status(C.spmv_call_analyse(p.call, C.CUdeviceptr(buffer.ptr))); err != nil {
		return 0, fmt.Errorf("analysing the matrix: %w", err)
	}

	return int64(size), failed(b.stream.Synchronize(), "analysing the matrix")
}

// A cusparse is the open library.
type cusparse struct {
	lib  *C.spmv_cusparse
	warm bool  // it has analysed a matrix before
	err  error // why there is none; it is not looked for twice
}

// library opens cuSPARSE at its first call. One that is missing, or too new for the driver, is an
// *kernels.InvalidError: the other kernels go on.
func (b *Backend) cusparse() (*cusparse, error) {
	if b.vendor == nil {
		l := findCusparse()
		if b.vendor = l; l.err == nil {
			l.err = l.status(C.spmv_cusparse_start(l.lib, C.CUstream(stream(b.stream))))
			if l.err != nil && !errors.Is(l.err, kernels.ErrMemory) {
				l.err = invalid("it does not start, and may need a newer driver: %v", l.err)
			}
		}
	}
	return b.vendor, b.vendor.err
}

// findCusparse loads the library, which is not for a device yet.
func findCusparse() *cusparse {
	l := &cusparse{lib: (*C.spmv_cusparse)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_cusparse{}))))}
	if why := native.OpenToolkit(func(path unsafe.Pointer) unsafe.Pointer {
		return unsafe.Pointer(C.spmv_cusparse_open(l.lib, (*C.char)(path)))
	}, "libcusparse.so.13", "libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"); why != "" {
		l.err = invalid("cuSPARSE can't be opened (%s): install it, or add its folder to LD_LIBRARY_PATH", why)
	}
	return l
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
	return invalid("%s needs a newer cuSPARSE than %s, which is what this machine has", kernel, l.version())
}

func (l *cusparse) status(code C.int) error {
	switch {
	case code == 0:
		return nil
	case code == 2: // CUSPARSE_STATUS_ALLOC_FAILED
		return fmt.Errorf("cuSPARSE: the device is %w", kernels.ErrMemory)
	case code == 10: // CUSPARSE_STATUS_NOT_SUPPORTED
		return invalid("cuSPARSE %s does not support this product", l.version())
	}
	return fmt.Errorf("cuSPARSE: %s", C.GoString(C.spmv_cusparse_text(l.lib, code)))
}

func (l *cusparse) close() {
	C.spmv_cusparse_close(l.lib)
	C.free(unsafe.Pointer(l.lib))
}

// recipe has a step that names the arrays that the product reads and writes; the library launches in its place.
func (v vendorMatrix) recipe() *recipe {
	return &recipe{Steps: []step{{Args: []arg{v.starts, v.columns, v.values, ptr(vecX), ptr(vecY)}}}}
}

// Source returns a digest of a kernel's compiled code and layout; for a kernel of cuSPARSE it
// is the library's version, or "" if there is no library.
func (b *Backend) Source(kernel string) string {
	if o, ok := b.Custom(kernel); ok {
		return b.CustomSource(o)
	}
	if _, ok := vendorRecipes[kernel]; !ok {
		return Source(kernel)
	}
	lib, err := b.cusparse()
	if err != nil {
		return ""
	}
	return fmt.Sprint("cusparse ", int(lib.lib.version))
}
