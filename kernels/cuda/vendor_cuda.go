//go:build cuda

package cuda

// #include <stdlib.h>
// #include "cusparse_cuda.h"
import "C"

import (
	"fmt"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// A vendorProduct is the cuSPARSE part of a product.
type vendorProduct struct {
	lib  *cusparse
	call *C.spmv_call
}

// failure is the error of the library's last call, or nil.
func (p *vendorProduct) failure() error { return p.lib.status(p.call.status) }

func (p *vendorProduct) release() {
	C.spmv_call_release(p.call)
	C.free(unsafe.Pointer(p.call))
}

// prepareVendor makes a product of cuSPARSE. Its Prepare time is the row indices
// for COO, and the library's own analysis.
func (b *Backend) prepareVendor(k kernels.Kernel, c kernels.Config, alg int, launch kernels.Launch) (*product, error) {
	lib, err := b.cusparse()
	if err != nil {
		return nil, err
	}
	v := c.Precision.Bytes()
	p := &product{b: b, rows: b.problem.A.Rows, v: v}
	first := rowPtr

	if k.Format == kernels.COO {
		first = rowIdx
	}
	at := map[string]C.CUdeviceptr{}

	for _, name := range []string{first, colIdx, val, vecX, vecY} {
		a, err := b.common(name, v)
		if err != nil {
			return nil, fmt.Errorf("preparing %s: %w", name, err)
		}
		at[name] = C.CUdeviceptr(a.ptr)
		if a.guarded {
			p.written = append(p.written, a)
		}
		p.info.BytesKernel += b.commonBytes(name, v)
		if name == rowIdx {
			p.info.Prepare += a.cost
		}
	}
	p.x, p.y = cu.DevicePtr(at[vecX]), cu.DevicePtr(at[vecY])
	p.info.BytesFormat = formatBytes(k.Format, b.problem.A, v, nil)

	if err := b.warmVendor(lib, alg, v, at); err != nil {
		return nil, err
	}
	call := (*C.spmv_call)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_call{}))))
	p.vendor = &vendorProduct{lib, call}
	start := time.Now()
	size, err := b.analyse(call, lib, alg, v, at)
	if err != nil {
		p.vendor.release()
		return nil, err
	}

	p.info.Prepare += time.Since(start)
	p.info.BytesKernel += size
	p.info.Properties = map[string]float64{"buffer_bytes": float64(size)}
	p.program = newProgram([]op{{call: C.spmv_call_run, data: unsafe.Pointer(call)}}, launch)
	return p, nil
}

// warmVendor analyses the matrix once for nothing, before the library's first product: it
// loads its own kernels then, which is not what preparing a product takes.
func (b *Backend) warmVendor(lib *cusparse, alg, v int, at map[string]C.CUdeviceptr) error {
	if lib.warm {
		return nil
	}
	call := (*C.spmv_call)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_call{}))))
	first := &vendorProduct{lib, call}
	defer first.release()
	if _, err := b.analyse(call, lib, alg, v, at); err != nil {
		return err
	}
	lib.warm = true
	return nil
}

// analyse describes the matrix to the library, gives it the buffer that it asks
// for, and lets it analyse. It returns the buffer's size in bytes.
func (b *Backend) analyse(call *C.spmv_call, lib *cusparse, alg, v int, at map[string]C.CUdeviceptr) (int64, error) {
	a := b.problem.A
	var size C.size_t
	err := lib.status(C.spmv_call_prepare(call, lib.lib, C.int(alg), C.int(v),
		C.int64_t(a.Rows), C.int64_t(a.Cols), C.int64_t(a.NNZ()),
		at[rowPtr], at[rowIdx], at[colIdx], at[val], at[vecX], at[vecY], &size))
	if err != nil {
		return 0, fmt.Errorf("describing the matrix: %w", err)
	}
	buffer, err := b.arrays.get(scratchKey("cusparse"), int64(size), reads, func(cu.DevicePtr) error { return nil })
	if err != nil {
		return 0, err
	}
	if err := lib.status(C.spmv_call_analyse(call, C.CUdeviceptr(buffer.ptr))); err != nil {
		return 0, fmt.Errorf("analysing the matrix: %w", err)
	}

	return int64(size), failed(b.stream.Synchronize(), "analysing the matrix")
}
