// SPDX-License-Identifier: Apache-2.0
// The rest of a program of TestLaunched, which has functions run_NAME with the lines of kernels, and NAMES, a list of
// X(NAME). With NVRTC it compiles SOURCE itself. It prints a line a kernel, and ends with 77 without a GPU.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#ifdef NVRTC
#include <cuda.h>
#include <dlfcn.h>
#include <fstream>
#include <nvrtc.h>
#include <sstream>

static void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
static CUmodule module;

static void compile(const char *path, int compute, bool gpu) {
	std::stringstream text;
	text << std::ifstream(path).rdbuf();
	std::string arch = "--gpu-architecture=compute_" + std::to_string(compute);
	const char *options[] = {arch.c_str(), "--std=c++17"};
	nvrtcProgram program;
	nvrtcCreateProgram(&program, text.str().c_str(), path, 0, nullptr, nullptr);
	if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
		size_t n;
		nvrtcGetProgramLogSize(program, &n);
		std::string log(n, 0);
		nvrtcGetProgramLog(program, &log[0]);
		printf("NVRTC: %s\n", log.c_str());
		exit(1);
	}
	if (!gpu) return;
	size_t n;
	nvrtcGetPTXSize(program, &n);
	std::string ptx(n, 0);
	nvrtcGetPTX(program, &ptx[0]);
	auto load = (CUresult(*)(CUmodule *, const void *))dlsym(driver, "cuModuleLoadData");
	if (load(&module, ptx.c_str()) != CUDA_SUCCESS) printf("the driver does not take the PTX\n"), exit(1);
}

template <typename... A>
static void launch(const char *name, int grid, int block, size_t shared, cudaStream_t stream, A... args) {
	auto find = (CUresult(*)(CUfunction *, CUmodule, const char *))dlsym(driver, "cuModuleGetFunction");
	auto go = (CUresult(*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **,
	                       void **))dlsym(driver, "cuLaunchKernel");
	CUfunction f;
	void *list[] = {&args...};
	if (find(&f, module, name) != CUDA_SUCCESS || go(f, grid, 1, 1, block, 1, 1, shared, stream, list, nullptr) != CUDA_SUCCESS)
		printf("BAD  %s is not launched\n", name);
}
#endif

template <typename T>
static T *on_device(const std::vector<T> &v) {
	T *p;
	cudaMalloc(&p, v.size() * sizeof(T));
	cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
	return p;
}

// Empty rows, short ones, and one of 5000 nonzeros; numbers are whole, so that every sum is exact.
template <typename REAL>
static int multiply() {
	const int rows = 10007, cols = 9001;
	int bad = 0;
	std::vector<int> row_ptr{0}, row_idx, col_idx;
	std::vector<REAL> val, x;
	for (int c = 0; c < cols; c++) x.push_back(c % 7 - 3);
	for (int r = 0; r < rows; r++) {
		int n = r == 4321 ? 5000 : r % 5 == 0 ? 0 : r % 37;
		for (int k = 0; k < n; k++) {
			row_idx.push_back(r);
			col_idx.push_back(n == 5000 ? k : r % 4000 + 13 * k);
			val.push_back((r + k) % 5 - 2);
		}
		row_ptr.push_back((int)col_idx.size());
	}
	const int nnz = (int)col_idx.size();
	int *d_ptr = on_device(row_ptr), *d_row = on_device(row_idx), *d_col = on_device(col_idx);
	REAL *d_val = on_device(val), *d_x = on_device(x), *d_y = on_device(std::vector<REAL>(rows));
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	auto check = [&](const char *name, auto product) {
		std::vector<REAL> y(rows);
		cudaMemset(d_y, 0xff, rows * sizeof(REAL));
		product((const int *)d_ptr, (const int *)d_row, (const int *)d_col, (const REAL *)d_val, (const REAL *)d_x, d_y, rows, cols,
		        nnz, stream);
		cudaError_t failed = cudaStreamSynchronize(stream);
		if (!failed) failed = cudaGetLastError();
		cudaMemcpy(y.data(), d_y, rows * sizeof(REAL), cudaMemcpyDeviceToHost);
		int wrong = 0;
		for (int r = 0; r < rows; r++) {
			double want = 0;
			for (int k = row_ptr[r]; k < row_ptr[r + 1]; k++) want += double(val[k]) * x[col_idx[k]];
			wrong += !(y[r] == want);
		}
		bad += failed || wrong;
		printf("%s %s, %zu bytes a value: %d rows wrong, %s\n", failed || wrong ? "BAD " : "ok  ", name, sizeof(REAL), wrong,
		       cudaGetErrorString(failed));
	};
#define X(NAME) check(#NAME, [](auto... of) { run_##NAME(of...); });
	NAMES
	return bad;
}

int main() {
	int devices = 0, major = 8, minor = 0;
	bool gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
	if (gpu) {
		cudaFree(nullptr);
		cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
		cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
	}
#ifdef NVRTC
	compile(SOURCE, 10 * major + minor, gpu);
#endif
	return gpu ? multiply<float>() + multiply<double>() > 0 : 77;
}
