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
		__syncthreads(); // no thread reads them any more
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

// The rows of a bin, from first up to last.
struct Bin {
	unsigned first, last;
};

// Where the nonzeros of a bin start and stop, and where the row of this lane ends: of
// the bin's first 32 rows; the lanes beyond its last row have the last one's.
struct Bounds {
	unsigned start, stop, end;
};

__device__ __forceinline__ Bin fetch_bin(const int *bin_row, int bin_count, long long b) {
	if (b >= bin_count) return {0, 1}; // any row: it is not summed
	return {static_cast<unsigned>(__ldg(bin_row + b)), static_cast<unsigned>(__ldg(bin_row + b + 1))};
}

template <typename V>
__device__ __forceinline__ Bounds fetch_bounds(const Csr<V> &a, Bin bin) {
	return {row_start(a, bin.first), row_start(a, bin.last),
	        row_end(a, min(bin.first + threadIdx.x % WARP, bin.last - 1))};
}

// The products of a bin of at most 64 nonzeros: this lane has those of the nonzeros
// lane and lane+32 from the bin's start on, as far as there are any.
template <typename V>
struct Products {
	V low, high;

	// This lane's part of the row of the nonzeros from `from` up to `to`, counted
	// from the bin's start.
	__device__ __forceinline__ V part(unsigned from, unsigned to) const {
		unsigned lane = threadIdx.x % WARP, n = to - from; // the differences wrap below from
		return (lane - from < n ? low : V(0)) + (lane + WARP - from < n ? high : V(0));
	}
};

// All lanes fetch, those without a nonzero the last one: a fetch that not all lanes
// take would have to end before the next could begin.
template <typename V>
__device__ __forceinline__ Products<V> fetch_products(const Csr<V> &a, Bounds at) {
	unsigned j = at.start + threadIdx.x % WARP, last = at.stop - 1;
	unsigned low = min(j, last), high = min(j + WARP, last);
	int low_col = __ldg(a.col_idx + low), high_col = __ldg(a.col_idx + high);
	V low_val = __ldg(a.val + low), high_val = __ldg(a.val + high);
	return {low_val * __ldg(a.x + low_col), high_val * __ldg(a.x + high_col)};
}

// Sums N rows, the first of which begins at nonzero `from` of the bin; lane i of
// `ends` has the end of row i. Writes those below n, and returns where they end.
template <int N, bool SHARED, typename V>
__device__ __forceinline__ unsigned sum_rows(V *y, const Products<V> &p, unsigned ends, unsigned i,
                                             unsigned n, unsigned from) {
	unsigned lane = threadIdx.x % WARP;
	V part[N];
#pragma unroll
	for (int k = 0; k < N; k++) {
		unsigned to = __shfl_sync(FULL, ends, i + k);
		part[k] = p.part(from, to);
		from = to;
	}
	if (SHARED) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			V sum = warp_sum_shared(part[k]);
			if (lane == 0 && i + k < n) y[i + k] = sum;
		}
	} else {
		constexpr unsigned LANES = WARP / N; // with the same row
		V sum = rows_sum(part);
		if (lane % LANES == 0 && i + lane / LANES < n) y[i + lane / LANES] = sum;
	}
	return from;
}

// Sums the rows of a bin over a warp: a row alone, or all nonzeros at once and then row
// by row, 4 at a time, or the last one or two. Up to 32 rows have their bounds in
// lanes at a time.
template <bool SHARED, typename V>
__device__ __forceinline__ void sum_bin(const Csr<V> &a, Bin bin, Bounds at) {
	unsigned lane = threadIdx.x % WARP;
	if (bin.last - bin.first == 1) {
		V sum = warp_dot<4, SHARED>(a, at.start, at.stop);
		if (lane == 0) a.y[bin.first] = sum;
		return; // with the whole warp
	}
	if (at.start == at.stop) { // all of them are empty
		for (unsigned r = bin.first + lane; r < bin.last; r += WARP) a.y[r] = 0;
		return; // with the whole warp
	}
	Products<V> p = fetch_products(a, at);
	unsigned from = 0, ends = at.end - at.start;
	for (unsigned r = bin.first;;) {
		unsigned n = min(static_cast<unsigned>(WARP), bin.last - r), i = 0;
		for (; i + 2 < n; i += 4) from = sum_rows<4, SHARED>(a.y + r, p, ends, i, n, from);
		if (i < n) from = sum_rows<2, SHARED>(a.y + r, p, ends, i, n, from);
		r += WARP;
		if (r >= bin.last) return;
		ends = row_end(a, min(r + lane, bin.last - 1)) - at.start;
	}
}

// CoalescedBins: the host packed consecutive rows into bins of at most 64 nonzeros,
// a longer row alone; bin b holds the rows from bin_row[b] up to bin_row[b+1]. A warp
// takes a bin row by row, grid-stride over bins. While it sums one, the bounds of its
// next bin and the rows of the one after that are on their way.
template <bool SHARED, typename V>
__device__ __forceinline__ void bins(const Csr<V> &a, const int *bin_row, int bin_count) {
	long long b = warp_index(), step = warp_count();
	if (b >= bin_count) return; // for the whole warp
	Bin now = fetch_bin(bin_row, bin_count, b), next = fetch_bin(bin_row, bin_count, b + step);
	Bounds at = fetch_bounds(a, now);
	for (; b < bin_count; b += step) {
		Bin third = fetch_bin(bin_row, bin_count, b + 2 * step);
		Bounds next_at = fetch_bounds(a, next);
		sum_bin<SHARED>(a, now, at);
		now = next, next = third, at = next_at;
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
