// SPDX-License-Identifier: Apache-2.0
// The eighth set: sixteen structures that judged a rule once, before they taught it. They are made as those of sixth.c.
#define FACTOR 1099511628211ULL
#define VALUE 2 * u() - 1
#include "rows.h"

// spread puts a zero bit before each of 12 bits.
static num spread(num x) {
	num y = 0;
	UP (i, 12) y |= (x >> i & 1) << (2 * i);
	return y;
}
static num *permuted(num n) {
	num *p = malloc(n * sizeof *p);
	UP (i, n) p[i] = i;
	for (num i = n - 1; i > 0; i--) {
		num j = part(i + 1), t = p[i];
		p[i] = p[j], p[j] = t;
	}
	return p;
}

static int make(const char *k) {
	if (IS("hexmorton")) {
		num s = 1024;
		R = C = s * s;
		num *y = malloc(8 * R), *x = malloc(8 * R);
		UP (j, s)
			UP (i, s) {
				num m = spread(i) | spread(j) << 1;
				x[m] = i;
				y[m] = j;
			}
		ROWS {
			int d[7][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
			for (int q = 0; q < 7; q++) {
				num i = (x[r] + d[q][0] + s) % s, j = (y[r] + d[q][1] + s) % s;
				add(spread(i) | spread(j) << 1);
			}
		}
	} else if (IS("leontief")) {
		num g = 3000, m = 40;
		R = C = g * m;
		ROWS {
			UP (j, m)
				if (u() < .7) add(r / m * m + j);
			num n = (num)exp(2.5 + .8 * gauss());
			UP (j, n) add(zipf(g, .9) * m + part(m));
		}
	} else if (IS("webhosts")) {
		R = C = 1000000;
		num h = 0, e = 0;
		ROWS {
			if (r >= e) {
				h = e;
				e = h + 3 + (num)(20 * pow(u() + 1e-5, -.7));
			}
			num n = (num)(2 * pow(u() + 1e-6, -.5));
			if (n > 3000) n = 3000;
			UP (j, n)
				if (u() < .8) add(h + (num)((e - h) * u() * u()));
				else add(zipf(C, 1.1));
			add(h);
		}
	} else if (IS("fingerprints")) {
		R = 110000;
		C = 2048;
		num *p = permuted(C);
		ROWS {
			num n = 30 + part(60);
			UP (j, n) add(p[zipf(C, .7)]);
		}
	} else if (IS("ancestors")) {
		R = C = 450000;
		int *q = malloc(4 * R);
		q[0] = 0;
		for (num i = 1; i < R; i++) q[i] = (int)part(i);
		ROWS {
			num v = r;
			while (1) {
				add(v);
				if (!v) break;
				v = q[v];
			}
		}
	} else if (IS("edges")) {
		R = 3500000;
		C = 1200000;
		ROWS {
			num a = part(C);
			add(a);
			add(u() < .5 ? a + 1 + part(2000) : part(C));
		}
	} else if (IS("cover")) {
		R = 1600000;
		C = 60000;
		ROWS {
			for (int q = 0; q < 4; q++) add(q * 15000 + (q < 2 ? (r / 107 + part(30)) % 15000 : part(15000)));
		}
	} else if (IS("blocktri")) {
		num m = 12, g = 20000;
		R = C = m * g;
		ROWS {
			UP (j, 3 * m) add((r / m - 1) * m + j);
		}
	} else if (IS("species")) {
		R = 60000;
		C = 1300000;
		ROWS {
			num n = r < 8 ? C / (3 + r) : (num)exp(3 + 1.3 * gauss());
			if (n < 2) n = 2;
			if (n > C / 2) n = C / 2;
			num c = part(C);
			UP (j, n) add(r < 8 ? part(C) : u() < .5 ? c + part(4 * n) : part(C));
		}
	} else if (IS("conv")) {
		num s = 800;
		num o = s / 2 - 3;
		R = o * o;
		C = s * s;
		ROWS {
			num yy = r / o * 2, xx = r % o * 2;
			for (int a = 0; a < 7; a++)
				for (int c = 0; c < 7; c++) add((yy + a) * s + xx + c);
		}
	} else if (IS("cells")) {
		num s = 30;
		num per = 8;
		R = C = s * s * s * per;
		double *q = malloc(24 * R);
		UP (i, R * 3) q[i] = u();
		ROWS {
			num c = r / per, X = c % s, Y = c / s % s, Z = c / s / s;
			for (num a = -1; a < 2; a++)
				for (num d = -1; d < 2; d++)
					for (num e = -1; e < 2; e++) {
						num x = X + a, y = Y + d, w = Z + e;
						if (x < 0 || y < 0 || w < 0 || x >= s || y >= s || w >= s) continue;
						num o = (w * s + y) * s + x;
						UP (j, per) {
							num t = o * per + j;
							double p0 = q[3 * t] + a - q[3 * r], p1 = q[3 * t + 1] + d - q[3 * r + 1],
								   p2 = q[3 * t + 2] + e - q[3 * r + 2];
							if (p0 * p0 + p1 * p1 + p2 * p2 < .9) add(t);
						}
					}
		}
	} else if (IS("hubs")) {
		R = C = 150000;
		ROWS {
			num n = (num)exp(u() * log(500.));
			n = n * (u() < .01 ? 20 : 1);
			UP (j, n) add(u() < .3 ? r + part(200) - 100 : part(C));
		}
	} else if (IS("triangle")) {
		R = C = 300000;
		ROWS {
			num n = (num)(2 + 60. * r / R * u());
			UP (j, n) add(r - (num)(-log(1 - u()) * 3000));
			add(r);
			if (r > R - 1500)
				for (num j = R - 1500; j < r; j++) add(j);
		}
	} else if (IS("lost3d")) {
		num s = 105;
		R = C = s * s * s;
		num *p = permuted(R), *q = permuted(R);
		num *inv = malloc(8 * R);
		UP (i, R) inv[p[i]] = i;
		ROWS {
			num v = inv[r], x = v % s, y = v / s % s, w = v / s / s;
			add(q[v]);
			if (x) add(q[v - 1]);
			if (x < s - 1) add(q[v + 1]);
			if (y) add(q[v - s]);
			if (y < s - 1) add(q[v + s]);
			if (w) add(q[v - s * s]);
			if (w < s - 1) add(q[v + s * s]);
		}
	} else if (IS("decay")) {
		R = C = 20000;
		ROWS {
			for (int s = -1; s < 2; s += 2) {
				double d = 0;
				while (1) {
					d += 1 - log(1 - u()) * .6 * exp(d / 300.);
					if (d > 5000) break;
					add(r + s * (num)d);
				}
			}
			add(r);
		}
	} else if (IS("debruijn")) {
		R = C = 2000003;
		ROWS {
			for (int j = 0; j < 4; j++) add((4 * r + j) % C);
		}
	} else return 0;
	return 1;
}
