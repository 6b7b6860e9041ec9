// SPDX-License-Identifier: Apache-2.0
// A product as the driver sees it: a list of things to enqueue, prepared once,
// so that enqueuing it is one call from Go and allocates nothing.
#ifndef SPMVTUNE_LAUNCH_H
#define SPMVTUNE_LAUNCH_H

#include <cuda.h>
#include <stddef.h>

// An op is one thing that a product enqueues: a kernel if function is set, a
// call to a library if call is, and otherwise the zeroing of words 32-bit words
// at dst. carveout is how many per cent of the most shared memory that a
// multiprocessor can have it should have, and *carved how many the function has
// asked for; no carved: the driver decides.
typedef struct spmv_op {
	CUfunction function;
	unsigned grid, block, shared;
	int carveout, *carved;
	void **params;
	CUresult (*call)(void *data);
	void *data;
	CUdeviceptr dst;
	size_t words;
} spmv_op;

// A replay is a number of products as graphs, made when a sample first needs them.
typedef struct spmv_replay {
	CUgraphExec graph[2]; // of as many products as one graph holds, and of the rest of a batch
	int products[2];      // in each
	int refused;          // a library can't be captured: products are launched one by one
} spmv_replay;

enum {
	SPMV_ROUND = 128, // samples enqueued at a time, at most
	// Operations in a graph, at most. The device starts a graph within about as long as
	// a kernel, which so many operations share.
	SPMV_NODES = 512,
	// Operations held behind the gate, at most. The driver's queue takes about a
	// thousand; a full one blocks the host, and so the gate would stay shut.
	SPMV_HELD = 400,
	// Rounds in a row in which the gate gave up, after which there is no gate any more.
	SPMV_STALLS = 3,
};

// A clock times products on one stream by events.
typedef struct spmv_clock {
	CUstream stream;
	CUevent events[2 * SPMV_ROUND]; // start and stop of each sample of a round
	CUfunction gate;                // holds the stream; see gate.cu
	volatile unsigned *flag;        // pinned: [0] the ticket that the gate waits for, [1] set if it gave up
	CUdeviceptr device_flag;        // the same memory, as the device sees it
	unsigned ticket;
	double busy;         // seconds that products took and what lay between the samples of a round
	int ungated;         // the gate gave up every time: launches wait for kernels here
	// Before a cold sample, flush is written, and then a clean buffer of the same
	// size is read, by the kernel reader: the sample finds no modified lines that it
	// would have to write back.
	CUdeviceptr flush, clean, sink;
	size_t flush_words;
	CUfunction reader;
	unsigned reader_grid, reader_block;
} spmv_clock;

CUresult spmv_clock_open(spmv_clock *c, CUstream stream, CUfunction gate);
void spmv_clock_close(spmv_clock *c);

// Shared memory and the L1 cache share a multiprocessor's memory: the cache has what is not carved out of it.
CUresult spmv_carve(CUfunction f, int carveout, int *carved);

// Enqueues all ops in order.
CUresult spmv_enqueue(const spmv_op *ops, int n, CUstream stream);

// Computes the product once and waits for it. It stores how long that took, in seconds, with
// the time to launch.
CUresult spmv_run(spmv_clock *c, const spmv_op *ops, int n, double *seconds);

// Times the ops `samples` times, each time `batch` times back to back, and
// stores seconds per product. If cold, the cache is flushed before every sample.
// With a replay, products run as graphs.
CUresult spmv_sample(spmv_clock *c, const spmv_op *ops, int n, spmv_replay *replay, double *seconds, int samples,
                     int batch, int cold);

void spmv_replay_close(spmv_replay *r);

// Copies `bytes` bytes from each of n places on the device to host, one after the other.
CUresult spmv_collect(CUstream stream, const CUdeviceptr *at, int n, void *host, size_t bytes);

#endif
