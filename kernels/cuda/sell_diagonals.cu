// SPDX-License-Identifier: Apache-2.0
// Slices of 32 rows, a warp each, stored by diagonals: a slot holds the entries of a
// slice at one distance from the main diagonal, 0 where a row has none
// (sparse.Diagonals has the layout and its source). Columns take no memory but for the
// distances, which most slices share and the cache holds. A lane takes a row.
// Grid-stride over slices. Every row is written.
#include "csr.cuh"
#include "stream.cuh"

template <typename V>
struct Diagonals {
	const int2 *heads;     // slots before the slice; its first turn · 256 + its turns
	const int4 *distances; // of turns
	const V *val, *x;
	V *y;
	int rows, cols;
	unsigned kept; // of slices, in the L2 cache
};

// Adds to sum the U products of a turn of row, all loaded before the first is used. What
// lies outside the matrix is a 0 that is stored, and may be multiplied by any element.
template <int U, typename V>
__device__ __forceinline__ void add_turn(const Diagonals<V> &a, V &sum, const V *val,
                                         const int4 *distances, int row, Stay s) {
	V v[U], x[U];
	int col[(U + 3) / 4 * 4];
#pragma unroll
	for (int u = 0; u < U; u++) v[u] = stream(val + u * WARP, s);
#pragma unroll
	for (int u = 0; u < U; u += 4) {
		int4 d = __ldg(distances + u / 4);
		col[u] = row + d.x, col[u + 1] = row + d.y, col[u + 2] = row + d.z, col[u + 3] = row + d.w;
	}
#pragma unroll
	for (int u = 0; u < U; u++) x[u] = __ldg(a.x + min(max(col[u], 0), a.cols - 1));
#pragma unroll
	for (int u = 0; u < U; u++) sum += v[u] * x[u];
}

// The head of the warp's next slice is fetched while it sums one.
template <int U, typename V>
__device__ __forceinline__ void diagonals(const Diagonals<V> &a) {
	unsigned slices = a.rows / WARP + (a.rows % WARP > 0);
	if (warp_index() >= slices) return;
	unsigned h = static_cast<unsigned>(warp_index());
	unsigned step = static_cast<unsigned>(min(warp_count(), 1ll << 30));
	int2 head = __ldg(a.heads + h);
	do {
		int row = static_cast<int>(h * WARP + threadIdx.x % WARP), turns = head.y & 255;
		const int4 *distances = a.distances + (static_cast<unsigned>(head.y) >> 8) * ((U + 3) / 4);
		const V *val = a.val + (static_cast<size_t>(head.x) * WARP + threadIdx.x % WARP);
		Stay s = stay(h, a.kept);
		h += step;
		if (h < slices) head = __ldg(a.heads + h);

		V sum = 0;
#pragma unroll 1
		for (; turns > 0; turns--, val += U * WARP, distances += (U + 3) / 4) {
			add_turn<U>(a, sum, val, distances, row, s);
		}
		if (row >= 0 && row < a.rows) a.y[row] = sum;
	} while (h < slices);
}

#define DIAGONAL_PARAMS(V)                                                              \
	const int2 *__restrict__ heads, const int4 *__restrict__ distances,                 \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int rows, int cols, \
		unsigned kept
#define DIAGONALS (Diagonals<V>{heads, distances, val, x, y, rows, cols, kept})

#define DIAGONALS_ENTRY(U)                                                              \
	CSR_ENTRY(sell_diagonals_##U, CSR_DEEP_BOUNDS, DIAGONAL_PARAMS, diagonals<U>(DIAGONALS))

DIAGONALS_ENTRY(3)
DIAGONALS_ENTRY(4)
DIAGONALS_ENTRY(5)
DIAGONALS_ENTRY(7)
DIAGONALS_ENTRY(9)

// compute: 60 80
