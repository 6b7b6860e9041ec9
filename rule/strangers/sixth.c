// The sixth set: sixteen kinds of 4 to 11 million nonzeros. It was looked at once, as a test, before it taught.
//
//   cc -O2 -o sixth sixth.c -lm; ./sixth NAME; cat NAME.head NAME.body >NAME.mtx; rm NAME.head NAME.body
//
// The names are those that main compares with. In h200-strangers.json.gz they begin with sixth_.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t z = 88172645463325252ULL;
static uint64_t rnd(void) {
	z += 0x9E3779B97F4A7C15ULL;
	uint64_t x = z;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
	return x ^ (x >> 31);
}
static double u(void) { return (rnd() >> 11) * 0x1p-53; }
static long below(long n) { return (long)(u() * n); }
static double gauss(void) {
	double s = 0;
	for (int i = 0; i < 12; i++) s += u();
	return s - 6;
}
static int *b;
static long nb, R, C, nnz;
static FILE *f;
static int cmp(const void *p, const void *q) {
	int x = *(const int *)p, y = *(const int *)q;
	return (x > y) - (x < y);
}
static void add(long c) {
	if (c >= 0 && c < C) b[nb++] = (int)c;
}
static void row(long r) {
	qsort(b, nb, 4, cmp);
	long k = 0;
	for (long i = 0; i < nb; i++)
		if (!i || b[i] != b[i - 1]) b[k++] = b[i];
	for (long i = 0; i < k; i++) fprintf(f, "%ld %d %.6g\n", r + 1, b[i] + 1, .5 + u());
	nnz += k;
	nb = 0;
}
static int is(const char *a, const char *n) { return !strcmp(a, n); }
int main(int ac, char **av) {
	const char *k = av[1];
	for (const char *s = k; *s; s++) z = z * 131 + *s;
	b = malloc(4L * 60000000);
	char nm[99];
	sprintf(nm, "%s.body", k);
	f = fopen(nm, "w");
	setvbuf(f, 0, _IOFBF, 1 << 20);
	if (is(k, "knn")) { /* points along a Hilbert-like order: near ones have near numbers, with jumps of powers of 8 */
		R = C = 500000;
		for (long r = 0; r < R; r++) {
			add(r);
			for (int j = 0; j < 11; j++) {
				long s = 1L << (3 * below(6));
				long o = (long)(s * (.5 + 2 * u()));
				add(u() < .5 ? r - o : r + o);
			}
			row(r);
		}
	} else if (is(k, "roads")) {
		long w = 1700;
		R = C = w * w;
		long *p = malloc(8 * R);
		for (long i = 0; i < R; i++) p[i] = i;
		for (long i = 0; i + 64 < R; i++) {
			long j = i + below(64);
			long t = p[i];
			p[i] = p[j];
			p[j] = t;
		}
		long *q = malloc(8 * R);
		for (long i = 0; i < R; i++) q[p[i]] = i;
		for (long r = 0; r < R; r++) {
			long c = p[r];
			if (u() < .7 && c > 0) add(q[c - 1]);
			if (u() < .7 && c + 1 < R) add(q[c + 1]);
			if (u() < .4 && c >= w) add(q[c - w]);
			if (u() < .4 && c + w < R) add(q[c + w]);
			row(r);
		}
	} else if (is(k, "haar")) {
		int L = 18;
		R = C = 1L << L;
		for (long r = 0; r < R; r++) {
			long l = 0, t = r ? r : 1;
			while (t > 1) {
				t >>= 1;
				l++;
			}
			long len = R >> l;
			long s = r ? (r - (1L << l)) * len : 0;
			for (long j = 0; j < len; j++) add(s + j);
			row(r);
		}
	} else if (is(k, "genotypes")) {
		R = 2500;
		C = 400000;
		for (long r = 0; r < R; r++) {
			double f = .003 + .01 * u();
			for (long j = 0; j < C;) {
				if (u() < f / 6) {
					long m = 2 + below(20);
					for (long i = 0; i < m; i++)
						if (u() < .6) add(j + i);
					j += m;
				} else j++;
			}
			row(r);
		}
	} else if (is(k, "onehot")) {
		R = 900000;
		C = 500000;
		long z0[9] = {0, 10, 200, 2000, 12000, 52000, 152000, 300000, 500000};
		for (long r = 0; r < R; r++) {
			for (int j = 0; j < 8; j++) {
				long w = z0[j + 1] - z0[j];
				double t = u();
				add(z0[j] + (long)(w * (j % 3 == 0 ? t : t * t * t * t)));
			}
			row(r);
		}
	} else if (is(k, "ngrams")) {
		R = 220000;
		C = 1L << 20;
		for (long r = 0; r < R; r++) {
			long d = 5 + (long)(-28 * log(u() + 1e-9));
			for (long j = 0; j < d; j++) {
				long t = (long)(30000 * pow(u(), 3));
				add((long)((t * 2654435761UL * (1 + below(3))) & (C - 1)));
			}
			row(r);
		}
	} else if (is(k, "factor")) {
		R = C = 220000;
		for (long r = 0; r < R; r++) {
			long l = 0;
			while (l < 9 && ((r >> l) & 31) == 31) l++;
			long len = 3 + (long)(6 * (l + 1) * (l + 1) * (1 << (l > 3 ? 3 : l)));
			long s = 1 + below(3);
			for (long j = 0; j < len; j++) add(r - j * (j < 40 ? 1 : s));
			row(r);
		}
	} else if (is(k, "contacts")) {
		R = C = 160000;
		for (long r = 0; r < R; r++) {
			long d = 20 + below(50);
			for (long j = 0; j < d; j++) {
				long o = (long)(exp(u() * log(80000.)));
				add(u() < .5 ? r - o : r + o);
			}
			add(r);
			row(r);
		}
	} else if (is(k, "segments")) {
		R = C = 450000;
		long off[44];
		for (int i = 0; i < 44; i++) off[i] = below(60000) - 30000;
		for (long r = 0; r < R; r++) {
			for (int i = 0; i < 44; i++)
				if (((r / 1000 + i * 7) % 44) < 16) add(r + off[i]);
			row(r);
		}
	} else if (is(k, "saddle")) {
		long n = 500000, m = 300000;
		R = C = n + m;
		for (long r = 0; r < R; r++) {
			if (r < n) {
				for (int j = 0; j < 3; j++) add(r / 3 * 3 + j);
				add(n + r * m / n);
				add(n + (r * m / n + 547) % m);
			} else {
				long s = (r - n) * n / m;
				for (int j = 0; j < 4; j++) add(s + j * 3);
				add((s + 913) % n);
				add((s + 914) % n);
			}
			row(r);
		}
	} else if (is(k, "prolong")) {
		R = 3000000;
		C = 380000;
		for (long r = 0; r < R; r++) {
			long c = r / 8;
			int n = 1 + (r % 8 != 0) + 2 * (r % 8 > 3);
			for (int j = 0; j < n; j++) add(c + (j & 1) + (j >> 1) * 271);
			row(r);
		}
	} else if (is(k, "strips")) {
		R = C = 650000;
		for (long r = 0; r < R; r++) {
			int in = (r / 3000) % 9 == 0;
			long n = in ? 60 : 5;
			for (long j = 0; j < n; j++) add(r + (in ? (j - 30) * 3 : (j - 2) * (j % 2 ? 1 : 800)));
			row(r);
		}
	} else if (is(k, "sorted")) {
		R = C = 800000;
		for (long r = 0; r < R; r++) {
			long d = 2 + (long)(60000. / pow(r + 30., .72));
			for (long j = 0; j < d; j++) add((long)(C * pow(u(), 3.2)));
			row(r);
		}
	} else if (is(k, "rotor")) {
		R = C = 360000;
		for (long r = 0; r < R; r++) {
			long b = r / 6;
			for (int i = 0; i < 6; i++) add(b * 6 + i);
			for (int e = 1; e < 3; e++)
				for (int i = 0; i < 6; i++)
					if ((i + r) % 2) add(((b + e * (e == 1 ? 1 : 600)) % (R / 6)) * 6 + i);
			if ((b % 97) == 0)
				for (int i = 0; i < 300; i++) add(i * 1200 + r % 1200);
			row(r);
		}
	} else if (is(k, "channels")) {
		R = 120000;
		C = 120000;
		for (long r = 0; r < R; r++) {
			long c = r % 64;
			for (long j = 0; j < 64; j++)
				if (((j * 31 + c * 17) % 7) < 3) add(r / 64 * 64 + j);
			for (int d = 1; d < 3; d++)
				for (long j = 0; j < 64; j += 2) add(r / 64 * 64 + j + d * 64 * 60);
			row(r);
		}
	} else if (is(k, "mixture")) {
		R = C = 520000;
		for (long r = 0; r < R; r++) {
			long t = (r / 50000) % 4;
			long d = t == 0 ? 3 : t == 1 ? 12 : t == 2 ? (u() < .02 ? 500 : 4) : 30;
			for (long j = 0; j < d; j++)
				add(t == 0 ? r + j * 701 : t == 1 ? below(C) : t == 2 ? r / 5000 * 5000 + below(5000) : r - 15 + j);
			row(r);
		}
	} else return 2;
	fclose(f);
	sprintf(nm, "%s.head", k);
	f = fopen(nm, "w");
	fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%ld %ld %ld\n", R, C, nnz);
	fclose(f);
	return 0;
}
