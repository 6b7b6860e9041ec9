// SPDX-License-Identifier: Apache-2.0
// Copies of x in shared memory: what csr_stream and sell_staged.cuh share.
#pragma once
#include "csr.cuh"
#include "stream.cuh"

// Where element i of x lies in shared memory. Lanes whose columns are 8 apart, as in runs
// of columns, find them in different banks: element i of every group that fills the banks
// is moved on by the group's number.
template <typename V>
__device__ __forceinline__ unsigned banked(unsigned i) {
	constexpr unsigned GROUP = 128 / sizeof(V);
	return i / GROUP * GROUP + (i + i / GROUP) % GROUP;
}

// Copies n elements of x, which begin at a multiple of 16 bytes, to shared memory, to
// place(i): COPIES times 16 bytes of a thread are on their way at a time.
template <typename V, typename Where>
__device__ __forceinline__ void copy_x(V *staged, const V *from, int n, Where place) {
	constexpr int COPIES = 4, EACH = sizeof(uint4) / sizeof(V);
	union {
		uint4 quad[COPIES];
		V at[COPIES * EACH];
	} v;
	int step = EACH * blockDim.x;
#pragma unroll 1
	for (int i = EACH * threadIdx.x; i < n; i += COPIES * step) {
#pragma unroll
		for (int k = 0; k < COPIES; k++) {
			int j = i + k * step;
			if (j + EACH <= n) {
				v.quad[k] = __ldg(reinterpret_cast<const uint4 *>(from + j));
			} else {
#pragma unroll
				for (int e = 0; e < EACH; e++) v.at[k * EACH + e] = j + e < n ? __ldg(from + j + e) : V(0);
			}
		}
#pragma unroll
		for (int k = 0; k < COPIES; k++) {
			int j = i + k * step;
			if (j < n) {
#pragma unroll
				for (int e = 0; e < EACH; e++) staged[place(j + e)] = v.at[k * EACH + e];
			}
		}
	}
}
