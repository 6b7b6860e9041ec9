// SPDX-License-Identifier: Apache-2.0
// Kernels that stream over arrays much larger than the cache: the bandwidth that
// products are compared with (after STREAM, McCalpin 1995). Arrays are n vectors
// of 16 bytes. A thread has four loads of each array in flight.
//
// The last one gathers instead: what a product without locality gets of x.

#include "common.cuh"

// Calls body(i) for all i < n, four at a time while four are left.
template <typename Load, typename Use>
__device__ __forceinline__ void stream(size_t n, Load load, Use use) {
	size_t stride = (size_t)gridDim.x * blockDim.x;
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	for (; i + 3 * stride < n; i += 4 * stride) {
		auto a = load(i), b = load(i + stride), c = load(i + 2 * stride), d = load(i + 3 * stride);
		use(i, a), use(i + stride, b), use(i + 2 * stride, c), use(i + 3 * stride, d);
	}
	for (; i < n; i += stride) use(i, load(i));
}

// Reads a. The sums are stored only where they are 1, which they are not for
// zeros, but the compiler can't know.
extern "C" __global__ void roof_read(const float4 *__restrict__ a, float *sink, size_t n) {
	float sum = 0;
	stream(
	    n, [=](size_t i) { return a[i]; },
	    [&](size_t, float4 v) { sum += v.x + v.y + v.z + v.w; });
	if (sum == 1) *sink = sum;
}

// b = a.
extern "C" __global__ void roof_copy(const float4 *__restrict__ a, float4 *__restrict__ b, size_t n) {
	stream(
	    n, [=](size_t i) { return a[i]; }, [=](size_t i, float4 v) { b[i] = v; });
}

struct pair4 {
	float4 a, b;
};

// c = a + 3·b.
extern "C" __global__ void roof_triad(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                      float4 *__restrict__ c, size_t n) {
	stream(
	    n, [=](size_t i) { return pair4{a[i], b[i]}; },
	    [=](size_t i, pair4 v) {
		    c[i] = make_float4(v.a.x + 3 * v.b.x, v.a.y + 3 * v.b.y, v.a.z + 3 * v.b.z, v.a.w + 3 * v.b.w);
	    });
}

// Scatter of package kernels, for all threads to agree with it.
__device__ __forceinline__ unsigned scatter(unsigned i, int bits) {
	unsigned mask = (1u << bits) - 1;
	int shift = (bits + 1) / 2;
	i ^= i >> shift;
	i = i * 0x9e3779b1u & mask;
	i ^= i >> shift;
	i = i * 0x85ebca77u & mask;
	return i ^ i >> shift;
}

// Reads the 2^bits elements of x, each once, in the order of scatter.
extern "C" __global__ void roof_gather(const double *__restrict__ x, double *sink, int bits) {
	double sum = 0;
	stream(
	    (size_t)1 << bits, [=](size_t i) { return x[scatter((unsigned)i, bits)]; }, [&](size_t, double v) { sum += v; });
	if (sum == 1) *sink = sum;
}
