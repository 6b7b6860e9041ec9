// SPDX-License-Identifier: Apache-2.0
// Loads of a matrix in the order in which they are written, and before a branch that
// follows them if both of its ways use what they load. Left to itself, the compiler loads
// values after it has waited for columns. stream leaves x its place in the L1 cache.
#pragma once
#include "common.cuh"

#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 700
#define STREAM "ld.global.nc.L1::no_allocate"
#else
#define STREAM "ld.global.nc"
#endif

#if __CUDA_ARCH__ >= 800
#define AHEAD_LOAD "ld.global.nc.L2::256B"
#else
#define AHEAD_LOAD "ld.global.nc"
#endif

#define ORDERED_LOAD(NAME, PTX, T, TYPE, LETTER)                                                \
	__device__ __forceinline__ T NAME(const T *p) {                                             \
		T v;                                                                                    \
		asm volatile(PTX "." TYPE " %0, [%1];" : "=" LETTER(v) : "l"(p));                       \
		return v;                                                                               \
	}
#define ORDERED_LOAD2(NAME, PTX, T, TYPE, LETTER)                                               \
	__device__ __forceinline__ T NAME(const T *p) {                                             \
		T v;                                                                                    \
		asm volatile(PTX ".v2." TYPE " {%0, %1}, [%2];"                                         \
		             : "=" LETTER(v.x), "=" LETTER(v.y)                                         \
		             : "l"(p));                                                                 \
		return v;                                                                               \
	}
#define ORDERED_LOAD4(NAME, PTX, T, TYPE, LETTER)                                               \
	__device__ __forceinline__ T NAME(const T *p) {                                             \
		T v;                                                                                    \
		asm volatile(PTX ".v4." TYPE " {%0, %1, %2, %3}, [%4];"                                 \
		             : "=" LETTER(v.x), "=" LETTER(v.y), "=" LETTER(v.z), "=" LETTER(v.w)       \
		             : "l"(p));                                                                 \
		return v;                                                                               \
	}
#define ORDERED_LOADS(NAME, PTX)                                                                \
	ORDERED_LOAD(NAME, PTX, unsigned short, "u16", "h")                                         \
	ORDERED_LOAD(NAME, PTX, unsigned, "u32", "r")                                               \
	ORDERED_LOAD(NAME, PTX, float, "f32", "f")                                                  \
	ORDERED_LOAD(NAME, PTX, double, "f64", "d")                                                 \
	ORDERED_LOAD2(NAME, PTX, uint2, "u32", "r")                                                 \
	ORDERED_LOAD2(NAME, PTX, float2, "f32", "f")                                                \
	ORDERED_LOAD2(NAME, PTX, double2, "f64", "d")                                               \
	ORDERED_LOAD4(NAME, PTX, uint4, "u32", "r")                                                 \
	ORDERED_LOAD4(NAME, PTX, float4, "f32", "f")
#else // for the host, and in the emulator
#define STREAM
#define AHEAD_LOAD
#define ORDERED_LOADS(NAME, PTX)                                                                \
	template <typename T>                                                                       \
	__device__ T NAME(const T *p) { return *p; }
#endif

ORDERED_LOADS(stream, STREAM)
ORDERED_LOADS(load, "ld.global.nc")
ORDERED_LOADS(load_ahead, AHEAD_LOAD)

// No index is so large.
constexpr unsigned NEVER = 0xffffffffu;
