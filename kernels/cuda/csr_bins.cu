// CoalescedBins and Hybrid of csr-bins-and-hybrid (Sec. V, Alg. 3 and 4), and
// their first forms (Sec. V-B.3 and V-B.4, on what they replaced).
#include "csr.cuh"

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
		__syncthreads(); // nobody reads them any more
	}
}

// Sums N rows over a warp, of each of which every lane has a part; the lanes from
// i·32/N on have the sum of row i. Lanes that swap parts of two rows keep one each,
// so that as many shuffles as for one row, and a few, sum all of them.
template <int N, typename V>
__device__ __forceinline__ V rows_sum(V (&part)[N]) {
	unsigned lane = threadIdx.x % WARP;
	int d = WARP / 2;
#pragma unroll
	for (int n = N / 2; n > 0; n /= 2, d /= 2) {
		bool upper = lane & d;
#pragma unroll
		for (int i = 0; i < n; i++) {
			V kept = upper ? part[i + n] : part[i], given = upper ? part[i] : part[i + n];
			part[i] = kept + __shfl_xor_sync(FULL, given, d);
		}
	}
#pragma unroll
	for (; d > 0; d /= 2) part[0] += __shfl_xor_sync(FULL, part[0], d);
	return part[0];
}

// Rows that a warp has taken of a bin: lane i has the end of row i of n, lanes
// beyond have the last one's. The first row is `first`; `some` is a nonzero of
// theirs. Where `wide`, some row has more nonzeros than a warp has lanes.
struct Taken {
	unsigned first, n, ends, some;
	bool wide;
};

// Sums rows i to i+N-1 of those taken, and returns where they end; the nonzeros of
// all are fetched before the first is reduced. Rows beyond the last are empty.
// Lanes without a nonzero fetch `some`: a fetch that not all lanes take would have
// to end before the next could begin.
template <int N, bool SHARED, typename V>
__device__ __forceinline__ unsigned sum_rows(const Csr<V> &a, const Taken &t, unsigned i,
                                             unsigned start) {
	unsigned lane = threadIdx.x % WARP;
	unsigned at[N], end[N];
	int col[N];
	V part[N], x[N];
#pragma unroll
	for (int k = 0; k < N; k++) {
		at[k] = start + lane;
		end[k] = start = __shfl_sync(FULL, t.ends, i + k);
	}
#pragma unroll
	for (int k = 0; k < N; k++) {
		unsigned j = at[k] < end[k] ? at[k] : t.some;
		col[k] = __ldg(a.col_idx + j);
		part[k] = __ldg(a.val + j);
	}
#pragma unroll
	for (int k = 0; k < N; k++) x[k] = __ldg(a.x + col[k]);
#pragma unroll
	for (int k = 0; k < N; k++) part[k] = at[k] < end[k] ? part[k] * x[k] : V(0);
	if (t.wide) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			if (at[k] + WARP < end[k]) part[k] += product(a, at[k] + WARP);
		}
	}
	if (SHARED) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			V sum = warp_sum_shared(part[k]);
			if (lane == 0 && i + k < t.n) a.y[t.first + i + k] = sum;
		}
	} else {
		constexpr unsigned LANES = WARP / N; // with the same row
		V sum = rows_sum(part);
		if (lane % LANES == 0 && i + lane / LANES < t.n) a.y[t.first + i + lane / LANES] = sum;
	}
	return start;
}

// CoalescedBins: the host packed consecutive rows into bins of at most 64 nonzeros,
// a longer row alone; bin b holds the rows from bin_row[b] up to bin_row[b+1]. A warp
// takes a bin row by row, grid-stride over bins. The bounds of up to 32 rows are
// fetched at a time, a lane each, and of these 4 rows are summed at a time, or the
// last one or two.
template <bool SHARED, typename V>
__device__ __forceinline__ void bins(const Csr<V> &a, const int *bin_row, int bin_count) {
	unsigned lane = threadIdx.x % WARP;
	for (long long b = warp_index(); b < bin_count; b += warp_count()) {
		unsigned r = __ldg(bin_row + b), last = __ldg(bin_row + b + 1);
		unsigned start = row_start(a, r);
		if (last - r == 1) {
			V sum = warp_dot<4, SHARED>(a, start, row_end(a, r));
			if (lane == 0) a.y[r] = sum;
			continue; // with the whole warp
		}
		for (; r < last; r += WARP) {
			unsigned end = row_end(a, min(r + lane, last - 1));
			unsigned n = min(static_cast<unsigned>(WARP), last - r);
			if (__shfl_sync(FULL, end, WARP - 1) == start) { // all of them are empty
				if (lane < n) a.y[r + lane] = 0;
				continue; // with the whole warp
			}
			unsigned before = __shfl_up_sync(FULL, end, 1);
			bool wide = __any_sync(FULL, end - (lane == 0 ? start : before) > WARP);
			Taken t{r, n, end, start, wide};
			unsigned i = 0;
			for (; i + 2 < t.n; i += 4) start = sum_rows<4, SHARED>(a, t, i, start);
			if (i < t.n) start = sum_rows<2, SHARED>(a, t, i, start);
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
			__syncthreads(); // nobody reads scratch any more
		} else if (u < c.longs + medium_units) {
			long long i = (u - c.longs) * warps + warp;
			if (i >= c.mediums) continue; // for the whole warp
			int r = c.row(c.longs + static_cast<int>(i));
			V sum = warp_dot<UNROLL, SHARED>(a, row_start(a, r), row_end(a, r));
			if (lane == 0) a.y[r] = sum;
		} else {
			long long i = (u - c.longs - medium_units) * blockDim.x + threadIdx.x;
			if (i >= c.shorts) continue;
			int r = c.row(c.longs + c.mediums + static_cast<int>(i));
			unsigned start = row_start(a, r), end = row_end(a, r);
			a.y[r] = SHARED ? dot_shared<UNROLL>(a, start, end, 1) : dot<UNROLL>(a, start, end, 1);
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
CSR_ENTRY(csr_bins, CSR_DEEP_BOUNDS, CSR_BINS_PARAMS, bins<false>(CSR, bin_row, count))
CSR_ENTRY(csr_bins_shared, CSR_DEEP_BOUNDS, CSR_BINS_PARAMS, bins<true>(CSR, bin_row, count))
CSR_ENTRY(csr_hybrid_v1, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<1, false>(CSR, CLASSES))
CSR_ENTRY(csr_hybrid_v1_shared, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<1, true>(CSR, CLASSES))
CSR_ENTRY(csr_hybrid, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<4, false>(CSR, CLASSES))
CSR_ENTRY(csr_hybrid_shared, CSR_BOUNDS, CSR_HYBRID_PARAMS, hybrid<4, true>(CSR, CLASSES))
