// SPDX-License-Identifier: Apache-2.0
// The sixth set: sixteen kinds of 4 to 11 million nonzeros. It was looked at once, as a test, before it taught.
//
//   cc -O2 -o sixth sixth.c -lm; ./sixth NAME; cat NAME.head NAME.body >NAME.mtx; rm NAME.head NAME.body
//
// The names are those that make compares with. In h200-strangers.json.gz they begin with sixth_.
#define FACTOR 131
#define VALUE .5 + u()
#include "rows.h"

static int make(const char *k) {
	if (IS("knn")) { /* points along a Hilbert-like order: near ones have near numbers, with jumps of powers of 8 */
		R = C = 500000;
		ROWS {
			add(r);
			for (int j = 0; j < 11; j++) {
				num s = 1L << (3 * part(6));
				num o = (num)(s * (.5 + 2 * u()));
				add(u() < .5 ? r - o : r + o);
			}
		}
	} else if (IS("roads")) {
		num w = 1700;
		R = C = w * w;
		num *p = malloc(8 * R);
		UP (i, R) p[i] = i;
		for (num i = 0; i + 64 < R; i++) {
			num j = i + part(64);
			num t = p[i];
			p[i] = p[j];
			p[j] = t;
		}
		num *q = malloc(8 * R);
		UP (i, R) q[p[i]] = i;
		ROWS {
			num c = p[r];
			if (u() < .7 && c > 0) add(q[c - 1]);
			if (u() < .7 && c + 1 < R) add(q[c + 1]);
			if (u() < .4 && c >= w) add(q[c - w]);
			if (u() < .4 && c + w < R) add(q[c + w]);
		}
	} else if (IS("haar")) {
		int L = 18;
		R = C = 1L << L;
		ROWS {
			num l = 0, t = r ? r : 1;
			while (t > 1) {
				t >>= 1;
				l++;
			}
			num len = R >> l;
			num s = r ? (r - (1L << l)) * len : 0;
			UP (j, len) add(s + j);
		}
	} else if (IS("genotypes")) {
		R = 2500;
		C = 400000;
		ROWS {
			double f = .003 + .01 * u();
			for (num j = 0; j < C;) {
				if (u() < f / 6) {
					num m = 2 + part(20);
					UP (i, m)
						if (u() < .6) add(j + i);
					j += m;
				} else j++;
			}
		}
	} else if (IS("onehot")) {
		R = 900000;
		C = 500000;
		num z0[9] = {0, 10, 200, 2000, 12000, 52000, 152000, 300000, 500000};
		ROWS {
			for (int j = 0; j < 8; j++) {
				num w = z0[j + 1] - z0[j];
				double t = u();
				add(z0[j] + (num)(w * (j % 3 == 0 ? t : t * t * t * t)));
			}
		}
	} else if (IS("ngrams")) {
		R = 220000;
		C = 1L << 20;
		ROWS {
			num d = 5 + (num)(-28 * log(u() + 1e-9));
			UP (j, d) {
				num t = (num)(30000 * pow(u(), 3));
				add((num)((t * 2654435761UL * (1 + part(3))) & (C - 1)));
			}
		}
	} else if (IS("factor")) {
		R = C = 220000;
		ROWS {
			num l = 0;
			while (l < 9 && ((r >> l) & 31) == 31) l++;
			num len = 3 + (num)(6 * (l + 1) * (l + 1) * (1 << (l > 3 ? 3 : l)));
			num s = 1 + part(3);
			UP (j, len) add(r - j * (j < 40 ? 1 : s));
		}
	} else if (IS("contacts")) {
		R = C = 160000;
		ROWS {
			num d = 20 + part(50);
			UP (j, d) {
				num o = (num)(exp(u() * log(80000.)));
				add(u() < .5 ? r - o : r + o);
			}
			add(r);
		}
	} else if (IS("segments")) {
		R = C = 450000;
		num off[44];
		for (int i = 0; i < 44; i++) off[i] = part(60000) - 30000;
		ROWS {
			for (int i = 0; i < 44; i++)
				if (((r / 1000 + i * 7) % 44) < 16) add(r + off[i]);
		}
	} else if (IS("saddle")) {
		num n = 500000, m = 300000;
		R = C = n + m;
		ROWS {
			if (r < n) {
				for (int j = 0; j < 3; j++) add(r / 3 * 3 + j);
				add(n + r * m / n);
				add(n + (r * m / n + 547) % m);
			} else {
				num s = (r - n) * n / m;
				for (int j = 0; j < 4; j++) add(s + j * 3);
				add((s + 913) % n);
				add((s + 914) % n);
			}
		}
	} else if (IS("prolong")) {
		R = 3000000;
		C = 380000;
		ROWS {
			num c = r / 8;
			int n = 1 + (r % 8 != 0) + 2 * (r % 8 > 3);
			for (int j = 0; j < n; j++) add(c + (j & 1) + (j >> 1) * 271);
		}
	} else if (IS("strips")) {
		R = C = 650000;
		ROWS {
			int in = (r / 3000) % 9 == 0;
			num n = in ? 60 : 5;
			UP (j, n) add(r + (in ? (j - 30) * 3 : (j - 2) * (j % 2 ? 1 : 800)));
		}
	} else if (IS("sorted")) {
		R = C = 800000;
		ROWS {
			num d = 2 + (num)(60000. / pow(r + 30., .72));
			UP (j, d) add((num)(C * pow(u(), 3.2)));
		}
	} else if (IS("rotor")) {
		R = C = 360000;
		ROWS {
			num b = r / 6;
			for (int i = 0; i < 6; i++) add(b * 6 + i);
			for (int e = 1; e < 3; e++)
				for (int i = 0; i < 6; i++)
					if ((i + r) % 2) add(((b + e * (e == 1 ? 1 : 600)) % (R / 6)) * 6 + i);
			if ((b % 97) == 0)
				for (int i = 0; i < 300; i++) add(i * 1200 + r % 1200);
		}
	} else if (IS("channels")) {
		R = 120000;
		C = 120000;
		ROWS {
			num c = r % 64;
			UP (j, 64)
				if (((j * 31 + c * 17) % 7) < 3) add(r / 64 * 64 + j);
			for (int d = 1; d < 3; d++)
				for (num j = 0; j < 64; j += 2) add(r / 64 * 64 + j + d * 64 * 60);
		}
	} else if (IS("mixture")) {
		R = C = 520000;
		ROWS {
			num t = (r / 50000) % 4;
			num d = t == 0 ? 3 : t == 1 ? 12 : t == 2 ? (u() < .02 ? 500 : 4) : 30;
			UP (j, d)
				add(t == 0 ? r + j * 701 : t == 1 ? part(C) : t == 2 ? r / 5000 * 5000 + part(5000) : r - 15 + j);
		}
	} else return 0;
	return 1;
}
