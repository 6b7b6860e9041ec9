// SPDX-License-Identifier: Apache-2.0
// Sets whose programs write a matrix row by row: NAME.body, and NAME.head with its sizes. make goes through the columns
// of each of ROWS; FACTOR mixes the name into the random numbers, and VALUE is a nonzero.
#define SET ""
#include "draw.h"

static num R, C, nonzeros, columns;
static int *column;
static FILE *f;
static num part(num n) { return (num)(u() * n); }
static int byColumn(const void *p, const void *q) {
	int x = *(const int *)p, y = *(const int *)q;
	return (x > y) - (x < y);
}
static void add(num c) {
	if (c >= 0 && c < C) column[columns++] = (int)c;
}
static void row(num r) {
	qsort(column, columns, sizeof *column, byColumn);
	UP (i, columns)
		if (!i || column[i] != column[i - 1]) {
			fprintf(f, "%lld %d %.6g\n", (long long)r + 1, column[i] + 1, VALUE);
			nonzeros++;
		}
	columns = 0;
}
#define ROWS for (num r = 0; r < R; row(r++))
#define IS(name) (!strcmp(k, name))
// make writes the rows of a kind, and returns whether it knows it.
static int make(const char *k);

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: %s NAME\n", argv[0]);
		return 2;
	}
	state = 88172645463325252ULL;
	for (const char *s = argv[1]; *s; s++) state = state * FACTOR + *s;
	column = malloc(60000000 * sizeof *column);
	char name[99];
	snprintf(name, sizeof name, "%s.body", argv[1]);
	f = fopen(name, "w");
	if (!f || !make(argv[1])) return 2;
	fclose(f);
	snprintf(name, sizeof name, "%s.head", argv[1]);
	f = fopen(name, "w");
	fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)R, (long long)C,
			(long long)nonzeros);
	return fclose(f) ? 2 : 0;
}
