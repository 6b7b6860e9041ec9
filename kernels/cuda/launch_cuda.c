// SPDX-License-Identifier: Apache-2.0
//go:build cuda

#include "launch_cuda.h"

#define TRY(call)                                \
	do {                                         \
		CUresult result_ = (call);               \
		if (result_ != CUDA_SUCCESS) return result_; \
	} while (0)

static const long long deadline = 1000000000; // of the gate, ns

CUresult spmv_clock_open(spmv_clock *c, CUstream stream, CUfunction gate) {
	c->stream = stream;
	c->gate = gate;
	void *flag;
	TRY(cuMemHostAlloc(&flag, 2 * sizeof(unsigned), CU_MEMHOSTALLOC_DEVICEMAP));
	c->flag = flag;
	c->flag[0] = c->flag[1] = 0;
	TRY(cuMemHostGetDevicePointer(&c->device_flag, flag, 0));
	for (int i = 0; i < 2 * SPMV_ROUND; i++) TRY(cuEventCreate(&c->events[i], CU_EVENT_DEFAULT));
	return CUDA_SUCCESS;
}

void spmv_clock_close(spmv_clock *c) {
	for (int i = 0; i < 2 * SPMV_ROUND; i++)
		if (c->events[i]) cuEventDestroy(c->events[i]);
	if (c->flag) cuMemFreeHost((void *)c->flag);
}

CUresult spmv_carve(CUfunction f, int carveout, int *carved) {
	if (carved && *carved != carveout) {
		TRY(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carveout));
		*carved = carveout;
	}
	return CUDA_SUCCESS;
}

static CUresult enqueue(const spmv_op *op, CUstream stream) {
	if (op->function) {
		TRY(spmv_carve(op->function, op->carveout, op->carved));
		return cuLaunchKernel(op->function, op->grid, 1, 1, op->block, 1, 1, op->shared, stream, op->params, NULL);
	}
	if (op->call) return op->call(op->data);
	return cuMemsetD32Async(op->dst, 0, op->words, stream);
}

CUresult spmv_enqueue(const spmv_op *ops, int n, CUstream stream) {
	for (int i = 0; i < n; i++) TRY(enqueue(&ops[i], stream));
	return CUDA_SUCCESS;
}

// shut makes the stream wait until open is called, or the deadline passes.
static CUresult shut(spmv_clock *c) {
	if (c->ungated) return CUDA_SUCCESS;
	unsigned ticket = ++c->ticket;
	long long wait = deadline;
	void *params[] = {&c->device_flag, &ticket, &wait};
	return cuLaunchKernel(c->gate, 1, 1, 1, 1, 1, 1, 0, c->stream, params, NULL);
}

static void open_gate(spmv_clock *c) { __atomic_store_n(&c->flag[0], c->ticket, __ATOMIC_RELEASE); }

static CUresult flush(spmv_clock *c) {
	TRY(cuMemsetD32Async(c->flush, c->ticket, c->flush_words, c->stream));
	size_t vectors = c->flush_words / 4;
	void *params[] = {&c->clean, &c->sink, &vectors};
	return cuLaunchKernel(c->reader, c->reader_grid, 1, 1, c->reader_block, 1, 1, 0, c->stream, params, NULL);
}

// fill enqueues a round. The gate is opened when as much is enqueued as may be
// held; the rest follows while the device runs.
static CUresult fill(spmv_clock *c, const spmv_op *ops, int n, const spmv_replay *r, int samples, int batch, int cold) {
	int held = 0;
	for (int s = 0; s < samples; s++) {
		if (cold) TRY(flush(c));
		TRY(cuEventRecord(c->events[2 * s], c->stream));
		for (int b = 0; b < batch;) {
			if (r) {
				int rest = batch - b < r->products[0];
				TRY(cuGraphLaunch(r->graph[rest], c->stream));
				b += r->products[rest];
				held++;
			} else {
				for (int i = 0; i < n; i++) TRY(enqueue(&ops[i], c->stream));
				b++;
				held += n;
			}
			if (held >= SPMV_HELD) open_gate(c);
		}
		TRY(cuEventRecord(c->events[2 * s + 1], c->stream));
		held += 4;
	}
	return CUDA_SUCCESS;
}

static void forget(spmv_replay *r, int which) {
	if (r->graph[which]) cuGraphExecDestroy(r->graph[which]);
	r->graph[which] = NULL;
	r->products[which] = 0;
}

void spmv_replay_close(spmv_replay *r) {
	forget(r, 0);
	forget(r, 1);
}

// capture makes one of r's graphs: so many products.
static CUresult capture(spmv_clock *c, const spmv_op *ops, int n, spmv_replay *r, int which, int products) {
	if (r->products[which] == products) return CUDA_SUCCESS;
	forget(r, which);
	CUgraph graph;
	TRY(cuStreamBeginCapture(c->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	CUresult filled = CUDA_SUCCESS;
	for (int p = 0; p < products && filled == CUDA_SUCCESS; p++) filled = spmv_enqueue(ops, n, c->stream);
	CUresult ended = cuStreamEndCapture(c->stream, &graph);
	if (filled != CUDA_SUCCESS && ended == CUDA_SUCCESS && graph) cuGraphDestroy(graph);
	if (filled != CUDA_SUCCESS || ended != CUDA_SUCCESS) {
		r->refused = 1;
		return CUDA_SUCCESS;
	}
	CUresult made = cuGraphInstantiateWithFlags(&r->graph[which], graph, 0);
	cuGraphDestroy(graph);
	TRY(made);
	r->products[which] = products;
	return cuGraphUpload(r->graph[which], c->stream);
}

// ready makes the graphs of a batch.
static CUresult ready(spmv_clock *c, const spmv_op *ops, int n, spmv_replay *r, int batch) {
	int most = n >= SPMV_NODES ? 1 : SPMV_NODES / (n > 0 ? n : 1);
	int whole = batch < most ? batch : most;
	TRY(capture(c, ops, n, r, 0, whole));
	if (!r->refused && batch % whole) TRY(capture(c, ops, n, r, 1, batch % whole));
	return CUDA_SUCCESS;
}

CUresult spmv_run(spmv_clock *c, const spmv_op *ops, int n, double *seconds) {
	float ms;
	TRY(cuEventRecord(c->events[0], c->stream));
	TRY(spmv_enqueue(ops, n, c->stream));
	TRY(cuEventRecord(c->events[1], c->stream));
	TRY(cuStreamSynchronize(c->stream));
	TRY(cuEventElapsedTime(&ms, c->events[0], c->events[1]));
	*seconds = ms / 1e3;
	c->busy += *seconds;
	return CUDA_SUCCESS;
}

CUresult spmv_sample(spmv_clock *c, const spmv_op *ops, int n, spmv_replay *replay, double *seconds, int samples,
                     int batch, int cold) {
	if (replay && !replay->refused) TRY(ready(c, ops, n, replay, batch));
	const spmv_replay *r = replay && !replay->refused ? replay : NULL;
	long long each = (r ? batch / r->products[0] + 1 : (long long)batch * n) + 4;
	int most = each >= SPMV_HELD ? 1 : (int)(SPMV_HELD / each);
	if (most > SPMV_ROUND) most = SPMV_ROUND;
	int stalls = 0;
	for (int done = 0; done < samples;) {
		int round = samples - done < most ? samples - done : most;
		TRY(shut(c));
		CUresult filled = fill(c, ops, n, r, round, batch, cold);
		open_gate(c);
		TRY(filled);
		TRY(cuStreamSynchronize(c->stream));
		if (!c->ungated && c->flag[1]) {
			// The host was held up for as long as the gate waits, which is in these
			// samples: take them again. If that helps nothing, each launch waits
			// for the device (a debugger makes it), and so does the gate.
			c->flag[1] = 0;
			c->ungated = ++stalls == SPMV_STALLS;
			continue;
		}
		stalls = 0;
		for (int s = 0; s < round; s++) {
			float ms;
			TRY(cuEventElapsedTime(&ms, c->events[2 * s], c->events[2 * s + 1]));
			seconds[done + s] = ms / 1e3 / batch;
		}
		float ms;
		TRY(cuEventElapsedTime(&ms, c->events[0], c->events[2 * round - 1]));
		c->busy += ms / 1e3;
		done += round;
	}
	return CUDA_SUCCESS;
}

CUresult spmv_collect(CUstream stream, const CUdeviceptr *at, int n, void *host, size_t bytes) {
	for (int i = 0; i < n; i++) TRY(cuMemcpyDtoHAsync((char *)host + i * bytes, at[i], bytes, stream));
	return cuStreamSynchronize(stream);
}
