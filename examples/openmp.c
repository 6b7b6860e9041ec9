// SPDX-License-Identifier: Apache-2.0
/* The library on the processor beside a plain loop in C, with one thread and with OpenMP: products of float64 on grids of
   five points, from a few hundred nonzeros to twelve million. Rounds alternate between the ways; each gives the median of its
   products' times, and a line the median of rounds. Between products a vector is added to, as a solver does.

   cc -O3 -march=native -fopenmp openmp.c $(pkg-config --cflags --libs spmvtune) -lm -o openmp \
     -Wl,-rpath,$(pkg-config --variable=libdir spmvtune) && ./openmp [seconds to measure] */
#include <spmvtune.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rows, *ptr, *col;
static double *val, *x, *y, *z;

static void loop(int from, int to) {
	for (int i = from; i < to; i++) {
		double sum = 0;
		for (int k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * x[col[k]];
		y[i] = sum;
	}
}

static void parallel(void) {
#pragma omp parallel for schedule(static)
	for (int i = 0; i < rows; i++) {
		double sum = 0;
		for (int k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * x[col[k]];
		y[i] = sum;
	}
}

static void grid(int side) {
	int n = 0;
	rows = side * side;
	ptr = malloc(sizeof *ptr * (rows + 1)), col = malloc(sizeof *col * 5 * rows), val = malloc(sizeof *val * 5 * rows);
	x = malloc(sizeof *x * rows), y = malloc(sizeof *y * rows), z = calloc(rows, sizeof *z);
	for (int i = ptr[0] = 0; i < rows; i++) {
		x[i] = i % 7 - 3;
		for (int k = 0; k < 5; k++) {
			int to = i + (int[]){-side, -1, 0, 1, side}[k];
			if (to < 0 || to >= rows || (k == 1 && i % side == 0) || (k == 3 && to % side == 0)) continue;
			col[n] = to, val[n++] = to == i ? 4 : -1;
		}
		ptr[i + 1] = n;
	}
}

static int ascending(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }
static double median(double *t, int n) {
	qsort(t, n, sizeof *t, ascending);
	return t[n / 2];
}

enum { CHOSEN, ONE, ALL, LOOP, OPENMP, WAYS, ROUNDS = 9, MOST = 400 };

int main(int argc, char **argv) {
	int cores = omp_get_max_threads();
	printf("%d threads; us a product: the library's choice, its cpu_csr, its cpu_csr_rows on all, loop, loop with OpenMP\n", cores);
	for (int side = 10; side <= 1600; side = side * 3 / 2 + 1) {
		grid(side);
		spmv_plan *plan[3];
		char on_all[64];
		snprintf(on_all, sizeof on_all, "cpu_csr_rows block %d grid %d", rows / cores / 4 + 1, cores);
		for (int i = CHOSEN; i <= ALL; i++) {
			spmv_options o = SPMV_DEFAULTS;
			o.device = SPMV_CPU;
			o.config = (const char *[]){NULL, "cpu_csr", on_all}[i];
			if (i == CHOSEN && argc > 1) o.measure = atof(argv[1]);
			if (spmv_plan_csr(&plan[i], rows, rows, ptr, col, val, &o)) return printf("%s\n", spmv_error()), 1;
		}
		static double rounds[WAYS][ROUNDS], times[MOST];
		int products = (int)fmin(MOST, fmax(5, 4e6 / ptr[rows]));
		for (int r = 0; r < ROUNDS; r++)
			for (int way = 0; way < WAYS; way++) {
				for (int i = -2; i < products; i++) {
					double start = omp_get_wtime();
					if (way <= ALL) spmv_multiply(plan[way], x, y, NULL);
					else if (way == LOOP) loop(0, rows);
					else parallel();
					if (i >= 0) times[i] = omp_get_wtime() - start;
					for (int k = 0; k < rows; k++) z[k] += y[k];
				}
				rounds[way][r] = median(times, products);
			}
		printf("%9d", ptr[rows]);
		for (int way = 0; way < WAYS; way++) printf(" %9.2f", 1e6 * median(rounds[way], ROUNDS));
		loop(0, rows);
		memcpy(z, y, sizeof *z * rows);
		int wrong = spmv_multiply(plan[CHOSEN], x, y, NULL) || memcmp(y, z, sizeof *z * rows) != 0;
		printf("  %s %s\n", wrong ? "BAD" : "ok", spmv_plan_text(plan[CHOSEN]));
		for (int i = CHOSEN; i <= ALL; i++) spmv_plan_free(plan[i]);
		free(ptr), free(col), free(val), free(x), free(y), free(z);
	}
	return 0;
}
