// SPDX-License-Identifier: Apache-2.0
// CUDA's words for a compiler that knows only the processor, so that tests run the
// kernels as they are written where there is no GPU. It is included before a .cu
// file; emulator.cpp runs the entries.
//
// Blocks run one after another, and the threads of a block one at a time, each
// until its next barrier, shuffle or vote. The order is random, and a warp runs as
// far ahead as barriers let it, so a missing barrier changes results; a barrier or
// a shuffle that not all threads named reach is reported; the compiler's sanitizers
// see reads past arrays.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>

struct dim3 {
	unsigned x, y = 1, z = 1;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

namespace emulator {
extern unsigned char *shared_memory;
// Waits for all threads of the block, and for all lanes of mask.
void block_barrier();
void warp_barrier(unsigned mask);
// 8 bytes per lane of the current warp; valid between two warp barriers.
extern uint64_t (*slots)[32];
[[noreturn]] void fail(const char *what);

inline unsigned lane() { return threadIdx.x % 32; }

// Lane `from` of mask has published its value; reads it.
template <typename T>
T exchange(unsigned mask, T v, unsigned from) {
	static_assert(sizeof(T) <= 8);
	if (!(mask >> lane() & 1)) fail("a lane takes part that the mask does not name");
	memcpy(&(*slots)[lane()], &v, sizeof v);
	warp_barrier(mask);
	if (!(mask >> from & 1)) fail("a lane reads from one that the mask does not name");
	T got;
	memcpy(&got, &(*slots)[from], sizeof got);
	warp_barrier(mask);
	return got;
}
} // namespace emulator

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__ static const
#define __forceinline__ inline
#define __align__(n) alignas(n)
#define __launch_bounds__(...)

template <typename T>
T __ldg(const T *p) { return *p; }
template <typename T>
T __ldcs(const T *p) { return *p; }

template <typename A, typename B>
std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <typename A, typename B>
std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }

namespace emulator {
// A word of global memory that other threads see late, each word by itself.
struct Late {
	struct Old {
		unsigned long long value;
		unsigned writer, left;
	};
	inline static std::map<const Late *, Old> old;
	inline static unsigned turn;
	unsigned long long now;
	static unsigned self() { return blockIdx.x * 1024 + threadIdx.x; }
	operator unsigned long long() const {
		auto at = old.find(this);
		if (at == old.end() || at->second.writer == self() || at->second.left == 0) return now;
		at->second.left--;
		return at->second.value;
	}
	void operator=(unsigned long long v) {
		Old &o = old.try_emplace(this, Old{now, 0, 0}).first->second;
		if (o.left == 0) o.value = now; // else others have not yet seen the one before, either
		o.writer = self(), o.left = (turn = turn * 1103515245 + 12345) >> 16 & 3;
		now = v;
	}
};
} // namespace emulator

template <typename T, typename U>
T atomicAdd(T *p, U v) {
	T old = *p;
	*p = old + T(v);
	return old;
}

inline unsigned atomicOr(unsigned *p, unsigned v) { return std::exchange(*p, *p | v); }

struct alignas(8) int2 {
	int x, y;
};
struct alignas(16) int4 {
	int x, y, z, w;
};
struct alignas(8) uint2 {
	unsigned x, y;
};
struct alignas(16) uint4 {
	unsigned x, y, z, w;
};
struct alignas(8) float2 {
	float x, y;
};
struct alignas(16) double2 {
	double x, y;
};
struct alignas(16) float4 {
	float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

inline int __clz(unsigned v) { return v ? __builtin_clz(v) : 32; }
inline int __ffs(unsigned v) { return __builtin_ffs(int(v)); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline void __syncthreads() { emulator::block_barrier(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulator::warp_barrier(mask); }

template <typename T>
T __shfl_sync(unsigned mask, T v, unsigned from, int width = 32) {
	unsigned first = emulator::lane() & ~unsigned(width - 1);
	return emulator::exchange(mask, v, first + from % width);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
	unsigned lane = emulator::lane(), first = lane & ~unsigned(width - 1);
	return emulator::exchange(mask, v, lane - first >= delta ? lane - delta : lane);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
	unsigned lane = emulator::lane(), first = lane & ~unsigned(width - 1);
	return emulator::exchange(mask, v, lane - first + delta < unsigned(width) ? lane + delta : lane);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T v, unsigned bits, int width = 32) {
	unsigned lane = emulator::lane(), from = lane ^ bits;
	return emulator::exchange(mask, v, from / width == lane / width ? from : lane);
}
inline unsigned __ballot_sync(unsigned mask, bool v) {
	unsigned lane = emulator::lane(), votes = 0;
	if (!(mask >> lane & 1)) emulator::fail("a lane votes that the mask does not name");
	(*emulator::slots)[lane] = v;
	emulator::warp_barrier(mask);
	for (unsigned i = 0; i < 32; i++) {
		if (mask >> i & 1 && (*emulator::slots)[i]) votes |= 1u << i;
	}
	emulator::warp_barrier(mask);
	return votes;
}
inline bool __any_sync(unsigned mask, bool v) { return __ballot_sync(mask, v) != 0; }
inline bool __all_sync(unsigned mask, bool v) { return __ballot_sync(mask, v) == mask; }
