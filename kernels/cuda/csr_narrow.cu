// SPDX-License-Identifier: Apache-2.0
// CSR in tiles of consecutive rows, a warp each, with columns of 16 bits beyond the tile's base (sparse.Narrow has the
// layout and its source). A lane sums 8 or 16 entries that follow each other in their rows, up to each end of a row, and
// a scan over the lanes adds what others have of a row, as in CSR5 (Liu and Vinter, ICS 2015): so lanes have the same to
// do however long rows are. With 8, a lane loads what it sums. With 16, lanes load neighbours side by side, which
// touches fewer lines of x where columns are close, and give their products to each other through shared memory. From
// there lanes write the rows. Grid-stride over tiles. Every row is written.
//
// A row that is longer than a tile is a tile by itself, or several, each a piece of the row. Whichever warp comes last
// with the sum of its piece adds all of them, in their order. Nobody waits for another. The counter of the row begins
// at −1, and the last comer sets it back, so that nothing is zeroed before a product.
#include "csr.cuh"
#include "stream.cuh"

template <typename V>
struct Narrow {
	const int4 *heads;     // of tiles: first row; first entry / 8; base; entries + 65536 · rows
	const uint4 *starts;   // of rows in their tile, 8 each; of a piece: first piece's tile; pieces; nonzeros
	const unsigned short *columns, *upper;
	const V *val, *x;
	V *y;
	int tiles;
	int *counter;          // of the row whose first piece is this tile: how many have come, less 1
	V *part;               // of each tile: the sum of a piece
	unsigned kept;         // of tiles, in the L2 cache
};

constexpr unsigned STARTS = 256; // places for the starts of a tile's rows
constexpr unsigned EIGHT = 8;    // entries whose columns take 16 bytes

// Where shared memory has the product of entry k of a tile, then the sum up to it: 16 bytes are left out behind 128,
// against conflicts of banks.
template <typename V>
__device__ __forceinline__ constexpr unsigned place(unsigned k) {
	return k + k / (128 / sizeof(V)) * (16 / sizeof(V));
}

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

// A lane's entries of U chunks, which have 32 eights but for the last one.
template <int U, bool EQUAL, bool MIXED, typename V>
struct Entries {
	unsigned col[U][EIGHT / 2], high[U][EIGHT / 2]; // two each
	V val[U * EIGHT];

	// The chunks begin at eight `begin` of a tile.
	__device__ __forceinline__ void load(const Narrow<V> &a, const int4 &head, unsigned begin, Stay s) {
		constexpr unsigned Q = 16 / sizeof(V), LOADS = EIGHT / Q;
		unsigned first = head.y + begin, eights = (head.w & 0xffff) / EIGHT - begin;
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
	__device__ __forceinline__ void multiply(const V *x, int base) {
		V factor[U * EIGHT];
#pragma unroll
		for (unsigned i = 0; i < U * EIGHT; i++) {
			unsigned shift = i % 2 * 16, k = i % EIGHT / 2, c = col[i / EIGHT][k] >> shift & 0xffff;
			factor[i] = __ldg(x + (MIXED && base < 0 ? (high[i / EIGHT][k] >> shift) << 16 | c : base + c));
		}
#pragma unroll
		for (unsigned i = 0; i < U * EIGHT; i++) val[i] = EQUAL ? factor[i] : val[i] * factor[i];
	}
	// Puts the products of `eights`, the i-th ones of whose lanes follow each other, into shared memory in that order.
	__device__ __forceinline__ void put(V *to, unsigned eights) const {
		unsigned lane = threadIdx.x % WARP;
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
	// Adds the first n of the same products to sum.
	__device__ __forceinline__ void add(unsigned n, unsigned eights, V &sum) const {
		unsigned lane = threadIdx.x % WARP;
#pragma unroll
		for (unsigned i = 0; i < U * EIGHT; i++) {
			unsigned from = i / EIGHT * WARP, lanes = eights > from ? lanes_of(eights - from) : 0;
			if (lane < lanes && from * EIGHT + i % EIGHT * lanes + lane < n) sum += val[i];
		}
	}
	__device__ __forceinline__ static unsigned lanes_of(unsigned eights) { return min(eights, 0u + WARP); }
};

// Puts the sum of each row of a tile to the place of the row's last entry, from products in the order of their rows. A
// lane takes N that follow each other: `own`, or those in `sums`. ends says which of them end a row.
template <int N, typename V>
__device__ __forceinline__ void sum_segments(const V *own, unsigned ends, V *sums) {
	constexpr unsigned Q = 16 / sizeof(V);
	unsigned lane = threadIdx.x % WARP;
	V *mine = sums + place<V>(lane * N), sum = 0; // since the last end
#pragma unroll
	for (unsigned k = 0; k < N; k += Q) {
		alignas(16) V v[Q];
		if (own == nullptr) *reinterpret_cast<float4 *>(v) = reinterpret_cast<const float4 *>(mine)[k / Q];
#pragma unroll
		for (unsigned i = 0; i < Q; i++) {
			v[i] = sum += own == nullptr ? v[i] : own[k + i];
			if (ends >> (k + i) & 1) sum = 0;
		}
		reinterpret_cast<float4 *>(mine)[k / Q] = *reinterpret_cast<const float4 *>(v);
	}
	unsigned before = __ballot_sync(FULL, ends != 0) & (FULL >> (WARP - 1 - lane));
	unsigned back = before ? lane + 1 + __clz(before) - WARP : lane; // lanes up to the last one with an end
#pragma unroll
	for (unsigned d = 1; d < WARP; d *= 2) {
		V up = __shfl_up_sync(FULL, sum, d);
		if (back >= d) sum += up;
	}
	V in = __shfl_up_sync(FULL, sum, 1);
	if (ends && lane > 0) mine[__ffs(ends) - 1] += in;
}

// Gives the sum of tile t, a piece of a row. All lanes have it.
template <typename V>
__device__ __forceinline__ void give_piece(const Narrow<V> &a, unsigned t, uint4 piece, V sum, V *y, V factor) {
	unsigned lane = threadIdx.x % WARP;
	int before = 0;
	if (lane == 0 && piece.y > 1) {
		a.part[t] = sum;
		__threadfence();
		before = atomicAdd(a.counter + piece.x, 1);
	}
	if (piece.y > 1) {
		if (__shfl_sync(FULL, before, 0) + 2 != static_cast<int>(piece.y)) return;
		__threadfence();
		sum = 0;
#pragma unroll 8
		for (unsigned i = lane; i < piece.y; i += WARP) sum += __ldcg(a.part + piece.x + i);
		sum = warp_sum(sum);
		if (lane == 0) a.counter[piece.x] = -1;
	}
	if (lane == 0) *y = sum * factor;
}

// OWN is 8 or 16: the entries of a lane. What the warp's next tile needs is fetched while it sums one.
template <int OWN, bool EQUAL, bool MIXED, typename V>
__device__ __forceinline__ void narrow(const Narrow<V> &a) {
	constexpr unsigned SIZE = OWN * WARP, U = OWN / EIGHT;
	unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	unsigned char *mine = dynamic_shared<unsigned char>() + warp * (place<V>(SIZE) * sizeof(V) + STARTS * 2 + WARP * 4);
	V *sums = reinterpret_cast<V *>(mine);
	uint4 *eight_starts = reinterpret_cast<uint4 *>(mine + place<V>(SIZE) * sizeof(V));
	const unsigned short *starts = reinterpret_cast<const unsigned short *>(eight_starts);
	unsigned *ends = reinterpret_cast<unsigned *>(eight_starts + WARP);
	if (warp_index() >= a.tiles) return;
	unsigned t = static_cast<unsigned>(warp_index());
	unsigned step = static_cast<unsigned>(min(warp_count(), 1ll << 30));
	V factor = EQUAL ? __ldg(a.val) : V(1);
	int4 next = __ldg(a.heads + t);
	uint4 own;
	Entries<U, EQUAL, MIXED, V> e;
	auto fetch = [&] {
		own = __ldg(a.starts + (next.x / 8u + t + min(lane, static_cast<unsigned>(next.w) >> 19)));
		if (next.w & 0xffff) e.load(a, next, 0, stay(t, a.kept));
	};
	fetch();
	for (;;) {
		int4 head = next;
		unsigned rows = static_cast<unsigned>(head.w) >> 16, eights = (head.w & 0xffff) / EIGHT, now = t;
		t += step;
		if (t < a.tiles) next = __ldg(a.heads + t);
		V *y = a.y + head.x;
		if (rows == 0) {
			V sum = 0;
#pragma unroll 1
			for (unsigned from = 0; from < eights; from += U * WARP) {
				if (from > 0) e.load(a, head, from, stay(now, a.kept));
				e.multiply(a.x, head.z);
				e.add(own.z - from * EIGHT, eights - from, sum);
			}
			uint4 piece = own;
			if (t < a.tiles) fetch();
#pragma unroll
			for (int d = WARP / 2; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
			give_piece(a, now, piece, sum, y, factor);
			if (t >= a.tiles) return;
			continue;
		}

		eight_starts[lane] = own;
		ends[lane] = 0;
		__syncwarp();
#pragma unroll 1
		for (unsigned r = lane; r < rows; r += WARP) {
			unsigned last = starts[r + 1] - 1u;
			if (starts[r] < starts[r + 1]) atomicOr(ends + last / OWN, 1u << last % OWN);
		}
		if (eights > 0) e.multiply(a.x, head.z);
		if (OWN > EIGHT) {
			e.put(sums, eights);
			if (t < a.tiles) fetch();
		}
		__syncwarp();
		sum_segments<OWN>(OWN > EIGHT ? nullptr : e.val, ends[lane], sums);
		if (OWN == EIGHT && t < a.tiles) fetch();
		__syncwarp();
#pragma unroll 1
		for (unsigned r = lane; r < rows; r += WARP) {
			unsigned end = starts[r + 1];
			y[r] = starts[r] < end ? sums[place<V>(end - 1)] * factor : V(0);
		}
		if (t >= a.tiles) return;
		__syncwarp(); // no lane reads shared memory any more
	}
}

#define NARROW_PARAMS(V)                                                                        \
	const int4 *__restrict__ heads, const uint4 *__restrict__ starts,                           \
		const unsigned short *__restrict__ columns, const unsigned short *__restrict__ upper,   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int tiles,       \
		int *counter, V *part, unsigned kept
#define NARROW (Narrow<V>{heads, starts, columns, upper, val, x, y, tiles, counter, part, kept})

// 64 registers with tiles of 256, on an H200; with those of 512, 80 in float32 and 128 in float64: fewer warps with more
// loads each were faster than more warps.
#define NARROW_BOUNDS(OWN, V) __launch_bounds__(OWN == 16 && sizeof(V) == 4 ? 768 : 512, OWN == 16 ? 1 : 2)
#define NARROW_ENTRY(NAME, OWN, EQUAL, MIXED, SUFFIX, V)                                                    \
	CSR_ENTRY_OF(csr_narrow_##NAME, SUFFIX, V, NARROW_BOUNDS(OWN, V), NARROW_PARAMS, narrow<OWN, EQUAL, MIXED>(NARROW))
#define NARROW_ENTRIES(NAME, OWN, EQUAL)                       \
	NARROW_ENTRY(NAME, OWN, EQUAL, false, f32, float)          \
	NARROW_ENTRY(NAME, OWN, EQUAL, false, f64, double)         \
	NARROW_ENTRY(NAME##_mixed, OWN, EQUAL, true, f32, float)   \
	NARROW_ENTRY(NAME##_mixed, OWN, EQUAL, true, f64, double)

// By the most entries of a tile of several rows.
NARROW_ENTRIES(256, 8, false)
NARROW_ENTRIES(512, 16, false)
NARROW_ENTRIES(equal_256, 8, true)
NARROW_ENTRIES(equal_512, 16, true)

// compute: 60 80
