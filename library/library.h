// SPDX-License-Identifier: Apache-2.0
// What C and Go share of the library.
#ifndef SPMVTUNE_LIBRARY_H
#define SPMVTUNE_LIBRARY_H

#include "spmvtune.h"

#include <stddef.h>

enum { WHY = 1024 }; // bytes of an error's text

// A made is what Go gives for a new plan. run enqueues a product; without it Go computes it.
typedef struct made {
	uintptr_t handle;
	int (*run)(void *data, const void *x, void *y, void *stream, char *why, size_t room);
	void *data;
	size_t x_bytes, y_bytes;
	char *text; // malloc
} made;

#endif
