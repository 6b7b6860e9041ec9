// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

// #include "guest_cuda.h"
import "C"

import (
	"errors"
	"slices"
	"unsafe"

	"gorgonia.org/cu"
)

// permutedValues are the matrix's values on the device, in the order of an array of a recipe's own or, without, in theirs.
type permutedValues struct {
	at  cu.DevicePtr
	own *aux
}

// A walk is a product for vectors of another program.
type walk = C.spmv_walk

// Enter makes the GPU's context that of the thread, which the backend may be used from then.
func (b *Backend) Enter() error {
	return failed(cu.SetCurrentContext(b.ctx), "using the context of %s", b.device.Name)
}

// Walk makes the product that was prepared last one for the vectors of another program, and gives back what only
// measuring needs. It returns spmv_walk_run and its first argument.
func (b *Backend) Walk() (run, data unsafe.Pointer, err error) {
	p := b.current
	if err := p.run(); err != nil { // once, since the driver loads a kernel at its first launch
		return nil, nil, err
	}
	w := (*C.spmv_walk)(p.program.alloc(unsafe.Sizeof(C.spmv_walk{})))
	p.walk = w
	w.context, w.device = *(*C.CUcontext)(unsafe.Pointer(&b.ctx)), C.int(b.dev)
	w.ops, w.n = p.program.ops, p.program.n
	w.x_bytes, w.y_bytes = C.size_t(p.v*b.problem.A.Cols), C.size_t(p.v*p.rows)
	if p.vendor != nil {
		w.call = p.vendor.call
	}
	places := slices.Clone(p.program.args)
	for i := range unsafe.Slice(p.program.ops, p.program.n) {
		o := (*C.spmv_op)(unsafe.Add(unsafe.Pointer(p.program.ops), uintptr(i)*unsafe.Sizeof(*p.program.ops)))
		places = append(places, (*uint64)(unsafe.Pointer(&o.dst)))
	}
	w.x, w.xs = p.program.pointers(places, p.x)
	w.y, w.ys = p.program.pointers(places, p.y)
	return C.spmv_walk_run, unsafe.Pointer(w), b.settle()
}

// pointers lists, in C's memory, those of places that hold an address.
func (p *program) pointers(places []*uint64, address cu.DevicePtr) (**C.CUdeviceptr, C.int) {
	places = slices.DeleteFunc(slices.Clone(places), func(at *uint64) bool { return *at != uint64(address) || address == 0 })
	list := p.alloc(uintptr(len(places)+1) * unsafe.Sizeof(places))
	copy(unsafe.Slice((**uint64)(list), len(places)), places)
	return (**C.CUdeviceptr)(list), C.int(len(places))
}

// settle frees the memory of the device that the current product doesn't need for other vectors than its own.
func (b *Backend) settle() error {
	_, failure := b.originals.close()
	b.arrays.kept = slices.DeleteFunc(b.arrays.kept, func(a *array) bool {
		unused := a.turn != b.arrays.turn && failure == nil
		if unused {
			failure = free(a.base)
		}
		return unused
	})
	if failure == nil && b.flush != 0 {
		failure = free(b.flush)
		b.flush = 0
	}
	forget()
	return failure
}

// Update takes the values of the problem's matrix again, which have changed.
func (b *Backend) Update() error {
	for _, values := range b.current.values {
		if err := b.putValues(values.at, b.current.v, values.own); err != nil {
			return err
		}
	}
	return nil
}

// Recall makes the product usable as it was before Walk, with vectors of its own, until the walk's next call. Rows and
// Judge are not: they need memory that was given back.
func (b *Backend) Recall() error {
	p := b.current
	var why [256]C.char
	x, y := (*unsafe.Pointer)(unsafe.Pointer(&p.x)), (*unsafe.Pointer)(unsafe.Pointer(&p.y))
	if C.spmv_walk_run(unsafe.Pointer(p.walk), *x, *y, unsafe.Pointer(stream(b.stream)), &why[0],
		C.size_t(len(why))) != 0 {
		return errors.New(C.GoString(&why[0]))
	}
	return failed(b.stream.Synchronize(), "waiting for the device")
}
