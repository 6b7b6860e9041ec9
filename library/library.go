// SPDX-License-Identifier: Apache-2.0

// Command library is libspmvtune: products by the kernels of this program, for programs in C and whatever calls C. It is
// built by `make lib` (-buildmode=c-shared), and its interface is spmvtune.h.
//
// Go plans: it copies the matrix, chooses a configuration, and makes the matrix's form by the same backends that measure
// trials. What a product of a GPU needs is then a list in C's memory, which spmv_multiply (library.c) walks without
// entering Go. A product of a processor enters Go, whose threads compute it.
//
// Plans are made one at a time, because packings are kept for one matrix. All but products runs on threads that end with
// the call, so that neither the context of a GPU nor a pinned processor is left to the program's own.
package main

// #include "library.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

func main() {}

// The codes of spmvtune.h.
const (
	statusInvalid = C.SPMV_INVALID
	statusMatrix  = C.SPMV_MATRIX
	statusConfig  = C.SPMV_CONFIG
	statusDevice  = C.SPMV_DEVICE
	statusMemory  = C.SPMV_MEMORY
	statusWisdom  = C.SPMV_WISDOM
	statusWrong   = C.SPMV_WRONG
)

// A failure is an error with its code.
type failure struct {
	error
	status C.int
}

func (f failure) Unwrap() error { return f.error }

// as gives an error a code.
func as(status C.int, err error) error {
	if err == nil {
		return nil
	}
	return failure{err, status}
}

// planning is held by what uses what backends share: packings.
var planning sync.Mutex

// call runs f, on a thread of its own, and puts what is wrong into why.
func call(why *C.char, f func() error) C.int {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it: the thread ends
		done <- panics.Caught(func() error {
			planning.Lock()
			defer planning.Unlock()
			return f()
		})()
	}()
	return status(why, <-done)
}

// status is the code of an error, whose text it puts into why.
func status(why *C.char, err error) C.int {
	if err == nil {
		return C.SPMV_OK
	}
	text := append([]byte(err.Error())[:min(len(err.Error()), C.WHY-1)], 0)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(why)), C.WHY), text)
	var f failure
	switch {
	case errors.Is(err, kernels.ErrMemory):
		return statusMemory
	case errors.As(err, &f):
		return f.status
	}
	return C.SPMV_FAULT
}

//export goPlan
func goPlan(rows, cols C.int64_t, rowPtr, colIdx *C.int32_t, values unsafe.Pointer, o *C.spmv_options, to *C.made,
	why *C.char,
) C.int {
	return call(why, func() error {
		opt := options{device: int(o.device), precision: kernels.Float64, products: int(o.products), config: C.GoString(o.config),
			measure: time.Duration(math.Min(float64(o.measure), 24*3600) * float64(time.Second))}
		switch {
		case o.precision == C.SPMV_FLOAT32:
			opt.precision = kernels.Float32
		case o.precision != C.SPMV_FLOAT64:
			return as(statusInvalid, fmt.Errorf("precision %d is neither SPMV_FLOAT64 nor SPMV_FLOAT32", o.precision))
		}
		switch {
		case opt.device < processor:
			return as(statusInvalid, fmt.Errorf("device %d is neither SPMV_AUTO, SPMV_CPU nor the number of a GPU", opt.device))
		case opt.products < 0 || !(o.measure >= 0):
			return as(statusInvalid, errors.New("products and measure must not be negative"))
		}
		a, err := matrixOf(int(rows), int(cols), (*int32)(rowPtr), (*int32)(colIdx), values, opt.precision)
		if err != nil {
			return err
		}
		p, err := newPlan(a, opt)
		if err != nil {
			return err
		}
		v := opt.precision.Bytes()
		to.handle, to.text = C.uintptr_t(cgo.NewHandle(p)), C.CString(p.text)
		to.x_bytes, to.y_bytes = C.size_t(v*a.Cols), C.size_t(v*a.Rows)
		*(*unsafe.Pointer)(unsafe.Pointer(&to.run)), to.data = p.walk, p.data
		return nil
	})
}

// matrixOf copies a matrix that the caller has, once it is known to be one.
func matrixOf(rows, cols int, rowPtr, colIdx *int32, values unsafe.Pointer, p kernels.Precision) (
	*sparse.CSR[float64], error,
) {
	switch {
	case rows < 0 || cols < 0 || rows >= sparse.MaxIndex || cols > sparse.MaxIndex:
		return nil, as(statusInvalid, fmt.Errorf("%d rows and %d columns: both are 0 to 2147483646", rows, cols))
	case rowPtr == nil:
		return nil, as(statusInvalid, errors.New("row_ptr is NULL"))
	}
	a := sparse.CSR[float64]{Rows: rows, Cols: cols, RowPtr: unsafe.Slice(rowPtr, rows+1)}
	if a.RowPtr[0] != 0 {
		return nil, as(statusMatrix, fmt.Errorf("row_ptr starts at %d: it starts at 0", a.RowPtr[0]))
	}
	for i := range rows { // before what they name is read
		if a.RowPtr[i] > a.RowPtr[i+1] {
			return nil, as(statusMatrix, fmt.Errorf("row %d has offsets %d to %d: they never fall", i,
				a.RowPtr[i], a.RowPtr[i+1]))
		}
	}
	n := int(a.RowPtr[rows])
	if n != 0 && (colIdx == nil || values == nil) {
		return nil, as(statusInvalid, fmt.Errorf("col_idx or values is NULL, and there are %d entries", n))
	}
	a.ColIdx, a.Val = unsafe.Slice(colIdx, n), make([]float64, n)
	widen(a.Val, values, p)
	if err := a.Validate(); err != nil {
		return nil, as(statusMatrix, err)
	}
	a.RowPtr, a.ColIdx = append([]int32{}, a.RowPtr...), append([]int32{}, a.ColIdx...)
	return &a, nil
}

// widen copies the caller's values.
func widen(to []float64, from unsafe.Pointer, p kernels.Precision) {
	if p == kernels.Float64 {
		copy(to, unsafe.Slice((*float64)(from), len(to)))
		return
	}
	for i, v := range unsafe.Slice((*float32)(from), len(to)) {
		to[i] = float64(v)
	}
}

func planOf(handle C.uintptr_t) *plan { return cgo.Handle(handle).Value().(*plan) }

//export goMultiply
func goMultiply(handle C.uintptr_t, x, y unsafe.Pointer, why *C.char) C.int {
	return status(why, panics.Caught(func() error { return planOf(handle).multiply(x, y) })())
}

//export goUpdate
func goUpdate(handle C.uintptr_t, values unsafe.Pointer, why *C.char) C.int {
	p := planOf(handle)
	return call(why, func() error {
		if values == nil && p.features.Nonzeros > 0 {
			return as(statusInvalid, errors.New("values is NULL"))
		}
		return p.update(func(to []float64) { widen(to, values, p.choice.Precision) })
	})
}

//export goCheck
func goCheck(handle C.uintptr_t, worst *C.double, why *C.char) C.int {
	return call(why, func() error {
		r, err := planOf(handle).check()
		if err == nil && r.Status != trial.OK {
			err = as(statusWrong, errors.New(r.Message))
		}
		if worst != nil {
			*worst = C.double(r.MaxError)
		}
		return err
	})
}

//export goFree
func goFree(handle C.uintptr_t, why *C.char) C.int {
	p := planOf(handle)
	cgo.Handle(handle).Delete()
	return call(why, p.free)
}

//export goLoad
func goLoad(path *C.char, why *C.char) C.int {
	return call(why, func() error { return load(C.GoString(path)) })
}

//export goSave
func goSave(path *C.char, why *C.char) C.int {
	return call(why, func() error { return save(C.GoString(path)) })
}
