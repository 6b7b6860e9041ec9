// SPDX-License-Identifier: Apache-2.0
// CSR as it is, in tiles of consecutive rows, whose beginnings the host found; segments.cuh sums them. Lanes load
// neighbours side by side, which takes no alignment, and give their products to each other through shared memory.
//
// Bytes: those of CSR once, x and y once, and 16 for each tile.
#include "segments.cuh"

template <typename V>
struct Segscan : Tiles<V> { // of a head: first row; first nonzero; nonzeros + FIELD · number of the piece; rows, or −pieces
	const int *row_ptr, *col_idx;
	const V *val, *x;
};

// A lane's part of a tile.
template <unsigned N, typename V>
struct CsrTile {
	static constexpr unsigned OWN = N, FIELD = 4 * N * WARP; // more than the nonzeros of a piece
	static constexpr bool TURNED = true;
	unsigned col[OWN], begin[STARTS / WARP]; // the first nonzeros of rows
	V val[OWN];

	__device__ __forceinline__ static unsigned rows(int4 head) { return max(head.w, 0); }
	__device__ __forceinline__ static unsigned entries(int4 head) { return head.z % FIELD; }
	__device__ __forceinline__ static unsigned place_of(unsigned i) { return i * WARP + threadIdx.x % WARP; }
	__device__ __forceinline__ void fetch(const Segscan<V> &a, int4 head, unsigned t) {
#pragma unroll
		for (unsigned i = 0; i < STARTS / WARP; i++) {
			if (place_of(i) <= rows(head)) begin[i] = __ldg(a.row_ptr + head.x + place_of(i));
		}
		load(a, head, 0, stay(t, a.kept));
	}
	__device__ __forceinline__ void put_starts(int4 head, unsigned short *to) const {
#pragma unroll
		for (unsigned i = 0; i < STARTS / WARP; i++) {
			if (place_of(i) <= rows(head)) to[place_of(i)] = begin[i] - head.y;
		}
	}
	// The entries from `from` on.
	__device__ __forceinline__ void load(const Segscan<V> &a, int4 head, unsigned from, Stay s) {
		const unsigned *columns = reinterpret_cast<const unsigned *>(a.col_idx) + head.y + from;
		const V *values = a.val + head.y + from;
#pragma unroll
		for (unsigned i = 0; i < OWN; i++) {
			bool there = from + place_of(i) < entries(head);
			col[i] = there ? stream(columns + place_of(i), s) : 0;
			val[i] = there ? stream(values + place_of(i), s) : V(0);
		}
	}
	// Makes products of the values.
	__device__ __forceinline__ void multiply(const Segscan<V> &a, int4 head) {
		if (entries(head) == 0) return; // perhaps x has no element
		V factor[OWN];
#pragma unroll
		for (unsigned i = 0; i < OWN; i++) factor[i] = __ldg(a.x + col[i]);
#pragma unroll
		for (unsigned i = 0; i < OWN; i++) val[i] *= factor[i];
	}
	__device__ __forceinline__ void put(int4, V *to) const {
#pragma unroll
		for (unsigned i = 0; i < OWN; i++) to[place<V>(i * WARP) + place<V>(threadIdx.x % WARP)] = val[i];
	}
	// Adds the products of a piece of a row to sum, and returns the first piece's tile and the number of pieces.
	__device__ __forceinline__ uint2 add(const Segscan<V> &a, int4 head, unsigned t, V &sum) {
#pragma unroll 1
		for (unsigned from = 0; from < entries(head); from += OWN * WARP) {
			if (from > 0) load(a, head, from, stay(t, a.kept));
			multiply(a, head);
#pragma unroll
			for (unsigned i = 0; i < OWN; i++) {
				if (from + place_of(i) < entries(head)) sum += val[i];
			}
		}
		return {t - static_cast<unsigned>(head.z) / FIELD, 0u - head.w};
	}
};

#define SEGSCAN_PARAMS(V) \
	CSR_PARAMS(V), const int4 *__restrict__ heads, int tiles, int *counter, int *part, unsigned kept
#define SEGSCAN (Segscan<V>{{heads, tiles, y, counter, reinterpret_cast<Word *>(part), kept}, row_ptr, col_idx, val, x})
#define SEGSCAN_ENTRY(TILE, SUFFIX, V, THREADS)                                                         \
	CSR_ENTRY_OF(csr_segscan_##TILE, SUFFIX, V, __launch_bounds__(THREADS, 1), SEGSCAN_PARAMS,          \
	             sum_tiles<CsrTile<TILE / WARP, V>>(SEGSCAN, V(1)))

// Blocks have at most 512 threads. The last number bounds registers, as if a block of so many had a multiprocessor: more of
// them, with fewer loads on their way, were slower on an H200.
SEGSCAN_ENTRY(256, f32, float, 768)
SEGSCAN_ENTRY(256, f64, double, 768)
SEGSCAN_ENTRY(512, f32, float, 640)
SEGSCAN_ENTRY(512, f64, double, 512)

// compute: 60 80
