// SPDX-License-Identifier: Apache-2.0
// PCSR (csr-five-algorithms, Sec. IV-D, after He and Gao, 2016), in two kernels:
// the first writes all products, the second sums them by rows.
#include "csr.cuh"

// Elements in flight per thread. A loop whose step is known only at run time is
// not batched by the compiler.
constexpr int BATCH = 4;

// v[j] = val[j]·x[col_idx[j]], grid-stride.
template <typename V>
__device__ __forceinline__ void multiply(const Csr<V> &a, long long nnz, V *v) {
	long long step = thread_count();
#pragma unroll 1
	for (long long j = thread_index(); j < nnz; j += BATCH * step) {
		V p[BATCH];
		products<BATCH, true>(a, p, j, nnz, step);
#pragma unroll
		for (int i = 0; i < BATCH; i++) {
			if (j + i * step < nnz) v[j + i * step] = p[i];
		}
	}
}

// staged[k] = v[k] for k below n, by all threads of the block.
template <typename V>
__device__ __forceinline__ void stage(V *staged, const V *v, unsigned n) {
	unsigned step = blockDim.x;
#pragma unroll 1
	for (unsigned k = threadIdx.x; k < n; k += BATCH * step) {
		V p[BATCH];
#pragma unroll
		for (int i = 0; i < BATCH; i++) p[i] = k + i * step < n ? __ldg(v + k + i * step) : V(0);
#pragma unroll
		for (int i = 0; i < BATCH; i++) {
			if (k + i * step < n) staged[k + i * step] = p[i];
		}
	}
}

// A thread per row; a block takes as many consecutive rows as it has threads, and
// stages their products in shared memory, `staged_most` at a time: as many values,
// and then the blockDim+1 bounds of the rows. The published kernel has no bound on
// the row, and writes y within the loop, so not at all where a block's rows are
// empty. Here rows beyond the last have no nonzeros and are not written. The loop
// is the same for all threads, so barriers within are safe.
template <typename V>
__device__ __forceinline__ void sum_rows(const int *row_ptr, int rows, const V *v, V *y,
                                         unsigned staged_most) {
	V *staged = dynamic_shared<V>();
	unsigned *bounds = reinterpret_cast<unsigned *>(staged + staged_most);
	long long block_row = static_cast<long long>(blockIdx.x) * blockDim.x;
	long long r = block_row + threadIdx.x;
	bounds[threadIdx.x] = __ldg(row_ptr + min(r, static_cast<long long>(rows)));
	if (threadIdx.x == 0) {
		bounds[blockDim.x] =
			__ldg(row_ptr + min(block_row + blockDim.x, static_cast<long long>(rows)));
	}
	__syncthreads();
	unsigned start = bounds[threadIdx.x], stop = bounds[threadIdx.x + 1], end = bounds[blockDim.x];
	V sum = 0;
	for (unsigned base = bounds[0]; base < end; base += staged_most) {
		unsigned n = min(staged_most, end - base);
		stage(staged, v + base, n);
		__syncthreads(); // all are there
		unsigned from = max(start, base), to = min(stop, base + n);
		if (from < to) sum += sum_staged<8>(staged, from - base, to - base);
		__syncthreads(); // no thread reads them any more
	}
	if (r < rows) y[r] = sum;
}

#define PCSR1_PARAMS(V) CSR_PARAMS(V), int nnz, V *__restrict__ products
#define PCSR2_PARAMS(V)                                                                  \
	const int *__restrict__ row_ptr, int rows, const V *__restrict__ products, V *y, int most

CSR_ENTRY(csr_pcsr_multiply, CSR_BOUNDS, PCSR1_PARAMS, multiply<V>(CSR, nnz, products))
CSR_ENTRY(csr_pcsr_sum, CSR_BOUNDS, PCSR2_PARAMS, sum_rows<V>(row_ptr, rows, products, y, most))
