// SPDX-License-Identifier: Apache-2.0
// What the kinds of a set are made of: numbers drawn from the name of a matrix, and its list of entries.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t num;
static uint64_t state;
static uint64_t hash(uint64_t x) {
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
	return x ^ (x >> 31);
}
static uint64_t next(void) { return hash(state += 0x9E3779B97F4A7C15ULL); }
static double u(void) { return (next() >> 11) * 0x1p-53; }
static num below(num n) { return n > 0 ? (num)(next() % (uint64_t)n) : 0; }
static num between(num a, num b) { return a + below(b - a + 1); }
static double gauss(void) { return sqrt(-2 * log(1 - u())) * cos(6.283185307179586 * u()); }
static num geometric(double mean) { return 1 + (num)(log(1 - u()) / log(1 - 1 / (mean + 1e-9))); }
static num lognormal(double mu, double sigma) { return (num)exp(mu + sigma * gauss()); }
static num pareto(double least, double shape) { return (num)(least * pow(1 - u(), -1 / shape)); }
// zipf draws one of n by a power s of its rank, the most frequent first.
static num zipf(num n, double s) {
	double a = 1 - s, x = fabs(a) < 1e-6 ? pow((double)n, u()) : pow((pow((double)n, a) - 1) * u() + 1, 1 / a);
	num k = (num)x - 1;
	return k < 0 ? 0 : k >= n ? n - 1 : k;
}
// coin is a hash of two numbers in [0, 1): the same each time.
static double coin(uint64_t a, uint64_t b) { return (hash(a * 0x9E3779B97F4A7C15ULL ^ hash(b + 77)) >> 11) * 0x1p-53; }

typedef struct {
	uint32_t r, c;
} entry;
static entry *list;
static num count, room, rows, cols;
static void e(num r, num c) {
	if (r < 0 || c < 0 || r >= rows || c >= cols) return;
	if (count == room) list = realloc(list, (room = room ? 2 * room : 1 << 20) * sizeof(entry));
	list[count++] = (entry){r, c};
}
static void both(num r, num c) { e(r, c), e(c, r); }
static void size(num r, num c) { rows = r, cols = c; }
static num *shuffled(num n) {
	num *p = malloc(n * sizeof(num));
	for (num i = 0; i < n; i++) p[i] = i;
	for (num i = n - 1; i > 0; i--) {
		num j = below(i + 1), t = p[i];
		p[i] = p[j], p[j] = t;
	}
	return p;
}

#define KIND(name) static void name(num n, double a, double b)
#define UP(i, n) for (num i = 0; i < (n); i++)

// A set is a table `all` of M(kind, the rest of its name, n, a, b, what becomes of the entries). SET begins all names.
#define M(kind, name, n, a, b, then)                                                                                   \
	{ #kind, SET #kind name, kind, n, a, b, then }
typedef struct {
	const char *kind, *name;
	void (*make)(num, double, double);
	num n;
	double a, b;
	const char *then;
} matrix;
