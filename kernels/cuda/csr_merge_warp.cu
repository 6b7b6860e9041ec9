// SPDX-License-Identifier: Apache-2.0
// Merge by warps (after Merrill and Garland, SC16): one launch, every row is written once, the
// same bits every run. Rows and nonzeros are merged as in csr_merge.cu, and the merge is cut into
// an equal share for each warp of the grid; the host found the row in which a share begins. A warp
// goes through its share without waiting for others:
//
//   - Where at least LONG nonzeros of a row are left, all lanes sum them, from whole vectors.
//   - Else it takes as many whole rows as fit into a tile of 32·ITEMS nonzeros and 32·ROWS rows. Their
//     products are staged in shared memory; a lane sums a row, several lanes where rows are few, and
//     the whole warp one that is much longer than the others.
//
// What a share cuts is put together by the block. What a block cuts is put together by whichever
// of the blocks concerned comes last; it adds their parts in their order. No block waits for
// another, so any grid ends. The counter of a cut row begins at −1, and the last comer sets it
// back, so that nothing needs to be zeroed before a product.
//
// Bytes: those of CSR once, each vector of x and y once, and 4 for each warp of the grid.
#include "merge_share.cuh"

// The step of the merge at which the first nonzero of row r is taken, or its end if it has none, and that of
// its end.
template <typename V>
__device__ __forceinline__ long long first_step(const Csr<V> &a, long long r) {
	return row_start(a, r) + r;
}
template <typename V>
__device__ __forceinline__ long long end_step(const Csr<V> &a, long long r) {
	return row_end(a, r) + r;
}

// What blocks know of the rows that they cut: in counter[b] how many blocks have come of those that have a
// part of the row that ends in block b, less 1; in part[b] what block b has of it, and in
// part[gridDim+b] what block b has of the row that goes on beyond it.
template <typename V>
struct Cuts {
	int *counter;
	V *part;
};

// Block b gives its part of row r. The last comer adds all. A warp calls it.
template <typename V>
__device__ __forceinline__ void give_part(const Csr<V> &a, Cuts<V> cuts, unsigned r, V sum, long long share) {
	unsigned first = first_step(a, r) / share, last = end_step(a, r) / share, lane = threadIdx.x % WARP;
	int before = 0;
	if (lane == 0) {
		cuts.part[blockIdx.x == last ? last : gridDim.x + blockIdx.x] = sum;
		__threadfence();
		before = atomicAdd(cuts.counter + last, 1);
	}
	if (__shfl_sync(FULL, before, 0) + 1 != static_cast<int>(last - first)) return;
	__threadfence();
	V all = 0;
#pragma unroll 8
	for (unsigned b = first + lane; b < last; b += WARP) all += __ldcg(cuts.part + gridDim.x + b);
	if (lane == 0) all += __ldcg(cuts.part + last);
	all = warp_sum(all);
	if (lane == 0) {
		a.y[r] = all;
		cuts.counter[last] = -1;
	}
}

// What warps of a block tell each other.
template <typename V>
struct Told {
	V head, tail;
	unsigned row, last;
};

// Puts the rows together that shares of this block cut. The first warp calls it; lane w takes
// the row that warp w ends first.
template <typename V>
__device__ __forceinline__ void join_shares(const Csr<V> &a, Cuts<V> cuts, const Told<V> *told, long long share) {
	unsigned lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
	Told<V> mine = lane < warps ? told[lane] : Told<V>{V(0), V(0), 0, 0};
	bool ends = mine.row < mine.last;
	V upto = mine.tail; // since the last row that ended
	int ended = ends;
#pragma unroll
	for (unsigned d = 1; d < WARP; d *= 2) {
		V sum = __shfl_up_sync(FULL, upto, d);
		int before = __shfl_up_sync(FULL, ended, d);
		if (lane >= d) {
			if (!ended) upto += sum;
			ended |= before;
		}
	}
	V in = __shfl_up_sync(FULL, upto, 1);
	V sum = lane > 0 ? in + mine.head : mine.head;

	long long begin = blockIdx.x * share;
	unsigned who = __ballot_sync(FULL, ends);
	bool cut = ends && lane + 1 == __ffs(who) && first_step(a, mine.row) < begin;
	if (ends && !cut) a.y[mine.row] = sum;
	unsigned cutter = __ballot_sync(FULL, cut);
	if (cutter) {
		unsigned w = __ffs(cutter) - 1;
		give_part(a, cuts, __shfl_sync(FULL, mine.row, w), __shfl_sync(FULL, sum, w), share);
	}
	unsigned open = __shfl_sync(FULL, mine.last, warps - 1);
	V rest = __shfl_sync(FULL, upto, warps - 1);
	if (open < a.rows && first_step(a, open) < begin + share) give_part(a, cuts, open, rest, share);
}

// Step i·steps of the merge is in row border[i], for each warp i of the grid and for its end.
template <int ROWS, int ITEMS, typename V>
__device__ __forceinline__ void merge_warps(const Csr<V> &a, int nnz, const int *border, Cuts<V> cuts, int steps) {
	__shared__ Told<V> told[WARP];
	unsigned warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
	long long i = static_cast<long long>(blockIdx.x) * warps + warp;
	Share<V> s;
	s.row = __ldg(border + i);
	s.last = __ldg(border + i + 1);
	long long end = static_cast<long long>(a.rows) + nnz;
	s.from = static_cast<unsigned>(min(i * steps, end) - s.row);
	s.to = static_cast<unsigned>(min((i + 1) * steps, end) - s.last);
	merge_share<ROWS, ITEMS>(a, s, nnz, dynamic_shared<V>() + warp * WARP * ITEMS);
	if (threadIdx.x % WARP == 0) told[warp] = Told<V>{s.head, s.tail, s.row, s.last};
	__syncthreads();
	if (warp == 0) join_shares(a, cuts, told, static_cast<long long>(warps) * steps);
}

#define MERGE_WARP_PARAMS(V)                                                                       \
	CSR_PARAMS(V), int nnz, const int *__restrict__ border, int *counter, V *part, int steps

#define MERGE_WARP(ROWS)                                                                           \
	CSR_ENTRY(csr_merge_warp_##ROWS, CSR_BOUNDS, MERGE_WARP_PARAMS,                                \
	          merge_warps<ROWS, 8>(CSR, nnz, border, Cuts<V>{counter, part}, steps))

MERGE_WARP(1)
MERGE_WARP(2)
MERGE_WARP(4)
MERGE_WARP(6)
