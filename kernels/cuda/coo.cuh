// SPDX-License-Identifier: Apache-2.0
// What the COO kernels share: the matrix, how its nonzeros are fetched, and the
// two ways in which a scan's sums reach y.
//
// COO is sorted by row. Positions of nonzeros are unsigned: nnz is below 2^31, so
// a position below nnz plus a step of at most 2^31 can't wrap, and loops need no
// 64-bit arithmetic once the first position is known to be below nnz.
#pragma once
#include "common.cuh"

// The row of what lies beyond the nonzeros. No row has it.
constexpr int NO_ROW = -1;

// Arrays of length nnz, and x.
template <typename V>
struct Coo {
	const int *row, *col;
	const V *val, *x;
	unsigned nnz;
};

// The parameters of an entry that begins with them, and its Coo.
#define COO_PARAMS(V)                                                                    \
	int nnz, const int *__restrict__ row, const int *__restrict__ col,                   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y
#define COO_CHUNK_PARAMS(V) COO_PARAMS(V), int per_thread
#define COO {row, col, val, x, static_cast<unsigned>(nnz)}

// Every legal block, up to 1024 threads, has to find its registers.
#define COO_BOUNDS __launch_bounds__(1024)

// The distance between the windows of a block that takes every gridDim-th window
// of `width` nonzeros. 2^31 leads past every nonzero, so a greater distance is no
// different.
__device__ __forceinline__ unsigned window_stride(unsigned width) {
	unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * width;
	return static_cast<unsigned>(min(stride, 1ull << 31));
}

// The first of these windows, or nnz if there is none for this block.
__device__ __forceinline__ unsigned first_window(unsigned width, unsigned nnz) {
	unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * width;
	return static_cast<unsigned>(min(first, static_cast<unsigned long long>(nnz)));
}

// One nonzero as it is stored. Fetching and multiplying are apart so that the
// fetches of several nonzeros can be under way before the first x is needed.
template <typename V>
struct Nonzero {
	int row, col;
	V val;
};

// Nonzero k, which is below nnz, and its product.
template <typename V>
__device__ __forceinline__ Nonzero<V> nonzero(const Coo<V> &a, unsigned k) {
	return {__ldg(a.row + k), __ldg(a.col + k), __ldg(a.val + k)};
}
template <typename V>
__device__ __forceinline__ V product(const Coo<V> &a, const Nonzero<V> &e) {
	return e.val * __ldg(a.x + e.col);
}

// The same for any k: from limit, which is at most nnz, there is no row, and the
// product is 0 whatever x holds.
template <typename V>
__device__ __forceinline__ Nonzero<V> nonzero_below(const Coo<V> &a, unsigned k, unsigned limit) {
	return k < limit ? nonzero(a, k) : Nonzero<V>{NO_ROW, 0, V(0)};
}
template <typename V>
__device__ __forceinline__ V product_or_0(const Coo<V> &a, const Nonzero<V> &e) {
	return e.row == NO_ROW ? V(0) : product(a, e);
}

// Ends an element of a plain scan (coo-spmv-final, Alg. 5, lines 12 to 20). prefix
// is the sum of its window up to and with this element, next the row of the next
// element, or NO_ROW if this is the last of its window or of all. Where the row
// ends, prefix goes to it; if the window goes on, all that was summed so far is
// taken off the next row again.
template <typename V>
__device__ __forceinline__ void add_prefix(V *y, int row, int next, V prefix) {
	if (row == next || row == NO_ROW) return;
	atomicAdd(y + row, prefix);
	if (next != NO_ROW) atomicAdd(y + next, -prefix);
}

// Ends an element of a segmented scan (Alg. 6, line 13): sum is its row's within
// the window. next is as in add_prefix.
template <typename V>
__device__ __forceinline__ void add_segment(V *y, int row, int next, V sum) {
	if (row != next && row != NO_ROW) atomicAdd(y + row, sum);
}

// Inclusive scan over a warp (Alg. 7 without the test for rows).
template <typename V>
__device__ __forceinline__ V warp_scan(V v, unsigned lane) {
#pragma unroll
	for (unsigned s = 1; s < WARP; s *= 2) {
		V up = __shfl_up_sync(FULL, v, s);
		if (lane >= s) v += up;
	}
	return v;
}

// Inclusive scan over the lanes of a warp that have the same row (Alg. 7). The
// paper asks at every step whether the lane s below has this lane's row. Rows are
// sorted, so one ballot tells it for all steps: that lane does if it is not below
// the first lane of the row.
template <typename V>
__device__ __forceinline__ V warp_segscan(V v, int row, unsigned lane) {
	int below = __shfl_up_sync(FULL, row, 1);
	unsigned heads = __ballot_sync(FULL, lane == 0 || below != row);
	unsigned up_to_lane = FULL >> (WARP - 1 - lane);
	unsigned since = lane - (WARP - 1 - __clz(heads & up_to_lane));
#pragma unroll
	for (unsigned s = 1; s < WARP; s *= 2) {
		V up = __shfl_up_sync(FULL, v, s);
		if (since >= s) v += up;
	}
	return v;
}

// The row of the next lane; for the last lane NO_ROW, as a warp's window ends.
__device__ __forceinline__ int next_row(int row, unsigned lane) {
	int next = __shfl_down_sync(FULL, row, 1);
	return lane == WARP - 1 ? NO_ROW : next;
}
