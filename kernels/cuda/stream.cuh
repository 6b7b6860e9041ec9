// SPDX-License-Identifier: Apache-2.0
// Loads of a matrix, in the order in which they are written, and before a branch that follows them
// if both of its ways use what they load: left to itself, the compiler loads values after it has
// waited for columns.
//
// And how long a piece of it, which a warp takes, stays in the L2 cache. Where a matrix is larger
// than that, a cache that drops what was used longest ago has dropped every line by the next
// product. So some pieces stay, as many as piecesKept of recipes.go says, and others are the first to leave:
// an H200 reads 60 to 130 MB 1.2 to 1.4 times as fast so.
#pragma once
#include "common.cuh"

#if __CUDA_ARCH__ >= 800
using Stay = unsigned long long;
// Loads that say "normal" in place of "unchanged" displace others.
__device__ __forceinline__ Stay stays(bool does) {
	Stay last, first;
	asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(last));
	asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
	return does ? last : first;
}
#define STREAM(T, TYPE, TO, P, S, ...)                                                          \
	__device__ __forceinline__ T stream(const T *p, Stay s) {                                   \
		T v;                                                                                    \
		asm volatile("ld.global.nc.L2::cache_hint" TYPE " " TO ", [%" P "], %" S ";"            \
		             : __VA_ARGS__                                                              \
		             : "l"(p), "l"(s));                                                         \
		return v;                                                                               \
	}
STREAM(unsigned short, ".u16", "%0", "1", "2", "=h"(v))
STREAM(unsigned, ".u32", "%0", "1", "2", "=r"(v))
STREAM(float, ".f32", "%0", "1", "2", "=f"(v))
STREAM(double, ".f64", "%0", "1", "2", "=d"(v))
STREAM(uint2, ".v2.u32", "{%0, %1}", "2", "3", "=r"(v.x), "=r"(v.y))
STREAM(float2, ".v2.f32", "{%0, %1}", "2", "3", "=f"(v.x), "=f"(v.y))
STREAM(double2, ".v2.f64", "{%0, %1}", "2", "3", "=d"(v.x), "=d"(v.y))
STREAM(uint4, ".v4.u32", "{%0, %1, %2, %3}", "4", "5", "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w))
STREAM(float4, ".v4.f32", "{%0, %1, %2, %3}", "4", "5", "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w))
#else // older devices, the host, and the emulator
struct Stay {};
__device__ __forceinline__ Stay stays(bool) { return {}; }
template <typename T>
__device__ __forceinline__ T stream(const T *p, Stay) {
	return __ldg(p);
}
#endif

// Whether a piece stays: kept/2^32 of all do, spread evenly, as multiples of the golden ratio are.
__device__ __forceinline__ Stay stay(unsigned piece, unsigned kept) { return stays(piece * 2654435769u <= kept); }

// No index is so large.
[[maybe_unused]] constexpr unsigned NEVER = 0xffffffffu;
