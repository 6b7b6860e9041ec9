// SPDX-License-Identifier: Apache-2.0
// Our form of csr_bins: a warp fetches all nonzeros of a bin at once, sums up to 4 rows at
// a time, and has its next bins on their way.
#include "csr.cuh"

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
template <int N, typename V>
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
	constexpr unsigned LANES = WARP / N; // with the same row
	V sum = rows_sum(part);
	if (lane % LANES == 0 && i + lane / LANES < n) y[i + lane / LANES] = sum;
	return from;
}

// Sums the rows of a bin over a warp: a row alone, or all nonzeros at once and then row
// by row, 4 at a time, or the last one or two. Up to 32 rows have their bounds in
// lanes at a time.
template <typename V>
__device__ __forceinline__ void sum_bin(const Csr<V> &a, Bin bin, Bounds at) {
	unsigned lane = threadIdx.x % WARP;
	if (bin.last - bin.first == 1) {
		V sum = warp_dot<4, false>(a, at.start, at.stop);
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
		for (; i + 2 < n; i += 4) from = sum_rows<4>(a.y + r, p, ends, i, n, from);
		if (i < n) from = sum_rows<2>(a.y + r, p, ends, i, n, from);
		r += WARP;
		if (r >= bin.last) return;
		ends = row_end(a, min(r + lane, bin.last - 1)) - at.start;
	}
}

// The bins of csr_bins. While a warp sums one, the bounds of its next bin and the rows of
// the one after that are on their way.
template <typename V>
__device__ __forceinline__ void bins(const Csr<V> &a, const int *bin_row, int bin_count) {
	long long b = warp_index(), step = warp_count();
	if (b >= bin_count) return; // for the whole warp
	Bin now = fetch_bin(bin_row, bin_count, b), next = fetch_bin(bin_row, bin_count, b + step);
	Bounds at = fetch_bounds(a, now);
	for (; b < bin_count; b += step) {
		Bin third = fetch_bin(bin_row, bin_count, b + 2 * step);
		Bounds next_at = fetch_bounds(a, next);
		sum_bin(a, now, at);
		now = next, next = third, at = next_at;
	}
}

#define CSR_BINS_PARAMS(V) CSR_PARAMS(V), const int *__restrict__ bin_row, int count

CSR_ENTRY(csr_bins_ahead, CSR_DEEP_BOUNDS, CSR_BINS_PARAMS, bins(CSR, bin_row, count))
