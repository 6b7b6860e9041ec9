// SPDX-License-Identifier: Apache-2.0
// What a warp does with its share of the merge of ends of rows and nonzeros: csr_merge_warp.cu says how.
#pragma once
#include "csr.cuh"

// As many values as 16 bytes hold, and their columns.
template <typename V>
struct Vector;
template <>
struct Vector<float> {
	using Values = float4;
	using Columns = int4;
};
template <>
struct Vector<double> {
	using Values = double2;
	using Columns = int2;
};
template <typename V>
constexpr unsigned WIDE = 16 / sizeof(V);

// Products that a lane fetches at a time: vectors k, k+32·WIDE, … of them, from k on, which is a
// multiple of WIDE. Vectors from `end` on are not read; what stands for them nobody uses.
template <int PRODUCTS, typename V>
struct Fetched {
	static constexpr int WIDTH = WIDE<V>, VECTORS = PRODUCTS / WIDTH;
	alignas(16) int col[VECTORS][WIDTH];
	alignas(16) V val[VECTORS][WIDTH];

	__device__ __forceinline__ void fetch(const Csr<V> &a, unsigned k, unsigned end, unsigned nnz) {
#pragma unroll
		for (int i = 0; i < VECTORS; i++) {
			unsigned at = k + i * WARP * WIDTH;
			if (at < end && at + WIDTH <= nnz) {
				*reinterpret_cast<typename Vector<V>::Columns *>(col[i]) =
					__ldcs(reinterpret_cast<const typename Vector<V>::Columns *>(a.col_idx + at));
				*reinterpret_cast<typename Vector<V>::Values *>(val[i]) =
					__ldcs(reinterpret_cast<const typename Vector<V>::Values *>(a.val + at));
				continue;
			}
#pragma unroll
			for (int w = 0; w < WIDTH; w++) col[i][w] = 0, val[i][w] = 0;
			if (at >= end) continue;
#pragma unroll 1
			for (int w = 0; w < WIDTH && at + w < nnz; w++) {
#pragma unroll
				for (int v = 0; v < WIDTH; v++) {
					if (v == w) col[i][v] = __ldg(a.col_idx + at + w), val[i][v] = __ldg(a.val + at + w);
				}
			}
		}
#pragma unroll
		for (int i = 0; i < VECTORS; i++) {
			if (k + i * WARP * WIDTH >= end) continue;
#pragma unroll
			for (int w = 0; w < WIDTH; w++) val[i][w] *= __ldg(a.x + col[i][w]);
		}
	}
};

// Σ of the products from `from` up to `to` over the warp; all lanes have it.
template <int ITEMS, typename V>
__device__ __forceinline__ V long_sum(const Csr<V> &a, unsigned from, unsigned to, unsigned nnz) {
	constexpr unsigned WIDTH = WIDE<V>;
	V sum = 0;
	unsigned k = from / WIDTH * WIDTH + threadIdx.x % WARP * WIDTH;
#pragma unroll 1
	for (; k < to; k += WARP * ITEMS) {
		Fetched<ITEMS, V> f;
		f.fetch(a, k, to, nnz);
#pragma unroll
		for (unsigned i = 0; i < ITEMS / WIDTH; i++) {
#pragma unroll
			for (unsigned w = 0; w < WIDTH; w++) {
				unsigned at = k + i * WARP * WIDTH + w;
				if (at >= from && at < to) sum += f.val[i][w];
			}
		}
	}
#pragma unroll
	for (int d = WARP / 2; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
	return sum;
}

// The share of one warp: it ends rows `row` to `last`, exclusive, and takes nonzeros from `from` up to
// `to`, of which the last belong to row `last`. Of the first row it knows only a part, perhaps: lane 0
// gets its sum in head, and y does not. All lanes get in tail the sum of what belongs to row `last`.
template <typename V>
struct Share {
	unsigned row, last, from, to;
	V head, tail;
};

// Rows of a share that are in hand: lane's row i is row + 32·i + lane, and end[i] its end; FAR for one
// that does not end in the share.
constexpr unsigned FAR = 0xffffffffu;

template <int ROWS, typename V>
__device__ __forceinline__ void fetch_ends(const Csr<V> &a, unsigned (&end)[ROWS], unsigned row,
                                           unsigned last) {
#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		unsigned r = row + i * WARP + threadIdx.x % WARP;
		end[i] = r < last ? row_end(a, r) : FAR;
	}
}

// Rows of the tile, a lane each: where one is longer than 32, all lanes sum it.
template <int ROWS, typename V>
__device__ __forceinline__ void lane_rows(const Csr<V> &a, Share<V> &s, const unsigned (&end)[ROWS], unsigned row,
                                          unsigned rows, unsigned start, unsigned base, const V *staged) {
	unsigned lane = threadIdx.x % WARP;
#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		unsigned from = __shfl_up_sync(FULL, end[i], 1);
		if (lane == 0) from = start;
		start = __shfl_sync(FULL, end[i], WARP - 1); // of the lanes' next rows
		if (i * WARP >= rows) break;
		bool mine = i * WARP + lane < rows;
		bool longer = mine && end[i] - from > WARP;
		V sum = 0;
		if (mine && !longer) {
#pragma unroll 1 // most are short
			for (unsigned k = from - base; k < end[i] - base; k++) sum += staged[k];
		}
		for (unsigned left = __ballot_sync(FULL, longer); left; left &= left - 1) {
			unsigned of = __ffs(left) - 1;
			unsigned k = __shfl_sync(FULL, from, of) - base + lane, stop = __shfl_sync(FULL, end[i], of) - base;
			V part = 0;
#pragma unroll 1
			for (; k < stop; k += WARP) part += staged[k];
#pragma unroll
			for (int d = WARP / 2; d > 0; d /= 2) part += __shfl_xor_sync(FULL, part, d);
			if (lane == of) sum = part;
		}
		unsigned r = row + i * WARP + lane;
		if (mine && r != s.row) a.y[r] = sum;
		if (i == 0 && lane == 0 && r == s.row) s.head = sum;
	}
}

// At most 16 rows, several lanes each.
template <typename V>
__device__ __forceinline__ void group_rows(const Csr<V> &a, Share<V> &s, unsigned end, unsigned row, unsigned rows,
                                           unsigned start, unsigned base, const V *staged) {
	unsigned lane = threadIdx.x % WARP, width = WARP >> (WARP - __clz(rows - 1));
	unsigned group = lane / width;
	unsigned from = __shfl_sync(FULL, end, (group + WARP - 1) % WARP), to = __shfl_sync(FULL, end, group);
	if (group == 0) from = start;
	V sum = 0;
	if (group < rows) {
#pragma unroll 4
		for (unsigned k = from - base + lane % width; k < to - base; k += width) sum += staged[k];
	}
	for (unsigned d = width / 2; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
	unsigned r = row + group;
	if (group < rows && lane % width == 0 && r != s.row) a.y[r] = sum;
	if (lane == 0 && r == s.row) s.head = sum;
}

// Puts the products from `from`, a multiple of WIDE, up to `to` into shared memory.
template <int ITEMS, typename V>
__device__ __forceinline__ void stage(const Csr<V> &a, V *staged, unsigned from, unsigned to, unsigned nnz) {
	unsigned lane = threadIdx.x % WARP;
	Fetched<ITEMS, V> f;
	f.fetch(a, from + lane * WIDE<V>, to, nnz);
	__syncwarp(); // the last tile was read
#pragma unroll
	for (unsigned i = 0; i < ITEMS / WIDE<V>; i++) {
		*reinterpret_cast<typename Vector<V>::Values *>(staged + (i * WARP + lane) * WIDE<V>) =
			*reinterpret_cast<const typename Vector<V>::Values *>(f.val[i]);
	}
	__syncwarp();
}

// A warp's share; staged is its part of shared memory, of 32·ITEMS values.
template <int ROWS, int ITEMS, typename V>
__device__ __forceinline__ void merge_share(const Csr<V> &a, Share<V> &s, unsigned nnz, V *staged) {
	constexpr unsigned WIDTH = WIDE<V>, LONG = 16 * ITEMS;
	static_assert(LONG + WIDTH <= WARP * ITEMS && ITEMS % WIDTH == 0); // a short row fits into a tile
	unsigned lane = threadIdx.x % WARP, row = s.row, start = s.from;
	unsigned end[ROWS];
	fetch_ends(a, end, row, s.last);
	s.head = 0;
#pragma unroll 1
	while (row < s.last) {
		unsigned first = __shfl_sync(FULL, end[0], 0);
		if (first - start >= LONG) {
			V sum = long_sum<ITEMS>(a, start, first, nnz);
			if (row == s.row) {
				s.head = sum;
			} else if (lane == 0) {
				a.y[row] = sum;
			}
			start = first;
			row++;
			fetch_ends(a, end, row, s.last);
			continue;
		}

		unsigned base = start / WIDTH * WIDTH, rows = 0, stop = start;
#pragma unroll
		for (int i = 0; i < ROWS; i++) {
			unsigned n = __popc(__ballot_sync(FULL, end[i] <= base + WARP * ITEMS));
			unsigned last_end = __shfl_sync(FULL, end[i], (n + WARP - 1) % WARP);
			if (n > 0) stop = last_end;
			rows += n;
		}
		unsigned next[ROWS];
		fetch_ends(a, next, row + rows, s.last);

		if (stop > start) stage<ITEMS>(a, staged, base, stop, nnz);
		if (rows > WARP / 2) {
			lane_rows(a, s, end, row, rows, start, base, staged);
		} else {
			group_rows(a, s, end[0], row, rows, start, base, staged);
		}
		row += rows;
		start = stop;
#pragma unroll
		for (int i = 0; i < ROWS; i++) end[i] = next[i];
	}
	s.tail = long_sum<ITEMS>(a, start, s.to, nnz);
}
