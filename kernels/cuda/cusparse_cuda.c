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
	COO_ALG1 = 1,
	COO_ALG2 = 4,
	NOT_SUPPORTED = 10,
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
	    {"cusparseCreateDnVec", &lib->create_vec, 0},
	    {"cusparseDestroySpMat", &lib->destroy_mat, 0},
	    {"cusparseDestroyDnVec", &lib->destroy_vec, 0},
	    {"cusparseSpMV_bufferSize", &lib->buffer_size, 0},
	    {"cusparseSpMV_preprocess", &lib->preprocess, 1},
	    {"cusparseSpMV", &lib->spmv, 0},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(lib->library, symbols[i].name);
		if (!f && !symbols[i].optional) return dlerror();
		*(void **)symbols[i].to = f;
	}
	return NULL;
}

int spmv_cusparse_start(spmv_cusparse *lib, CUstream stream, int *version) {
	int status = lib->create(&lib->handle);
	if (!status) status = lib->set_stream(lib->handle, stream);
	if (!status) status = lib->get_version(lib->handle, version);
	return status;
}

// The library stays in memory: its own threads and exit handlers may still run.
void spmv_cusparse_close(spmv_cusparse *lib) {
	if (lib->handle) lib->destroy(lib->handle);
	lib->handle = NULL;
}

const char *spmv_cusparse_text(const spmv_cusparse *lib, int status) { return lib->error_string(status); }

int spmv_call_prepare(spmv_call *c, const spmv_cusparse *lib, int alg, int value_bytes, int64_t rows, int64_t cols,
                      int64_t nnz, CUdeviceptr row_ptr, CUdeviceptr row_idx, CUdeviceptr col_idx, CUdeviceptr val,
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
	int status;
	if (alg == COO_ALG1 || alg == COO_ALG2)
		status = lib->create_coo(&c->a, rows, cols, nnz, (void *)row_idx, (void *)col_idx, (void *)val,
		                         INDEX_32I, BASE_ZERO, c->type);
	else
		status = lib->create_csr(&c->a, rows, cols, nnz, (void *)row_ptr, (void *)col_idx, (void *)val,
		                         INDEX_32I, INDEX_32I, BASE_ZERO, c->type);
	if (!status) status = lib->create_vec(&c->x, cols, (void *)x, c->type);
	if (!status) status = lib->create_vec(&c->y, rows, (void *)y, c->type);
	if (!status)
		status = lib->buffer_size(lib->handle, NON_TRANSPOSE, &c->alpha, c->a, c->x, &c->beta, c->y, c->type,
		                          c->alg, buffer_bytes);
	return c->status = status;
}

int spmv_call_analyse(spmv_call *c, CUdeviceptr buffer) {
	const spmv_cusparse *lib = c->lib;
	c->buffer = (void *)buffer;
	if (!lib->preprocess) return c->status = 0;
	int status = lib->preprocess(lib->handle, NON_TRANSPOSE, &c->alpha, c->a, c->x, &c->beta, c->y, c->type, c->alg,
	                             c->buffer);
	// The analysis is an offer: some algorithms of some versions have none.
	return c->status = status == NOT_SUPPORTED ? 0 : status;
}

CUresult spmv_call_run(void *call) {
	spmv_call *c = call;
	const spmv_cusparse *lib = c->lib;
	c->status = lib->spmv(lib->handle, NON_TRANSPOSE, &c->alpha, c->a, c->x, &c->beta, c->y, c->type, c->alg,
	                      c->buffer);
	return c->status ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

void spmv_call_release(spmv_call *c) {
	const spmv_cusparse *lib = c->lib;
	if (!lib) return;
	if (c->a) lib->destroy_mat(c->a);
	if (c->x) lib->destroy_vec(c->x);
	if (c->y) lib->destroy_vec(c->y);
}
