// Kernels that give every row to one thread or to one warp, grid-stride over rows.
// They differ in how they unroll and where they reduce:
//
//	csr_scalar            csr-five-algorithms, Sec. IV-A
//	csr_vector            csr-five-algorithms, Sec. IV-B
//	csr_warp_row_global   csr-shuffle-and-shared, Alg. 1
//	csr_warp_row_shuffle  csr-shuffle-and-shared, Alg. 2
//	csr_thread_row(_v1)   csr-bins-and-hybrid, Alg. 1 and its first form
//	csr_warp_row(_v1)     csr-bins-and-hybrid, Alg. 2 and its first form
//
// The papers start a thread or a warp for every row in those that have no loop over
// rows; here all have one, so that any grid does all the work. Every row is
// written, empty ones as 0.
#include "csr.cuh"

// A thread per row. SHARED: its running sum is in shared memory.
template <int N, bool SHARED, Ahead AHEAD, typename V>
__device__ __forceinline__ void thread_rows(const Csr<V> &a) {
	for (long long r = thread_index(); r < a.rows; r += thread_count()) {
		unsigned start = row_start(a, r), end = row_end(a, r);
		a.y[r] = SHARED ? dot_shared<N>(a, start, end, 1) : dot<N, N - 1, AHEAD>(a, start, end, 1);
	}
}

// A warp per row: its lanes take every 32nd nonzero, and reduce their sums. A
// whole warp has the same row, so all of it is in the loop or none. The bounds of
// its next row are on their way while it sums this one.
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

// A warp per row, reduced in a buffer in global memory: a value for every thread
// that has a row. In step d the lanes that 2d divides add what is d above them;
// the next step reads what this one wrote, in the same warp.
template <typename V>
__device__ __forceinline__ void warp_rows_global(const Csr<V> &a, V *buffer) {
	unsigned lane = threadIdx.x % WARP;
	V *mine = buffer + thread_index();
	for (long long r = warp_index(); r < a.rows; r += warp_count()) {
		*mine = dot<4>(a, row_start(a, r) + lane, row_end(a, r), WARP);
		__syncwarp();
		for (unsigned d = 1; d < WARP; d *= 2) {
			if (lane % (2 * d) == 0) *mine += mine[d];
			__syncwarp();
		}
		if (lane == 0) a.y[r] = *mine;
	}
}

#define CSR_GLOBAL_PARAMS(V) CSR_PARAMS(V), V *buffer

// A thread alone with a long row waits for memory again and again, as does a warp, so
// that those of a thread per row and CSR Vector fetch 8 products at a time. The other
// kernels of a warp per row fetch 4, which leaves registers for all the warps that
// short rows need.
CSR_ENTRY(csr_scalar, CSR_DEEP_BOUNDS, CSR_PARAMS, thread_rows<8, false, NONZEROS>(CSR))
CSR_ENTRY(csr_vector, CSR_DEEP_BOUNDS, CSR_PARAMS, warp_rows<8, true, COLUMNS>(CSR))
CSR_ENTRY(csr_warp_row_global, CSR_BOUNDS, CSR_GLOBAL_PARAMS, warp_rows_global(CSR, buffer))
CSR_ENTRY(csr_warp_row_shuffle, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, false, NOTHING>(CSR))

// The first forms are not unrolled. The authors unrolled the second by 4; their
// compiler did so again, so that csr_thread_row is unrolled by 8 here.
CSR_ENTRY(csr_thread_row_v1, CSR_BOUNDS, CSR_PARAMS, thread_rows<1, false, NOTHING>(CSR))
CSR_ENTRY(csr_thread_row_v1_shared, CSR_BOUNDS, CSR_PARAMS, thread_rows<1, true, NOTHING>(CSR))
CSR_ENTRY(csr_warp_row_v1, CSR_BOUNDS, CSR_PARAMS, warp_rows<1, false, NOTHING>(CSR))
CSR_ENTRY(csr_warp_row_v1_shared, CSR_BOUNDS, CSR_PARAMS, warp_rows<1, true, NOTHING>(CSR))
CSR_ENTRY(csr_warp_row, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, false, COLUMNS>(CSR))
CSR_ENTRY(csr_warp_row_shared, CSR_BOUNDS, CSR_PARAMS, warp_rows<4, true, COLUMNS>(CSR))

// min_blocks: the paper bounds the block by 256 threads and asks for this many blocks on
// a multiprocessor. Without, the compiler takes few registers, for many threads with
// short rows; with, there are enough to fetch long rows ahead, and these variants do.
// On today's devices 1, 2 and 3 all leave more registers than that takes, so that they
// are the same code there.
#define THREAD_ROW(NAME, BOUNDS, AHEAD)                                            \
	CSR_ENTRY(NAME, BOUNDS, CSR_PARAMS, thread_rows<8, false, AHEAD>(CSR))         \
	CSR_ENTRY(NAME##_shared, BOUNDS, CSR_PARAMS, thread_rows<8, true, AHEAD>(CSR))

THREAD_ROW(csr_thread_row, , COLUMNS)
THREAD_ROW(csr_thread_row_min1, __launch_bounds__(256, 1), NONZEROS)
THREAD_ROW(csr_thread_row_min2, __launch_bounds__(256, 2), NONZEROS)
THREAD_ROW(csr_thread_row_min3, __launch_bounds__(256, 3), NONZEROS)
