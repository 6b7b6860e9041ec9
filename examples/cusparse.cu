// SPDX-License-Identifier: Apache-2.0
// The library beside cuSPARSE's generic interface, in one program: eight matrices of several structures, a thousand
// products each.
//
//   nvcc -O3 -std=c++17 cusparse.cu -I. -L. -lspmvtune -lcusparse -o cusparse && ./cusparse [seconds to measure]
#include <spmvtune.h>

#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#define CUDA(call) \
	if (int e = (call)) (void)std::printf("line %d: error %d\n", __LINE__, e), std::exit(1)
#define SPMV(call) \
	if (call) (void)std::printf("line %d: %s\n", __LINE__, spmv_error()), std::exit(1)

struct Matrix {
	int rows, cols;
	std::vector<int> ptr{0}, col;
	std::vector<float> val;
};

static std::mt19937_64 draw(1);
static int below(int n) { return int(draw() % n); }

// build makes a square matrix of what row gives, in any order.
static Matrix build(int n, const std::function<void(int, std::vector<int> &)> &row) {
	Matrix a{n, n};
	std::vector<int> cols;
	for (int i = 0; i < n; i++) {
		cols.clear();
		row(i, cols);
		std::sort(cols.begin(), cols.end());
		cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
		for (int c : cols) a.col.push_back(c), a.val.push_back(float(below(2001) - 1000) / 1000);
		a.ptr.push_back(int(a.col.size()));
	}
	return a;
}

static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <typename T>
static T *device(const std::vector<T> &v) {
	T *p;
	CUDA(cudaMalloc(&p, std::max<size_t>(v.size(), 1) * sizeof(T)));
	CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

// timed is the time of one of n calls on the device, and of the host to enqueue it, in us.
static double timed(cudaStream_t s, int n, const std::function<void()> &call, double *host = nullptr) {
	cudaEvent_t from, to;
	CUDA(cudaEventCreate(&from));
	CUDA(cudaEventCreate(&to));
	for (int i = 0; i < 20; i++) call();
	CUDA(cudaStreamSynchronize(s));
	CUDA(cudaEventRecord(from, s));
	double start = now();
	for (int i = 0; i < n; i++) call();
	if (host) *host = 1e6 * (now() - start) / n;
	CUDA(cudaEventRecord(to, s));
	CUDA(cudaEventSynchronize(to));
	float ms;
	CUDA(cudaEventElapsedTime(&ms, from, to));
	return 1e3 * ms / n;
}

static void run(const char *name, const Matrix &a, double measure) {
	cudaStream_t s;
	CUDA(cudaStreamCreate(&s));
	std::vector<float> hx(a.cols), y1(a.rows), y2(a.rows);
	for (auto &v : hx) v = float(below(2001) - 1000) / 1000;
	float *x = device(hx), *y = device(std::vector<float>(a.rows, NAN));

	spmv_options o = SPMV_DEFAULTS;
	o.device = 0, o.precision = SPMV_FLOAT32, o.measure = measure;
	spmv_plan *p;
	double start = now();
	SPMV(spmv_plan_csr(&p, a.rows, a.cols, a.ptr.data(), a.col.data(), a.val.data(), &o));
	double plan = now() - start, worst;
	SPMV(spmv_multiply(p, x, y, s));
	CUDA(cudaStreamSynchronize(s));
	CUDA(cudaMemcpy(y1.data(), y, y1.size() * 4, cudaMemcpyDeviceToHost));
	SPMV(spmv_check(p, &worst));
	double ours = timed(s, 1000, [&] { SPMV(spmv_multiply(p, x, y, s)); });

	cudaGraph_t graph;
	cudaGraphExec_t exec;
	CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 10; i++) SPMV(spmv_multiply(p, x, y, s));
	CUDA(cudaStreamEndCapture(s, &graph));
	CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	double captured = timed(s, 100, [&] { CUDA(cudaGraphLaunch(exec, s)); }) / 10;

	start = now();
	cusparseHandle_t h;
	cusparseSpMatDescr_t m;
	cusparseDnVecDescr_t vx, vy;
	float one = 1, zero = 0;
	size_t size;
	void *buffer;
	int *ptr = device(a.ptr), *col = device(a.col);
	float *val = device(a.val);
	CUDA(cusparseCreate(&h));
	CUDA(cusparseSetStream(h, s));
	CUDA(cusparseCreateCsr(&m, a.rows, a.cols, a.col.size(), ptr, col, val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
	                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	CUDA(cusparseCreateDnVec(&vx, a.cols, x, CUDA_R_32F));
	CUDA(cusparseCreateDnVec(&vy, a.rows, y, CUDA_R_32F));
	CUDA(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, vx, &zero, vy, CUDA_R_32F,
	                             CUSPARSE_SPMV_CSR_ALG1, &size));
	CUDA(cudaMalloc(&buffer, size + 16));
#if CUSPARSE_VERSION >= 12400
	CUDA(cusparseSpMV_preprocess(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, vx, &zero, vy, CUDA_R_32F,
	                             CUSPARSE_SPMV_CSR_ALG1, buffer));
#endif
	CUDA(cudaStreamSynchronize(s));
	double setup = now() - start;
	double theirs = timed(s, 1000, [&] {
		CUDA(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, vx, &zero, vy, CUDA_R_32F,
		                  CUSPARSE_SPMV_CSR_ALG1, buffer));
	});
	CUDA(cudaMemcpy(y2.data(), y, y2.size() * 4, cudaMemcpyDeviceToHost));
	double off = 0;
	for (int i = 0; i < a.rows; i++) off = std::max(off, std::fabs(double(y1[i]) - y2[i]) / (1 + std::fabs(y2[i])));
	std::printf("%-9s %8d rows %9zu nonzeros: library %7.1f us (graph %7.1f), cuSPARSE %7.1f us: %.2f times; planned in "
	            "%.2f s (cuSPARSE %.3f), pays after %.0f; check %.3f, y differ by %.1e\n          %s\n",
	            name, a.rows, a.col.size(), ours, captured, theirs, theirs / ours, plan, setup,
	            theirs > ours ? 1e6 * std::max(plan - setup, 0.) / (theirs - ours) : INFINITY, worst, off, spmv_plan_text(p));
	SPMV(spmv_plan_free(p));
	cusparseDestroy(h);
	for (void *q : {(void *)x, (void *)y, (void *)ptr, (void *)col, (void *)val, buffer}) cudaFree(q);
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
}

// expect prints what a bad call says.
static void expect(int want, int got, const char *what) {
	std::printf("%s %-22s code %d: %s\n", got == want ? "ok  " : "BAD ", what, got, got ? spmv_error() : "");
}

static void bad_use() {
	Matrix a = build(1000, [](int i, std::vector<int> &c) { c = {i, (i * 7) % 1000}; });
	spmv_options o = SPMV_DEFAULTS;
	o.device = 0, o.precision = SPMV_FLOAT32;
	spmv_plan *p = nullptr, *q = nullptr;
	auto plan = [&](spmv_plan **to) {
		return spmv_plan_csr(to, a.rows, a.cols, a.ptr.data(), a.col.data(), a.val.data(), &o);
	};
	SPMV(plan(&p));
	float *x, *y;
	CUDA(cudaMalloc(&x, 4000));
	CUDA(cudaMalloc(&y, 4000));
	expect(SPMV_INVALID, spmv_multiply(p, a.val.data() + 4 - ((uintptr_t)a.val.data() % 16) / 4, y, 0), "host x");
	expect(SPMV_INVALID, spmv_multiply(p, x, y + 1, 0), "y not aligned");
	expect(SPMV_INVALID, spmv_multiply(p, x + 400, y, 0), "x too short");
	expect(SPMV_INVALID, spmv_multiply(p, nullptr, y, 0), "x NULL");
	expect(SPMV_INVALID, spmv_multiply(p, x, x, 0), "x is y");
	expect(SPMV_OK, spmv_multiply(p, x, y, 0), "default stream");
	expect(SPMV_OK, spmv_update_values(p, a.val.data()), "update");
	expect(SPMV_OK, spmv_check(p, nullptr), "check");
	expect(SPMV_OK, spmv_plan_free(p), "free");
	expect(SPMV_INVALID, spmv_plan_free(p), "free again");
	expect(SPMV_INVALID, spmv_multiply(p, x, y, 0), "multiply a freed one");
	o.device = 99;
	expect(SPMV_DEVICE, plan(&q), "no such GPU");
	o.device = 0, o.config = "csr_magic block 32";
	expect(SPMV_CONFIG, plan(&q), "unknown kernel");
	o.config = "csr_light block 33";
	expect(SPMV_CONFIG, plan(&q), "bad block");
	o.config = nullptr, a.col[1] = 2000000;
	expect(SPMV_MATRIX, plan(&q), "bad column");
	CUDA(cudaDeviceSynchronize());
	cudaFree(x), cudaFree(y);
}

// overhead compares the host's time for a product of one launch with that of one launch of cudart.
__global__ void nothing(float *) {}
static void overhead() {
	Matrix a = build(64, [](int i, std::vector<int> &c) { c = {i}; });
	spmv_options o = SPMV_DEFAULTS;
	o.device = 0, o.precision = SPMV_FLOAT32, o.config = "csr_scalar block 64 grid 1";
	spmv_plan *p;
	SPMV(spmv_plan_csr(&p, a.rows, a.cols, a.ptr.data(), a.col.data(), a.val.data(), &o));
	float *x = device(std::vector<float>(64, 1)), *y = device(std::vector<float>(64, 1));
	cudaStream_t s;
	CUDA(cudaStreamCreate(&s));
	for (int round = 0; round < 5; round++) {
		double ours, theirs;
		timed(s, 500, [&] { spmv_multiply(p, x, y, s); }, &ours);
		timed(s, 500, [&] { nothing<<<1, 64, 0, s>>>(x); }, &theirs);
		std::printf("enqueuing a product of one launch %.2f us, one launch of the runtime %.2f us\n", ours, theirs);
	}
	SPMV(spmv_plan_free(p));
}

// threads plans and multiplies in several threads at once, each on a stream of its own.
static void threads() {
	std::vector<std::thread> all;
	std::vector<double> worst(6, 9);
	for (int t = 0; t < 6; t++)
		all.emplace_back([t, &worst] {
			Matrix a{50000, 50000};
			for (int i = 0; i < a.rows; i++) {
				for (int k = 0; k <= t; k++)
					if (i + k * 11 < a.cols) a.col.push_back(i + k * 11), a.val.push_back(1);
				a.ptr.push_back(int(a.col.size()));
			}
			spmv_options o = SPMV_DEFAULTS;
			o.device = 0, o.precision = SPMV_FLOAT32;
			spmv_plan *p;
			SPMV(spmv_plan_csr(&p, a.rows, a.cols, a.ptr.data(), a.col.data(), a.val.data(), &o));
			cudaStream_t s;
			CUDA(cudaStreamCreate(&s));
			float *x = device(std::vector<float>(a.cols, 1)), *y = device(std::vector<float>(a.rows, NAN));
			for (int i = 0; i < 1000; i++) SPMV(spmv_multiply(p, x, y, s));
			CUDA(cudaStreamSynchronize(s));
			std::vector<float> h(a.rows);
			CUDA(cudaMemcpy(h.data(), y, 4 * h.size(), cudaMemcpyDeviceToHost));
			double off = 0;
			for (int i = 0; i < a.rows; i++) off = std::max(off, std::fabs(h[i] - double(a.ptr[i + 1] - a.ptr[i])));
			worst[t] = off;
			SPMV(spmv_plan_free(p));
		});
	for (auto &t : all) t.join();
	for (double w : worst) std::printf("%s thread: y is off by %g\n", w == 0 ? "ok  " : "BAD ", w);
}

int main(int argc, char **argv) {
	double measure = argc > 1 ? std::atof(argv[1]) : 0;
	int side = 1500, cube = 110, n = 1 << 20;
	bad_use();
	threads();
	overhead();
	run("grid", build(side * side, [=](int i, std::vector<int> &c) {
		for (int d : {-side, -1, 0, 1, side})
			if (i + d >= 0 && i + d < side * side) c.push_back(i + d);
	}), measure);
	run("cube", build(cube * cube * cube, [=](int i, std::vector<int> &c) {
		for (int z = -1; z <= 1; z++)
			for (int y = -1; y <= 1; y++)
				for (int x = -1; x <= 1; x++) {
					int j = i + (z * cube + y) * cube + x;
					if (j >= 0 && j < cube * cube * cube) c.push_back(j);
				}
	}), measure);
	run("random", build(n, [=](int, std::vector<int> &c) { for (int k = 0; k < 16; k++) c.push_back(below(n)); }), measure);
	run("power", build(n, [=](int, std::vector<int> &c) {
		int k = std::min(50000, int(3 / std::pow((below(1000000) + 1) / 1e6, 0.7)));
		while (k--) c.push_back(int(n * std::pow(below(1000000) / 1e6, 3)));
	}), measure);
	run("band", build(n / 4, [=](int i, std::vector<int> &c) {
		for (int k = 0; k < 40; k++) c.push_back(std::min(n / 4 - 1, std::max(0, i + below(400) - 200)));
	}), measure);
	run("blocks", build(n / 4, [=](int i, std::vector<int> &c) {
		std::mt19937 own(i / 4);
		for (int k = 0; k < 12; k++) {
			int b = int(own() % (n / 16)) * 4;
			for (int j = 0; j < 4; j++) c.push_back(b + j);
		}
	}), measure);
	run("short", build(4 * n, [=](int i, std::vector<int> &c) {
		for (int k = i % 3; k >= 0; k--) c.push_back(below(4 * n));
	}), measure);
	run("wide", build(20000, [=](int, std::vector<int> &c) { for (int k = 0; k < 500; k++) c.push_back(below(20000)); }),
	    measure);
	return 0;
}
