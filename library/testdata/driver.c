// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcuda.so.1, with one GPU that computes nothing. Of its functions one fails: FAIL="cuInit 803". Without
// a function, which an older driver lacks, it is compiled by -DcuStreamCreate=absent.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int answer(const char *name, void **a, size_t b) {
	char fails[64] = "";
	int code = 0;
	if (getenv("FAIL")) sscanf(getenv("FAIL"), "%63s %d", fails, &code);
	if (!strcmp(name, fails)) return code;
	if (!strcmp(name, "cuDeviceGetCount")) *(int *)a = 1;
	if (!strcmp(name, "cuFuncGetAttribute") || strstr(name, "Occupancy")) *(int *)a = 256;
	if (!strcmp(name, "cuDeviceGetAttribute")) *(int *)a = b == 16 ? 4 : 1 << 20; // multiprocessors, and what there is enough of
	if (!strcmp(name, "cuDeviceGetName")) strcpy((char *)a, "Stand-in");
	if (!strcmp(name, "cuDriverGetVersion")) *(int *)a = 10020;
	if (!strcmp(name, "cuMemAlloc_v2") || !strcmp(name, "cuMemHostAlloc")) *a = calloc(1, b);
	return 0;
}

#define X(name) \
	int name(void **a, size_t b) { return answer(#name, a, b); }
#include "../driver.h"
X(cuInit)
