// SPDX-License-Identifier: Apache-2.0
// LightSpMV (csr-five-algorithms, Sec. IV-E; Liu and Schmidt, ASAP 2015): groups of
// WIDTH lanes take rows from a counter in global memory, so that a group that got a
// long row takes fewer. The counter was zeroed. It has 64 bits, because every warp
// steps past the last row once.
//
// The published code passes a row's bounds through shared memory without waiting
// for it (a missing __syncwarp). Here they pass through shuffles, which wait. All
// lanes of a warp stay together: groups that got no row take part in the shuffles
// with nothing to sum.
#include "csr.cuh"

// Sums row r by the lanes of a group, and writes it; r may be beyond the rows.
template <int WIDTH, typename V>
__device__ __forceinline__ void group_row(const Csr<V> &a, unsigned long long r) {
	unsigned lane = threadIdx.x % WIDTH;
	bool mine = r < a.rows;
	// Two lanes fetch the bounds of the row.
	unsigned bound = mine && lane < 2 ? __ldg(a.row_ptr + r + lane) : 0;
	unsigned start = __shfl_sync(FULL, bound, 0, WIDTH), end = __shfl_sync(FULL, bound, 1, WIDTH);
	// A whole warp begins at a multiple of 32, so that its fetches are aligned: the
	// lanes before the row's start skip to their next nonzero.
	unsigned skip = WIDTH == WARP ? (lane - start) % WARP : lane;
	V sum = group_sum(dot<2>(a, start + skip, end, WIDTH), WIDTH);
	if (mine && lane == 0) a.y[r] = sum;
}

// Vector level: every group takes its next row by itself. The counter only grows,
// so once a group gets no row, nor will the others of its warp.
template <int WIDTH, typename V>
__device__ __forceinline__ void light(const Csr<V> &a, unsigned long long *next) {
	for (;;) {
		unsigned long long r = 0;
		if (threadIdx.x % WIDTH == 0) r = atomicAdd(next, 1ull);
		r = __shfl_sync(FULL, r, 0, WIDTH);
		if (__all_sync(FULL, r >= a.rows)) return;
		group_row<WIDTH>(a, r);
	}
}

// Warp level: lane 0 takes a row for each group of its warp.
template <int WIDTH, typename V>
__device__ __forceinline__ void light_warp(const Csr<V> &a, unsigned long long *next) {
	unsigned lane = threadIdx.x % WARP;
	for (;;) {
		unsigned long long r = 0;
		if (lane == 0) r = atomicAdd(next, static_cast<unsigned long long>(WARP / WIDTH));
		r = __shfl_sync(FULL, r, 0);
		if (r >= a.rows) return; // for the whole warp
		group_row<WIDTH>(a, r + lane / WIDTH);
	}
}

#define CSR_LIGHT_PARAMS(V) CSR_PARAMS(V), unsigned long long *next

#define LIGHT(WIDTH)                                                                          \
	CSR_ENTRY(csr_light_##WIDTH, CSR_BOUNDS, CSR_LIGHT_PARAMS, light<WIDTH>(CSR, next))       \
	CSR_ENTRY(csr_light_warp_##WIDTH, CSR_BOUNDS, CSR_LIGHT_PARAMS, light_warp<WIDTH>(CSR, next))

LIGHT(2)
LIGHT(4)
LIGHT(8)
LIGHT(16)
LIGHT(32)
