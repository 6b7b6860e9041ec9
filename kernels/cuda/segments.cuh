// SPDX-License-Identifier: Apache-2.0
// Sums of rows whose products are in shared memory, by a warp.
#pragma once
#include "common.cuh"

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
