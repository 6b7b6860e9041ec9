// SPDX-License-Identifier: Apache-2.0
// Our forms of the kernels in csr_rows.cu: they fetch several products at a time, and some
// of them ahead, and the bounds of a warp's next row while it sums this one.
#include "csr.cuh"

// A thread per row.
template <int N, Ahead AHEAD, typename V>
__device__ __forceinline__ void thread_rows(const Csr<V> &a) {
	for (long long r = thread_index(); r < a.rows; r += thread_count()) {
		a.y[r] = dot<N, N - 1, AHEAD>(a, row_start(a, r), row_end(a, r), 1);
	}
}

// A warp per row: its lanes take every 32nd nonzero, and reduce their sums. A
// whole warp has the same row, so all of it is in the loop or none.
template <int N, bool SHARED, Ahead AHEAD, typename V>
__device__ __forceinline__ void warp_rows(const Csr<V> &a) {
	long long r = warp_index();
	if (r >= a.rows) return; // for the whole warp
	unsigned start = row_start(a, r), end = row_end(a, r);
	for (;;) {
		long long next = r + warp_count();
		bool more = next < a.rows;
		unsigned next_start = more ? row_start(a, next) : 0, next_end = more ? row_end(a, next) : 0;
		V sum = warp_dot<N, SHARED, AHEAD>(a, start, end);
		if (threadIdx.x % WARP == 0) a.y[r] = sum;
		if (!more) return;
		r = next, start = next_start, end = next_end;
	}
}

// A thread alone with a long row waits for memory again and again, as does a warp, so
// that csr_scalar_ahead and csr_vector_ahead fetch 8 products at a time and take the
// registers for it. The other kernels leave registers for all the warps that short rows
// need.
CSR_ENTRY(csr_scalar_ahead, CSR_DEEP_BOUNDS, CSR_PARAMS, thread_rows<8, NONZEROS>(CSR))
CSR_ENTRY(csr_thread_row_ahead, , CSR_PARAMS, thread_rows<8, COLUMNS>(CSR))
CSR_ENTRY(csr_vector_ahead, CSR_DEEP_BOUNDS, CSR_PARAMS, warp_rows<8, true, COLUMNS>(CSR))
CSR_ENTRY(csr_warp_row_ahead, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, false, COLUMNS>(CSR))
CSR_ENTRY(csr_warp_row_shuffle_ahead, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, false, NOTHING>(CSR))
