/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrix-vector products by the kernel that suits a matrix. docs/library.md has examples.
   Functions return SPMV_OK or another spmv_status; spmv_error() says in one sentence what was wrong. Nothing is printed,
   and the process is never ended. Plans are made by one thread at a time, and others wait; each plan is used by one
   thread at a time, which others may be beside with plans of their own.
   Signals, but faults, wait until a call returns: those of a GPU's products don't. Handlers of SIGCHLD, SIGPROF and SIGURG
   must have been installed with SA_ONSTACK, since Go lets those through. After fork, the child can't use the library: its
   calls fail with SPMV_INVALID. */
#ifndef SPMVTUNE_H
#define SPMVTUNE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spmv_status {
	SPMV_OK = 0,
	SPMV_INVALID, /* an argument: NULL, a size, a plan that was freed, a vector that the device can't use */
	SPMV_MATRIX,  /* rows that are not sorted, entries given twice, columns outside: the first such row is named */
	SPMV_CONFIG,  /* a configuration that is unknown, or not legal on the device or the matrix */
	SPMV_DEVICE,  /* there is no such device, or its driver can't be used */
	SPMV_MEMORY,  /* the device has no room for any form of the matrix */
	SPMV_WISDOM,  /* a file of wisdom that can't be read or written, or is of other devices */
	SPMV_WRONG,   /* spmv_check found a row outside of its error bound */
	SPMV_FAULT    /* the device failed, or this library has a fault */
} spmv_status;

/* Devices: GPUs have numbers, counted as CUDA does, from 0. */
enum {
	SPMV_AUTO = -1, /* the first GPU or, without one, the processor */
	SPMV_CPU = -2
};

/* The type of values, of x and of y. */
typedef enum spmv_precision { SPMV_FLOAT64 = 0, SPMV_FLOAT32 = 1 } spmv_precision;

typedef struct spmv_options {
	int device;               /* SPMV_AUTO, SPMV_CPU or the number of a GPU */
	spmv_precision precision; /* of values, x and y */
	double measure;           /* seconds to spend on measuring what may be fastest; 0: go by the rule, measure nothing */
	int64_t products;         /* that are expected, of which preparing is charged to each; 0: so many that it is free */
	const char *config;       /* what to run, as `spmvtune best` and `tune` print it; NULL: choose */
} spmv_options;

#define SPMV_DEFAULTS {SPMV_AUTO, SPMV_FLOAT64, 0, 0, 0}

/* A matrix made ready for a device. */
typedef struct spmv_plan spmv_plan;

/* Makes a plan for a matrix of rows x cols in CSR: row_ptr has rows+1 offsets from 0 on, col_idx the columns from 0 on,
   increasing within a row, values as many values of the precision. All three lie in the memory of the host, and are
   copied. NULL options are SPMV_DEFAULTS. */
int spmv_plan_csr(spmv_plan **plan, int64_t rows, int64_t cols, const int32_t *row_ptr, const int32_t *col_idx,
                  const void *values, const spmv_options *options);

/* y = A x, with cols and rows values of the plan's precision, which don't overlap. Of a GPU's plan they are device memory
   that begins at a multiple of 16 bytes; the product is enqueued on stream, a cudaStream_t or CUstream of the plan's GPU,
   which may be captured. Products of one plan must not run on two streams at once. On a processor the product is done on
   return, and stream is ignored. */
int spmv_multiply(spmv_plan *plan, const void *x, void *y, void *stream);

/* Replaces the values of the matrix, of the same pattern and in the order of spmv_plan_csr, from the host's memory. No
   product of the plan may be running. */
int spmv_update_values(spmv_plan *plan, const void *values);

/* Multiplies by an x of its own, and compares y with an exact product, row by row, as a trial of spmvtune is: SPMV_OK, or
   SPMV_WRONG with the worst row. worst, if not NULL, gets the largest error as a fraction of its bound. No product of the
   plan may be running. */
int spmv_check(spmv_plan *plan, double *worst);

/* Says in one line what the plan runs and, where that was measured, how long a product takes, and after how many products
   preparing it has paid beside the fastest that needs no preparing: what planning takes beside preparing is not counted. What
   would have been better, and the device or its memory did not allow, is said. It lives as long as the plan. */
const char *spmv_plan_text(const spmv_plan *plan);

/* Frees a plan. NULL is allowed. */
int spmv_plan_free(spmv_plan *plan);

/* Reads what spmv_wisdom_save wrote, or a rule that spmvtune has learned: plans are made by it. */
int spmv_wisdom_load(const char *path);
/* Writes what plans have measured and what was loaded, in the form of a rule. */
int spmv_wisdom_save(const char *path);

/* What was wrong in this thread's last call that failed; "" before. */
const char *spmv_error(void);

#ifdef __cplusplus
}
#endif
#endif
