// SPDX-License-Identifier: Apache-2.0
// Kernels that look at what lies on the device without bringing it to the host: what a product left
// behind, beside its reference (judge.go), and whether an array is as it was made.

#include "common.cuh"

// What a block says of its rows, as in judge.go.
struct verdict {
	double worst;              // the largest error of a row, as a fraction of its bound
	double planted;            // that of a value that is wrong on purpose
	long long row;             // the first with the largest error
	unsigned long long digest; // of the reference of these rows
};

// The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
__device__ __forceinline__ unsigned long long mix(unsigned long long x) {
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

__device__ __forceinline__ unsigned long long mix(unsigned long long h, double v) {
	unsigned long long bits;
	memcpy(&bits, &v, sizeof bits);
	return mix(h ^ bits);
}

// The error of y as a fraction of its bound. Nothing is worse than a NaN, or an error where none is allowed.
__device__ __forceinline__ double quotient(double y, double hi, double lo, double bound) {
	double d = fabs(y - hi - lo);
	if (d == 0) return 0;
	double q = d / bound;
	return q == q ? q : HUGE_VAL;
}

// The quotient of a value that is wrong in a row; 0 if an infinity or a NaN passes there.
__device__ __forceinline__ double plant(double hi, double lo, double bound) {
	double off = quotient(bound > 0 ? hi + 2 * bound : hi + 1, hi, lo, bound);
	double infinite = quotient(-HUGE_VAL, hi, lo, bound);
	double none = quotient(HUGE_VAL - HUGE_VAL, hi, lo, bound);
	return infinite > 1 && none > 1 ? off : 0;
}

constexpr int THREADS = 256; // of a block, at most

// Compares y with hi + lo, or with hi where lo is null. A block takes consecutive rows, at least one, and plants
// wrong values in one of them.
template <typename V>
__device__ __forceinline__ void judge(const V *y, int rows, const double *hi, const double *lo, const double *bound,
                                      int planted, verdict *verdicts) {
	__shared__ verdict all[THREADS];
	long long from = (long long)rows * blockIdx.x / gridDim.x, end = (long long)rows * (blockIdx.x + 1) / gridDim.x;
	long long chosen = from + planted % (end - from);
	verdict mine = {0, 0, from, 0};
	for (long long i = from + threadIdx.x; i < end; i += blockDim.x) {
		double h = hi[i], l = lo ? lo[i] : 0, b = bound[i], q = quotient(y[i], h, l, b);
		if (q > mine.worst) mine.worst = q, mine.row = i;
		if (i == chosen) mine.planted = plant(h, l, b);
		mine.digest += mix(mix(mix(mix(i), h), l), b);
	}
	all[threadIdx.x] = mine;
	__syncthreads();
	if (threadIdx.x > 0) return;
	for (int t = 1; t < blockDim.x; t++) {
		const verdict &other = all[t];
		if (other.worst > mine.worst || other.worst == mine.worst && other.row < mine.row)
			mine.worst = other.worst, mine.row = other.row;
		mine.planted = max(mine.planted, other.planted);
		mine.digest += other.digest;
	}
	verdicts[blockIdx.x] = mine;
}

#define PARAMS(V) \
	const V *y, int rows, const double *hi, const double *lo, const double *bound, int planted, verdict *verdicts
SPMV_ENTRY(judge, judge, , PARAMS, (y, rows, hi, lo, bound, planted, verdicts))

// A digest of 32-bit words; each block leaves its part of the sum.
extern "C" __global__ void judge_digest(const unsigned *words, long long n, unsigned long long *sums) {
	__shared__ unsigned long long all[THREADS];
	unsigned long long sum = 0;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
		sum += mix((unsigned long long)i << 32 | words[i]);
	all[threadIdx.x] = sum;
	__syncthreads();
	if (threadIdx.x > 0) return;
	for (int t = 1; t < blockDim.x; t++) sum += all[t];
	sums[blockIdx.x] = sum;
}
