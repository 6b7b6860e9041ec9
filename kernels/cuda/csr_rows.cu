// SPDX-License-Identifier: Apache-2.0
// Kernels that give every row to one thread or to one warp, grid-stride over rows, as
// the papers have them; csr_rows_ahead.cu has our improved forms.
//
//	csr_scalar            csr-five-algorithms, Sec. IV-A
//	csr_vector            csr-five-algorithms, Sec. IV-B
//	csr_warp_row_global   csr-shuffle-and-shared, Alg. 1
//	csr_warp_row_shuffle  csr-shuffle-and-shared, Alg. 2
//	csr_thread_row(_v1)   csr-bins-and-hybrid, Alg. 1 and its first form
//	csr_warp_row(_v1)     csr-bins-and-hybrid, Alg. 2 and its first form
//
// The papers start a thread or a warp for every row in those that have no loop over
// rows; here all have one, so that any grid does all the work. Every row is
// written, empty ones as 0. The second forms and Alg. 2 read the matrix and x through the
// read-only cache, as their authors do, and the others do not.
#include "csr_paper.cuh"

// A thread per row.
template <int N, bool SHARED, Loads L, typename V>
__device__ __forceinline__ void thread_rows(const Csr<V> &a) {
	for (long long r = thread_index(); r < a.rows; r += thread_count()) {
		unsigned start = load<L>(a.row_ptr + r), end = load<L>(a.row_ptr + r + 1);
		a.y[r] = row_sum<N, SHARED, L>(a, start, end, 1);
	}
}

// A warp per row: its lanes take every 32nd nonzero, and reduce their sums. A whole
// warp has the same row, so all of it is in the loop or none.
template <int N, Sums SUMS, Loads L, typename V>
__device__ __forceinline__ void warp_rows(const Csr<V> &a) {
	for (long long r = warp_index(); r < a.rows; r += warp_count()) {
		unsigned start = load<L>(a.row_ptr + r), end = load<L>(a.row_ptr + r + 1);
		V sum = warp_row_sum<N, SUMS, L>(a, start, end);
		if (threadIdx.x % WARP == 0) a.y[r] = sum;
	}
}

// A warp per row, reduced in a buffer in global memory: a value for every thread
// that has a row. In step d the lanes that 2d divides add what is d above them;
// the next step reads what this one wrote, in the same warp.
template <typename V>
__device__ __forceinline__ void warp_rows_global(const Csr<V> &a, V *buffer) {
	unsigned lane = threadIdx.x % WARP;
	V *mine = buffer + thread_index();
	for (long long r = warp_index(); r < a.rows; r += warp_count()) {
		unsigned start = a.row_ptr[r], end = a.row_ptr[r + 1];
		*mine = row_sum<1, false, PLAIN>(a, start + lane, end, WARP);
		__syncwarp();
		for (unsigned d = 1; d < WARP; d *= 2) {
			if (lane % (2 * d) == 0) *mine += mine[d];
			__syncwarp();
		}
		if (lane == 0) a.y[r] = *mine;
	}
}

#define CSR_GLOBAL_PARAMS(V) CSR_PLAIN_PARAMS(V), V *buffer

CSR_ENTRY(csr_scalar, CSR_BOUNDS, CSR_PLAIN_PARAMS, thread_rows<1, false, PLAIN>(CSR))
CSR_ENTRY(csr_vector, CSR_BOUNDS, CSR_PLAIN_PARAMS, warp_rows<1, REDUCED_IN_SHARED, PLAIN>(CSR))
CSR_ENTRY(csr_warp_row_global, CSR_BOUNDS, CSR_GLOBAL_PARAMS, warp_rows_global(CSR, buffer))
CSR_ENTRY(csr_warp_row_shuffle, CSR_BOUNDS, CSR_PARAMS, warp_rows<1, IN_REGISTERS, READ_ONLY>(CSR))

CSR_ENTRY(csr_thread_row_v1, CSR_BOUNDS, CSR_PLAIN_PARAMS, thread_rows<1, false, PLAIN>(CSR))
CSR_ENTRY(csr_thread_row_v1_shared, CSR_BOUNDS, CSR_PLAIN_PARAMS, thread_rows<1, true, PLAIN>(CSR))
CSR_ENTRY(csr_warp_row_v1, CSR_BOUNDS, CSR_PLAIN_PARAMS, warp_rows<1, IN_REGISTERS, PLAIN>(CSR))
CSR_ENTRY(csr_warp_row_v1_shared, CSR_BOUNDS, CSR_PLAIN_PARAMS, warp_rows<1, IN_SHARED, PLAIN>(CSR))
CSR_ENTRY(csr_warp_row, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, IN_REGISTERS, READ_ONLY>(CSR))
CSR_ENTRY(csr_warp_row_shared, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, IN_SHARED, READ_ONLY>(CSR))

CSR_ENTRY(csr_thread_row, CSR_BOUNDS, CSR_PARAMS, thread_rows<4, false, READ_ONLY>(CSR))
CSR_ENTRY(csr_thread_row_shared, CSR_BOUNDS, CSR_PARAMS, thread_rows<4, true, READ_ONLY>(CSR))

// min_blocks: the paper bounds the block by 256 threads and asks for this many blocks on a
// multiprocessor. nvcc makes other code for another bound; so that the bound alone is
// measured, generate.sh copies the PTX of csr_thread_row and gives the copies theirs.
#ifndef __CUDACC__ // in the emulator
#define BOUNDED(NAME)                                                                       \
	CSR_ENTRY(NAME, , CSR_PARAMS, thread_rows<4, false, READ_ONLY>(CSR))                    \
	CSR_ENTRY(NAME##_shared, , CSR_PARAMS, thread_rows<4, true, READ_ONLY>(CSR))
BOUNDED(csr_thread_row_min1)
BOUNDED(csr_thread_row_min2)
BOUNDED(csr_thread_row_min3)
#endif
