// SPDX-License-Identifier: Apache-2.0
// cuSPARSE, opened at run time by name: neither its headers nor the library are
// needed to build. Declarations follow NVIDIA's documentation of the generic API;
// the numbers of the enumerations are the same in CUDA 11, 12 and 13.
#ifndef SPMVTUNE_CUSPARSE_H
#define SPMVTUNE_CUSPARSE_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spmv_cusparse {
	void *library, *handle;
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*set_stream)(void *handle, CUstream stream);
	int (*get_version)(void *handle, int *version);
	const char *(*error_string)(int status);
	int (*create_csr)(void **a, int64_t rows, int64_t cols, int64_t nnz, void *row_ptr, void *col_idx,
	                  void *val, int ptr_type, int idx_type, int base, int value_type);
	int (*create_coo)(void **a, int64_t rows, int64_t cols, int64_t nnz, void *row_idx, void *col_idx,
	                  void *val, int idx_type, int base, int value_type);
	int (*create_sell)(void **a, int64_t rows, int64_t cols, int64_t nnz, int64_t entries, int64_t height,
	                   void *starts, void *col_idx, void *val, int starts_type, int idx_type, int base,
	                   int value_type); // NULL before CUDA 12
	int (*create_bsr)(void **a, int64_t block_rows, int64_t block_cols, int64_t blocks, int64_t height,
	                  int64_t width, void *starts, void *col_idx, void *val, int starts_type, int idx_type, int base,
	                  int value_type, int order); // NULL before CUDA 12
	int (*create_vec)(void **v, int64_t size, void *values, int value_type);
	int (*destroy_mat)(void *a);
	int (*destroy_vec)(void *v);
	int (*set_vec)(void *v, void *values);
	int (*buffer_size)(void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y,
	                   int type, int alg, size_t *size);
	int (*preprocess)(void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y,
	                  int type, int alg, void *buffer); // NULL in older libraries
	int (*spmv)(void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y,
	            int type, int alg, void *buffer);
	// cusparseSpMVOp, NULL before cuSPARSE 12.7.3. The first two take the algorithm before their last
	// argument from 12.8.1 on.
	int (*op_buffer_size)();
	int (*op_create)();
	int (*op_destroy)(void *op);
	int (*op_plan)(void *handle, void *op, void **plan, const void *code, size_t code_size);
	int (*op_destroy_plan)(void *plan);
	int (*op_run)(void *handle, void *plan, const void *alpha, const void *beta, void *x, void *y, void *z);
	int version;
} spmv_cusparse;

// The forms in which the library reads a matrix.
enum { SPMV_FORM_CSR, SPMV_FORM_COO, SPMV_FORM_SELL, SPMV_FORM_BSR };

// A matrix in device memory. starts are the row offsets (CSR), the row indices (COO), the
// offsets of slices of height rows (SELL) or of block rows (BSR, in blocks of height rows and columns).
// entries counts padding, too.
typedef struct spmv_matrix {
	int form;
	int64_t rows, cols, nnz, entries, height;
	CUdeviceptr starts, col_idx, val;
} spmv_matrix;

enum { SPMV_OPERATION = -1 };

// A call is one y = A·x, with what the library needs for it.
typedef struct spmv_call {
	const spmv_cusparse *lib;
	void *a, *x, *y, *op, *plan;
	int type, alg; // alg is SPMV_OPERATION for cusparseSpMVOp
	void *buffer;
	union {
		float f32;
		double f64;
	} alpha, beta;
	int status; // of the last call
} spmv_call;

// Opens the library. Returns NULL, or what is wrong.
const char *spmv_cusparse_open(spmv_cusparse *lib, const char *name);
int spmv_cusparse_start(spmv_cusparse *lib, CUstream stream);
void spmv_cusparse_close(spmv_cusparse *lib);

// What the library calls a status.
const char *spmv_cusparse_text(const spmv_cusparse *lib, int status);

// Says whether the library has what the call needs.
int spmv_cusparse_has(const spmv_cusparse *lib, int form, int alg);

// Describes A, x and y in device memory, values of 4 or 8 bytes, and says how large the
// buffer must be. Returns a status.
int spmv_call_prepare(spmv_call *c, const spmv_cusparse *lib, int alg, int value_bytes, const spmv_matrix *a,
                      CUdeviceptr x, CUdeviceptr y, size_t *buffer_bytes);
// Gives the buffer, and lets the library analyse A where it can. Returns a status.
int spmv_call_analyse(spmv_call *c, CUdeviceptr buffer);
// Enqueues the product; of the type of spmv_op's call.
CUresult spmv_call_run(void *call);
// The same for other vectors, on another stream.
CUresult spmv_call_on(spmv_call *call, const void *x, void *y, CUstream stream);
void spmv_call_release(spmv_call *c);

#endif
