// SPDX-License-Identifier: Apache-2.0
// compute: 60 80
//
// Power laws: sell_staged.cuh with the elements of x that most nonzeros need in shared
// memory, and the others read through the caches. The code of one of the `hot` columns is
// its place among them, that of another is hot plus its number.
//
//	sell_hot_x    collects the hot elements of x, once for all blocks
//	sell_hot      the product
//	sell_hot_sum  adds the segments of the longest rows
#include "sell_staged.cuh"

template <Staying WHICH, typename V>
__device__ __forceinline__ void sell_hot_rows(const Chunks<V, int> &a, const V *x, const V *hot_x, int hot) {
	constexpr int N = sizeof(V) == 4 ? 4 : 2;
	V *staged = dynamic_shared<V>();
	bool there = false;
	sum_chunks<false, WHICH, N>(
		a,
		[&](int) {
			if (!there) copy_x(staged, hot_x, hot, [](int i) { return i; });
			there = true;
			__syncthreads();
		},
		[&](const Two<int> (&code)[N], V (&e)[2 * N]) {
#pragma unroll
			for (int i = 0; i < 2 * N; i++) {
				int c = code[i / 2].at[i % 2];
				if (c >= hot) e[i] = __ldg(x + (c - hot));
			}
#pragma unroll
			for (int i = 0; i < 2 * N; i++) {
				int c = code[i / 2].at[i % 2];
				if (c < hot) e[i] = staged[c];
			}
		});
}

template <typename V>
__device__ __forceinline__ void collect_x(const V *x, const int *column, V *hot_x, int hot) {
	for (long long i = thread_index(); i < hot; i += thread_count()) hot_x[i] = __ldg(x + __ldg(column + i));
}

#define SELL_HOT_PARAMS(V) SELL_STAGED_PARAMS(V, int), const V *__restrict__ hot_x, int hot
#define SELL_HOT_X_PARAMS(V)                                                                 \
	const V *__restrict__ x, const int *__restrict__ column, V *__restrict__ hot_x, int hot

CSR_ENTRY(sell_hot, CSR_BOUNDS, SELL_HOT_PARAMS, Chunks<V, int> a = CHUNKS(int, 0);
          if (kept == 0xffffffffu) sell_hot_rows<ALL>(a, x, hot_x, hot);
          else sell_hot_rows<NONE>(a, x, hot_x, hot);
          clear_rows(y, empty, empties))
CSR_ENTRY(sell_hot_x, CSR_BOUNDS, SELL_HOT_X_PARAMS, collect_x(x, column, hot_x, hot))
CSR_ENTRY(sell_hot_sum, CSR_BOUNDS, SELL_SUM_PARAMS, sum_segments(sums, y, row, first, cut))
