// SPDX-License-Identifier: Apache-2.0
// compute: 60 80
//
// Long rows: sell_staged.cuh with columns of 16 bits, in panels of columns whose part of x
// fits in shared memory; behind it is a 0, for padding. With several panels, y is their sum: each has a y of its own.
//
//	sell_local_stored  the product
//	sell_local_equal   the same where all values are equal, of which one is read
//	sell_local_sum     adds the segments of the longest rows
//	sell_local_add     adds the panels
#include "sell_staged.cuh"

// The place of the 0: behind all that x can take.
template <typename V>
__device__ __forceinline__ unsigned zero_at(int width, int cols) {
	constexpr unsigned GROUP = 128 / sizeof(V);
	return (min(width, cols) + GROUP - 1) / GROUP * GROUP;
}

template <bool ONE, typename V>
__device__ __forceinline__ void sell_local_rows(const Chunks<V, unsigned short> &a, const V *x, int width,
                                                int cols) {
	constexpr int N = sizeof(V) == 4 ? 8 : 4;
	V *staged = dynamic_shared<V>();
	int there = -1;
	sum_chunks<ONE, SOME, N>(
		a,
		[&](int panel) {
			__syncthreads(); // the part before is done
			if (panel != there) {
				copy_x(staged, x + static_cast<long long>(panel) * width, min(width, cols - panel * width), banked<V>);
			}
			if (threadIdx.x == 0) staged[a.padding] = 0;
			there = panel;
			__syncthreads();
		},
		[&](const Two<unsigned short> (&code)[N], V (&e)[2 * N]) {
#pragma unroll
			for (int i = 0; i < 2 * N; i++) e[i] = staged[code[i / 2].at[i % 2]];
		});
}

template <typename V>
__device__ __forceinline__ void add_panels(const V *sums, V *y, int rows, int panels) {
	for (long long r = thread_index(); r < rows; r += thread_count()) {
		V sum = 0;
#pragma unroll 4
		for (int p = 0; p < panels; p++) sum += __ldg(sums + static_cast<long long>(p) * rows + r);
		y[r] = sum;
	}
}

#define SELL_LOCAL_PARAMS(V) SELL_STAGED_PARAMS(V, unsigned short), int width, int cols
#define SELL_LOCAL_ADD_PARAMS(V) const V *__restrict__ sums, V *__restrict__ y, int rows, int panels

CSR_ENTRY(sell_local_stored, CSR_BOUNDS, SELL_LOCAL_PARAMS,
          sell_local_rows<false>(CHUNKS(unsigned short, zero_at<V>(width, cols)), x, width, cols);
          clear_rows(y, empty, empties))
CSR_ENTRY(sell_local_equal, CSR_BOUNDS, SELL_LOCAL_PARAMS,
          sell_local_rows<true>(CHUNKS(unsigned short, zero_at<V>(width, cols)), x, width, cols);
          clear_rows(y, empty, empties))
CSR_ENTRY(sell_local_sum, CSR_BOUNDS, SELL_SUM_PARAMS, sum_segments(sums, y, row, first, cut))
CSR_ENTRY(sell_local_add, CSR_BOUNDS, SELL_LOCAL_ADD_PARAMS, add_panels(sums, y, rows, panels))
