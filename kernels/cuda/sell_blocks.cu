// SPDX-License-Identifier: Apache-2.0
// Register blocks of B×B in slices of at most 32 rows, a warp each, without padding: the
// first block of each block row, then the second of those that have one, and so on.
// Columns are 16 bits beyond the slice's base, and lengths are bytes (sparse.Jagged has
// the layout and its sources). A lane takes a row. Where the blocks of a slot lie, a vote
// tells. Grid-stride over slices. Every row is written.
#include "csr.cuh"
#include "stream.cuh"

// A matrix in jagged slices.
template <typename V>
struct Jagged {
	const int2 *heads;            // blocks before the slice, and its base; −1 − a place in upper: it is wide
	const unsigned char *lengths; // blocks of each block row
	const unsigned short *columns, *upper;
	const V *val, *x;
	V *y;
	int rows;
	unsigned kept; // of slices, in the L2 cache
};

// One value or two that lie side by side.
template <typename V>
__device__ __forceinline__ void load_pair(const V *p, V (&v)[1], Stay s) { v[0] = stream(p, s); }
__device__ __forceinline__ void load_pair(const float *p, float (&v)[2], Stay s) {
	float2 two = stream(reinterpret_cast<const float2 *>(p), s);
	v[0] = two.x, v[1] = two.y;
}
__device__ __forceinline__ void load_pair(const double *p, double (&v)[2], Stay s) {
	double2 two = stream(reinterpret_cast<const double2 *>(p), s);
	v[0] = two.x, v[1] = two.y;
}

// The first lane of each block row of B rows.
template <int B>
__device__ constexpr unsigned leaders() {
	unsigned mask = 0;
	for (int i = 0; i + B <= WARP; i += B) mask |= 1u << i;
	return mask;
}

// The slice that a warp sums, and what its lane needs for that.
template <int B, typename V>
struct Slice {
	static constexpr unsigned GROUP = WARP / B; // block rows
	unsigned block; // of the next slot
	int base, length;
	unsigned upper; // of block 0, were it wide
	Stay stays;

	__device__ __forceinline__ static unsigned own() { return threadIdx.x % WARP / B; }
	__device__ __forceinline__ static unsigned within() { return threadIdx.x % WARP % B; }

	__device__ __forceinline__ void fetch(const Jagged<V> &a, unsigned h, unsigned block_rows) {
		int2 head = __ldg(a.heads + h);
		stays = stay(h, a.kept);
		block = head.x, base = head.y, upper = ~head.y - block;
		unsigned place = h * GROUP + own();
		length = own() < GROUP && place < block_rows ? __ldg(a.lengths + place) : 0;
	}
};

// Adds to sum U slots, all loaded before the first is used, and moves s past them. A lane
// without a block in a slot loads another one, which costs nothing, and leaves it.
template <int B, int U, bool WIDE, typename V>
__device__ __forceinline__ void add_slots(const Jagged<V> &a, Slice<B, V> &s, V &sum) {
	constexpr int PAIR = 2 - B % 2; // values of a load
	unsigned before = (1u << (threadIdx.x % WARP - s.within())) - 1;
	unsigned col[U], high[U];
	V v[U][B / PAIR][PAIR];
#pragma unroll
	for (int u = 0; u < U; u++) {
		bool there = u < s.length;
		unsigned active = __ballot_sync(FULL, there) & leaders<B>();
		unsigned n = __popc(active), rank = __popc(active & before), at = s.block + rank;
		col[u] = stream(a.columns + at, s.stays);
		if (WIDE) high[u] = stream(a.upper + (at + s.upper), s.stays);
		unsigned first = s.block * (B * B) + (rank * B + s.within()) * PAIR;
#pragma unroll
		for (int j = 0; j < B / PAIR; j++) load_pair(a.val + (first + j * n * (B * PAIR)), v[u][j], s.stays);
		s.block += n;
	}
	if (s.block == NEVER) { // what is used here was loaded before
#pragma unroll
		for (int u = 0; u < U; u++) {
			sum += col[u];
#pragma unroll
			for (int j = 0; j < B; j++) sum += v[u][j / PAIR][j % PAIR];
		}
		return;
	}
#pragma unroll
	for (int u = 0; u < U; u++) {
		bool there = u < s.length;
		unsigned column = there ? WIDE ? high[u] << 16 | col[u] : s.base + col[u] : 0;
#pragma unroll
		for (int c = 0; c < B; c++) {
			V factor = __ldg(a.x + (column + c));
			if (there) sum += v[u][c / PAIR][c % PAIR] * factor;
		}
	}
	s.length -= U;
}

// The sum of the row of this lane in a slice.
template <int B, int U, bool WIDE, typename V>
__device__ __forceinline__ V sum_slice(const Jagged<V> &a, Slice<B, V> s) {
	V sum = 0;
#pragma unroll 1
	while (__any_sync(FULL, s.length > 0)) add_slots<B, U, WIDE>(a, s, sum);
	return sum;
}

// The head and the lengths of the warp's next slice are fetched while it sums one. WIDE:
// there are wide slices.
template <int B, int U, bool WIDE, typename V>
__device__ __forceinline__ void jagged(const Jagged<V> &a) {
	using S = Slice<B, V>;
	unsigned block_rows = a.rows / B + (a.rows % B > 0);
	unsigned slices = block_rows / S::GROUP + (block_rows % S::GROUP > 0);
	if (warp_index() >= slices) return;
	unsigned h = static_cast<unsigned>(warp_index());
	unsigned step = static_cast<unsigned>(min(warp_count(), 1ll << 30));
	S next;
	next.fetch(a, h, block_rows);
	do {
		S s = next;
		unsigned place = h * S::GROUP + s.own();
		h += step;
		if (h < slices) next.fetch(a, h, block_rows);

		V sum;
		if (!WIDE || s.base >= 0) sum = sum_slice<B, U, false>(a, s);
		if (WIDE && s.base < 0) sum = sum_slice<B, U, true>(a, s);
		if (s.own() < S::GROUP && place < block_rows) {
			unsigned row = place * B + s.within();
			if (row < a.rows) a.y[row] = sum;
		}
	} while (h < slices);
}

#define JAGGED_PARAMS(V)                                                                        \
	const int2 *__restrict__ heads, const unsigned char *__restrict__ lengths,                  \
		const unsigned short *__restrict__ columns, const unsigned short *__restrict__ upper,   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int rows, unsigned kept
#define JAGGED (Jagged<V>{heads, lengths, columns, upper, val, x, y, rows, kept})

#define BLOCKS_ENTRY(NAME, BOUNDS, B, U)                                                        \
	CSR_ENTRY(sell_blocks_##NAME, BOUNDS, JAGGED_PARAMS, jagged<B, U, false>(JAGGED))           \
	CSR_ENTRY(sell_blocks_##NAME##_mixed, BOUNDS, JAGGED_PARAMS, jagged<B, U, true>(JAGGED))

// About 4 or 8 values of a lane are loaded at a time.
BLOCKS_ENTRY(2_4, CSR_FULL_BOUNDS, 2, 2)
BLOCKS_ENTRY(3_4, CSR_FULL_BOUNDS, 3, 1)
BLOCKS_ENTRY(4_4, CSR_FULL_BOUNDS, 4, 1)
BLOCKS_ENTRY(6_4, CSR_FULL_BOUNDS, 6, 1)
BLOCKS_ENTRY(2_8, CSR_DEEP_BOUNDS, 2, 4)
BLOCKS_ENTRY(3_8, CSR_DEEP_BOUNDS, 3, 3)
BLOCKS_ENTRY(4_8, CSR_DEEP_BOUNDS, 4, 2)
BLOCKS_ENTRY(6_8, CSR_DEEP_BOUNDS, 6, 2)

// compute: 60 80
