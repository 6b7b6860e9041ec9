//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"reflect"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// A driverError is a result of the driver, in the driver's own words.
type driverError C.CUresult

func (e driverError) Error() string {
	var text, name *C.char
	C.cuGetErrorString(C.CUresult(e), &text)
	C.cuGetErrorName(C.CUresult(e), &name)
	if text == nil || name == nil {
		return fmt.Sprintf("CUDA error %d", int(e))
	}
	return C.GoString(text) + " (" + C.GoString(name) + ")"
}

// result makes an error of what a call of this package's own C code returned.
func result(code C.CUresult) error {
	if code == C.CUDA_SUCCESS {
		return nil
	}
	return driverError(code)
}

// failed adds to err the step that failed; it returns nil for nil. A device out of memory is
// kernels.ErrMemory. Errors of cu become the driver's words: it has names for some of them
// only.
func failed(err error, doing string, args ...any) error {
	if err == nil {
		return nil
	}
	doing = fmt.Sprintf(doing, args...)
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		err = driverError(v.Int())
	}

	if outOfMemory(err) {
		return fmt.Errorf("%s: the device is %w", doing, kernels.ErrMemory)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func outOfMemory(err error) bool {
	return errors.Is(err, cu.OutOfMemory) || errors.Is(err, driverError(C.CUDA_ERROR_OUT_OF_MEMORY))
}
