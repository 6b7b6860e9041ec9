// SPDX-License-Identifier: Apache-2.0
// What a lane of csr_stream.cu takes in a turn, and what a warp carries from turn to turn.
#pragma once
#include "staged.cuh"

constexpr int TAKE = 8; // consecutive nonzeros of a lane in a turn
constexpr unsigned TURN = WARP * TAKE;
constexpr int MOST_WARPS = 32;
// Rows that end in a turn one by one; more are scanned.
constexpr int FEW = 3;
constexpr unsigned EARLY = 4; // turns of a warp that are asked for before the first

// The elements of one lane in a turn.
template <typename T>
union Eight {
	uint4 quad[TAKE * sizeof(T) / sizeof(uint4)];
	T at[TAKE];
};

// Elements j, …, j+7 of an array with n, j a multiple of 8. Those from n on are 0.
template <typename T>
__device__ __forceinline__ void load_eight(Eight<T> &e, const T *from, unsigned j, unsigned n, Stay s) {
	if (j + TAKE <= n) {
		const uint4 *quads = reinterpret_cast<const uint4 *>(from + j);
#pragma unroll
		for (int i = 0; i < int(TAKE * sizeof(T) / sizeof(uint4)); i++) e.quad[i] = stream(quads + i, s);
		return;
	}
#pragma unroll
	for (int k = 0; k < TAKE; k++) e.at[k] = j + k < n ? __ldg(from + j + k) : T(0);
}

// The matrix as a stream.
template <typename V>
struct Stream {
	const int *col;             //
	const V *val;               //
	const unsigned char *marks; // bit k of byte i: nonzero 8i+k is the first of its row
	unsigned nnz;
	const int *begin, *started; // of every range: its first nonzero, and the rows that begin before it
	int parts;
	const int *row;   // of every row that has nonzeros; not read if all have
	const int *empty; // rows without nonzeros
	int empties;
	unsigned kept; // of turns, in the L2 cache

	__device__ __forceinline__ int row_of(int i) const { return empties > 0 ? __ldg(row + i) : i; }
};

// The nonzeros of a lane in one turn.
template <typename V>
struct Taken {
	Eight<int> col;
	Eight<V> val;
	unsigned marks;

	__device__ __forceinline__ void load(const Stream<V> &a, unsigned j, unsigned end) {
		if (j < end) {
			Stay s = stay(j / TURN, a.kept);
			load_eight(col, a.col, j, a.nnz, s);
			load_eight(val, a.val, j, a.nnz, s);
			marks = __ldg(a.marks + j / TAKE);
		} else {
#pragma unroll
			for (int k = 0; k < TAKE; k++) col.at[k] = 0, val.at[k] = 0;
			marks = 0;
		}
	}
};

// Asks for the nonzeros of a lane from j on to be brought to L2; those at the end of a range
// are not.
template <typename V>
__device__ __forceinline__ void ask(const Stream<V> &a, unsigned j, unsigned end) {
	if (j + TAKE > end) return;
	prefetch_l2(a.col + j);
	prefetch_l2(a.val + j);
	if (sizeof(V) * TAKE > 32) prefetch_l2(a.val + j + TAKE / 2);
}

// What a warp carries from turn to turn: rows that began before, this lane's part of the
// row that is open, and the sum of what came before the first row that began in the range.
template <typename V>
struct Progress {
	int started;
	bool any; // row began in the range
	V open, head;
};
