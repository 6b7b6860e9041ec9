// SPDX-License-Identifier: Apache-2.0
// What the library does on GPUs beside the examples: choices, wisdom, memory that runs out, several GPUs. It prints a line
// for each, which begins with "ok" or "BAD".
//
//   nvcc -O2 -std=c++17 gpu.cu -I. -L. -lspmvtune -o gpu && ./gpu
#include <spmvtune.h>

#include <cuda_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static int bad;
static void say(bool ok, const char *form, ...) {
	va_list of;
	va_start(of, form);
	std::printf(ok ? "ok   " : "BAD  ");
	std::vprintf(form, of);
	std::printf("\n");
	va_end(of);
	bad += !ok;
}

struct Matrix {
	int rows, cols;
	std::vector<int> ptr{0}, col;
	std::vector<double> val;
	std::vector<float> single;
};

// scattered has k whole numbers in each row of a square matrix.
static Matrix scattered(int n, int k, bool equal) {
	Matrix a{n, n};
	for (int i = 0; i < n; i++) {
		int at = int(1103515245u * unsigned(i) % unsigned(n / k));
		for (int j = 0; j < k; j++) a.col.push_back(at + j * (n / k)), a.val.push_back(equal ? 3 : (i + j) % 7 - 3);
		a.ptr.push_back(int(a.col.size()));
	}
	a.single.assign(a.val.begin(), a.val.end());
	return a;
}

static int plan(spmv_plan **p, const Matrix &a, const spmv_options &o) {
	return spmv_plan_csr(p, a.rows, a.cols, a.ptr.data(), a.col.data(),
	                     o.precision == SPMV_FLOAT32 ? (const void *)a.single.data() : a.val.data(), &o);
}

// wrong_rows multiplies by whole numbers, and counts the rows that are not exact; -1 where a call failed. V must be the
// plan's.
template <typename V>
static int wrong_rows(spmv_plan *p, const Matrix &a, V *room = nullptr) {
	std::vector<V> x(a.cols), y(a.rows, V(NAN));
	for (int i = 0; i < a.cols; i++) x[i] = V(i % 5 - 2);
	V *dx = room, *dy = room + a.cols;
	if (!room && (cudaMalloc(&dx, x.size() * sizeof(V)) || cudaMalloc(&dy, y.size() * sizeof(V)))) return -1;
	cudaMemcpy(dx, x.data(), x.size() * sizeof(V), cudaMemcpyHostToDevice);
	cudaMemcpy(dy, y.data(), y.size() * sizeof(V), cudaMemcpyHostToDevice);
	int failed = spmv_multiply(p, dx, dy, nullptr) || cudaDeviceSynchronize(), wrong = 0;
	cudaMemcpy(y.data(), dy, y.size() * sizeof(V), cudaMemcpyDeviceToHost);
	if (!room) cudaFree(dx), cudaFree(dy);
	for (int i = 0; i < a.rows; i++) {
		double sum = 0;
		for (int k = a.ptr[i]; k < a.ptr[i + 1]; k++) sum += a.val[k] * double(x[a.col[k]]);
		wrong += y[i] != V(sum);
	}
	return failed ? -1 : wrong;
}

static void choices() {
	Matrix a = scattered(200000, 8, true);
	spmv_options o = SPMV_DEFAULTS;
	spmv_plan *p = nullptr;
	for (int single = 0; single < 2; single++) {
		o.precision = single ? SPMV_FLOAT32 : SPMV_FLOAT64;
		int code = plan(&p, a, o);
		say(!code && std::strncmp(spmv_plan_text(p), "cpu_", 4), "AUTO takes the GPU: %s", code ? spmv_error() : spmv_plan_text(p));
		if (code) continue;
		int wrong = single ? wrong_rows<float>(p, a) : wrong_rows<double>(p, a);
		say(wrong == 0 && !spmv_check(p, nullptr), "AUTO: %d rows are wrong", wrong);
		spmv_plan_free(p);
	}

	o = SPMV_DEFAULTS, o.device = 0, o.config = "sell_local block 256 grid 264 x_kb=160 values=equal";
	if (plan(&p, a, o)) {
		say(false, "values=equal: %s", spmv_error());
	} else {
		say(wrong_rows<double>(p, a) == 0, "values=equal: %s", spmv_plan_text(p));
		std::vector<double> other(a.val.size(), 5);
		int code = spmv_update_values(p, other.data());
		std::swap(a.val, other);
		say(!code && wrong_rows<double>(p, a) == 0, "other values, all equal: %s", code ? spmv_error() : "taken");
		a.val[7] = 6;
		code = spmv_update_values(p, a.val.data());
		say(code == SPMV_CONFIG, "values that differ in values=equal: code %d: %s", code, spmv_error());
		spmv_plan_free(p);
	}
	int code = plan(&p, a, o);
	say(code == SPMV_CONFIG, "a plan of values that differ, values=equal: code %d: %s", code, code ? spmv_error() : "");
	if (!code) spmv_plan_free(p);

	o = SPMV_DEFAULTS, o.device = 0, o.products = 1;
	code = plan(&p, a, o);
	say(!code && wrong_rows<double>(p, a) == 0, "for one product: %s", code ? spmv_error() : spmv_plan_text(p));
	if (!code) spmv_plan_free(p);
}

static void wisdom() {
	Matrix a = scattered(300000, 6, false);
	spmv_options o = SPMV_DEFAULTS;
	o.device = 0, o.measure = 1;
	spmv_plan *p;
	const char *file = "gpu-wisdom.json";
	if (plan(&p, a, o)) return say(false, "measuring: %s", spmv_error());
	std::string first = spmv_plan_text(p);
	say(wrong_rows<double>(p, a) == 0, "measured: %s", first.c_str());
	spmv_plan_free(p);
	int saved = spmv_wisdom_save(file), loaded = spmv_wisdom_load(file), again = spmv_wisdom_load(file);
	say(!saved && !loaded && !again, "wisdom saved %d, loaded %d and %d", saved, loaded, again);
	o.measure = 0;
	if (plan(&p, a, o)) return say(false, "by wisdom: %s", spmv_error());
	std::string second = spmv_plan_text(p);
	say(first.substr(0, first.find(':')) == second.substr(0, second.find(':')) && wrong_rows<double>(p, a) == 0, "by wisdom: %s",
	    second.c_str());
	spmv_plan_free(p);
	unlink(file);
}

// memory plans while less and less of the device's is free: plans give way to smaller ones, then a code says that there is
// no room, and with room again all is as it was.
static void memory() {
	Matrix a = scattered(1 << 20, 16, false); // 206 MB of CSR in float64, and 17 of x and y
	double *room;
	if (cudaMalloc(&room, 16 * a.rows)) return say(false, "there is no memory at all");
	spmv_options o = SPMV_DEFAULTS;
	o.device = 0;
	int refused = 0, given_way = 0;
	for (int mb : {2000, 700, 500, 400, 350, 320, 300, 280, 260, 250, 240, 230, 220, 210, 200, 150, 50, 8, 2000}) {
		for (double measure : {0., .2}) {
			if (measure > 0 && mb % 100 && mb != 250) continue;
			size_t free = 0, total = 0;
			void *held = nullptr;
			cudaMemGetInfo(&free, &total);
			size_t hold = free - size_t(mb) * 1000000;
			if (cudaMalloc(&held, hold)) {
				cudaGetLastError();
				say(false, "%zu bytes of %zu free are not held", hold, free);
				continue;
			}
			o.measure = measure;
			spmv_plan *p = nullptr;
			int code = plan(&p, a, o);
			if (code) {
				refused++;
				say(code == SPMV_MEMORY && !p, "%d MB free, measuring %.1f s: code %d: %s", mb, measure, code, spmv_error());
			} else {
				int wrong = wrong_rows<double>(p, a, room), checked = spmv_check(p, nullptr);
				say(wrong == 0 && (!checked || checked == SPMV_MEMORY), "%d MB free, measuring %.1f s: %d rows wrong, check %d, %s", mb,
				    measure, wrong, checked, spmv_plan_text(p));
				given_way += std::strstr(spmv_plan_text(p), "memory") != nullptr;
				spmv_plan_free(p);
			}
			cudaFree(held);
			size_t after;
			cudaMemGetInfo(&after, &total);
			if (after + (100 << 20) < free) say(false, "%zu bytes are gone", free - after);
		}
	}
	say(refused > 0, "%d plans were refused without memory", refused);
	say(given_way > 0, "%d plans gave way for memory, and said so", given_way);
	say(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess, "the device is as it was");
}

// devices multiplies on all GPUs at once, in threads whose current device is another one.
static void devices() {
	int n = 0;
	cudaGetDeviceCount(&n);
	Matrix a = scattered(300000, 6, false);
	std::vector<std::thread> all;
	std::vector<std::string> said(2 * n);
	for (int t = 0; t < 2 * n; t++)
		all.emplace_back([&, t] {
			spmv_options o = SPMV_DEFAULTS;
			o.device = t % n;
			spmv_plan *p;
			cudaSetDevice(o.device);
			if (plan(&p, a, o)) {
				said[t] = spmv_error();
				return;
			}
			for (int i = 0; i < 20 && said[t].empty(); i++)
				if (wrong_rows<double>(p, a)) said[t] = std::string("wrong rows, ") + spmv_error();
			// x and y of this GPU, while another one, if there is, is current.
			std::vector<double> x(a.cols, 1), y(a.rows);
			double *dx, *dy;
			cudaMalloc(&dx, x.size() * 8), cudaMalloc(&dy, y.size() * 8);
			cudaMemcpy(dx, x.data(), x.size() * 8, cudaMemcpyHostToDevice);
			cudaSetDevice((t + 1) % n);
			double *other = nullptr;
			if (n > 1) cudaMalloc(&other, x.size() * 8);
			int code = spmv_multiply(p, dx, dy, nullptr), now = -1;
			cudaGetDevice(&now);
			if (code || now != (t + 1) % n) said[t] = std::string("with another current GPU: ") + spmv_error();
			if (n > 1 && spmv_multiply(p, other, dy, nullptr) != SPMV_INVALID) said[t] = "x of another GPU was taken";
			if (spmv_update_values(p, a.val.data()) || spmv_check(p, nullptr)) said[t] = std::string("update or check: ") + spmv_error();
			cudaGetDevice(&now);
			if (now != (t + 1) % n) said[t] = "another GPU is current after calls";
			cudaFree(other), cudaFree(dx), cudaFree(dy);
			if (spmv_plan_free(p)) said[t] = spmv_error();
		});
	for (auto &t : all) t.join();
	for (int t = 0; t < 2 * n; t++) say(said[t].empty(), "thread %d on GPU %d of %d: %s", t, t % n, n, said[t].empty() ? "right" : said[t].c_str());

	spmv_options o = SPMV_DEFAULTS;
	spmv_plan *p = nullptr;
	o.device = n;
	int code = plan(&p, a, o);
	say(code == SPMV_DEVICE && !p, "GPU %d of %d: code %d: %s", n, n, code, spmv_error());
	o.device = 0;
	double *managed;
	if (plan(&p, a, o) || cudaMallocManaged(&managed, 16 * a.rows)) return say(false, "%s", spmv_error());
	for (int i = 0; i < a.cols; i++) managed[i] = i % 5 - 2;
	code = spmv_multiply(p, managed, managed + a.rows, nullptr);
	cudaDeviceSynchronize();
	double want = 0;
	for (int k = 0; k < a.ptr[1]; k++) want += a.val[k] * (a.col[k] % 5 - 2);
	say(!code && managed[a.rows] == want, "managed memory: code %d", code);
	cudaFree(managed);
	spmv_plan_free(p);
}

int main() {
	choices();
	wisdom();
	devices();
	memory();
	std::printf("%d are bad\n", bad);
	return bad > 0;
}
