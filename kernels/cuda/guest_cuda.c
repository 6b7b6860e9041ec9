// SPDX-License-Identifier: Apache-2.0
//go:build cuda

#include "guest_cuda.h"

#include <stdint.h>
#include <stdio.h>

// Kernels read x and write y by 16 bytes at a time, at most.
static const uintptr_t alignment = 16;

// fits says whether a vector is memory that the device can use, with room for bytes; if not, why.
static int fits(const spmv_walk *w, const char *name, const void *p, size_t bytes, char *why, size_t room) {
	if (bytes == 0) return 1;
	CUdeviceptr at = (CUdeviceptr)p, base;
	unsigned kind = 0, whole = 0;
	int device = -1;
	size_t size;
	if ((uintptr_t)p % alignment) {
		snprintf(why, room, "%s begins at %p, which is not a multiple of 16 bytes", name, p);
		return 0;
	}
	if (cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) != CUDA_SUCCESS) {
		snprintf(why, room, "%s is not memory that the GPU can use: it must be allocated by CUDA", name);
		return 0;
	}
	if (kind != CU_MEMORYTYPE_DEVICE) return 1; // of the host, registered
	if (cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) == CUDA_SUCCESS &&
	    device != w->device && cuPointerGetAttribute(&whole, CU_POINTER_ATTRIBUTE_IS_MANAGED, at) == CUDA_SUCCESS &&
	    !whole) {
		snprintf(why, room, "%s lies on GPU %d, and the plan is for GPU %d", name, device, w->device);
		return 0;
	}
	// Memory that is mapped in parts, as PyTorch's may be, is longer than the part that the driver knows.
	if (cuPointerGetAttribute(&whole, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, at) == CUDA_SUCCESS && whole &&
	    cuMemGetAddressRange(&base, &size, at) == CUDA_SUCCESS && at - base + bytes > size) {
		snprintf(why, room, "%s has room for %zu bytes; the plan needs %zu", name, (size_t)(size - (at - base)), bytes);
		return 0;
	}
	return 1;
}

// failed puts the driver's words for a result into why.
static int failed(CUresult result, char *why, size_t room) {
	const char *text = NULL;
	cuGetErrorString(result, &text);
	snprintf(why, room, "enqueuing the product: %s", text ? text : "unknown error");
	return -1;
}

int spmv_walk_run(void *walk, const void *x, void *y, void *stream, char *why, size_t room) {
	spmv_walk *w = walk;
	CUcontext now = NULL;
	CUresult result = cuCtxGetCurrent(&now);
	int entered = result == CUDA_SUCCESS && now != w->context;
	if (entered) result = cuCtxPushCurrent(w->context);
	if (result != CUDA_SUCCESS) return failed(result, why, room);
	int fault = 0;
	if (x != w->last_x || y != w->last_y) {
		if (fits(w, "x", x, w->x_bytes, why, room) && fits(w, "y", y, w->y_bytes, why, room)) {
			for (int i = 0; i < w->xs; i++) *w->x[i] = (CUdeviceptr)x;
			for (int i = 0; i < w->ys; i++) *w->y[i] = (CUdeviceptr)y;
			w->last_x = x, w->last_y = y;
		} else {
			fault = 1;
		}
	}
	if (!fault) {
		result = w->call ? spmv_call_on(w->call, x, y, stream) : spmv_enqueue(w->ops, w->n, stream);
		if (result != CUDA_SUCCESS) fault = failed(result, why, room);
	}
	if (entered) cuCtxPopCurrent(&now);
	return fault;
}
