// SPDX-License-Identifier: Apache-2.0
// Prefix sums over a block in shared memory, one nonzero a thread (coo-spmv-final,
// Alg. 5 and 6), by the scan of Hillis and Steele (CACM 29(12), 1986): log2(block)
// steps, in each of which every element adds the one s below.
//
// A window is `block` nonzeros; a block takes every grid-th one. y was zeroed.
#include "coo.cuh"

// The scan is of whole windows, or of each row's part of them.
struct Plain {
	static constexpr bool BY_ROW = false;
};
struct Segmented {
	static constexpr bool BY_ROW = true;
};

// Shared memory: two buffers of block sums, so that a step reads what the one
// before wrote and needs a single barrier, and the rows of the window.
template <typename V, typename Kind>
__device__ __forceinline__ void coo_scan_shared(Coo<V> a, V *y, Kind) {
	const unsigned width = blockDim.x, tid = threadIdx.x, stride = window_stride(width);
	V *sums = dynamic_shared<V>();
	int *rows = reinterpret_cast<int *>(sums + 2 * width);

	// All conditions of loops are the same in a whole block, as are its barriers.
	for (unsigned start = first_window(width, a.nnz); start < a.nnz; start += stride) {
		Nonzero<V> e = nonzero_below(a, start + tid, a.nnz);
		V sum = product_or_0(a, e);
		rows[tid] = e.row;
		V *buffer = sums;
		for (unsigned s = 1; s < width; s *= 2) {
			buffer[tid] = sum;
			__syncthreads();
			if (tid >= s && (!Kind::BY_ROW || rows[tid - s] == e.row)) sum += buffer[tid - s];
			// The other buffer was last read a step ago, before this barrier.
			buffer = buffer == sums ? sums + width : sums;
		}
		int next = tid + 1 < width ? rows[tid + 1] : NO_ROW;
		if (Kind::BY_ROW) {
			add_segment(y, e.row, next, sum);
		} else {
			add_prefix(y, e.row, next, sum);
		}
		// The next window writes over rows and sums.
		__syncthreads();
	}
}

SPMV_ENTRY(coo_scan_shared, coo_scan_shared, COO_BOUNDS, COO_PARAMS, (COO, y, Plain{}))
SPMV_ENTRY(coo_segscan_shared, coo_scan_shared, COO_BOUNDS, COO_PARAMS, (COO, y, Segmented{}))
