// SPDX-License-Identifier: Apache-2.0
// Prefix sums over a block from those over its warps (coo-spmv-final, Sec. IV,
// Fig. 7): warps scan by shuffles, their totals are scanned, and what lies before a
// warp is added to its sums. A window is `block` nonzeros; a block takes every
// grid-th one. y was zeroed.
#include "coo.cuh"

// What the warps of a block tell each other of a window. There are two, used in
// turn: a window's is written while slow warps may still read the one before, but
// not the one before that, because all have passed the barrier between.
template <typename V>
struct WarpEnds {
	V total[WARP];   // the last lane's sum
	int first[WARP]; // row of the first lane
	int last[WARP];  // row of the last lane
};

// The row after this lane's, across warps; NO_ROW at the end of the window.
template <typename V>
__device__ __forceinline__ int next_in_block(const WarpEnds<V> &ends, int row, unsigned lane,
                                             unsigned warp, unsigned warps) {
	int next = next_row(row, lane);
	if (lane == WARP - 1 && warp + 1 < warps) next = ends.first[warp + 1];
	return next;
}

template <typename V>
__device__ __forceinline__ void coo_scan_block(Coo<V> a, V *y) {
	__shared__ WarpEnds<V> both[2];
	const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	const unsigned warps = blockDim.x / WARP, stride = window_stride(blockDim.x);
	unsigned turn = 0;

	// The condition is the same in a whole block, as is its barrier.
	for (unsigned start = first_window(blockDim.x, a.nnz); start < a.nnz; start += stride) {
		WarpEnds<V> &ends = both[turn];
		turn ^= 1;
		Nonzero<V> e = nonzero_below(a, start + threadIdx.x, a.nnz);
		V sum = warp_scan(product_or_0(a, e), lane);
		if (lane == 0) ends.first[warp] = e.row;
		if (lane == WARP - 1) ends.total[warp] = sum;
		__syncthreads();
		if (warp > 0) {
			// Every warp scans the totals for itself, which saves a second barrier.
			V totals = warp_scan(lane < warps ? ends.total[lane] : V(0), lane);
			sum += __shfl_sync(FULL, totals, warp - 1);
		}
		add_prefix(y, e.row, next_in_block(ends, e.row, lane, warp, warps), sum);
	}
}

template <typename V>
__device__ __forceinline__ void coo_segscan_block(Coo<V> a, V *y) {
	__shared__ WarpEnds<V> both[2];
	const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	const unsigned warps = blockDim.x / WARP, stride = window_stride(blockDim.x);
	unsigned turn = 0;

	// The condition is the same in a whole block, as is its barrier.
	for (unsigned start = first_window(blockDim.x, a.nnz); start < a.nnz; start += stride) {
		WarpEnds<V> &ends = both[turn];
		turn ^= 1;
		Nonzero<V> e = nonzero_below(a, start + threadIdx.x, a.nnz);
		V sum = warp_segscan(product_or_0(a, e), e.row, lane);
		if (lane == 0) ends.first[warp] = e.row;
		if (lane == WARP - 1) ends.last[warp] = e.row;
		if (lane == WARP - 1) ends.total[warp] = sum;
		__syncthreads();
		// A carry enters only the elements of the row that the warp before ended in.
		// Whether there is such a row is the same in a whole warp.
		if (warp > 0 && ends.last[warp - 1] == ends.first[warp]) {
			int rows = lane < warps ? ends.last[lane] : NO_ROW;
			V totals = warp_segscan(lane < warps ? ends.total[lane] : V(0), rows, lane);
			V carry = __shfl_sync(FULL, totals, warp - 1);
			if (e.row == ends.first[warp]) sum += carry;
		}
		add_segment(y, e.row, next_in_block(ends, e.row, lane, warp, warps), sum);
	}
}

SPMV_ENTRY(coo_scan_block, coo_scan_block, COO_BOUNDS, COO_PARAMS, (COO, y))
SPMV_ENTRY(coo_segscan_block, coo_segscan_block, COO_BOUNDS, COO_PARAMS, (COO, y))
