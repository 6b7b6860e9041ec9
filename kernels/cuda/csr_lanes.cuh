// SPDX-License-Identifier: Apache-2.0
// Sums of segments of rows by length: what a warp and a block do with theirs. csr_lanes.cu says how.
#pragma once
#include "staged.cuh"

constexpr unsigned TAKE = 4;   // consecutive nonzeros of a lane
constexpr unsigned EARLY = 4;  // nonzeros of a lane in a chunk that are asked for while x is copied to shared memory

template <typename V>
struct Lanes {
	const int *col;
	const V *val;
	unsigned nnz;
	const int *last_col;  // the last nonzeros, where 16 bytes from there on would pass the end
	const V *last_val;
	const int *chunk;     // 8 times the first segment, plus the logarithm of the lanes of a segment
	const int2 *span;     // of each segment: its first nonzero, and the one behind its last
	const int *target;    // of each segment: its row, or rows plus where in sums it goes
	const int *part;      // of each part: its panel, first chunk, next part's
	const int *empty;     // rows without nonzeros
	int parts, empties, rows;
	V *y, *sums;
	unsigned kept;        // of chunks, in the L2 cache
};
constexpr int PART = 3;

// Four nonzeros of a lane. WHOLE: where all are of the segment, they are added without asking.
template <bool WHOLE, typename V>
struct Taken {
	static constexpr unsigned QUADS = sizeof(V) / 4;
	union {
		uint4 quad;
		int at[TAKE];
	} col;
	union {
		uint4 quad[QUADS];
		V at[TAKE];
	} val;

	// Those from k on. From end on, and for the last of all, the matrix's last are loaded.
	__device__ __forceinline__ void load(const Lanes<V> &a, unsigned chunk, unsigned k, unsigned end) {
		bool there = k < min(end, a.nnz / TAKE * TAKE);
		const uint4 *columns = reinterpret_cast<const uint4 *>(there ? a.col + k : a.last_col);
		const uint4 *values = reinterpret_cast<const uint4 *>(there ? a.val + k : a.last_val);
		Stay s = stay(chunk, a.kept);
		col.quad = stream(columns, s);
#pragma unroll
		for (unsigned i = 0; i < QUADS; i++) val.quad[i] = stream(values + i, s);
	}
	// Adds the products of those of a segment; the first is its nonzero `at`, which may be negative.
	template <typename Gather>
	__device__ __forceinline__ void add(V (&sum)[TAKE], unsigned at, unsigned length, Gather gather) const {
		V x[TAKE];
		if (WHOLE && __all_sync(FULL, at < length && at + TAKE <= length)) {
#pragma unroll
			for (unsigned i = 0; i < TAKE; i++) x[i] = gather(col.at[i], true);
#pragma unroll
			for (unsigned i = 0; i < TAKE; i++) sum[i] += val.at[i] * x[i];
			return;
		}
#pragma unroll
		for (unsigned i = 0; i < TAKE; i++) x[i] = gather(col.at[i], at + i < length);
#pragma unroll
		for (unsigned i = 0; i < TAKE; i++) {
			if (at + i < length) sum[i] += val.at[i] * x[i];
		}
	}
};

// A lane's segment in a chunk: its sum goes to target, or nowhere if that is negative.
struct Span {
	unsigned begin = 0, end = 0, log = 0;
	int target = -1;

	template <typename V>
	__device__ __forceinline__ void find(const Lanes<V> &a, unsigned c, unsigned last) {
		begin = end = 0, target = -1;
		if (c >= last) return;
		unsigned at = __ldg(a.chunk + c), next = __ldg(a.chunk + c + 1) / 8u;
		log = at % 8;
		unsigned segment = at / 8 + (threadIdx.x % WARP >> log);
		if (segment >= next) return;
		int2 span = __ldg(a.span + segment);
		begin = span.x, end = span.y, target = __ldg(a.target + segment);
	}
	// Asks for EARLY nonzeros of the lane to be brought to L2.
	template <typename V>
	__device__ __forceinline__ void ask(const Lanes<V> &a) const {
#pragma unroll 1
		for (unsigned k = first(), n = 0; k < end && n < EARLY; k += TAKE << log, n += TAKE) {
			prefetch_l2(a.col + k);
			prefetch_l2(a.val + k);
		}
	}
	// The first nonzeros of the lane.
	__device__ __forceinline__ unsigned first() const {
		return begin / TAKE * TAKE + (threadIdx.x & ((1u << log) - 1)) * TAKE;
	}
};

// All parts of a block. stage(panel) brings x to where gather finds it, and begins and ends with a barrier.
template <bool WHOLE, typename V, typename Stage, typename Gather>
__device__ __forceinline__ void sum_lanes(const Lanes<V> &a, Stage stage, Gather gather) {
	__shared__ unsigned counter;
	unsigned warps = blockDim.x / WARP, lane = threadIdx.x % WARP;
	for (long long i = thread_index(); i < a.empties; i += thread_count()) a.y[__ldg(a.empty + i)] = 0;
	for (int p = blockIdx.x; p < a.parts; p += gridDim.x) {
		const int *part = a.part + PART * p;
		unsigned c = __ldg(part + 1) + threadIdx.x / WARP, after = c + warps, last = __ldg(part + 2);
		Span now, ahead;
		now.find(a, c, last);
		ahead.find(a, after, last);
		now.ask(a);
		ahead.ask(a);
		if (threadIdx.x == 0) counter = __ldg(part + 1) + 2 * warps;
		stage(__ldg(part));

		unsigned k = now.first();
		Taken<WHOLE, V> next;
		next.load(a, c, k, now.end);
		V sum[TAKE] = {};
		while (c < last) {
			Taken<WHOLE, V> taken = next;
			unsigned at = k - now.begin, length = now.end - now.begin, log = now.log;
			int target = now.target;
			k += TAKE << log;
			bool ends = !__any_sync(FULL, k < now.end);
			if (ends) {
				c = after, now = ahead, k = now.first();
				if (lane == 0) after = atomicAdd(&counter, 1u);
				after = __shfl_sync(FULL, after, 0);
				ahead.find(a, after, last);
			}
			next.load(a, c, k, now.end);
			taken.add(sum, at, length, gather);
			if (ends) {
				V all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
				for (unsigned d = 1u << log >> 1; d > 0; d /= 2) all += __shfl_xor_sync(FULL, all, d);
				if (target >= 0 && lane % (1u << log) == 0) (target < a.rows ? a.y[target] : a.sums[target - a.rows]) = all;
#pragma unroll
				for (unsigned i = 0; i < TAKE; i++) sum[i] = 0;
			}
		}
		__syncthreads(); // before the next part's counter and x
	}
}
