// SPDX-License-Identifier: Apache-2.0
// Sums of rows as the papers write them, for the kernels that carry a paper's name.
#pragma once
#include "csr.cuh"

// CSR_PARAMS without a promise that arrays do not overlap: a compiler then takes no load
// through the read-only cache.
#define CSR_PLAIN_PARAMS(V) \
	const int *row_ptr, const int *col_idx, const V *val, const V *x, V *y, int rows

// How the papers' own kernels read the matrix and x: as any memory, or through the
// read-only cache.
enum Loads { PLAIN, READ_ONLY };

template <Loads L, typename T>
__device__ __forceinline__ T load(const T *p) {
	return L == READ_ONLY ? __ldg(p) : *p;
}

// Adds to sum the products j, j+step, … below end as the papers write it: one after
// another. N of them are written out by hand; with N 1 it is the compiler that unrolls. The
// turns are counted, so that it may, as it does with the signed positions of the papers.
template <int N, Loads L, typename S, typename V>
__device__ __forceinline__ void add_row(const Csr<V> &a, S &sum, unsigned j, unsigned end, unsigned step) {
	unsigned left = j < end ? (end - j - 1) / step + 1 : 0;
	auto add = [&](unsigned k) { sum = sum + load<L>(a.val + k) * load<L>(a.x + load<L>(a.col_idx + k)); };
	if constexpr (N > 1) {
#pragma unroll 1
		for (; left >= N; left -= N, j += N * step) {
#pragma unroll
			for (int i = 0; i < N; i++) add(j + i * step);
		}
#pragma unroll 1
		for (; left > 0; left--, j += step) add(j);
	} else {
		for (; left > 0; left--, j += step) add(j);
	}
}

// Σ of these products. A compiler would keep a sum that only the thread reads in a
// register: it is volatile in shared memory, which is what the parameter `shared` of
// csr-bins-and-hybrid measures.
template <int N, bool SHARED, Loads L, typename V>
__device__ __forceinline__ V row_sum(const Csr<V> &a, unsigned j, unsigned end, unsigned step) {
	if constexpr (SHARED) {
		volatile V &sum = dynamic_shared<V>()[threadIdx.x];
		sum = 0;
		add_row<N, L>(a, sum, j, end, step);
		return sum;
	} else {
		V sum = 0;
		add_row<N, L>(a, sum, j, end, step);
		return sum;
	}
}

// Where the sums of a warp's lanes are: all the time in registers; reduced in shared
// memory; or there from the first product on.
enum Sums { IN_REGISTERS, REDUCED_IN_SHARED, IN_SHARED };

// Σ of the products from start up to end over a warp, as the papers write it; lane 0
// has it.
template <int N, Sums SUMS, Loads L, typename V>
__device__ __forceinline__ V warp_row_sum(const Csr<V> &a, unsigned start, unsigned end) {
	V sum = row_sum<N, SUMS == IN_SHARED, L>(a, start + threadIdx.x % WARP, end, WARP);
	return SUMS == IN_REGISTERS ? warp_sum(sum) : warp_sum_shared(sum);
}
