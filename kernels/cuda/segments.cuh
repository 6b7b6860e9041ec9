// SPDX-License-Identifier: Apache-2.0
// Segmented sums of tiles of consecutive rows, a warp each, for csr_narrow.cu and csr_segscan.cu. A lane sums 8 or 16
// entries that follow each other in their rows, up to each end of a row, and a scan over the lanes adds what others have
// of a row, as in CSR5 (Liu and Vinter, ICS 2015): so lanes have the same to do however long rows are. Grid-stride over
// tiles. Every row is written.
//
// A row that is longer than a tile is a tile by itself, or several, each a piece of the row. The warp that comes last with
// one of 32 pieces adds them, in their order, and 32 such sums are added in turn. Nobody waits for a warp that has yet to
// sum. A counter begins at −1, and the last comer sets it back, so that nothing is zeroed before a product.
#pragma once
#include "csr.cuh"
#include "stream.cuh"

constexpr unsigned STARTS = 256; // places for the starts of a tile's rows

// Where shared memory has the product of entry k of a tile, then the sum up to it: 16 bytes are left out behind 128,
// against conflicts of banks.
template <typename V>
__device__ __forceinline__ constexpr unsigned place(unsigned k) {
	return k + k / (128 / sizeof(V)) * (16 / sizeof(V));
}

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

// A piece's sum in global memory is words, a value's 32 bits each, that say by their level, the upper half, that they are
// there. So it needs no fence: fences empty the L1 cache. A word that is not there is all ones.
using Word = volatile unsigned long long;
template <typename V>
constexpr unsigned WORDS = sizeof(V) / 4;

// Tiles, and what all of them share.
template <typename V>
struct Tiles {
	const int4 *heads; // of each: its first row, and three numbers that the kernel defines
	int tiles;
	V *y;
	int *counter;      // at the tile of the first of 32 pieces, plus their level: how many of them have come, less 1
	Word *part;        // of each piece: its sum, or of 32 pieces from it on
	unsigned kept;     // of tiles, in the L2 cache
};

template <typename V>
__device__ __forceinline__ void put_sum(Word *to, unsigned level, V sum) {
	unsigned bits[WORDS<V>];
	memcpy(bits, &sum, sizeof(V));
#pragma unroll
	for (unsigned i = 0; i < WORDS<V>; i++) to[i] = static_cast<unsigned long long>(level) << 32 | bits[i];
}
// Waits for what another warp has put before it counted itself.
template <typename V>
__device__ __forceinline__ V take_sum(Word *from, unsigned level) {
	unsigned bits[WORDS<V>], there;
	do {
		there = 0;
#pragma unroll
		for (unsigned i = 0; i < WORDS<V>; i++) {
			unsigned long long word = from[i];
			bits[i] = static_cast<unsigned>(word);
			there += word >> 32 == level;
		}
	} while (there < WORDS<V>);
#pragma unroll
	for (unsigned i = 0; i < WORDS<V>; i++) from[i] = ~0ull;
	V sum;
	memcpy(&sum, bits, sizeof(V));
	return sum;
}

// Gives the sum of tile t, which lane 0 has: one of `pieces` of a row, whose first is tile `first`. The warp that comes last
// of 32 adds them, and gives their sum as one of fewer, at the first one's place, where the same lane has taken one before.
template <typename V>
__device__ __forceinline__ void give_piece(const Tiles<V> &a, unsigned t, unsigned first, unsigned pieces, V sum, V *y) {
	unsigned lane = threadIdx.x % WARP;
#pragma unroll 1
	for (unsigned own = t - first, step = 1, level = 0; pieces > 1; step *= WARP, level++) {
		unsigned group = own / WARP * WARP, n = min(pieces - group, 0u + WARP);
		if (n > 1) {
			Word *part = a.part + (first + group * step) * WORDS<V>;
			int *counter = a.counter + first + group * step + level, before = 0;
			if (lane == 0) {
				put_sum(part + (own - group) * step * WORDS<V>, level, sum);
				before = atomicAdd(counter, 1);
			}
			if (__shfl_sync(FULL, before, 0) + 2 != static_cast<int>(n)) return;
			sum = warp_sum(lane < n ? take_sum<V>(part + lane * step * WORDS<V>, level) : V(0));
			if (lane == 0) *counter = -1;
		}
		own /= WARP, pieces = (pieces + WARP - 1) / WARP;
	}
	if (lane == 0) *y = sum;
}

// Writes y for all tiles. E holds what a lane has loaded of a tile: starts of rows, and OWN entries. What the warp's next
// tile needs is fetched while it sums one. Each sum is multiplied by factor.
template <typename E, typename A, typename V>
__device__ __forceinline__ void sum_tiles(const A &a, V factor) {
	constexpr unsigned OWN = E::OWN, SIZE = OWN * WARP;
	unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	unsigned char *mine = dynamic_shared<unsigned char>() + warp * (place<V>(SIZE) * sizeof(V) + STARTS * 2 + WARP * 4);
	V *sums = reinterpret_cast<V *>(mine);
	unsigned short *starts = reinterpret_cast<unsigned short *>(mine + place<V>(SIZE) * sizeof(V));
	unsigned *ends = reinterpret_cast<unsigned *>(starts + STARTS);
	if (warp_index() >= a.tiles) return;
	unsigned t = static_cast<unsigned>(warp_index());
	unsigned step = static_cast<unsigned>(min(warp_count(), 1ll << 30));
	int4 next = __ldg(a.heads + t);
	E e;
	e.fetch(a, next, t);
	for (;;) {
		int4 head = next;
		unsigned rows = e.rows(head), now = t;
		t += step;
		if (t < a.tiles) next = __ldg(a.heads + t);
		V *y = a.y + head.x;
		if (rows == 0) {
			V sum = 0;
			uint2 piece = e.add(a, head, now, sum);
			if (t < a.tiles) e.fetch(a, next, t);
			give_piece(a, now, piece.x, piece.y, warp_sum(sum) * factor, y);
			if (t >= a.tiles) return;
			continue;
		}

		e.put_starts(head, starts);
		ends[lane] = 0;
		__syncwarp();
#pragma unroll 1
		for (unsigned r = lane; r < rows; r += WARP) {
			unsigned last = starts[r + 1] - 1u;
			if (starts[r] < starts[r + 1]) atomicOr(ends + last / OWN, 1u << last % OWN);
		}
		e.multiply(a, head);
		if (E::TURNED) {
			e.put(head, sums);
			if (t < a.tiles) e.fetch(a, next, t);
		}
		__syncwarp();
		sum_segments<OWN>(E::TURNED ? nullptr : e.val, ends[lane], sums);
		if (!E::TURNED && t < a.tiles) e.fetch(a, next, t);
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
