// SPDX-License-Identifier: Apache-2.0
// What a product on a matrix in another order does beside: x into the order of the columns, y
// back into that of the rows (future work 3 of csr-shuffle-and-shared).

#include "common.cuh"

// to[i] = from[source[i]] for i < n. A thread takes an element; writes are coalesced.
template <typename V>
__device__ __forceinline__ void gather(const int *__restrict__ source, const V *__restrict__ from,
                                       V *__restrict__ to, int n) {
	long long stride = (long long)gridDim.x * blockDim.x;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		to[i] = from[source[i]];
}

#define PARAMS(V) const int *__restrict__ source, const V *__restrict__ from, V *__restrict__ to, int n
SPMV_ENTRY(reorder_gather, gather, , PARAMS, (source, from, to, n))
