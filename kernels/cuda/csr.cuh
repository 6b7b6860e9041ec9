// What the CSR kernels share: the matrix, the part of a row that one thread sums,
// and sums over warps and blocks.
//
// Positions of nonzeros are unsigned: nnz is below 2^31, so a position below nnz
// plus a few steps of at most 1024 can't wrap. Rows are counted in long long where
// a grid-stride loop passes their end, since the stride may be anything.
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

// The parameters of an entry that begins with them, and its Csr.
#define CSR_PARAMS(V)                                                                   \
	const int *__restrict__ row_ptr, const int *__restrict__ col_idx,                   \
		const V *__restrict__ val, const V *__restrict__ x, V *__restrict__ y, int rows
#define CSR (Csr<V>{row_ptr, col_idx, val, x, y, rows})

// Every legal block, up to 1024 threads, has to find its registers.
#define CSR_BOUNDS __launch_bounds__(1024)

// Declares NAME_f32 and NAME_f64, whose body sees the type of values as V.
#define CSR_ENTRY(NAME, BOUNDS, PARAMS, ...)                                            \
	extern "C" __global__ void BOUNDS NAME##_f32(PARAMS(float)) {                       \
		using V = float;                                                                \
		__VA_ARGS__;                                                                    \
	}                                                                                   \
	extern "C" __global__ void BOUNDS NAME##_f64(PARAMS(double)) {                      \
		using V = double;                                                               \
		__VA_ARGS__;                                                                    \
	}

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

// Σ of the products j, j+step, … below end, UNROLL of them at a time. The last few
// are fetched at a time, too: a row has seldom more than one such turn. With
// UNROLL 1 this is the papers' plain loop, unrolled as compilers do by themselves:
// the last few come one by one.
template <int UNROLL, typename V>
__device__ __forceinline__ V dot(const Csr<V> &a, unsigned j, unsigned end, unsigned step) {
	V sum = 0;
	if constexpr (UNROLL == 1) {
#pragma unroll 4
		for (; j < end; j += step) sum += product(a, j);
	} else {
#pragma unroll 1
		for (; j + (UNROLL - 1) * step < end; j += UNROLL * step) {
			V p[UNROLL];
			products<UNROLL, false>(a, p, j, end, step);
#pragma unroll
			for (int i = 0; i < UNROLL; i++) sum += p[i];
		}
		if (j < end) {
			V p[UNROLL - 1];
			products<UNROLL - 1, true>(a, p, j, end, step);
#pragma unroll
			for (int i = 0; i < UNROLL - 1; i++) sum += p[i];
		}
	}
	return sum;
}

// The same with the running sum in shared memory, where the compiler has to leave
// it: what the parameter `shared` of csr-bins-and-hybrid measures.
template <int UNROLL, typename V>
__device__ __forceinline__ V dot_shared(const Csr<V> &a, unsigned j, unsigned end, unsigned step) {
	volatile V *sum = dynamic_shared<V>() + threadIdx.x;
	*sum = 0;
#pragma unroll UNROLL
	for (; j < end; j += step) *sum = *sum + product(a, j);
	return *sum;
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
