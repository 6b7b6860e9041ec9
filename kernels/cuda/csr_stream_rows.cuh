// SPDX-License-Identifier: Apache-2.0
// The rows that end in a turn of csr_stream.cu.
#pragma once
#include "csr_stream_turn.cuh"

// Sum over a warp; all lanes have it.
template <typename V>
__device__ __forceinline__ V warp_total(V v) {
#pragma unroll
	for (int d = WARP / 2; d > 0; d /= 2) v += __shfl_xor_sync(FULL, v, d);
	return v;
}

// The number of bits set in `marks` of the lanes before this one, and of all lanes.
__device__ __forceinline__ int marks_before(unsigned marks, int &total) {
	unsigned n = __popc(marks), before = (1u << threadIdx.x % WARP) - 1;
	int sum = 0;
	total = 0;
#pragma unroll
	for (int b = 0; b < 4; b++) { // n is at most 8
		unsigned with = __ballot_sync(FULL, n >> b & 1);
		sum += __popc(with & before) << b;
		total += __popc(with) << b;
	}
	return sum;
}

// A turn in which few rows begin, in different lanes: writes those that end, one by one.
template <typename V>
__device__ __forceinline__ void end_few_rows(const Stream<V> &a, V *y, Progress<V> &t, const V (&p)[TAKE],
                                             unsigned marks, unsigned heads) {
	unsigned lane = threadIdx.x % WARP, from = 0;
	V first = 0, last = 0; // before the lane's mark, and from it on; without one all is first
	unsigned mark = marks ? __ffs(marks) - 1 : TAKE;
#pragma unroll
	for (unsigned k = 0; k < TAKE; k++) {
		if (k < mark) {
			first += p[k];
		} else {
			last += p[k];
		}
	}
#pragma unroll 1
	for (; heads; heads &= heads - 1) {
		unsigned head = __ffs(heads) - 1;
		V sum = warp_total(t.open + (lane >= from && lane <= head ? first : V(0)));
		if (!t.any) {
			t.head = sum;
		} else if (lane == 0) {
			y[a.row_of(t.started - 1)] = sum;
		}
		t.open = lane == head ? last : V(0);
		from = head + 1;
		t.any = true;
		t.started++;
	}
	if (lane >= from) t.open += first;
}

// A turn in which rows begin: writes those that end.
template <typename V>
__device__ __forceinline__ void end_rows(const Stream<V> &a, V *y, Progress<V> &t, const V (&p)[TAKE],
                                         unsigned marks, unsigned heads) {
	unsigned lane = threadIdx.x % WARP;
	int total, outer = t.started + marks_before(marks, total) - 1; // the row that is open
	unsigned inner = marks & (marks - 1); // all but the first: rows that begin and end in the lane
	V first = 0, sum = 0;                 // before the lane's first mark, and since the last
	V ended[TAKE];                        // the row that the mark ends
#pragma unroll
	for (int k = 0; k < TAKE; k++) {
		bool mark = marks >> k & 1;
		ended[k] = sum;
		if (mark) sum = 0;
		sum += p[k];
	}
	first = marks ? V(0) : sum;
#pragma unroll
	for (int k = 0; k < TAKE; k++) {
		if (marks >> k & 1 && !(inner >> k & 1)) first = ended[k];
	}
	if (__any_sync(FULL, inner != 0)) {
		constexpr int ROWS = 4; // fetched before the first is used
#pragma unroll
		for (int begin = 0; begin < TAKE; begin += ROWS) {
			int row[ROWS];
#pragma unroll
			for (int i = 0; i < ROWS; i++) row[i] = outer + __popc(marks & ((1u << (begin + i)) - 1));
			if (a.empties > 0) {
#pragma unroll
				for (int i = 0; i < ROWS; i++) {
					if (inner >> (begin + i) & 1) row[i] = __ldg(a.row + row[i]);
				}
			}
#pragma unroll
			for (int i = 0; i < ROWS; i++) {
				if (inner >> (begin + i) & 1) y[row[i]] = ended[begin + i];
			}
		}
	}

	// The row that was open before the turn ends in the first lane with a mark.
	unsigned head = __ffs(heads) - 1;
	V lead = warp_total(t.open + (lane <= head ? first : V(0)));
	// The others: scans from each lane with a mark on.
	unsigned upto = heads & (FULL >> (WARP - 1 - lane));
	unsigned from = upto ? WARP - 1 - __clz(upto) : WARP;
	V scan = sum;
#pragma unroll
	for (unsigned d = 1; d < WARP; d *= 2) {
		V up = __shfl_up_sync(FULL, scan, d);
		if (lane >= from + d) scan += up;
	}
	V in = __shfl_up_sync(FULL, scan, 1);
	if (marks && lane > head) y[a.row_of(outer)] = in + first;
	if (!t.any) {
		t.head = lead;
	} else if (lane == head) {
		y[a.row_of(outer)] = lead;
	}
	t.any = true;
	t.started += total;
	t.open = lane == WARP - 1 ? scan : V(0);
}
