// SPDX-License-Identifier: Apache-2.0
/* A program that a sweep can call: spmv MATRIX X Y SAMPLES multiplies in CSR, in float64. An X that
   begins with - stands for ones.
   cc -O3 -o spmv spmv.c */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void fail(const char *what) {
	fprintf(stderr, "spmv: %s\n", what);
	exit(1);
}

int main(int argc, char **argv) {
	if (argc != 5) fail("usage: spmv MATRIX X Y SAMPLES");
	FILE *f = fopen(argv[1], "r");
	if (!f) fail("can't open the matrix");
	int c, rows, cols, nnz;
	while ((c = getc(f)) == '%')
		while ((c = getc(f)) != '\n' && c != EOF);
	ungetc(c, f);
	if (fscanf(f, "%d %d %d", &rows, &cols, &nnz) != 3) fail("no sizes in the matrix");

	/* The file has its entries by rows, each of them written out: general, not symmetric. */
	int *ptr = calloc(rows + 1, sizeof *ptr), *col = malloc((nnz + 1) * sizeof *col);
	double *val = malloc((nnz + 1) * sizeof *val), *x = malloc((cols + 1) * sizeof *x), *y = malloc((rows + 1) * sizeof *y);
	for (int k = 0, i, j; k < nnz; k++) {
		if (fscanf(f, "%d %d %lf", &i, &j, &val[k]) != 3) fail("no entry in the matrix");
		ptr[i]++;
		col[k] = j - 1;
	}
	for (int i = 0; i < rows; i++) ptr[i + 1] += ptr[i];
	int ones = argv[2][0] == '-';
	if (!ones && !(f = fopen(argv[2], "r"))) fail("can't open x");
	for (int j = 0; j < cols; j++)
		if (x[j] = 1, !ones && fscanf(f, "%lf", &x[j]) != 1) fail("no element in x");

	for (int n = atoi(argv[4]); n >= 0; n--) {
		double start = now();
		for (int i = 0; i < rows; i++) {
			double sum = 0;
			for (int k = ptr[i]; k < ptr[i + 1]; k++) sum += val[k] * x[col[k]];
			y[i] = sum;
		}
		if (n < atoi(argv[4])) printf("time_ms=%.6f\n", 1e3 * (now() - start)); /* the first one warms the caches */
	}
	if (!(f = fopen(argv[3], "w"))) fail("can't write y");
	for (int i = 0; i < rows; i++) fprintf(f, "%.17g\n", y[i]);
	return fclose(f) != 0;
}
