// SPDX-License-Identifier: Apache-2.0
// compute: 60 80
//
// A product as one stream of nonzeros, whatever the rows are, over the arrays of CSR as they
// are. x is read through the caches.
//
// The host cuts the nonzeros into parts that begin and end with a row, a part for each
// block, and every part into ranges of equal length, one for each warp. A warp goes
// through its range in turns of 256: a lane takes 8 consecutive nonzeros with loads of 16
// bytes, and has the next turn's on their way while it adds this one's. The first
// nonzeros of rows are marked by bits, a byte for 8 nonzeros, so the loads depend on no
// row. A turn without a mark is added lane by lane; in others, a segmented scan over the
// warp completes every row that ends. Rows that a border of warps cuts are completed in
// shared memory: there is one launch, and it gives the same bits every time.
//
// Rows without nonzeros are listed, and written as 0.
#include "csr_stream_rows.cuh"

// The range of a warp.
template <typename V>
__device__ __forceinline__ void stream_range(const Stream<V> &a, const V *x, V *y, Taken<V> &next, Progress<V> &t,
                                             unsigned begin, unsigned end) {
	unsigned j = begin / TAKE * TAKE + threadIdx.x % WARP * TAKE;
	for (unsigned turn = begin / TAKE * TAKE; turn < end; turn += TURN, j += TURN) {
		Taken<V> now = next;
		next.load(a, j + TURN, end);
		V p[TAKE];
#pragma unroll
		for (int k = 0; k < TAKE; k++) p[k] = __ldg(x + now.col.at[k]);
#pragma unroll
		for (int k = 0; k < TAKE; k++) p[k] *= now.val.at[k];
		unsigned marks = now.marks;
		if (j < begin || j + TAKE > end) { // not all are in the range
#pragma unroll
			for (unsigned k = 0; k < TAKE; k++) {
				if (j + k < begin || j + k >= end) p[k] = 0, marks &= ~(1u << k);
			}
		}

		// Marks before the range are not counted: `started` is of its beginning.
		unsigned heads = __ballot_sync(FULL, marks != 0);
		if (__any_sync(FULL, marks & (marks - 1)) || __popc(heads) > FEW) {
			end_rows(a, y, t, p, marks, heads);
		} else if (heads) {
			end_few_rows(a, y, t, p, marks, heads);
		} else {
			t.open += ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
		}
	}
}

// Sums of the warps of a block: what came before the first row that began in a range, and
// the open row at its end.
template <typename V>
struct Borders {
	V head[MOST_WARPS];
	bool any[MOST_WARPS];
};

// Completes the rows that go on beyond a range. All threads take part.
template <typename V>
__device__ __forceinline__ void join_ranges(const Stream<V> &a, V *y, const Progress<V> &t,
                                            Borders<V> &shared) {
	unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
	V tail = warp_total(t.open);
	if (threadIdx.x % WARP == 0) {
		shared.head[warp] = t.any ? t.head : tail;
		shared.any[warp] = t.any;
	}
	__syncthreads();
	if (threadIdx.x % WARP == 0 && t.any) {
		for (unsigned w = warp + 1; w < warps; w++) {
			tail += shared.head[w];
			if (shared.any[w]) break;
		}
		y[a.row_of(t.started - 1)] = tail;
	}
}

// Writes 0 to the rows without nonzeros; all threads of the grid take part.
template <typename V>
__device__ __forceinline__ void clear_empty(const Stream<V> &a, V *y) {
#pragma unroll 4
	for (long long i = thread_index(); i < a.empties; i += thread_count()) y[__ldg(a.empty + i)] = 0;
}

// All parts of a block.
template <typename V>
__device__ __forceinline__ void stream_parts(const Stream<V> &a, const V *x, V *y) {
	__shared__ Borders<V> borders;
	unsigned warps = blockDim.x / WARP;
	if (blockIdx.x >= a.parts) clear_empty(a, y);
	for (long long part = blockIdx.x; part < a.parts; part += gridDim.x) {
		long long range = part * warps + threadIdx.x / WARP;
		unsigned begin = __ldg(a.begin + range), end = __ldg(a.begin + range + 1);
		Progress<V> t{__ldg(a.started + range), false, 0, 0};
		Taken<V> next;
		unsigned j = begin / TAKE * TAKE + threadIdx.x % WARP * TAKE;
		next.load(a, j, end);
#pragma unroll 1
		for (unsigned i = 1; i <= EARLY; i++) ask(a, j + i * TURN, end);
		if (part == blockIdx.x) clear_empty(a, y);
		__syncthreads(); // the borders of the part before are read
		stream_range(a, x, y, next, t, begin, end);
		join_ranges(a, y, t, borders);
	}
}

// A block has at most 768 threads: two turns of float64 take their registers. float32 has those of 1024, as it was measured.
#define STREAM_ENTRY(LETTERS, V, THREADS)                                                            \
	extern "C" __global__ void __launch_bounds__(THREADS) csr_stream_##LETTERS(                      \
		const int *__restrict__ col, const V *__restrict__ val, const unsigned char *__restrict__ marks, int nnz, \
		const int *__restrict__ begin, const int *__restrict__ started, int parts, const int *__restrict__ row,   \
		const int *__restrict__ empty, int empties, const V *__restrict__ x, V *__restrict__ y, unsigned kept) { \
		Stream<V> a{col, val, marks, static_cast<unsigned>(nnz), begin, started, parts, row, empty, empties, \
		            kept};                                                                               \
		stream_parts(a, x, y);                                                                       \
	}

STREAM_ENTRY(f32, float, 1024)
STREAM_ENTRY(f64, double, 768)
