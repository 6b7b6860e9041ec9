// SPDX-License-Identifier: Apache-2.0
// CSR Adaptive (csr-five-algorithms, Sec. IV-C, after Greathouse and Daga, SC14).
// The host packed consecutive rows into row blocks of at most `tile` nonzeros; a
// row longer than that has a row block to itself. A block of threads takes every
// gridDim-th row block. Row block b holds the rows from first_row[b] up to
// first_row[b+1], and first_row ends with the number of rows.
#include "csr.cuh"

// Products in flight per thread. A warp alone with a long row has more.
constexpr int BATCH = 4, BATCH_ALONE = 8;

// Row blocks of several rows: the products are streamed to shared memory in the
// order in which they are stored, then a thread sums each row from there.
template <typename V>
__device__ __forceinline__ void stream_rows(const Csr<V> &a, V *staged, unsigned first,
                                            unsigned last) {
	unsigned start = row_start(a, first), end = row_start(a, last);
	for (unsigned j = start + threadIdx.x; j < end; j += BATCH * blockDim.x) {
		V p[BATCH];
		products<BATCH, true>(a, p, j, end, blockDim.x);
#pragma unroll
		for (int i = 0; i < BATCH; i++) {
			if (j + i * blockDim.x < end) staged[j + i * blockDim.x - start] = p[i];
		}
	}
	__syncthreads();
	for (unsigned r = first + threadIdx.x; r < last; r += blockDim.x) {
		a.y[r] = sum_staged<8>(staged, row_start(a, r) - start, row_end(a, r) - start);
	}
}

// Row blocks of one row: a warp sums it, or the whole block (Table III).
template <bool BLOCK, typename V>
__device__ __forceinline__ void single_row(const Csr<V> &a, V *scratch, int r) {
	if (BLOCK) {
		unsigned j = row_start(a, r) + threadIdx.x;
		V sum = block_sum(dot<BATCH, BATCH - 1, COLUMNS>(a, j, row_end(a, r), blockDim.x), scratch);
		if (threadIdx.x == 0) a.y[r] = sum;
	} else if (threadIdx.x < WARP) {
		V sum = warp_dot<BATCH_ALONE, false>(a, row_start(a, r), row_end(a, r));
		if (threadIdx.x == 0) a.y[r] = sum;
	}
}

// Which of the two a row block needs is the same for all threads of the block, so
// the barriers within are safe.
template <bool BLOCK, typename V>
__device__ __forceinline__ void adaptive(const Csr<V> &a, const int *first_row, int row_blocks) {
	V *shared = dynamic_shared<V>();
	for (long long b = blockIdx.x; b < row_blocks; b += gridDim.x) {
		int first = __ldg(first_row + b), last = __ldg(first_row + b + 1);
		if (last - first > 1) {
			stream_rows(a, shared, first, last);
		} else {
			single_row<BLOCK>(a, shared, first);
		}
		__syncthreads(); // no thread reads shared memory any more
	}
}

#define CSR_ADAPTIVE_PARAMS(V) CSR_PARAMS(V), const int *__restrict__ first_row, int row_blocks

CSR_ENTRY(csr_adaptive_warp, CSR_BOUNDS, CSR_ADAPTIVE_PARAMS,
          adaptive<false>(CSR, first_row, row_blocks))
CSR_ENTRY(csr_adaptive_block, CSR_BOUNDS, CSR_ADAPTIVE_PARAMS,
          adaptive<true>(CSR, first_row, row_blocks))
