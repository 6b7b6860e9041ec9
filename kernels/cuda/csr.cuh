// SPDX-License-Identifier: Apache-2.0
// What the CSR kernels share: the matrix, the part of a row that one thread sums,
// and sums over warps and blocks.
//
// Positions of nonzeros are unsigned: nnz is below 2^31, so a position below nnz
// plus a few steps of at most 1024 can't wrap. Rows are counted in long long where
// a grid-stride loop passes their end, because the stride may be anything.
#pragma once
#include "common.cuh"

// A matrix and its vectors, as every entry of a CSR kernel gets them.
template <typename V>
struct Csr {
	const int *row_ptr, *col_idx;
	const V *val, *x;
	V *y;
	int rows;
};

// While more nonzeros than this are left of its row, a thread alone with it asks for
// them 8 turns before it needs them. On an H100 a row of 800,000 then takes 0.7 of the
// time, and rows of 200 to 300, which ask for nothing, lose nothing.
[[maybe_unused]] constexpr unsigned LONG_ROW = 512;

// What a sum of N products a turn fetches before it needs it: the columns of its next
// turn, at N more registers, and also, into the L2 cache, the nonzeros of a later turn,
// where one thread has a long row to itself: the step is 1 then.
enum Ahead { NOTHING, COLUMNS, NONZEROS };

// The parameters of an entry that begins with them, and its Csr.
#define CSR_PARAMS(V)                                                                   \
	const int *__restrict__ row_ptr, const int *__restrict__ col_idx,                   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int rows
#define CSR (Csr<V>{row_ptr, col_idx, val, x, y, rows})

// Every legal block, up to 1024 threads, has to find its registers. Left to itself
// the compiler then takes 32, with which a multiprocessor is full of threads, and
// waits earlier for what it fetched. Kernels for which many fetches of a thread
// matter more than many threads ask for no second block beside one of 1024.
#define CSR_BOUNDS __launch_bounds__(1024)
#define CSR_DEEP_BOUNDS __launch_bounds__(1024, 1)
// As many threads as a multiprocessor holds, of 32 registers.
#define CSR_FULL_BOUNDS __launch_bounds__(1024, 2)

// Declares NAME_SUFFIX, whose body sees the type of values as V.
#define CSR_ENTRY_OF(NAME, SUFFIX, TYPE, BOUNDS, PARAMS, ...)                           \
	extern "C" __global__ void BOUNDS NAME##_##SUFFIX(PARAMS(TYPE)) {                   \
		using V = TYPE;                                                                 \
		__VA_ARGS__;                                                                    \
	}
// Declares NAME_f32 and NAME_f64.
#define CSR_ENTRY(NAME, BOUNDS, PARAMS, ...)                                            \
	CSR_ENTRY_OF(NAME, f32, float, BOUNDS, PARAMS, __VA_ARGS__)                         \
	CSR_ENTRY_OF(NAME, f64, double, BOUNDS, PARAMS, __VA_ARGS__)

// The nonzeros of row r.
template <typename V>
__device__ __forceinline__ unsigned row_start(const Csr<V> &a, long long r) {
	return static_cast<unsigned>(__ldg(a.row_ptr + r));
}
template <typename V>
__device__ __forceinline__ unsigned row_end(const Csr<V> &a, long long r) {
	return static_cast<unsigned>(__ldg(a.row_ptr + r + 1));
}

// The product of nonzero j.
template <typename V>
__device__ __forceinline__ V product(const Csr<V> &a, unsigned j) {
	return __ldg(a.val + j) * __ldg(a.x + __ldg(a.col_idx + j));
}

// The products j, j+step, …, N of them, all fetched before the first is used.
// CHECKED: those from end on are 0, and nothing is read for them. I is unsigned, or
// long long where the step may be anything.
template <int N, bool CHECKED, typename V, typename I>
__device__ __forceinline__ void products(const Csr<V> &a, V (&p)[N], I j, I end, I step) {
	int col[N];
#pragma unroll
	for (int i = 0; i < N; i++) {
		bool there = !CHECKED || j + i * step < end;
		col[i] = there ? __ldg(a.col_idx + j + i * step) : -1;
		p[i] = there ? __ldg(a.val + j + i * step) : V(0);
	}
#pragma unroll
	for (int i = 0; i < N; i++) {
		if (!CHECKED || col[i] >= 0) p[i] *= __ldg(a.x + col[i]);
	}
}

// The same, added to sum.
template <int N, bool CHECKED, typename V>
__device__ __forceinline__ void add_products(const Csr<V> &a, V &sum, unsigned j, unsigned end,
                                             unsigned step) {
	V p[N];
	products<N, CHECKED>(a, p, j, end, step);
#pragma unroll
	for (int i = 0; i < N; i++) sum += p[i];
}

// Asks for about the N nonzeros from j on to be brought to the L2 cache; where they are
// not aligned, the next turn asks for the last sector. Nothing waits.
template <int N, typename V>
__device__ __forceinline__ void prefetch(const Csr<V> &a, unsigned j) {
	constexpr unsigned SECTOR = 32; // bytes
#pragma unroll
	for (unsigned i = 0; i < N; i += SECTOR / sizeof(V)) prefetch_l2(a.val + j + i);
#pragma unroll
	for (unsigned i = 0; i < N; i += SECTOR / sizeof(int)) prefetch_l2(a.col_idx + j + i);
}

// Adds to sum the products j, j+step, … below end as long as there are N, N at a
// time. The columns of a turn are fetched while the one before waits for x. Leaves j
// at the first that is left over.
template <int N, Ahead AHEAD, typename V>
__device__ __forceinline__ void add_ahead(const Csr<V> &a, V &sum, unsigned &j, unsigned end,
                                          unsigned step) {
	static_assert(9 * N <= LONG_ROW); // what is asked for lies in the row
	int col[N];
	auto fetch_columns = [&] {
#pragma unroll
		for (int i = 0; i < N; i++) col[i] = __ldg(a.col_idx + j + i * step);
	};
	bool turn = j + (N - 1) * step < end;
	if (turn) fetch_columns();
#pragma unroll 1
	while (turn) {
		V p[N], x[N];
		if (AHEAD == NONZEROS && end - j > LONG_ROW) prefetch<N>(a, j + 8 * N);
#pragma unroll
		for (int i = 0; i < N; i++) {
			x[i] = __ldg(a.x + col[i]);
			p[i] = __ldg(a.val + j + i * step);
		}
		j += N * step;
		turn = j + (N - 1) * step < end;
		if (turn) fetch_columns();
#pragma unroll
		for (int i = 0; i < N; i++) sum += p[i] * x[i];
	}
}

// Σ of the products j, j+step, … below end, N at a time, because one after another
// would each wait for memory twice. Compilers do not do this by themselves: j might
// wrap for all that they know, and so they test every turn. At most LAST products
// are left over and fetched at a time, too: either all, or what is left by half a
// turn. With N 1 this is a plain loop.
template <int N, int LAST = N - 1, Ahead AHEAD = NOTHING, typename V>
__device__ __forceinline__ V dot(const Csr<V> &a, unsigned j, unsigned end, unsigned step) {
	static_assert(LAST == N - 1 || LAST == N / 2 - 1);
	V sum = 0;
	if constexpr (AHEAD != NOTHING) {
		add_ahead<N, AHEAD>(a, sum, j, end, step);
	} else {
#pragma unroll 1
		for (; j + (N - 1) * step < end; j += N * step) add_products<N, false>(a, sum, j, end, step);
	}
	if (LAST < N - 1 && j + LAST * step < end) {
		add_products<LAST + 1, false>(a, sum, j, end, step);
		j += (LAST + 1) * step;
	}
	if constexpr (LAST > 0) {
		if (j < end) add_products<LAST, true>(a, sum, j, end, step);
	}
	return sum;
}

// Sum over a warp by a tree in shared memory (csr-five-algorithms, Sec. IV-B);
// lane 0 has it. The paper's barrier for the whole block stood in a branch that
// not all warps take. A warp needs only itself, and all its lanes are here.
template <typename V>
__device__ __forceinline__ V warp_sum_shared(V v) {
	V *mine = dynamic_shared<V>() + threadIdx.x;
	unsigned lane = threadIdx.x % WARP;
	*mine = v;
	__syncwarp();
#pragma unroll
	for (unsigned d = WARP / 2; d > 0; d /= 2) {
		// Only lanes below d write, and only what is from d on is read.
		if (lane < d) *mine += mine[d];
		__syncwarp();
	}
	return *mine;
}

// Σ of the products from start up to end over a warp; lane 0 has it. Rows of at most
// 32 nonzeros are a product a lane, and up to 8 nonzeros take fewer steps to reduce.
template <int N, bool SHARED, Ahead AHEAD = (N > 4 ? COLUMNS : NOTHING), typename V>
__device__ __forceinline__ V warp_dot(const Csr<V> &a, unsigned start, unsigned end) {
	unsigned j = start + threadIdx.x % WARP, n = end - start;
	if (n > WARP) {
		V sum = dot<N, N == 1 ? 0 : 3, AHEAD>(a, j, end, WARP);
		return SHARED ? warp_sum_shared(sum) : warp_sum(sum);
	}
	V sum = j < end ? product(a, j) : V(0);
	if (SHARED) return warp_sum_shared(sum);
	return n > 8 ? warp_sum(sum) : group_sum(sum, 8);
}

// Σ of staged[from], …, staged[to-1], which are in shared memory, N at a time. As a
// tree, they wait for a few additions rather than for N.
template <int N, typename V>
__device__ __forceinline__ V sum_staged(const V *staged, unsigned from, unsigned to) {
	V sum = 0;
	unsigned j = from;
#pragma unroll 1
	for (; j + N <= to; j += N) {
		V v[N];
#pragma unroll
		for (int i = 0; i < N; i++) v[i] = staged[j + i];
#pragma unroll
		for (int d = N / 2; d > 0; d /= 2) {
#pragma unroll
			for (int i = 0; i < d; i++) v[i] += v[i + d];
		}
		sum += v[0];
	}
#pragma unroll 4
	for (; j < to; j++) sum += staged[j];
	return sum;
}

// Sum over a block of whole warps; thread 0 has it. All threads take part.
// scratch holds a value per warp, and may be used again after the next barrier.
template <typename V>
__device__ __forceinline__ V block_sum(V v, V *scratch) {
	unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	v = warp_sum(v);
	if (lane == 0) scratch[warp] = v;
	__syncthreads();
	if (warp == 0) v = warp_sum(lane < blockDim.x / WARP ? scratch[lane] : V(0));
	return v;
}

// Index and number of a thread or of a warp in the grid.
__device__ __forceinline__ long long thread_index() {
	return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long thread_count() {
	return static_cast<long long>(gridDim.x) * blockDim.x;
}
__device__ __forceinline__ long long warp_index() {
	return static_cast<long long>(blockIdx.x) * (blockDim.x / WARP) + threadIdx.x / WARP;
}
__device__ __forceinline__ long long warp_count() {
	return static_cast<long long>(gridDim.x) * (blockDim.x / WARP);
}
