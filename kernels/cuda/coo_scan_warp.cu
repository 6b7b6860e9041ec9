// SPDX-License-Identifier: Apache-2.0
// Prefix sums over a warp by shuffles (coo-spmv-final, Alg. 7, Sec. VI-C): no
// shared memory, no barriers. A window is 32 nonzeros. y was zeroed.
//
// The kernels differ in which windows a warp takes, in whether the scan is of the
// window or of each row's part of it, and in how many windows are under way at once.
#include "coo.cuh"

// COUNT windows at a time.
template <int COUNT>
struct Windows {};

// Fetches, scans and adds the windows of a warp: the one that begins at `start`, and
// those `step` further on, up to limit. start and limit are the same in a whole
// warp, so all lanes take part in every shuffle; lanes from limit on hold 0 of
// NO_ROW.
template <bool BY_ROW, typename V, int COUNT>
__device__ __forceinline__ void scan_windows(const Coo<V> &a, V *y, unsigned start, unsigned step,
                                             unsigned limit, Windows<COUNT>) {
	const unsigned lane = threadIdx.x % WARP;
	while (start < limit) {
		Nonzero<V> e[COUNT];
		V sum[COUNT];
#pragma unroll
		for (int i = 0; i < COUNT; i++, start += step) e[i] = nonzero_below(a, start + lane, limit);
#pragma unroll
		for (int i = 0; i < COUNT; i++) sum[i] = product_or_0(a, e[i]);
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int next = next_row(e[i].row, lane);
			if (BY_ROW) {
				add_segment(y, e[i].row, next, warp_segscan(sum[i], e[i].row, lane));
			} else {
				add_prefix(y, e[i].row, next, warp_scan(sum[i], lane));
			}
		}
	}
}

// A block takes every gridDim-th run of `block` nonzeros, a warp its 32 of them.
template <bool BY_ROW, typename V>
__device__ __forceinline__ void scan_grid_stride(const Coo<V> &a, V *y) {
	unsigned run = first_window(blockDim.x, a.nnz);
	scan_windows<BY_ROW>(a, y, run + threadIdx.x / WARP * WARP, window_stride(blockDim.x), a.nnz,
	                     Windows<1>{});
}

// A block owns block·P consecutive nonzeros, P = ⌈nnz / (grid·block)⌉, and goes
// through them `block` at a time, as coo_block_chunk does. Chunks are whole windows.
template <bool BY_ROW, typename V, int COUNT>
__device__ __forceinline__ void scan_chunk(const Coo<V> &a, V *y, unsigned per_thread,
                                           Windows<COUNT> windows) {
	const unsigned long long size = static_cast<unsigned long long>(blockDim.x) * per_thread;
	const unsigned long long nnz = a.nnz, begin = min(blockIdx.x * size, nnz);
	const unsigned limit = static_cast<unsigned>(min(begin + size, nnz));
	scan_windows<BY_ROW>(a, y, static_cast<unsigned>(begin) + threadIdx.x / WARP * WARP, blockDim.x,
	                     limit, windows);
}

template <typename V>
__device__ __forceinline__ void coo_scan_warp(Coo<V> a, V *y) {
	scan_grid_stride<false>(a, y);
}

template <typename V>
__device__ __forceinline__ void coo_segscan_warp(Coo<V> a, V *y) {
	scan_grid_stride<true>(a, y);
}

template <typename V>
__device__ __forceinline__ void coo_scan_warp_chunk(Coo<V> a, V *y, unsigned per_thread) {
	scan_chunk<false>(a, y, per_thread, Windows<1>{});
}

template <typename V, int COUNT>
__device__ __forceinline__ void coo_segscan_warp_chunk(Coo<V> a, V *y, unsigned per_thread,
                                                       Windows<COUNT> windows) {
	scan_chunk<true>(a, y, per_thread, windows);
}

SPMV_ENTRY(coo_scan_warp, coo_scan_warp, COO_BOUNDS, COO_PARAMS, (COO, y))
SPMV_ENTRY(coo_segscan_warp, coo_segscan_warp, COO_BOUNDS, COO_PARAMS, (COO, y))
SPMV_ENTRY(coo_scan_warp_chunk, coo_scan_warp_chunk, COO_BOUNDS, COO_CHUNK_PARAMS,
           (COO, y, per_thread))
SPMV_ENTRY(coo_segscan_warp_chunk, coo_segscan_warp_chunk, COO_BOUNDS, COO_CHUNK_PARAMS,
           (COO, y, per_thread, Windows<1>{}))
SPMV_ENTRY(coo_segscan_warp_chunk_unroll2, coo_segscan_warp_chunk, COO_BOUNDS, COO_CHUNK_PARAMS,
           (COO, y, per_thread, Windows<2>{}))
SPMV_ENTRY(coo_segscan_warp_chunk_unroll4, coo_segscan_warp_chunk, COO_BOUNDS, COO_CHUNK_PARAMS,
           (COO, y, per_thread, Windows<4>{}))
SPMV_ENTRY(coo_segscan_warp_chunk_unroll8, coo_segscan_warp_chunk, COO_BOUNDS, COO_CHUNK_PARAMS,
           (COO, y, per_thread, Windows<8>{}))
