// SPDX-License-Identifier: Apache-2.0
/* Conjugate gradients on the processor: solves A u = b for the five-point grid, all u 1. With a stub of two loops in plain C
   for comparison, with OpenMP if it is on.

   cc -O3 -march=native -fopenmp cg.c $(pkg-config --cflags --libs spmvtune) -lm -o cg \
     -Wl,-rpath,$(pkg-config --variable=libdir spmvtune) && ./cg 1000 */
#include <spmvtune.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void plain(int rows, const int *ptr, const int *col, const double *val, const double *x, double *y) {
#pragma omp parallel for schedule(static)
	for (int i = 0; i < rows; i++) {
		double sum = 0;
		for (int k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * x[col[k]];
		y[i] = sum;
	}
}

static double dot(int n, const double *a, const double *b) {
	double sum = 0;
	for (int i = 0; i < n; i++) sum += a[i] * b[i];
	return sum;
}

static void die(void) {
	fprintf(stderr, "cg: %s\n", spmv_error());
	exit(1);
}

int main(int argc, char **argv) {
	int side = argc > 1 ? atoi(argv[1]) : 300, n = side * side, nnz = 0;
	int *ptr = malloc(sizeof *ptr * (n + 1)), *col = malloc(sizeof *col * 5 * n);
	double *val = malloc(sizeof *val * 5 * n), *u = calloc(n, sizeof *u), *b = malloc(sizeof *b * n);
	double *r = malloc(sizeof *r * n), *p = malloc(sizeof *p * n), *q = malloc(sizeof *q * n);
	ptr[0] = 0;
	for (int i = 0; i < n; i++) {
		int x = i % side, y = i / side;
		if (y > 0) col[nnz] = i - side, val[nnz++] = -1;
		if (x > 0) col[nnz] = i - 1, val[nnz++] = -1;
		col[nnz] = i, val[nnz++] = 4;
		if (x < side - 1) col[nnz] = i + 1, val[nnz++] = -1;
		if (y < side - 1) col[nnz] = i + side, val[nnz++] = -1;
		ptr[i + 1] = nnz;
	}

	spmv_plan *plan;
	spmv_options o = SPMV_DEFAULTS;
	o.device = SPMV_CPU;
	o.measure = argc > 2 ? atof(argv[2]) : 0;
	double start = now();
	if (spmv_plan_csr(&plan, n, n, ptr, col, val, &o)) die();
	printf("%s (planned in %.3f s)\n", spmv_plan_text(plan), now() - start);

	for (int i = 0; i < n; i++) u[i] = 1;
	plain(n, ptr, col, val, u, b);
	for (int i = 0; i < n; i++) u[i] = 0, r[i] = p[i] = b[i];
	double rr = dot(n, r, r), end = 1e-20 * rr, products = 0;
	int steps = 0;
	for (; rr > end && steps < 10 * side; steps++) {
		start = now();
		if (spmv_multiply(plan, p, q, NULL)) die();
		products += now() - start;
		double alpha = rr / dot(n, p, q), old = rr;
		for (int i = 0; i < n; i++) u[i] += alpha * p[i], r[i] -= alpha * q[i];
		rr = dot(n, r, r);
		for (int i = 0; i < n; i++) p[i] = r[i] + rr / old * p[i];
	}
	double worst = 0;
	for (int i = 0; i < n; i++) worst = fmax(worst, fabs(u[i] - 1));
	start = now();
	for (int i = 0; i < 100; i++) plain(n, ptr, col, val, p, q);
	printf("%d steps, u is off by %.1e at most; a product took %.1f us, a loop in C %.1f us\n", steps, worst,
	       1e6 * products / steps, 1e4 * (now() - start));
	if (spmv_plan_free(plan)) die();
	return worst > 1e-6;
}
