// SPDX-License-Identifier: Apache-2.0
// The work-efficient prefix sum in shared memory (Blelloch, as in Harris, Sengupta
// and Owens, GPU Gems 3, ch. 39.2), which coo-spmv-final, Sec. IV, uses in place of
// the scan of Alg. 5.
//
// A window is n = 2·block nonzeros, block a power of two; a thread takes elements
// tid and tid + block. A block takes every grid-th window. y was zeroed.
#include "coo.cuh"

// Where element i of a window lies in shared memory.
struct Unpadded {
	static __device__ __forceinline__ unsigned at(unsigned i) { return i; }
};
// Ch. 39.2.3: one word of padding after every 32, the number of banks, so that
// elements a power of two apart lie in different banks.
struct Padded {
	static __device__ __forceinline__ unsigned at(unsigned i) { return i + (i >> 5); }
};

// Exclusive prefix sum of n = 2·blockDim.x elements in place. The caller's writes
// to sums need no barrier before; the results are visible to all threads after.
template <typename V, typename Place>
__device__ __forceinline__ void exclusive_scan(V *sums, Place place) {
	const unsigned n = 2 * blockDim.x, tid = threadIdx.x;
	unsigned offset = 1;
	// Up-sweep: the last element of each run of 2·offset becomes the sum of the run.
	for (unsigned active = n / 2; active > 0; active /= 2, offset *= 2) {
		__syncthreads();
		if (tid < active) {
			unsigned left = place.at(offset * (2 * tid + 1) - 1);
			unsigned right = place.at(offset * (2 * tid + 2) - 1);
			sums[right] += sums[left];
		}
	}
	// Thread 0 made the last sum, and is the first to read it again.
	if (tid == 0) sums[place.at(n - 1)] = V(0);
	// Down-sweep: a run's last element holds what lies before the run; its left half
	// inherits that, its right half has the left half's sum added.
	for (unsigned active = 1; active < n; active *= 2) {
		offset /= 2;
		__syncthreads();
		if (tid < active) {
			unsigned left = place.at(offset * (2 * tid + 1) - 1);
			unsigned right = place.at(offset * (2 * tid + 2) - 1);
			V half = sums[left];
			sums[left] = sums[right];
			sums[right] += half;
		}
	}
	__syncthreads();
}

template <typename V, typename Place>
__device__ __forceinline__ void coo_blelloch(Coo<V> a, V *y, Place place) {
	const unsigned block = blockDim.x, width = 2 * block, stride = window_stride(width);
	V *sums = dynamic_shared<V>();

	// All conditions of loops are the same in a whole block, as are its barriers.
	for (unsigned start = first_window(width, a.nnz); start < a.nnz; start += stride) {
		Nonzero<V> e[2];
		V p[2];
#pragma unroll
		for (int h = 0; h < 2; h++) {
			e[h] = nonzero_below(a, start + threadIdx.x + h * block, a.nnz);
		}
#pragma unroll
		for (int h = 0; h < 2; h++) {
			p[h] = product_or_0(a, e[h]);
			sums[place.at(threadIdx.x + h * block)] = p[h];
		}
		exclusive_scan(sums, place);
#pragma unroll
		for (int h = 0; h < 2; h++) {
			unsigned i = threadIdx.x + h * block, k = start + i;
			int next = i + 1 < width && k + 1 < a.nnz ? __ldg(a.row + k + 1) : NO_ROW;
			add_prefix(y, e[h].row, next, sums[place.at(i)] + p[h]);
		}
		// A thread writes only those sums of the next window that it read of this one.
	}
}

SPMV_ENTRY(coo_blelloch, coo_blelloch, COO_BOUNDS, COO_PARAMS, (COO, y, Unpadded{}))
SPMV_ENTRY(coo_blelloch_padded, coo_blelloch, COO_BOUNDS, COO_PARAMS, (COO, y, Padded{}))
