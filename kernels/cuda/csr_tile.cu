// SPDX-License-Identifier: Apache-2.0
// Kernels that stage x in shared memory, a tile of `tile` elements at a time:
// csr-shuffle-and-shared, Alg. 3, and the second of its future works. tile is a
// power of two. Columns are sorted within a row, so the nonzeros of a tile are
// consecutive, tiles come in order, and those without nonzeros are skipped.
#include "csr.cuh"

constexpr unsigned NO_COLUMN = ~0u; // beyond every column

// Copies the tile of x that begins at column base; `threads` threads take part,
// of which this is number i.
template <typename V>
__device__ __forceinline__ void stage(const Csr<V> &a, V *tile, unsigned base, unsigned width,
                                      unsigned cols, unsigned i, unsigned threads) {
	unsigned n = min(width, cols - base);
	for (unsigned k = i; k < n; k += threads) tile[k] = __ldg(a.x + base + k);
}

// Adds to sum the nonzeros of a row from cur on whose columns are in the tile at
// base, a lane taking every 32nd, and returns the first that is not, or some
// position from end on. All lanes of a warp call it and get the same.
template <typename V>
__device__ __forceinline__ unsigned consume(const Csr<V> &a, const V *tile, unsigned base,
                                            unsigned width, unsigned cur, unsigned end, V &sum) {
	unsigned j = cur + threadIdx.x % WARP;
#pragma unroll 2
	for (; j < end; j += WARP) {
		unsigned k = static_cast<unsigned>(__ldg(a.col_idx + j)) - base;
		if (k >= width) break;
		sum += __ldg(a.val + j) * tile[k];
	}
	// Each lane stopped at the first of its nonzeros that is left over.
#pragma unroll
	for (int d = WARP / 2; d > 0; d /= 2) j = min(j, __shfl_xor_sync(FULL, j, d));
	return j;
}

// A warp per row with a tile of its own. Loops and branches are the same for all
// lanes of a warp.
template <typename V>
__device__ __forceinline__ void warp_row_tile(const Csr<V> &a, unsigned cols, unsigned width) {
	unsigned lane = threadIdx.x % WARP;
	V *tile = dynamic_shared<V>() + threadIdx.x / WARP * width;
	for (long long r = warp_index(); r < a.rows; r += warp_count()) {
		unsigned cur = row_start(a, r), end = row_end(a, r);
		V sum = 0;
		while (cur < end) {
			unsigned base = static_cast<unsigned>(__ldg(a.col_idx + cur)) & ~(width - 1);
			stage(a, tile, base, width, cols, lane, WARP);
			__syncwarp(); // the tile is there
			cur = consume(a, tile, base, width, cur, end, sum);
			__syncwarp(); // no thread reads it any more
		}
		sum = warp_sum(sum);
		if (lane == 0) a.y[r] = sum;
	}
}

// A block takes as many neighbouring rows as it has warps, a warp each, and all
// share one tile: the first that any of the rows still needs. Warps whose row has
// no nonzeros there, or that have no row, wait at the barriers.
template <typename V>
__device__ __forceinline__ void block_tile(const Csr<V> &a, unsigned cols, unsigned width) {
	__shared__ unsigned wanted[WARP]; // the next column of each warp's row
	V *tile = dynamic_shared<V>();
	unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
	for (long long group = static_cast<long long>(blockIdx.x) * warps; group < a.rows;
	     group += warp_count()) {
		long long r = group + warp;
		bool mine = r < a.rows;
		unsigned cur = mine ? row_start(a, r) : 0, end = mine ? row_end(a, r) : 0;
		V sum = 0;
		for (;;) {
			if (lane == 0) {
				wanted[warp] =
					cur < end ? static_cast<unsigned>(__ldg(a.col_idx + cur)) : NO_COLUMN;
			}
			__syncthreads(); // wanted is there, and no thread reads the tile any more
			unsigned first = lane < warps ? wanted[lane] : NO_COLUMN;
#pragma unroll
			for (int d = WARP / 2; d > 0; d /= 2) {
				first = min(first, __shfl_xor_sync(FULL, first, d));
			}
			if (first == NO_COLUMN) break; // for all threads of the block
			unsigned base = first & ~(width - 1);
			stage(a, tile, base, width, cols, threadIdx.x, blockDim.x);
			__syncthreads(); // the tile is there, and no thread reads wanted any more
			cur = consume(a, tile, base, width, cur, end, sum);
		}
		__syncthreads(); // no thread reads wanted any more
		sum = warp_sum(sum);
		if (mine && lane == 0) a.y[r] = sum;
	}
}

#define CSR_TILE_PARAMS(V) CSR_PARAMS(V), int cols, int tile

CSR_ENTRY(csr_warp_row_tile, CSR_BOUNDS, CSR_TILE_PARAMS, warp_row_tile<V>(CSR, cols, tile))
CSR_ENTRY(csr_block_tile, CSR_BOUNDS, CSR_TILE_PARAMS, block_tile<V>(CSR, cols, tile))
