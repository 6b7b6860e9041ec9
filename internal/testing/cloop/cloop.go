// SPDX-License-Identifier: Apache-2.0

// Package cloop holds the sequential CSR product in C, compiled at -O3, so that benchmarks can
// compare the Go loop with it. Nothing but tests imports it.
package cloop

/*
#cgo CFLAGS: -O3
#include <stdint.h>

static void csr64(int rows, const int32_t *restrict ptr, const int32_t *restrict col,
                  const double *restrict val, const double *restrict x, double *restrict y) {
	for (int i = 0; i < rows; i++) {
		double sum = 0;
		for (int k = ptr[i]; k < ptr[i + 1]; k++)
			sum += val[k] * x[col[k]];
		y[i] = sum;
	}
}

static void csr32(int rows, const int32_t *restrict ptr, const int32_t *restrict col,
                  const float *restrict val, const float *restrict x, float *restrict y) {
	for (int i = 0; i < rows; i++) {
		float sum = 0;
		for (int k = ptr[i]; k < ptr[i + 1]; k++)
			sum += val[k] * x[col[k]];
		y[i] = sum;
	}
}
*/
import "C"

import "unsafe"

// CSR64 computes y = A·x for a matrix in CSR form. No array may be empty.
func CSR64(ptr, col []int32, val, x, y []float64) {
	C.csr64(C.int(len(y)), (*C.int32_t)(&ptr[0]), (*C.int32_t)(&col[0]),
		(*C.double)(unsafe.Pointer(&val[0])), (*C.double)(unsafe.Pointer(&x[0])), (*C.double)(unsafe.Pointer(&y[0])))
}

// CSR32 is CSR64 in float32.
func CSR32(ptr, col []int32, val, x, y []float32) {
	C.csr32(C.int(len(y)), (*C.int32_t)(&ptr[0]), (*C.int32_t)(&col[0]),
		(*C.float)(unsafe.Pointer(&val[0])), (*C.float)(unsafe.Pointer(&x[0])), (*C.float)(unsafe.Pointer(&y[0])))
}
