// SPDX-License-Identifier: Apache-2.0
//go:build cuda

#include "cusparse_cuda.h"

#include <dlfcn.h>

// From cusparse.h and library_types.h.
enum {
	NON_TRANSPOSE = 0,
	INDEX_32I = 2,
	BASE_ZERO = 0,
	R_32F = 0,
	R_64F = 1,
	NOT_SUPPORTED = 10,
	OPERATION_DEFAULT = 0,
	ORDER_ROW = 2,
	MULTIPLIES_BSR = 12600, // CUDA 13.0; before, cusparseSpMV took no BSR
};

const char *spmv_cusparse_open(spmv_cusparse *lib, const char *name) {
	lib->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!lib->library) return dlerror();
	const struct {
		const char *name;
		void *to;
		int optional;
	} symbols[] = {
	    {"cusparseCreate", &lib->create, 0},
	    {"cusparseDestroy", &lib->destroy, 0},
	    {"cusparseSetStream", &lib->set_stream, 0},
	    {"cusparseGetVersion", &lib->get_version, 0},
	    {"cusparseGetErrorString", &lib->error_string, 0},
	    {"cusparseCreateCsr", &lib->create_csr, 0},
	    {"cusparseCreateCoo", &lib->create_coo, 0},
	    {"cusparseCreateSlicedEll", &lib->create_sell, 1},
	    {"cusparseCreateBsr", &lib->create_bsr, 1},
	    {"cusparseCreateDnVec", &lib->create_vec, 0},
	    {"cusparseDestroySpMat", &lib->destroy_mat, 0},
	    {"cusparseDestroyDnVec", &lib->destroy_vec, 0},
	    {"cusparseDnVecSetValues", &lib->set_vec, 0},
	    {"cusparseSpMV_bufferSize", &lib->buffer_size, 0},
	    {"cusparseSpMV_preprocess", &lib->preprocess, 1},
	    {"cusparseSpMV", &lib->spmv, 0},
	    {"cusparseSpMVOp_bufferSize", &lib->op_buffer_size, 1},
	    {"cusparseSpMVOp_createDescr", &lib->op_create, 1},
	    {"cusparseSpMVOp_destroyDescr", &lib->op_destroy, 1},
	    {"cusparseSpMVOp_createPlan", &lib->op_plan, 1},
	    {"cusparseSpMVOp_destroyPlan", &lib->op_destroy_plan, 1},
	    {"cusparseSpMVOp", &lib->op_run, 1},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(lib->library, symbols[i].name);
		if (!f && !symbols[i].optional) return dlerror();
		*(void **)symbols[i].to = f;
	}
	return NULL;
}

int spmv_cusparse_start(spmv_cusparse *lib, CUstream stream) {
	int status = lib->create(&lib->handle);
	if (!status) status = lib->set_stream(lib->handle, stream);
	if (!status) status = lib->get_version(lib->handle, &lib->version);
	return status;
}

// The library stays in memory: its own threads and exit handlers may still run.
void spmv_cusparse_close(spmv_cusparse *lib) {
	if (lib->handle) lib->destroy(lib->handle);
	lib->handle = NULL;
}

const char *spmv_cusparse_text(const spmv_cusparse *lib, int status) { return lib->error_string(status); }

int spmv_cusparse_has(const spmv_cusparse *lib, int form, int alg) {
	if (form == SPMV_FORM_SELL) return lib->create_sell != NULL;
	if (form == SPMV_FORM_BSR) return lib->create_bsr && lib->version >= MULTIPLIES_BSR;
	if (alg == SPMV_OPERATION)
		return lib->op_buffer_size && lib->op_create && lib->op_destroy && lib->op_plan && lib->op_destroy_plan &&
		       lib->op_run;
	return 1;
}

// describe makes the library's matrix.
static int describe(spmv_call *c, const spmv_matrix *a) {
	const spmv_cusparse *lib = c->lib;
	void *starts = (void *)a->starts, *col_idx = (void *)a->col_idx, *val = (void *)a->val;
	switch (a->form) {
	case SPMV_FORM_COO:
		return lib->create_coo(&c->a, a->rows, a->cols, a->nnz, starts, col_idx, val, INDEX_32I, BASE_ZERO,
		                       c->type);
	case SPMV_FORM_SELL:
		return lib->create_sell(&c->a, a->rows, a->cols, a->nnz, a->entries, a->height, starts, col_idx, val,
		                        INDEX_32I, INDEX_32I, BASE_ZERO, c->type);
	case SPMV_FORM_BSR:
		return lib->create_bsr(&c->a, a->rows / a->height, a->cols / a->height,
		                       a->entries / (a->height * a->height), a->height, a->height, starts, col_idx, val,
		                       INDEX_32I, INDEX_32I, BASE_ZERO, c->type, ORDER_ROW);
	default:
		return lib->create_csr(&c->a, a->rows, a->cols, a->nnz, starts, col_idx, val, INDEX_32I, INDEX_32I,
		                       BASE_ZERO, c->type);
	}
}

// takes_algorithm says whether the calls of cusparseSpMVOp take the algorithm.
static int takes_algorithm(const spmv_cusparse *lib) { return lib->version >= 12801; }

// buffer_size asks how large the buffer must be. y is what is added and what is written.
static int buffer_size(spmv_call *c, size_t *bytes) {
	const spmv_cusparse *lib = c->lib;
	if (c->alg != SPMV_OPERATION)
		return lib->buffer_size(lib->handle, NON_TRANSPOSE, &c->alpha, c->a, c->x, &c->beta, c->y, c->type, c->alg,
		                        bytes);
	if (takes_algorithm(lib))
		return ((int (*)(void *, int, void *, void *, void *, void *, int, int, size_t *))lib->op_buffer_size)(
		    lib->handle, NON_TRANSPOSE, c->a, c->x, c->y, c->y, c->type, OPERATION_DEFAULT, bytes);
	return ((int (*)(void *, int, void *, void *, void *, void *, int, size_t *))lib->op_buffer_size)(
	    lib->handle, NON_TRANSPOSE, c->a, c->x, c->y, c->y, c->type, bytes);
}

int spmv_call_prepare(spmv_call *c, const spmv_cusparse *lib, int alg, int value_bytes, const spmv_matrix *a,
                      CUdeviceptr x, CUdeviceptr y, size_t *buffer_bytes) {
	c->lib = lib;
	c->alg = alg;
	if (value_bytes == 4) {
		c->type = R_32F;
		c->alpha.f32 = 1, c->beta.f32 = 0;
	} else {
		c->type = R_64F;
		c->alpha.f64 = 1, c->beta.f64 = 0;
	}
	int status = describe(c, a);
	if (!status) status = lib->create_vec(&c->x, a->cols, (void *)x, c->type);
	if (!status) status = lib->create_vec(&c->y, a->rows, (void *)y, c->type);
	if (!status) status = buffer_size(c, buffer_bytes);
	return c->status = status;
}

// plan makes the operation of cusparseSpMVOp, without an epilogue of the user's.
static int plan(spmv_call *c) {
	const spmv_cusparse *lib = c->lib;
	int status;
	if (takes_algorithm(lib))
		status = ((int (*)(void *, void **, int, void *, void *, void *, void *, int, int, void *))lib->op_create)(
		    lib->handle, &c->op, NON_TRANSPOSE, c->a, c->x, c->y, c->y, c->type, OPERATION_DEFAULT, c->buffer);
	else
		status = ((int (*)(void *, void **, int, void *, void *, void *, void *, int, void *))lib->op_create)(
		    lib->handle, &c->op, NON_TRANSPOSE, c->a, c->x, c->y, c->y, c->type, c->buffer);
	return status ? status : lib->op_plan(lib->handle, c->op, &c->plan, NULL, 0);
}

int spmv_call_analyse(spmv_call *c, CUdeviceptr buffer) {
	const spmv_cusparse *lib = c->lib;
	c->buffer = (void *)buffer;
	if (c->alg == SPMV_OPERATION) return c->status = plan(c);
	if (!lib->preprocess) return c->status = 0;
	int status = lib->preprocess(lib->handle, NON_TRANSPOSE, &c->alpha, c->a, c->x, &c->beta, c->y, c->type, c->alg,
	                             c->buffer);
	// The analysis is an offer: some algorithms of some versions have none.
	return c->status = status == NOT_SUPPORTED ? 0 : status;
}

CUresult spmv_call_run(void *call) {
	spmv_call *c = call;
	const spmv_cusparse *lib = c->lib;
	if (c->alg == SPMV_OPERATION)
		c->status = lib->op_run(lib->handle, c->plan, &c->alpha, &c->beta, c->x, c->y, c->y);
	else
		c->status = lib->spmv(lib->handle, NON_TRANSPOSE, &c->alpha, c->a, c->x, &c->beta, c->y, c->type, c->alg,
		                      c->buffer);
	return c->status ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

CUresult spmv_call_on(spmv_call *c, const void *x, void *y, CUstream stream) {
	const spmv_cusparse *lib = c->lib;
	c->status = lib->set_vec(c->x, (void *)x);
	if (!c->status) c->status = lib->set_vec(c->y, y);
	if (!c->status) c->status = lib->set_stream(lib->handle, stream);
	return c->status ? CUDA_ERROR_UNKNOWN : spmv_call_run(c);
}

void spmv_call_release(spmv_call *c) {
	const spmv_cusparse *lib = c->lib;
	if (!lib) return;
	if (c->plan) lib->op_destroy_plan(c->plan);
	if (c->op) lib->op_destroy(c->op);
	if (c->a) lib->destroy_mat(c->a);
	if (c->x) lib->destroy_vec(c->x);
	if (c->y) lib->destroy_vec(c->y);
}
