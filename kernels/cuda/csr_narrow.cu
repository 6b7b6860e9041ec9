// SPDX-License-Identifier: Apache-2.0
// CSR in tiles of consecutive rows with columns of 16 bits beyond the tile's base (sparse.Narrow has the layout and its
// source), which segments.cuh sums. With 8 entries a lane, it loads what it sums. With 16, lanes load neighbours side by
// side, which touches fewer lines of x where columns are close, and give their products to each other through shared
// memory.
#include "segments.cuh"

template <typename V>
struct Narrow : Tiles<V> { // of a head: first row; first entry / 8; base; entries + 65536 · rows
	const uint4 *starts;   // of rows in their tile, 8 each; of a piece, at its tile's number: first piece's tile; pieces; nonzeros
	const unsigned short *columns, *upper;
	const V *val, *x;
};

constexpr unsigned EIGHT = 8; // entries whose columns take 16 bytes

__device__ __forceinline__ void load16(const float *p, unsigned at, float *v, Stay s) {
	float4 four = stream(reinterpret_cast<const float4 *>(p) + at, s);
	v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
}
__device__ __forceinline__ void load16(const double *p, unsigned at, double *v, Stay s) {
	double2 two = stream(reinterpret_cast<const double2 *>(p) + at, s);
	v[0] = two.x, v[1] = two.y;
}
__device__ __forceinline__ void load16(const unsigned short *p, unsigned at, unsigned *v, Stay s) {
	uint4 four = stream(reinterpret_cast<const uint4 *>(p) + at, s);
	v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
}

// A lane's part of a tile: of U chunks, which have 32 eights but for the last one.
template <unsigned U, bool EQUAL, bool MIXED, typename V>
struct NarrowTile {
	static constexpr unsigned OWN = U * EIGHT;
	static constexpr bool TURNED = U > 1;
	unsigned col[U][EIGHT / 2], high[U][EIGHT / 2]; // two each
	V val[OWN];
	uint4 own; // starts of rows

	__device__ __forceinline__ static unsigned rows(int4 head) { return static_cast<unsigned>(head.w) >> 16; }
	__device__ __forceinline__ static unsigned eights(int4 head) { return (head.w & 0xffff) / EIGHT; }
	__device__ __forceinline__ static unsigned lanes_of(unsigned eights) { return min(eights, 0u + WARP); }
	__device__ __forceinline__ void fetch(const Narrow<V> &a, int4 head, unsigned t) {
		own = __ldg(a.starts + ((rows(head) > 0 ? head.x / 8u : 0) + t + min(threadIdx.x % WARP, rows(head) / 8)));
		if (eights(head) > 0) load(a, head, 0, stay(t, a.kept));
	}
	__device__ __forceinline__ void put_starts(int4, unsigned short *to) const {
		reinterpret_cast<uint4 *>(to)[threadIdx.x % WARP] = own;
	}
	// The chunks begin at eight `begin` of a tile.
	__device__ __forceinline__ void load(const Narrow<V> &a, int4 head, unsigned begin, Stay s) {
		constexpr unsigned Q = 16 / sizeof(V), LOADS = EIGHT / Q;
		unsigned first = head.y + begin, eights = NarrowTile::eights(head) - begin;
#pragma unroll
		for (unsigned u = 0; u < U; u++) { // lanes beyond the end load the last ones again
			unsigned from = min(u, (eights - 1) / WARP) * WARP, lanes = lanes_of(eights - from);
			unsigned l = min(threadIdx.x % WARP, lanes - 1);
#pragma unroll
			for (unsigned q = 0; q < LOADS && !EQUAL; q++) {
				load16(a.val, (first + from) * LOADS + q * lanes + l, val + u * EIGHT + q * Q, s);
			}
			load16(a.columns, first + from + l, col[u], s);
			if (MIXED && head.z < 0) load16(a.upper, ~head.z + begin + from + l, high[u], s);
		}
	}
	// Makes products of the values.
	__device__ __forceinline__ void multiply(const Narrow<V> &a, int4 head) {
		if (eights(head) == 0) return;
		V factor[OWN];
#pragma unroll
		for (unsigned i = 0; i < OWN; i++) {
			unsigned shift = i % 2 * 16, k = i % EIGHT / 2, c = col[i / EIGHT][k] >> shift & 0xffff;
			factor[i] = __ldg(a.x + (MIXED && head.z < 0 ? (high[i / EIGHT][k] >> shift) << 16 | c : head.z + c));
		}
#pragma unroll
		for (unsigned i = 0; i < OWN; i++) val[i] = EQUAL ? factor[i] : val[i] * factor[i];
	}
	// Puts the products, the i-th ones of whose lanes follow each other, into shared memory in that order.
	__device__ __forceinline__ void put(int4 head, V *to) const {
		unsigned lane = threadIdx.x % WARP, eights = NarrowTile::eights(head);
#pragma unroll
		for (unsigned u = 0; u < U; u++) {
			unsigned lanes = eights > u * WARP ? lanes_of(eights - u * WARP) : 0;
			if (lanes == WARP) {
#pragma unroll
				for (unsigned i = 0; i < EIGHT; i++) to[place<V>((u * EIGHT + i) * WARP) + place<V>(lane)] = val[u * EIGHT + i];
			} else if (lane < lanes) {
#pragma unroll
				for (unsigned i = 0; i < EIGHT; i++) to[place<V>(u * EIGHT * WARP + i * lanes + lane)] = val[u * EIGHT + i];
			}
		}
	}
	// Adds the products of a piece of a row to sum, and returns the first piece's tile and the number of pieces.
	__device__ __forceinline__ uint2 add(const Narrow<V> &a, int4 head, unsigned t, V &sum) {
		unsigned lane = threadIdx.x % WARP, eights = NarrowTile::eights(head);
#pragma unroll 1
		for (unsigned from = 0; from < eights; from += U * WARP) {
			if (from > 0) load(a, head, from, stay(t, a.kept));
			multiply(a, head);
#pragma unroll
			for (unsigned i = 0; i < OWN; i++) {
				unsigned before = from + i / EIGHT * WARP, lanes = eights > before ? lanes_of(eights - before) : 0;
				if (lane < lanes && before * EIGHT + i % EIGHT * lanes + lane < own.z) sum += val[i];
			}
		}
		return {own.x, own.y};
	}
};

#define NARROW_PARAMS(V)                                                                        \
	const int4 *__restrict__ heads, const uint4 *__restrict__ starts,                           \
		const unsigned short *__restrict__ columns, const unsigned short *__restrict__ upper,   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int tiles,       \
		int *counter, int *part, unsigned kept
#define NARROW (Narrow<V>{{heads, tiles, y, counter, reinterpret_cast<Word *>(part), kept}, starts, columns, upper, val, x})

#define NARROW_ENTRY(NAME, OWN, EQUAL, MIXED, SUFFIX, V, THREADS)                                           \
	CSR_ENTRY_OF(csr_narrow_##NAME, SUFFIX, V, __launch_bounds__(THREADS, 1), NARROW_PARAMS,                \
	             sum_tiles<NarrowTile<OWN / EIGHT, EQUAL, MIXED, V>>(NARROW, EQUAL ? __ldg(val) : V(1)))
#define NARROW_ENTRIES(NAME, OWN, EQUAL, SINGLE, DOUBLE)              \
	NARROW_ENTRY(NAME, OWN, EQUAL, false, f32, float, SINGLE)         \
	NARROW_ENTRY(NAME, OWN, EQUAL, false, f64, double, DOUBLE)        \
	NARROW_ENTRY(NAME##_mixed, OWN, EQUAL, true, f32, float, SINGLE)  \
	NARROW_ENTRY(NAME##_mixed, OWN, EQUAL, true, f64, double, DOUBLE)

// By the most entries of a tile of several rows. Blocks have at most 512 threads. The last numbers bound registers, as if a
// block of so many had a multiprocessor: more of them, with fewer loads on their way, were slower on an H200.
NARROW_ENTRIES(256, 8, false, 1024, 768)
NARROW_ENTRIES(512, 16, false, 768, 512)
NARROW_ENTRIES(equal_256, 8, true, 1024, 768)
NARROW_ENTRIES(equal_512, 16, true, 768, 512)

// compute: 60 80
