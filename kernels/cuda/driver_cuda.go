//go:build cuda

package cuda

// #include "driver_cuda.h"
import "C"

import (
	"errors"
)

// driver returns why no GPU can be used, nil if the driver is ready. Without it, no function of the driver may be
// called.
func driver() error {
	switch code := C.spmv_driver(); code {
	case C.CUDA_SUCCESS:
		return nil
	case -1:
		return errors.New(NoDriver)
	case C.CUDA_ERROR_NO_DEVICE:
		return errors.New(NoDevice)
	default:
		return errors.New(NoStart + driverError(code).Error())
	}
}
