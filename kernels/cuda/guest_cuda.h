// SPDX-License-Identifier: Apache-2.0
// A product for another program's vectors, which is enqueued without entering Go.
#ifndef SPMVTUNE_GUEST_H
#define SPMVTUNE_GUEST_H

#include "cusparse_cuda.h"
#include "launch_cuda.h"

typedef struct spmv_walk {
	CUcontext context;
	int device;
	spmv_op *ops;
	int n;
	CUdeviceptr **x, **y; // the places in the arguments of ops where x and y stand
	int xs, ys;
	spmv_call *call; // of cuSPARSE, in place of ops; NULL: there is none
	size_t x_bytes, y_bytes;
	const void *last_x, *last_y; // of the last call, which were looked at
} spmv_walk;

// Enqueues y = A·x on a stream. Returns 0, or 1 for wrong vectors and -1 for an error of the device, with one sentence
// in why.
int spmv_walk_run(void *walk, const void *x, void *y, void *stream, char *why, size_t room);

#endif
