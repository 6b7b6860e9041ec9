// SPDX-License-Identifier: Apache-2.0
// Device functions shared by all kernels. docs/kernels.md says what each does.
//
// Conventions. Every entry point is extern "C", named for the kernel with the
// suffix _f32 or _f64 of its value type V; COUNTS are int (32 bits), nnz and T =
// grid·block products are computed in long long where they can pass 2^31. A warp
// is 32 lanes. Kernels that write every row write 0 to empty ones; kernels that
// add to y are launched after y was zeroed.
#pragma once

constexpr int WARP = 32;
constexpr unsigned FULL = 0xffffffffu;

// Declares NAME_f32 and NAME_f64 over the template BODY<V>. PARAMS(V) is the
// parameter list, ARGS the names in it, BOUNDS the launch bounds or nothing.
#define SPMV_ENTRY(NAME, BODY, BOUNDS, PARAMS, ARGS)                                  \
	extern "C" __global__ void BOUNDS NAME##_f32(PARAMS(float)) { BODY<float> ARGS; } \
	extern "C" __global__ void BOUNDS NAME##_f64(PARAMS(double)) { BODY<double> ARGS; }

// Sum over a warp; lane 0 has it.
template <typename V>
__device__ __forceinline__ V warp_sum(V v) {
#pragma unroll
	for (int d = WARP / 2; d > 0; d /= 2) v += __shfl_down_sync(FULL, v, d);
	return v;
}

// Sum over aligned groups of `width` lanes (a power of two); the group's first
// lane has it. All lanes of `mask` take part.
template <typename V>
__device__ __forceinline__ V group_sum(V v, int width, unsigned mask = FULL) {
	for (int d = width / 2; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d, width);
	return v;
}

// Asks for the sector of 32 bytes that holds p, which is in global memory, to be
// brought to the L2 cache. Nothing waits for it.
__device__ __forceinline__ void prefetch_l2(const void *p) {
#ifdef __CUDA_ARCH__
	asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
#else // in the emulator, whose sanitizers check the address
	(void)*static_cast<const volatile unsigned char *>(p);
#endif
}

// Dynamic shared memory as an array of T. There is one declaration for all types, because
// CUDA does not allow two extern arrays of one name with different types.
template <typename T>
__device__ __forceinline__ T *dynamic_shared() {
	extern __shared__ __align__(16) unsigned char shared_bytes[];
	return reinterpret_cast<T *>(shared_bytes);
}
