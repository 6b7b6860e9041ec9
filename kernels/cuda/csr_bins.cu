// SPDX-License-Identifier: Apache-2.0
// CoalescedBins and Hybrid of csr-bins-and-hybrid (Sec. V, Alg. 3 and 4), their first
// forms (Sec. V-B.3 and V-B.4, on what they replaced).
// csr_bins_ahead.cu has our form of CoalescedBins.
#include "csr_paper.cuh"

// The row of nonzero j: the last of rows lo to hi that begins at or before it.
// Rows that begin there and are empty come before it.
__device__ __forceinline__ int search_row(const int *row_ptr, unsigned j, int lo, int hi) {
	while (lo < hi) {
		int mid = lo + (hi - lo + 1) / 2;
		if (static_cast<unsigned>(__ldg(row_ptr + mid)) <= j) {
			lo = mid;
		} else {
			hi = mid - 1;
		}
	}
	return lo;
}

// CoalescedBins, first form: nonzeros in bins of `bin`, of which the host stored
// the row of the first; bin_row ends with the row of the last nonzero. A thread
// takes a nonzero, searches its row within the bin's, and adds to y, which was
// zeroed. Grid-stride.
template <typename V>
__device__ __forceinline__ void bins_v1(const Csr<V> &a, unsigned nnz, const int *bin_row,
                                        unsigned bin) {
	for (long long i = thread_index(); i < nnz; i += thread_count()) {
		unsigned j = static_cast<unsigned>(i), b = j / bin;
		int r = search_row(a.row_ptr, j, __ldg(bin_row + b), __ldg(bin_row + b + 1));
		atomicAdd(a.y + r, product(a, j));
	}
}

// The same with the products and rows of a block's consecutive nonzeros in shared
// memory: the first thread of each row there sums the row's and adds once. All
// threads go through the barriers as often.
template <typename V>
__device__ __forceinline__ void bins_v1_shared(const Csr<V> &a, unsigned nnz, const int *bin_row,
                                               unsigned bin) {
	V *sums = dynamic_shared<V>();
	int *rows = reinterpret_cast<int *>(sums + blockDim.x);
	for (long long window = static_cast<long long>(blockIdx.x) * blockDim.x; window < nnz;
	     window += thread_count()) {
		unsigned first = static_cast<unsigned>(window), n = min(blockDim.x, nnz - first);
		unsigned t = threadIdx.x, j = first + t, b = j / bin;
		if (t < n) {
			rows[t] = search_row(a.row_ptr, j, __ldg(bin_row + b), __ldg(bin_row + b + 1));
			sums[t] = product(a, j);
		}
		__syncthreads();
		if (t < n && (t == 0 || rows[t - 1] != rows[t])) {
			V sum = 0;
			for (unsigned k = t; k < n && rows[k] == rows[t]; k++) sum += sums[k];
			atomicAdd(a.y + rows[t], sum);
		}
		__syncthreads(); // no thread reads them any more
	}
}

// CoalescedBins: the host packed consecutive rows into bins of at most 64 nonzeros,
// a longer row alone; bin b holds the rows from bin_row[b] up to bin_row[b+1]. A warp
// takes a bin row by row, grid-stride over bins.
template <bool SHARED, typename V>
__device__ __forceinline__ void bins(const Csr<V> &a, const int *bin_row, int bin_count) {
	for (long long b = warp_index(); b < bin_count; b += warp_count()) {
		int last = __ldg(bin_row + b + 1);
		for (int r = __ldg(bin_row + b); r < last; r++) {
			unsigned start = row_start(a, r), end = row_end(a, r);
			V sum = warp_row_sum<1, SHARED ? IN_SHARED : IN_REGISTERS, READ_ONLY>(a, start, end);
			if (threadIdx.x % WARP == 0) a.y[r] = sum;
		}
	}
}

// The rows of Hybrid by class. The host sorted them: first the long ones, then the
// medium, then the short, each class in order. Where that changes nothing, order
// is not read.
struct Classes {
	const int *order; // row of each place
	int ordered;      // 0: place i is row i
	int longs, mediums, shorts;

	__device__ __forceinline__ int row(int place) const {
		return ordered ? __ldg(order + place) : place;
	}
};

// Hybrid: a unit of work is a long row for the block, a medium row for each of its
// warps, or a short row for each of its threads. Blocks take every gridDim-th
// unit, long ones first. All threads of a block have the same unit, so the
// barriers of a long row are safe. The first form has no long rows.
template <int UNROLL, bool SHARED, typename V>
__device__ __forceinline__ void hybrid(const Csr<V> &a, const Classes &c) {
	__shared__ V scratch[WARP];
	int warps = blockDim.x / WARP, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	int medium_units = c.mediums / warps + (c.mediums % warps > 0);
	int short_units = c.shorts / blockDim.x + (c.shorts % blockDim.x > 0);
	long long units = static_cast<long long>(c.longs) + medium_units + short_units;
	for (long long u = blockIdx.x; u < units; u += gridDim.x) {
		if (u < c.longs) {
			int r = c.row(static_cast<int>(u));
			V sum = dot<UNROLL>(a, row_start(a, r) + threadIdx.x, row_end(a, r), blockDim.x);
			sum = block_sum(sum, scratch);
			if (threadIdx.x == 0) a.y[r] = sum;
			__syncthreads(); // no thread reads scratch any more
		} else if (u < c.longs + medium_units) {
			long long i = (u - c.longs) * warps + warp;
			if (i >= c.mediums) continue; // for the whole warp
			int r = c.row(c.longs + static_cast<int>(i));
			unsigned start = row_start(a, r), end = row_end(a, r);
			V sum = SHARED ? warp_row_sum<UNROLL, IN_SHARED, READ_ONLY>(a, start, end)
			               : warp_dot<UNROLL, false>(a, start, end);
			if (lane == 0) a.y[r] = sum;
		} else {
			long long i = (u - c.longs - medium_units) * blockDim.x + threadIdx.x;
			if (i >= c.shorts) continue;
			int r = c.row(c.longs + c.mediums + static_cast<int>(i));
			unsigned start = row_start(a, r), end = row_end(a, r);
			a.y[r] = SHARED ? row_sum<UNROLL, true, READ_ONLY>(a, start, end, 1) : dot<UNROLL>(a, start, end, 1);
		}
	}
}

#define CSR_BINS1_PARAMS(V) CSR_PARAMS(V), int nnz, const int *__restrict__ bin_row, int bin
#define CSR_BINS_PARAMS(V) CSR_PARAMS(V), const int *__restrict__ bin_row, int count
#define CSR_HYBRID_PARAMS(V)                                                              \
	CSR_PARAMS(V), const int *__restrict__ order, int ordered, int longs, int mediums, int shorts
#define CLASSES (Classes{order, ordered, longs, mediums, shorts})

CSR_ENTRY(csr_bins_v1, CSR_BOUNDS, CSR_BINS1_PARAMS, bins_v1<V>(CSR, nnz, bin_row, bin))
CSR_ENTRY(csr_bins_v1_shared, CSR_BOUNDS, CSR_BINS1_PARAMS,
          bins_v1_shared<V>(CSR, nnz, bin_row, bin))
CSR_ENTRY(csr_bins, CSR_BOUNDS, CSR_BINS_PARAMS, bins<false>(CSR, bin_row, count))
CSR_ENTRY(csr_bins_shared, CSR_BOUNDS, CSR_BINS_PARAMS, bins<true>(CSR, bin_row, count))
CSR_ENTRY(csr_hybrid_v1, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<1, false>(CSR, CLASSES))
CSR_ENTRY(csr_hybrid_v1_shared, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<1, true>(CSR, CLASSES))
CSR_ENTRY(csr_hybrid, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<4, false>(CSR, CLASSES))
CSR_ENTRY(csr_hybrid_shared, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<4, true>(CSR, CLASSES))
