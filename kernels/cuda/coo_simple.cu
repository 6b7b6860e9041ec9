// SPDX-License-Identifier: Apache-2.0
// COO kernels that add every product to y by an atomic (coo-spmv-first;
// coo-spmv-final, Alg. 3 and 4). They differ in custom_map of Alg. 4: which thread
// takes which nonzero. All are a first nonzero, a step and a count per thread.
//
// P, per_thread, is ⌈nnz / (grid·block)⌉. y was zeroed.
#include "coo.cuh"

// Adds the products k, k+step, … of this thread: those below nnz, at most P. Four
// are fetched before the first is added, to have more loads under way.
template <typename V>
__device__ __forceinline__ void add_products(const Coo<V> &a, V *y, unsigned long long first,
                                             unsigned step, unsigned per_thread) {
	constexpr int BATCH = 4;
	if (first >= a.nnz) return;
	unsigned k = static_cast<unsigned>(first);
	unsigned n = min(per_thread, (a.nnz - 1 - k) / step + 1);
#pragma unroll 1
	for (; n >= BATCH; n -= BATCH) {
		Nonzero<V> e[BATCH];
		V p[BATCH];
#pragma unroll
		for (int i = 0; i < BATCH; i++, k += step) e[i] = nonzero(a, k);
#pragma unroll
		for (int i = 0; i < BATCH; i++) p[i] = product(a, e[i]);
#pragma unroll
		for (int i = 0; i < BATCH; i++) atomicAdd(y + e[i].row, p[i]);
	}
#pragma unroll 1
	for (; n > 0; n--, k += step) {
		Nonzero<V> e = nonzero(a, k);
		atomicAdd(y + e.row, product(a, e));
	}
}

// The index of this block's first thread in the grid.
__device__ __forceinline__ unsigned long long block_start() {
	return static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
}

// One thread per nonzero; grid is ⌈nnz / block⌉ (Alg. 3).
template <typename V>
__device__ __forceinline__ void coo_atomic(Coo<V> a, V *y) {
	unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= a.nnz) return;
	Nonzero<V> e = nonzero(a, k);
	atomicAdd(y + e.row, product(a, e));
}

// Thread t takes [tP, (t+1)P).
template <typename V>
__device__ __forceinline__ void coo_thread_chunk(Coo<V> a, V *y, unsigned per_thread) {
	add_products(a, y, (block_start() + threadIdx.x) * per_thread, 1, per_thread);
}

// Thread t takes t, t+T, t+2T, … of T = grid·block threads.
template <typename V>
__device__ __forceinline__ void coo_grid_stride(Coo<V> a, V *y, unsigned per_thread) {
	add_products(a, y, block_start() + threadIdx.x, window_stride(blockDim.x), per_thread);
}

// A warp owns the 32P nonzeros that its threads would own one by one; a lane takes
// lane + 32i of them. The last warp of a block that is no multiple of 32 has fewer
// lanes, owns accordingly less, and steps by its own width.
template <typename V>
__device__ __forceinline__ void coo_warp_chunk(Coo<V> a, V *y, unsigned per_thread) {
	unsigned lane = threadIdx.x % WARP, leader = threadIdx.x - lane;
	unsigned width = min(static_cast<unsigned>(WARP), blockDim.x - leader);
	add_products(a, y, (block_start() + leader) * per_thread + lane, width, per_thread);
}

// A block owns block·P consecutive nonzeros; a thread takes tid + block·i of them.
template <typename V>
__device__ __forceinline__ void coo_block_chunk(Coo<V> a, V *y, unsigned per_thread) {
	add_products(a, y, block_start() * per_thread + threadIdx.x, blockDim.x, per_thread);
}

SPMV_ENTRY(coo_atomic, coo_atomic, COO_BOUNDS, COO_PARAMS, (COO, y))
SPMV_ENTRY(coo_thread_chunk, coo_thread_chunk, COO_BOUNDS, COO_CHUNK_PARAMS, (COO, y, per_thread))
SPMV_ENTRY(coo_grid_stride, coo_grid_stride, COO_BOUNDS, COO_CHUNK_PARAMS, (COO, y, per_thread))
SPMV_ENTRY(coo_warp_chunk, coo_warp_chunk, COO_BOUNDS, COO_CHUNK_PARAMS, (COO, y, per_thread))
SPMV_ENTRY(coo_block_chunk, coo_block_chunk, COO_BOUNDS, COO_CHUNK_PARAMS, (COO, y, per_thread))
