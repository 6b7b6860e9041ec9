// SPDX-License-Identifier: Apache-2.0
// The gate holds a stream while work is enqueued behind it, so that the host's
// launch latency is not measured. It gives up after a deadline, so that a full
// queue can't make device and host wait for each other.

#include "common.cuh"

__device__ __forceinline__ long long nanoseconds() {
	long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

// flag[0] is the last ticket that may pass; flag[1] is set when the gate gave up.
// Both lie in the host's memory.
extern "C" __global__ void gate(volatile unsigned *flag, unsigned ticket, long long deadline) {
	long long start = nanoseconds();
	while ((int)(flag[0] - ticket) < 0) {
		if (nanoseconds() - start > deadline) {
			flag[1] = 1;
			return;
		}
	}
}
