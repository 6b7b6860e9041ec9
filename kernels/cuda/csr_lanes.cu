// SPDX-License-Identifier: Apache-2.0
// compute: 60 80
//
// Rows by length over the arrays of CSR as they are: neither nonzeros nor columns are moved. The host lists
// where rows begin and end; long rows are cut into segments. Segments of about the
// same length share a warp as a chunk, and get as many lanes as leave each about 8 nonzeros. Lanes take
// 16 bytes of columns and as many values at a time, the next on their way, also of the next chunk.
// Chunks are dealt out to blocks so that all have as many nonzeros, and warps take their block's from a
// counter, the longest first.
//
//	csr_lanes_panels   x is in shared memory, in panels of columns. Columns increase within a row, so
//	                   a panel has a range of its nonzeros, which is listed as a row is
//	csr_lanes_hot      shared memory has places for elements of x; a column finds its place by scattering.
//	                   Of the columns of a place, it has the one that occurs most, and a tag says
//	                   which; others are read through the caches
//	csr_lanes_x        collects the elements of x that have places
//	csr_lanes_add      adds the segments of a row
//
// Every row is written, and the bits are the same every run.
#include "csr_lanes.cuh"

// x in shared memory, with a gap after every GROUP elements: lanes whose columns are 4 apart, as in
// runs of columns, find them in different banks.
template <typename V>
__device__ __forceinline__ unsigned spaced(unsigned i) {
	return i + i / (128 / sizeof(V));
}

template <typename V>
__device__ __forceinline__ void lanes_panels(const Lanes<V> &a, const V *x, unsigned width, unsigned cols) {
	V *staged = dynamic_shared<V>();
	unsigned first = 0;
	int there = -1;
	sum_lanes<true>(
		a,
		[&](int panel) {
			first = panel * width;
			if (panel != there) copy_x(staged, x + first, min(width, cols - first), spaced<V>);
			there = panel;
			__syncthreads();
		},
		[&](int col, bool there) { return staged[there ? spaced<V>(col - first) : 0]; });
}

// x[col] if `there`; what else it is does not matter.
template <typename V>
__device__ __forceinline__ V load_if(bool there, const V *x, int col, V v) {
#ifdef __CUDA_ARCH__
	if constexpr (sizeof(V) == 4) {
		asm("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.f32 %0, [%2]; }"
		    : "+f"(v)
		    : "r"(int(there)), "l"(__cvta_generic_to_global(x + col)));
	} else {
		asm("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.f64 %0, [%2]; }"
		    : "+d"(v)
		    : "r"(int(there)), "l"(__cvta_generic_to_global(x + col)));
	}
#else
	if (there) v = x[col];
#endif
	return v;
}

// Columns have numbers of `bits` bits. Multiplied by an odd number they are scattered, each to another. Up to 256
// neighbours share a place, so the last 8 bits, the tag, tell them apart.
constexpr unsigned SCATTER = 2654435769u;

template <typename V>
__device__ __forceinline__ void lanes_hot(const Lanes<V> &a, const V *x, const V *hot, const uint4 *tags, int places,
                                          int bits) {
	V *staged = dynamic_shared<V>();
	unsigned char *tag = reinterpret_cast<unsigned char *>(staged + places);
	bool there = false;
	sum_lanes<false>(
		a,
		[&](int) {
			if (!there) {
				copy_x(staged, hot, places, [](unsigned i) { return i; });
				for (int i = threadIdx.x; i < places / 16; i += blockDim.x) reinterpret_cast<uint4 *>(tag)[i] = __ldg(tags + i);
			}
			there = true;
			__syncthreads();
		},
		[&](int col, bool there) {
			unsigned scattered = static_cast<unsigned>(col) * SCATTER << (32 - bits);
			unsigned place = static_cast<unsigned long long>(scattered) * places >> 32;
			return load_if(there && tag[place] != (scattered >> (32 - bits) & 0xff), x, col, staged[place]);
		});
}

template <typename V>
__device__ __forceinline__ void collect(const V *x, const int *column, V *hot, int places) {
	for (long long i = thread_index(); i < places; i += thread_count()) hot[i] = __ldg(x + __ldg(column + i));
}

// Row i of `cut` is the sum of sums[first[i]], …, sums[first[i+1]-1], by 2^log lanes.
template <typename V>
__device__ __forceinline__ void add_segments(const V *sums, V *y, const int *row, const int *first, int cut, int log) {
	unsigned lanes = 1u << log;
	long long i = thread_index() >> log;
	V sum = 0;
	if (i < cut) {
		int end = __ldg(first + i + 1);
#pragma unroll 4
		for (int s = __ldg(first + i) + threadIdx.x % lanes; s < end; s += lanes) sum += __ldg(sums + s);
	}
	sum = group_sum(sum, lanes);
	if (i < cut && threadIdx.x % lanes == 0) y[__ldg(row + i)] = sum;
}

#define LANES_PARAMS(V)                                                                            \
	const int *__restrict__ col, const V *__restrict__ val, int nnz, const int *__restrict__ last_col, \
		const V *__restrict__ last_val, const int *__restrict__ chunk, const int2 *__restrict__ span, \
		const int *__restrict__ target, const int *__restrict__ part, int parts, \
		const int *__restrict__ empty, int empties, int rows, V *__restrict__ y, V *__restrict__ sums, \
		const V *__restrict__ x, unsigned kept
#define LANES_PANELS_PARAMS(V) LANES_PARAMS(V), int width, int cols
#define LANES_HOT_PARAMS(V)                                                                        \
	LANES_PARAMS(V), const V *__restrict__ hot, const uint4 *__restrict__ tags, int places, int bits
#define LANES                                                                                      \
	(Lanes<V>{col, val, static_cast<unsigned>(nnz), last_col, last_val, chunk, span, target, part, empty, parts, empties, \
	          rows, y, sums, kept})
#define LANES_X_PARAMS(V) const V *__restrict__ x, const int *__restrict__ column, V *__restrict__ hot, int places
#define LANES_ADD_PARAMS(V)                                                                        \
	const V *__restrict__ sums, V *__restrict__ y, const int *__restrict__ row, const int *__restrict__ first, int cut, \
		int log

CSR_ENTRY(csr_lanes_panels, CSR_BOUNDS, LANES_PANELS_PARAMS, lanes_panels(LANES, x, width, cols))
CSR_ENTRY(csr_lanes_hot, CSR_BOUNDS, LANES_HOT_PARAMS, lanes_hot(LANES, x, hot, tags, places, bits))
CSR_ENTRY(csr_lanes_x, CSR_BOUNDS, LANES_X_PARAMS, collect(x, column, hot, places))
CSR_ENTRY(csr_lanes_add, CSR_BOUNDS, LANES_ADD_PARAMS, add_segments(sums, y, row, first, cut, log))
