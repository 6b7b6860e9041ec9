// SPDX-License-Identifier: Apache-2.0
//go:build cuda

// Package cu initialises the driver before main runs, and ends the program where there is no GPU. So this program has a
// function of that name, which takes the place of the driver's: it opens the driver, keeps its answer for spmv_driver,
// and lets the program go on. Functions of the driver are bound when they are first called, which is after that; the
// Makefile links a libcuda without content, so that the program starts where there is no driver. Nobody else sees the
// function: in a library it would stand before the driver's for the whole process.

#define _GNU_SOURCE
#include <dlfcn.h>

#include "driver_cuda.h"

static int answer = -1;
static int begun;

__attribute__((visibility("hidden"))) CUresult CUDAAPI cuInit(unsigned flags) {
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_GLOBAL);
	CUresult (*init)(unsigned) = driver ? (CUresult(*)(unsigned))dlsym(driver, "cuInit") : NULL;
	CUresult result = init ? init(flags) : CUDA_ERROR_NO_DEVICE;
	if (begun) return result;
	begun = 1;
	answer = init ? (int)result : -1;
	return CUDA_SUCCESS;
}

int spmv_driver(void) { return answer; }
