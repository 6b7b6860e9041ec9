// SPDX-License-Identifier: Apache-2.0
// compute: 60 80
//
// SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske and Bishop, SIAM J. Sci. Comput.
// 36(5), 2014). Rows are sorted by length within windows of sigma, cut into chunks
// of C, and stored chunk by chunk, a chunk column by column and as wide as its
// longest row. A thread takes a row; neighbouring threads of a chunk read
// neighbouring entries, 32 bytes of values at a time. Grid-stride over rows, as they are
// sorted. Every row is written.
#include "csr.cuh"
#include "stream.cuh"

// Entry k of lane i of chunk h is at chunk_ptr[h] + k·C + i. Padding has the value
// 0, at a column that the row reads anyway. Place p holds row perm[p], and row p
// where rows were not sorted.
template <typename V>
__device__ __forceinline__ void sell(const Csr<V> &a, const int *perm, int sorted,
                                     unsigned height, unsigned kept) {
	constexpr unsigned U = 32 / sizeof(V);
	for (long long p = thread_index(); p < a.rows; p += thread_count()) {
		unsigned h = static_cast<unsigned>(p) / height, lane = static_cast<unsigned>(p) % height;
		unsigned at = row_start(a, h) + lane, end = row_end(a, h);
		Stay s = stay(static_cast<unsigned>(p) / WARP, kept);
		V sum = 0;
#pragma unroll 1
		for (; at < end; at += U * height) {
			unsigned col[U];
			V v[U];
#pragma unroll
			for (unsigned u = 0; u < U; u++) {
				unsigned k = at + u * height;
				col[u] = NEVER;
				if (k >= end) continue;
				col[u] = stream(reinterpret_cast<const unsigned *>(a.col_idx) + k, s);
				v[u] = stream(a.val + k, s);
			}
#pragma unroll
			for (unsigned u = 0; u < U; u++) {
				if (col[u] != NEVER) sum += v[u] * __ldg(a.x + col[u]);
			}
		}
		a.y[sorted ? __ldg(perm + p) : p] = sum;
	}
}

// CSR's parameters with chunk_ptr for row_ptr, and the padded arrays.
#define SELL_PARAMS(V) CSR_PARAMS(V), const int *__restrict__ perm, int sorted, int height, unsigned kept

CSR_ENTRY(sell_c_sigma, CSR_FULL_BOUNDS, SELL_PARAMS, sell<V>(CSR, perm, sorted, height, kept))
