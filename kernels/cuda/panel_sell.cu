// SPDX-License-Identifier: Apache-2.0
// compute: 60 80
//
// Panels of columns, for few wide rows (this project's own). A block takes a panel of neighbouring
// columns: its part of x lies in shared memory, so that an entry needs 2 bytes for its column and no
// gather from the L2 cache. The host cut each row's part of a panel into pieces of at most 64 nonzeros,
// sorted the pieces by length and packed them in slices of 32, a lane each, as in SELL. Warps take slices
// from a counter, the longest first, and leave the sum of a piece in its slot, in shared memory; slots
// of a row are neighbours, and a thread adds them. A second kernel adds what blocks have of a row, in
// the order of blocks. Every row is written; the bits are the same every run.
//
// Entries of a slice are stored in pairs: pair q of lane l is at q·32 + l. Padding has the value 0, at a
// column that the piece reads anyway.
//
// Bytes: 2 and a value for each entry, padding included; 2 for each piece and for each row of a
// panel; x once; and for each block a value of every row, written and read.
#include "csr.cuh"
#include "stream.cuh"

template <typename V>
struct Pair;
template <>
struct Pair<float> {
	using Values = float2;
};
template <>
struct Pair<double> {
	using Values = double2;
};

// The matrix in panels. Block b has panels b·each up to (b+1)·each. A panel is its
// first column, its columns, its first slice, and the next panel's. Slice s begins with pair slice_pair[s]; its
// lane l writes slot piece_slot[32·s + l]. The slots of row r in panel p begin with row_slot[(rows+1)·p + r].
template <typename V>
struct Panels {
	const int4 *panel;
	const int *slice_pair;
	const unsigned *columns;
	const typename Pair<V>::Values *values;
	const unsigned short *piece_slot, *row_slot;
};

// The slot of lanes without a piece.
constexpr unsigned NONE = 0xffff;

// What is left of a lane's piece: its pairs from `pair` on, and its slot.
template <typename V>
struct Piece {
	static constexpr unsigned BATCH = 4;
	unsigned pair, end, slot;
	Stay stays;
	unsigned two[BATCH];
	typename Pair<V>::Values v[BATCH];

	// The lane's piece of slice s.
	__device__ __forceinline__ void find(const Panels<V> &a, unsigned s, unsigned last, unsigned kept) {
		pair = end = 0, stays = stay(s, kept);
		if (s >= last) return;
		pair = __ldg(a.slice_pair + s) + threadIdx.x % WARP;
		end = __ldg(a.slice_pair + s + 1);
		slot = __ldg(a.piece_slot + s * WARP + threadIdx.x % WARP);
	}
	// Fetches the next BATCH pairs.
	__device__ __forceinline__ void fetch(const Panels<V> &a) {
#pragma unroll
		for (unsigned i = 0; i < BATCH; i++) {
			if (pair + i * WARP >= end) break;
			two[i] = stream(a.columns + pair + i * WARP, stays);
			v[i] = stream(a.values + pair + i * WARP, stays);
		}
	}
	// Adds their products, and goes on behind them.
	__device__ __forceinline__ void add(const V *x, V &even, V &odd) {
#pragma unroll
		for (unsigned i = 0; i < BATCH; i++) {
			if (pair + i * WARP >= end) break;
			even += v[i].x * x[two[i] & 0xffff];
			odd += v[i].y * x[two[i] >> 16];
		}
		pair += BATCH * WARP;
	}
};

// All panels of a block. Shared memory holds a value for each of `slots` slots, a panel's part of x, at most
// `widest` of them, and its row_slot. The first pairs are fetched while x is.
template <typename V>
__device__ __forceinline__ void panels(const Panels<V> &a, const V *x, V *part, int rows, int slots, int widest,
                                       int each, int blocks, unsigned kept) {
	__shared__ unsigned next;
	if (blockIdx.x >= blocks) return;
	V *slot = dynamic_shared<V>(), *staged = slot + slots;
	unsigned short *row_slot = reinterpret_cast<unsigned short *>(staged + widest);
	V *mine = part + static_cast<long long>(blockIdx.x) * rows;
	for (int i = 0; i < each; i++) {
		long long p = static_cast<long long>(blockIdx.x) * each + i;
		int4 panel = __ldg(a.panel + p); // column, columns, first slice, last
		unsigned s = panel.z + threadIdx.x / WARP, last = panel.w;
		Piece<V> piece;
		piece.find(a, s, last, kept);
		piece.fetch(a);
		for (int j = threadIdx.x; j < panel.y; j += blockDim.x) staged[j] = __ldg(x + panel.x + j);
		for (int r = threadIdx.x; r <= rows; r += blockDim.x) row_slot[r] = __ldg(a.row_slot + p * (rows + 1) + r);
		if (threadIdx.x == 0) next = panel.z + blockDim.x / WARP;
		__syncthreads();
		while (s < last) {
			if (threadIdx.x % WARP == 0) s = atomicAdd(&next, 1u);
			s = __shfl_sync(FULL, s, 0);
			Piece<V> after;
			after.find(a, s, last, kept);
			V even = 0, odd = 0;
			piece.add(staged, even, odd);
			while (piece.pair < piece.end) {
				piece.fetch(a);
				piece.add(staged, even, odd);
			}
			if (piece.slot != NONE) slot[piece.slot] = even + odd;
			piece = after;
			piece.fetch(a);
		}
		__syncthreads();
		for (int r = threadIdx.x; r < rows; r += blockDim.x) {
			V sum = i > 0 ? mine[r] : V(0);
			for (unsigned k = row_slot[r], end = row_slot[r + 1]; k < end; k++) sum += slot[k];
			mine[r] = sum;
		}
		__syncthreads(); // before the next panel's x and slots
	}
}

// Row r is the sum of what the first `blocks` blocks have of it. A block takes 32 rows, a lane each, and its
// warps every 32nd part.
constexpr int SUM_WARPS = 32;

template <typename V>
__device__ __forceinline__ void sum_parts(const V *part, V *y, int rows, int blocks) {
	__shared__ V sums[SUM_WARPS][WARP + 1]; // without conflicts, by rows and by columns
	unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	long long r = blockIdx.x * WARP + lane;
	V sum = 0;
	if (r < rows) {
#pragma unroll 8
		for (long long b = warp; b < blocks; b += SUM_WARPS) sum += __ldg(part + b * rows + r);
	}
	sums[warp][lane] = sum;
	__syncthreads();
	sum = warp_sum(sums[lane][warp]); // of row `warp` of the block
	r += static_cast<int>(warp) - static_cast<int>(lane);
	if (lane == 0 && r < rows) y[r] = sum;
}

#define PANEL_PARAMS(V)                                                                            \
	const int4 *__restrict__ panel, const int *__restrict__ slice_pair,                            \
		const unsigned *__restrict__ columns, const typename Pair<V>::Values *__restrict__ values, \
		const unsigned short *__restrict__ piece_slot, const unsigned short *__restrict__ row_slot, \
		const V *__restrict__ x, V *__restrict__ part, int rows, int slots, int widest, int each,  \
		int blocks, unsigned kept
#define PANEL_SUM_PARAMS(V) const V *__restrict__ part, V *__restrict__ y, int rows, int blocks

CSR_ENTRY(panel_sell, CSR_BOUNDS, PANEL_PARAMS,
          panels<V>({panel, slice_pair, columns, values, piece_slot, row_slot}, x, part, rows, slots, widest, each,
                    blocks, kept))
CSR_ENTRY(panel_sell_sum, CSR_BOUNDS, PANEL_SUM_PARAMS, sum_parts<V>(part, y, rows, blocks))
