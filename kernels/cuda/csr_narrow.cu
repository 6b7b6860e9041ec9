// SPDX-License-Identifier: Apache-2.0
// CSR in tiles of consecutive rows, a warp each, with columns of 16 bits beyond the
// tile's base (sparse.Narrow has the layout and its source). The lanes of a warp take
// 16 bytes of values at a time and put the products into shared memory; then lanes sum
// rows from there, several a row where there are few, or equal shares of all where some rows are long
// (CSR-Stream of Greathouse and Daga, SC14, without barriers of a block). Grid-stride over tiles. Every row is written.
//
// A row that is longer than a tile is cut into pieces, a tile each. Whichever warp comes last with
// the sum of its piece adds all of them, in their order. Nobody waits for another. The counter of
// the row begins at −1, and the last comer sets it back, so that nothing is zeroed before a product.
#include "csr.cuh"
#include "stream.cuh"

template <typename V>
struct Narrow {
	const int4 *heads;     // of tiles: first row; first entry / 8; base; entries + 65536 · rows
	const uint4 *starts;   // of rows in their tile, 8 each; of a piece: first piece's tile; pieces; nonzeros
	const unsigned short *columns, *upper;
	const V *val, *x;
	V *y;
	int tiles, size;       // size: most entries of a tile
	int *counter;          // of the row whose first piece is this tile: how many have come, less 1
	V *part;               // of each tile: the sum of a piece
	unsigned kept;         // of tiles, in the L2 cache
};

constexpr unsigned STARTS = 256; // places for the starts of a tile's rows
constexpr unsigned LONGER = 32;  // products that a lane sums alone
constexpr int FEW = 2;           // longer rows that all lanes sum, one by one

// Q columns that lie side by side: 16 bytes of them, or those of 16 bytes of values.
template <int Q>
struct Columns {
	unsigned pair[Q / 2];

	__device__ __forceinline__ void load(const unsigned short *p, Stay s) {
		if constexpr (Q == 8) {
			uint4 v = stream(reinterpret_cast<const uint4 *>(p), s);
			pair[0] = v.x, pair[1] = v.y, pair[2] = v.z, pair[3] = v.w;
		} else if constexpr (Q == 4) {
			uint2 v = stream(reinterpret_cast<const uint2 *>(p), s);
			pair[0] = v.x, pair[1] = v.y;
		} else {
			pair[0] = stream(reinterpret_cast<const unsigned *>(p), s);
		}
	}
	__device__ __forceinline__ unsigned operator[](int i) const {
		return i % 2 ? pair[i / 2] >> 16 : pair[i / 2] & 0xffff;
	}
};

__device__ __forceinline__ void load16(const float *p, float (&v)[4], Stay s) {
	float4 four = stream(reinterpret_cast<const float4 *>(p), s);
	v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
}
__device__ __forceinline__ void load16(const double *p, double (&v)[2], Stay s) {
	double2 two = stream(reinterpret_cast<const double2 *>(p), s);
	v[0] = two.x, v[1] = two.y;
}

// Puts the products of a tile's entries into shared memory. A lane loads Q entries that
// lie side by side, U times, and all before it uses the first; the i-th ones of all lanes
// follow each other in their rows. Lanes beyond the end load the last ones again.
template <int U, bool EQUAL, bool MIXED, typename V>
__device__ __forceinline__ void put_products(const Narrow<V> &a, const int4 &head, V *products, Stay s) {
	constexpr int Q = EQUAL ? 8 : 16 / sizeof(V);
	unsigned entries = head.w & 0xffff, first = static_cast<unsigned>(head.y) * 8;
	const unsigned short *columns = a.columns + first;
	const V *val = a.val + first;
	bool wide = MIXED && head.z < 0;
	const unsigned short *upper = wide ? a.upper + static_cast<size_t>(~head.z) * 8 : columns;
	unsigned base = wide ? 0 : head.z;
#pragma unroll 1
	for (unsigned from = threadIdx.x % WARP * Q; from < entries; from += U * WARP * Q) {
		Columns<Q> col[U], high[U];
		V v[U][Q];
#pragma unroll
		for (int u = 0; u < U; u++) {
			unsigned at = min(from + u * WARP * Q, entries - Q);
			if constexpr (!EQUAL) load16(val + at, v[u], s);
			col[u].load(columns + at, s);
			if (MIXED) high[u].load(upper + at, s);
		}
		if (from + a.tiles == NEVER) { // what is used here was fetched before
#pragma unroll
			for (int u = 0; u < U; u++) {
				products[u] = col[u].pair[0];
#pragma unroll
				for (int i = 0; i < Q && !EQUAL; i++) products[u] += v[u][i];
			}
			return;
		}
#pragma unroll
		for (int u = 0; u < U; u++) {
#pragma unroll
			for (int i = 0; i < Q; i++) {
				unsigned column = base + col[u][i];
				if (MIXED && wide) column = high[u][i] << 16 | col[u][i];
				V factor = __ldg(a.x + column);
				v[u][i] = EQUAL ? factor : v[u][i] * factor;
			}
		}
#pragma unroll
		for (int u = 0; u < U; u++) {
			unsigned lane = threadIdx.x % WARP, at = from + u * WARP * Q, chunk = at - lane * Q;
			V *to = products + chunk + lane;
			if (chunk + WARP * Q <= entries) {
#pragma unroll
				for (int i = 0; i < Q; i++) to[i * WARP] = v[u][i];
			} else if (at < entries) {
				unsigned lanes = (entries - chunk) / Q;
#pragma unroll
				for (int i = 0; i < Q; i++) to[i * lanes] = v[u][i];
			}
		}
	}
}

// Σ of n products, which all lanes get.
template <typename V>
__device__ __forceinline__ V sum_all(const V *products, unsigned n) {
	V sum = 0;
#pragma unroll 4
	for (unsigned j = threadIdx.x % WARP; j < n; j += WARP) sum += products[j];
#pragma unroll
	for (int d = WARP / 2; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
	return sum;
}

// The sum of staged[from], …, staged[to-1], of each lane. Together these are staged[0], …, staged[n-1], in
// order, with n at most 1024; lanes may have the same. `last` has room for a number of each lane, and
// staged is overwritten. As in CSR5 (Liu and Vinter, ICS 2015), a lane takes its share, an odd number against
// conflicts of banks below 32, and a scan over the lanes adds what others have of a row.
template <typename V>
__device__ __forceinline__ V segment_sum(V *staged, unsigned n, unsigned from, unsigned to, unsigned *last) {
	constexpr unsigned BATCH = 9; // of the 9 or 17 that a lane mostly has
	unsigned lane = threadIdx.x % WARP, share = min((n + WARP - 1) / WARP | 1, static_cast<unsigned>(WARP));
	last[lane] = 0;
	__syncwarp();
	if (from < to) atomicOr(last + (to - 1) / share, 1u << (to - 1) % share);
	__syncwarp();
	unsigned ends = last[lane], first = lane * share, own = first < n ? min(share, n - first) : 0;
	V *mine = staged + first, sum = 0; // since the last end
#pragma unroll 1
	for (unsigned k = 0, left = ends; k < own; k += BATCH, left >>= BATCH) {
		V v[BATCH];
#pragma unroll
		for (unsigned i = 0; i < BATCH; i++) v[i] = k + i < own ? mine[k + i] : V(0);
#pragma unroll
		for (unsigned i = 0; i < BATCH; i++) {
			sum += v[i];
			if (left >> i & 1) mine[k + i] = sum, sum = 0;
		}
	}

	unsigned before = __ballot_sync(FULL, ends != 0) & (FULL >> (WARP - 1 - lane));
	unsigned since = before ? WARP - 1 - __clz(before) : 0;
#pragma unroll
	for (unsigned d = 1; d < WARP; d *= 2) {
		V up = __shfl_up_sync(FULL, sum, d);
		if (lane >= since + d) sum += up;
	}
	V in = __shfl_up_sync(FULL, sum, 1);
	if (ends && lane > 0) mine[__ffs(ends) - 1] += in;
	__syncwarp();
	return from < to ? staged[to - 1] : V(0);
}

// Sums the rows of a tile from shared memory and writes them, times factor: a lane a row, or several lanes where rows
// are few. Where more than FEW of 32 rows are longer than LONGER, or one of a few has more than LONGER for each of its
// lanes, all lanes take equal shares.
template <typename V>
__device__ __forceinline__ void sum_rows(V *products, const unsigned short *starts, unsigned *last, V *y,
                                         unsigned rows, V factor) {
	unsigned lane = threadIdx.x % WARP;
	if (rows > WARP / 2) {
#pragma unroll 1
		for (unsigned begin = 0; begin < rows; begin += WARP) {
			unsigned r = begin + lane, j = 0, end = 0;
			if (r < rows) j = starts[r], end = starts[r + 1];
			bool longer = end - j > LONGER;
			unsigned left = __ballot_sync(FULL, longer), stop = longer ? j : end;
			V sum = 0;
			if (__popc(left) > FEW) {
				unsigned base = starts[begin], n = starts[min(begin + WARP, rows)] - base;
				sum = segment_sum(products + base, n, j - base, end - base, last);
				left = stop = 0;
			}
#pragma unroll 1
			for (unsigned k = j; k < stop; k += 4) {
				V v[4];
#pragma unroll
				for (unsigned i = 0; i < 4; i++) v[i] = k + i < stop ? products[k + i] : V(0);
				sum += (v[0] + v[1]) + (v[2] + v[3]);
			}
			for (; left; left &= left - 1) {
				unsigned of = __ffs(left) - 1;
				V all = sum_all(products + __shfl_sync(FULL, j, of), __shfl_sync(FULL, end - j, of));
				if (lane == of) sum = all;
			}
			if (r < rows) y[r] = sum * factor;
		}
		return;
	}
	unsigned shift = __clz(rows - 1) - 27, width = 1u << shift; // lanes of a row: all of the warp's
	unsigned r = lane >> shift, j = 0, end = 0;
	if (r < rows) j = starts[r], end = starts[r + 1];
	V sum = 0;
	if (__any_sync(FULL, end - j > LONGER << shift)) {
		sum = segment_sum(products, starts[rows], j, end, last);
	} else {
#pragma unroll 4
		for (unsigned k = j + lane % width; k < end; k += width) sum += products[k];
		for (unsigned d = width / 2; d > 0; d /= 2) sum += __shfl_down_sync(FULL, sum, d, width);
	}
	if (r < rows && lane % width == 0) y[r] = sum * factor;
}

// Gives the sum of tile t, a piece of a row.
template <typename V>
__device__ __forceinline__ void give_piece(const Narrow<V> &a, unsigned t, uint4 piece, V sum, V *y, V factor) {
	unsigned lane = threadIdx.x % WARP;
	int before = 0;
	if (lane == 0) {
		a.part[t] = sum;
		__threadfence();
		before = atomicAdd(a.counter + piece.x, 1);
	}
	if (__shfl_sync(FULL, before, 0) + 2 != static_cast<int>(piece.y)) return;
	__threadfence();
	V all = 0;
#pragma unroll 8
	for (unsigned i = lane; i < piece.y; i += WARP) all += __ldcg(a.part + piece.x + i);
	all = warp_sum(all);
	if (lane == 0) {
		*y = all * factor;
		a.counter[piece.x] = -1;
	}
}

// The head of the warp's next tile is fetched while it sums one.
template <int U, bool EQUAL, bool MIXED, typename V>
__device__ __forceinline__ void narrow(const Narrow<V> &a) {
	unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	unsigned char *mine = dynamic_shared<unsigned char>() + warp * (a.size * sizeof(V) + STARTS * 2 + WARP * 4);
	V *products = reinterpret_cast<V *>(mine);
	uint4 *starts = reinterpret_cast<uint4 *>(mine + a.size * sizeof(V));
	unsigned *last = reinterpret_cast<unsigned *>(starts + WARP);
	if (warp_index() >= a.tiles) return;
	unsigned t = static_cast<unsigned>(warp_index());
	unsigned step = static_cast<unsigned>(min(warp_count(), 1ll << 30));
	V factor = EQUAL ? __ldg(a.val) : V(1);
	int4 next = __ldg(a.heads + t);
	do {
		int4 head = next;
		unsigned rows = static_cast<unsigned>(head.w) >> 16, now = t;
		uint4 own = __ldg(a.starts + (head.x / 8u + t + min(lane, rows / 8)));
		t += step;
		if (t < a.tiles) next = __ldg(a.heads + t);

		put_products<U, EQUAL, MIXED>(a, head, products, stay(now, a.kept));
		starts[lane] = own;
		__syncwarp();
		if (rows > 0) {
			sum_rows(products, reinterpret_cast<const unsigned short *>(starts), last, a.y + head.x, rows, factor);
		} else {
			give_piece(a, now, own, sum_all(products, own.z), a.y + head.x, factor);
		}
		__syncwarp(); // no lane reads shared memory any more
	} while (t < a.tiles);
}

#define NARROW_PARAMS(V)                                                                        \
	const int4 *__restrict__ heads, const uint4 *__restrict__ starts,                           \
		const unsigned short *__restrict__ columns, const unsigned short *__restrict__ upper,   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int tiles, int size, \
		int *counter, V *part, unsigned kept
#define NARROW (Narrow<V>{heads, starts, columns, upper, val, x, y, tiles, size, counter, part, kept})

#define NARROW_ENTRY(NAME, U, EQUAL)                                                            \
	CSR_ENTRY(csr_narrow_##NAME, CSR_DEEP_BOUNDS, NARROW_PARAMS, narrow<U, EQUAL, false>(NARROW)) \
	CSR_ENTRY(csr_narrow_##NAME##_mixed, CSR_DEEP_BOUNDS, NARROW_PARAMS, narrow<U, EQUAL, true>(NARROW))

// By the number of 16-byte loads of values, or as many products without values.
NARROW_ENTRY(2, 2, false)
NARROW_ENTRY(4, 4, false)
NARROW_ENTRY(equal_2, 1, true)
NARROW_ENTRY(equal_4, 2, true)

// compute: 60 80
