// SPDX-License-Identifier: Apache-2.0
// Rows by length, a lane for up to 32 nonzeros, and x, or a part of it, in shared memory:
// what sell_local and sell_hot share.
//
// The host gives a row of n nonzeros the least power of two of lanes, at most a warp, that
// leaves a lane at most 32, and cuts a row that is too long for a warp into segments. Rows
// are sorted by lanes and then by nonzeros a lane, so that the 32 lanes of a chunk are
// equally long, but for little padding. Nonzeros are stored in pairs: pair q of lane l of a
// chunk is at 32q + l from its first. A warp takes chunks from both ends of every round in
// turn, so that all warps get about as much. The next pairs, also of the next chunk, are on
// their way while a lane adds.
//
// Parts are for blocks: a part has a panel of columns, which it shares with others, of
// whose chunks each takes some.
#pragma once
#include "staged.cuh"

// Two neighbours, fetched at once.
template <int BYTES>
struct Raw;
template <>
struct Raw<4> {
	using Type = unsigned;
};
template <>
struct Raw<8> {
	using Type = uint2;
};
template <>
struct Raw<16> {
	using Type = uint4;
};

template <typename T>
union Two {
	typename Raw<2 * sizeof(T)>::Type raw;
	T at[2];
};

// A matrix as chunks, and where its sums go.
template <typename V, typename C>
struct Chunks {
	const C *code; // of each place of a nonzero
	const V *val;  //
	const int *at; // of each chunk: 8 times its first pair of 32 lanes, plus the log of the lanes of a row
	const int *target; // of each lane: its row, or rows plus its segment, or −1
	const int *part;   // of each part: its panel, the panel's first chunk and the next panel's, and
	                   // which of how many parts of the panel it is
	int parts, rows;
	V *y, *sums;
	unsigned kept; // of chunks, in the L2 cache
	C padding; // the code of a place without a nonzero
};
constexpr int PART = 5; // numbers of a part

// The chunks that stay in the L2 cache: as many as kept says, or all, or none.
enum Staying { SOME, ALL, NONE };

// The next pairs of a lane. ONE: all values are equal, and none is read.
template <bool ONE, Staying WHICH, typename V, typename C, int N>
struct Pairs {
	Two<C> code[N];
	Two<V> val[ONE ? 1 : N];

	// Those of `left` pairs of a chunk from `pair` on; others are padding.
	__device__ __forceinline__ void load(const Chunks<V, C> &a, unsigned chunk, unsigned pair, unsigned left) {
		using Codes = typename Raw<2 * sizeof(C)>::Type;
		using Values = typename Raw<2 * sizeof(V)>::Type;
		Stay s = WHICH == SOME ? stay(chunk, a.kept) : stays(WHICH == ALL);
		unsigned j = pair * WARP + threadIdx.x % WARP;
#pragma unroll
		for (unsigned i = 0; i < N; i++) {
			if (i < left) {
				code[i].raw = stream(reinterpret_cast<const Codes *>(a.code) + j + i * WARP, s);
				if (!ONE) val[i].raw = stream(reinterpret_cast<const Values *>(a.val) + j + i * WARP, s);
			} else {
				code[i].at[0] = code[i].at[1] = a.padding;
				if (!ONE) val[i].at[0] = val[i].at[1] = 0;
			}
		}
	}
};

// The chunks of a warp, one after another.
struct Walk {
	long long warp, warps, first, last; // of the part's panel
	long long round = 0, chunk = 0;
	unsigned pair = 0, left = 0; // to come in the chunk
	int lanes_log = 0;

	__device__ __forceinline__ bool there() const { return chunk < last; }

	// The chunk of this round: from the front in even rounds, from the back in odd ones.
	__device__ __forceinline__ void open(const int *at) {
		chunk = first + round * warps + (round % 2 ? warps - 1 - warp : warp);
		pair = left = 0;
		if (!there()) return;
		unsigned begin = __ldg(at + chunk), end = __ldg(at + chunk + 1);
		pair = begin / 8, left = end / 8 - pair, lanes_log = begin % 8;
	}
};

// Adds the lanes of a row, and writes its sum.
template <typename V, typename C>
__device__ __forceinline__ void end_chunk(const Chunks<V, C> &a, long long chunk, int lanes_log, V sum) {
	int target = __ldg(a.target + chunk * WARP + threadIdx.x % WARP);
	for (int d = 1 << lanes_log >> 1; d > 0; d /= 2) sum += __shfl_xor_sync(FULL, sum, d);
	if (target < 0) return;
	if (target < a.rows) {
		a.y[target] = sum;
	} else {
		a.sums[target - a.rows] = sum;
	}
}

// All parts of a block. stage(panel) brings x to shared memory, for all threads at the same
// time; gather(code) gives its elements for N pairs.
template <bool ONE, Staying WHICH, int N, typename V, typename C, typename Stage, typename Gather>
__device__ __forceinline__ void sum_chunks(const Chunks<V, C> &a, Stage stage, Gather gather) {
	V one = ONE && a.parts > 0 ? __ldg(a.val) : V(1);
	for (int part = blockIdx.x; part < a.parts; part += gridDim.x) {
		const int *of = a.part + PART * part;
		unsigned warps = blockDim.x / WARP;
		Walk w{__ldg(of + 3) * warps + threadIdx.x / WARP, __ldg(of + 4) * warps, __ldg(of + 1), __ldg(of + 2)};
		Pairs<ONE, WHICH, V, C, N> next;
		w.open(a.at);
		next.load(a, w.chunk, w.pair, w.left);
		stage(__ldg(of));

		V sum = 0;
		while (w.there()) {
			Pairs<ONE, WHICH, V, C, N> now = next;
			long long chunk = w.chunk;
			int lanes_log = w.lanes_log;
			bool last = w.left <= N;
			if (last) {
				w.round++;
				w.open(a.at);
			} else {
				w.pair += N, w.left -= N;
			}
			next.load(a, w.chunk, w.pair, w.left);
			V x[2 * N];
			gather(now.code, x);
#pragma unroll
			for (int i = 0; i < 2 * N; i++) sum += ONE ? x[i] : now.val[ONE ? 0 : i / 2].at[i % 2] * x[i];
			if (last) {
				end_chunk(a, chunk, lanes_log, one * sum);
				sum = 0;
			}
		}
	}
}

// Writes 0 to the rows without nonzeros.
template <typename V>
__device__ __forceinline__ void clear_rows(V *y, const int *empty, int empties) {
#pragma unroll 4
	for (long long i = thread_index(); i < empties; i += thread_count()) y[__ldg(empty + i)] = 0;
}

// Adds the segments of rows that are cut, a warp for each.
template <typename V>
__device__ __forceinline__ void sum_segments(const V *sums, V *y, const int *row, const int *first, int cut) {
	for (long long i = warp_index(); i < cut; i += warp_count()) {
		V sum = 0;
		for (int s = __ldg(first + i) + threadIdx.x % WARP; s < __ldg(first + i + 1); s += WARP) sum += __ldg(sums + s);
		sum = warp_sum(sum);
		if (threadIdx.x % WARP == 0) y[__ldg(row + i)] = sum;
	}
}

#define SELL_STAGED_PARAMS(V, C)                                                             \
	const C *__restrict__ code, const V *__restrict__ val, const int *__restrict__ at,       \
		const int *__restrict__ target, const int *__restrict__ part, int parts, int rows, V *y, V *sums, \
		const int *__restrict__ empty, int empties, const V *__restrict__ x, unsigned kept
#define CHUNKS(C, PADDING) (Chunks<V, C>{code, val, at, target, part, parts, rows, y, sums, kept, static_cast<C>(PADDING)})
#define SELL_SUM_PARAMS(V)                                                                   \
	const V *__restrict__ sums, V *y, const int *__restrict__ row, const int *__restrict__ first, int cut
