// SPDX-License-Identifier: Apache-2.0
// The seventh set: 153 matrices of 76 kinds for breadth, of 1 to 13 million nonzeros, whose values differ.
//
//   cc -O2 -o seventh seventh.c -lm
//   ./seventh list               # a line for each matrix: its kind and its name
//   ./seventh NAME FOLDER [1]    # writes FOLDER/NAME.mtx; a last argument of 0.01 makes about a hundredth of it
//
// A matrix is a construction, numbers that it takes, and what becomes of the entries then: T transposes, P numbers rows
// and columns anew in one random order, R the rows alone, L sorts rows by falling length, W shuffles rows and columns
// in windows of 2,000. Those of a kind are relatives.
#define SET ""
#include "draw.h"

// Meshes.

// A square of n by n nodes, cut into triangles by random diagonals, a unknowns a node.
KIND(triangles) {
	num d = a;
	size(n * n * d, n * n * d);
	UP (y, n)
		UP (x, n) {
			num at = y * n + x, near[9], k = 0;
			near[k++] = at;
			if (x + 1 < n) near[k++] = at + 1;
			if (x) near[k++] = at - 1;
			if (y + 1 < n) near[k++] = at + n;
			if (y) near[k++] = at - n;
			if (x + 1 < n && y + 1 < n && coin(at, 1) < .5) near[k++] = at + n + 1;
			if (x && y && coin(at - n - 1, 1) < .5) near[k++] = at - n - 1;
			if (x && y + 1 < n && coin(at - 1, 1) >= .5) near[k++] = at + n - 1;
			if (x + 1 < n && y && coin(at - n, 1) >= .5) near[k++] = at - n + 1;
			UP (i, k)
				UP (f, d)
					UP (g, d) e(at * d + f, near[i] * d + g);
		}
}
// A cube of n^3 nodes, cut into tetrahedra, a unknowns a node, of which a share b couples with others.
KIND(tetrahedra) {
	num d = a;
	size(n * n * n * d, n * n * n * d);
	UP (z, n)
		UP (y, n)
			UP (x, n)
				UP (m, 15) {
					static const int step[15][3] = {{0, 0, 0},	{1, 0, 0},	 {0, 1, 0},	  {0, 0, 1},   {1, 1, 0},
													{0, 1, 1},	{1, 0, 1},	 {1, 1, 1},	  {-1, 0, 0},  {0, -1, 0},
													{0, 0, -1}, {-1, -1, 0}, {0, -1, -1}, {-1, 0, -1}, {-1, -1, -1}};
					num X = x + step[m][0], Y = y + step[m][1], Z = z + step[m][2], p = (z * n + y) * n + x,
						q = (Z * n + Y) * n + X;
					if (X < 0 || Y < 0 || Z < 0 || X >= n || Y >= n || Z >= n) continue;
					UP (f, d)
						UP (g, d)
							if (f == g || u() < b) e(p * d + f, q * d + g);
				}
}
// Velocities at all nodes of a square, x and y apart, and pressures at every other: rows of three sizes, in three
// parts.
KIND(stokes) {
	num v = n * n, h = n / 2, at;
	size(2 * v + h * h, 2 * v + h * h);
	UP (y, n)
		UP (x, n) {
			at = y * n + x;
			num r = x % 2 + y % 2 == 0 ? 2 : 1;
			for (num j = -r; j <= r; j++)
				for (num i = -r; i <= r; i++)
					if (x + i >= 0 && x + i < n && y + j >= 0 && y + j < n)
						UP (f, 2) e(f * v + at, f * v + at + j * n + i);
			for (num j = 0; j < 2; j++)
				for (num i = 0; i < 2; i++)
					if (x / 2 + i < h && y / 2 + j < h)
						UP (f, 2) both(f * v + at, 2 * v + (y / 2 + j) * h + x / 2 + i);
		}
}
// Cells of n by n squares, each refined up to a times near a circle, with all that they touch across their sides.
KIND(hanging) {
	num *first = malloc((n * n + 1) * sizeof(num)), *level = malloc(n * n * sizeof(num)), total = 0;
	UP (s, n * n) {
		double X = (s % n + .5) / n - .5, Y = (s / n + .5) / n - .5, d = fabs(sqrt(X * X + Y * Y) - .3);
		level[s] = fmax(0, fmin(a, a - d * b)), first[s] = total, total += 1LL << (2 * level[s]);
	}
	size(total, total);
	UP (s, n * n) {
		num k = 1LL << level[s];
		UP (y, k)
			UP (x, k) {
				num r = first[s] + y * k + x;
				e(r, r);
				UP (side, 4) {
					num X = x + (side == 0) - (side == 1), Y = y + (side == 2) - (side == 3), S = s;
					if (X < 0) S = s % n ? s - 1 : -1;
					else if (X >= k) S = s % n < n - 1 ? s + 1 : -1;
					else if (Y < 0) S = s - n;
					else if (Y >= k) S = s + n;
					if (S < 0 || S >= n * n) continue;
					num K = 1LL << level[S], m = K > k && S != s ? K / k : 1;
					X = (X + k) % k, Y = (Y + k) % k;
					UP (i, m) {
						num x2 = S == s ? X : side < 2 ? (side ? K - 1 : 0) : X * K / k + i;
						num y2 = S == s ? Y : side < 2 ? Y * K / k + i : side == 3 ? K - 1 : 0;
						e(r, first[S] + y2 * K + x2);
					}
				}
			}
	}
}
// Elements of order a on a square of n by n, each dense, with shared sides.
KIND(spectral) {
	num p = a, w = n * p + 1;
	size(w * w, w * w);
	UP (Y, n)
		UP (X, n)
			for (num i = 0; i < (p + 1) * (p + 1); i++)
				for (num j = 0; j < (p + 1) * (p + 1); j++)
					e((Y * p + i / (p + 1)) * w + X * p + i % (p + 1), (Y * p + j / (p + 1)) * w + X * p + j % (p + 1));
}
// Discontinuous elements: dense blocks of a by a, with those of the neighbours, elements in no order where b is 1.
KIND(discontinuous) {
	num d = a, m = n * n, *p = shuffled(m);
	size(m * d, m * d);
	UP (s, m)
		for (num side = 0; side < 5; side++) {
			num S = s + (side == 1) - (side == 2) + n * ((side == 3) - (side == 4));
			if (S < 0 || S >= m || (side && side < 3 && S / n != s / n)) continue;
			num at = b ? p[s] : s, to = b ? p[S] : S;
			UP (f, d)
				UP (g, d)
					if (!side || g % 3 != 1) e(at * d + f, to * d + g);
		}
}
// Splines of degree a in two (b is 2) or three dimensions: full stencils of 2a+1 points a side.
KIND(splines) {
	num p = a;
	num N = b == 2 ? n * n : n * n * n;
	size(N, N);
	UP (s, N) {
		num x = s % n, y = s / n % n, z = s / n / n, q = b == 2 ? 0 : p;
		for (num k = -q; k <= q; k++)
			for (num j = -p; j <= p; j++)
				for (num i = -p; i <= p; i++)
					if (x + i >= 0 && x + i < n && y + j >= 0 && y + j < n && (b == 2 || (z + k >= 0 && z + k < n)))
						e(s, s + (k * n + j) * n + i);
	}
}
// A stencil along the axes, a points each way, on an n^3 grid of which a share b is there, numbered without the rest.
KIND(star) {
	num N = n * n * n, *at = malloc(N * sizeof(num)), total = 0;
	UP (s, N) at[s] = coin(s / 40, 3) < b ? total++ : -1;
	size(total, total);
	UP (s, N)
		if (at[s] >= 0) {
			num q[3] = {s % n, s / n % n, s / n / n}, step = 1;
			e(at[s], at[s]);
			UP (d, 3) {
				for (num k = -a; k <= a; k++)
					if (k && q[d] + k >= 0 && q[d] + k < n && at[s + k * step] >= 0) e(at[s], at[s + k * step]);
				step *= n;
			}
		}
}
// A 7-point grid numbered otherwise: in bricks of 8^3 (a is 0), red before black (1), along a Z (2), by planes askew
// (3).
KIND(reordered) {
	num N = n * n * n, *at = malloc(N * sizeof(num)), k = 0;
	size(N, N);
	if (a == 3) {
		for (num d = 0; d < 3 * n; d++)
			UP (z, n)
				UP (y, n) {
					num x = d - y - z;
					if (x >= 0 && x < n) at[(z * n + y) * n + x] = k++;
				}
	} else if (a == 1)
		UP (half, 2)
			UP (s, N) {
				if ((s % n + s / n % n + s / n / n) % 2 == half) at[s] = k++;
			}
	else {
		num w = a == 0 ? 8 : 1;
		while (a == 2 && w < n) w *= 2;
		num m = (n + w - 1) / w;
		UP (t, m * m * m)
			UP (i, w * w * w) {
				num x = i % w, y = i / w % w, z = i / w / w;
				if (a == 2) {
					x = y = z = 0;
					for (int h = 0; h < 20; h++)
						x |= (i >> 3 * h & 1) << h, y |= (i >> (3 * h + 1) & 1) << h, z |= (i >> (3 * h + 2) & 1) << h;
				}
				x += t % m * w, y += t / m % m * w, z += t / m / m * w;
				if (x < n && y < n && z < n) at[(z * n + y) * n + x] = k++;
			}
	}
	UP (s, N) {
		num x = s % n, y = s / n % n, z = s / n / n;
		e(at[s], at[s]);
		if (x + 1 < n) both(at[s], at[s + 1]);
		if (y + 1 < n) both(at[s], at[s + n]);
		if (z + 1 < n) both(at[s], at[s + n * n]);
	}
}
// A crystal: n^3 cells of a atoms, each of which knows its own set of atoms in the cells around.
KIND(crystal) {
	num d = a;
	size(n * n * n * d, n * n * n * d);
	UP (s, n * n * n)
		UP (f, d)
			UP (t, 27) {
				num x = (s % n + t % 3 + n - 1) % n, y = (s / n % n + t / 3 % 3 + n - 1) % n,
					z = (s / n / n + t / 9 + n - 1) % n;
				UP (g, d)
					if (coin(f * 100 + g, t) < b * (1 + f % 4)) e(s * d + f, ((z * n + y) * n + x) * d + g);
			}
}
// Flat pieces, each a grid of its own width, that meet others along lines.
KIND(fractures) {
	num first[20000], wide[20000], tall[20000], m = 0, total = 0;
	while (total < n && m < 20000)
		first[m] = total, wide[m] = between(8, a), tall[m] = between(8, a), total += wide[m] * tall[m], m++;
	size(total, total);
	UP (i, m) {
		UP (s, wide[i] * tall[i]) {
			num r = first[i] + s;
			e(r, r);
			if (s % wide[i]) both(r, r - 1);
			if (s >= wide[i]) both(r, r - wide[i]);
		}
		UP (l, 3) {
			num j = below(m), k = wide[i] < tall[j] ? wide[i] : tall[j], y = below(tall[i]), x = below(wide[j]);
			UP (s, k) both(first[i] + y * wide[i] + s, first[j] + s * wide[j] + x);
		}
	}
}
// A reservoir: 7 points of a flat n by n by n/4 grid with a share a of its cells, and wells that pierce all layers.
KIND(reservoir) {
	num h = n / 4 + 1, N = n * n * h, *at = malloc(N * sizeof(num)), total = 0, wells = b;
	UP (s, N) at[s] = coin(s / 9, 5) < a ? total++ : -1;
	size(total + wells, total + wells);
	UP (s, N)
		if (at[s] >= 0) {
			e(at[s], at[s]);
			if (s % n && at[s - 1] >= 0) both(at[s], at[s - 1]);
			if (s / n % n && at[s - n] >= 0) both(at[s], at[s - n]);
			if (s >= n * n && at[s - n * n] >= 0) both(at[s], at[s - n * n]);
		}
	UP (w, wells) {
		num x = below(n), y = below(n), r = total + w;
		e(r, r);
		UP (k, h * 6) {
			num s = (k % h * n + y) * n + (x + k / h) % n;
			if (at[s] >= 0) both(r, at[s]);
		}
	}
}
// Reactions in each of n cells of a species, the same pattern in each, and exchange with the next cells.
KIND(reactions) {
	num d = a;
	size(n * d, n * d);
	UP (s, n)
		UP (f, d) {
			UP (g, d)
				if (f == g || coin(f, g + 1000) < b) e(s * d + f, s * d + g);
			e(s * d + f, (s - 1) * d + f), e(s * d + f, (s + 1) * d + f);
		}
}
// Directions of transport: a sweep through n by n cells in each of a directions, and scattering into all; by direction
// where b is 0, by cell where it is 1.
KIND(ordinates) {
	num d = a, N = n * n;
	size(N * d, N * d);
	UP (s, N)
		UP (f, d) {
#define AT(s, f) (b ? (s)*d + (f) : (f)*N + (s))
			num r = AT(s, f), sx = f % 2 ? 1 : -1, sy = f % 4 < 2 ? n : -n;
			if (s + sx >= 0 && s + sx < N) e(r, AT(s + sx, f));
			if (s + sy >= 0 && s + sy < N) e(r, AT(s + sy, f));
			UP (g, d) e(r, AT(s, g));
		}
}
// A four-dimensional torus of n^4 sites with a unknowns: blocks of neighbours, and a diagonal.
KIND(torus) {
	num d = a, N = n * n * n * n;
	size(N * d, N * d);
	UP (s, N) {
		num step = 1;
		UP (f, d) e(s * d + f, s * d + f);
		UP (k, 4) {
			num x = s / step % n;
			UP (way, 2) {
				num t = s + ((x + (way ? 1 : n - 1)) % n - x) * step;
				UP (f, d)
					UP (g, d) e(s * d + f, t * d + g);
			}
			step *= n;
		}
	}
}
// Pixels with a share b of the window of 2a+1 pixels a side around them, drawn anew for each.
KIND(window) {
	num w = a;
	size(n * n, n * n);
	UP (s, n * n) {
		num x = s % n, y = s / n;
		e(s, s);
		for (num j = -w; j <= w; j++)
			for (num i = -w; i <= w; i++)
				if (x + i >= 0 && x + i < n && y + j >= 0 && y + j < n && u() < b) e(s, s + j * n + i);
	}
}
// A blurred picture: a disc around each pixel, small in the middle and of radius a at the corners.
KIND(blur) {
	size(n * n, n * n);
	UP (s, n * n) {
		num x = s % n, y = s / n;
		double R = 1 + (a - 1) * pow(hypot(x - n / 2., y - n / 2.) / n * 1.41, b);
		for (num j = -R; j <= R; j++)
			for (num i = -R; i <= R; i++)
				if (i * i + j * j <= R * R && x + i >= 0 && x + i < n) e(s, s + j * n + i);
	}
}
// A picture bent by a smooth displacement of a pixels: each pixel from the four where it came from.
KIND(warp) {
	size(n * n, n * n);
	UP (s, n * n) {
		double x = s % n, y = s / n, p = x * 6.28 / n, q = y * 6.28 / n;
		num X = x + a * sin(q * b + cos(p)), Y = y + a * cos(p * b + sin(2 * q));
		X = (X + 9 * n) % n, Y = (Y + 9 * n) % n;
		e(s, Y * n + X), e(s, Y * n + X + 1), e(s, (Y + 1) * n + X), e(s, (Y + 1) * n + X + 1);
	}
}
// A globe: n by 2n cells by latitude from those of a cube's six faces, many of them near the poles.
KIND(remap) {
	num f = n * a;
	size(2 * n * n, 6 * f * f);
	UP (s, 2 * n * n) {
		double lat = ((s / (2 * n) + .5) / n - .5) * 3.14159, lon = (s % (2 * n)) * 3.14159 / n;
		num m = 2 + (num)(b * fabs(tan(lat * .97)) + a * 2);
		if (m > 60) m = 60;
		UP (i, m) {
			double A = lat + (u() - .5) * 3.2 / n, B = lon + (u() - .5) * 3.2 / n * (1 + m / 8), X = cos(A) * cos(B),
				   Y = cos(A) * sin(B), Z = sin(A), p, q;
			num face;
			if (fabs(X) >= fabs(Y) && fabs(X) >= fabs(Z)) face = X > 0, p = Y / fabs(X), q = Z / fabs(X);
			else if (fabs(Y) >= fabs(Z)) face = 2 + (Y > 0), p = X / fabs(Y), q = Z / fabs(Y);
			else face = 4 + (Z > 0), p = X / fabs(Z), q = Y / fabs(Z);
			e(s, face * f * f + (num)((q + 1) / 2.001 * f) * f + (num)((p + 1) / 2.001 * f));
		}
	}
}
// Particles of a box and the eight grid points around each; in order of cells where b is 1.
KIND(deposit) {
	num g = a;
	size(n, g * g * g);
	UP (r, n) {
		num x, y, z;
		if (b) {
			num c = r * (g * g * g - g * g - g - 1) / n;
			x = c % g, y = c / g % g, z = c / g / g;
		} else {
			double t = u();
			x = t * t * (g - 1), y = u() * (g - 1), z = u() * (g - 1);
		}
		UP (i, 8) e(r, ((z + i / 4) * g + y + i / 2 % 2) * g + x + i % 2);
	}
}
// Differences of an n by n picture along both axes, one below the other: two entries in a row.
KIND(differences) {
	size(2 * n * n, n * n);
	UP (s, n * n) { e(s, s), e(s, s + 1), e(n * n + s, s), e(n * n + s, s + n); }
}
// Sides of the squares of an n^3 complex: four edges each, of three directions numbered apart.
KIND(boundary) {
	num N = n * n * n;
	size(3 * N, 3 * N);
	UP (d, 3)
		UP (s, N) {
			num p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2, step[3] = {1, n, n * n};
			e(d * N + s, p * N + s), e(d * N + s, q * N + s), e(d * N + s, p * N + s + step[q]),
				e(d * N + s, q * N + s + step[p]);
		}
}
// Aggregates of a wobbling partition and their neighbours: rows of one to a few entries, smoothed where b is 1.
KIND(aggregates) {
	num m = n / a;
	size(n * n, (m + 1) * (m + 1));
	UP (s, n * n) {
		num x = s % n, y = s / n;
		num reach = b ? 5 : 1;
		UP (k, reach) {
			num X = x + (k == 1) - (k == 2) + 2 * coin(s / 3, 1) - 1, Y = y + (k == 3) - (k == 4) + 2 * coin(s, 2) - 1;
			if (X >= 0 && Y >= 0) e(s, (num)(Y / a) * (m + 1) + (num)(X / a));
		}
	}
}
// Points along a random walk in space, and all that come within one cell of them.
KIND(polymer) {
	enum { H = 1 << 22 };
	int *head = malloc(H * sizeof(int)), *link = malloc(n * sizeof(int));
	short *at = malloc(3 * n * sizeof(short));
	memset(head, -1, H * sizeof(int));
	size(n, n);
	double p[3] = {0}, v[3] = {0}, box = cbrt(n / a);
	UP (i, n) {
		UP (k, 3) {
			v[k] = .8 * v[k] + b * gauss();
			p[k] += v[k];
			p[k] = fmod(p[k] + 8 * box, box);
			at[3 * i + k] = p[k];
		}
		for (int t = 0; t < 27; t++) {
			int x = at[3 * i] + t % 3 - 1, y = at[3 * i + 1] + t / 3 % 3 - 1, z = at[3 * i + 2] + t / 9 - 1, k = 0;
			for (int j = head[hash(((uint64_t)(x + 9) << 40) + ((y + 9) << 20) + z + 9) % H]; j >= 0 && k < 12;
				 j = link[j], k++)
				if (at[3 * j] == x && at[3 * j + 1] == y && at[3 * j + 2] == z && u() < .6) both(i, j);
		}
		e(i, i);
		uint64_t h = hash(((uint64_t)(at[3 * i] + 9) << 40) + ((at[3 * i + 1] + 9) << 20) + at[3 * i + 2] + 9) % H;
		link[i] = head[h], head[h] = i;
	}
}

// Graphs.

// Kronecker: each edge goes down 2^n rows by quadrants of probability a, b, b and the rest.
static void quadrants(num up, num across, num edges, double a, double b, double noise) {
	size(1LL << up, 1LL << across);
	UP (i, edges) {
		num r = 0, c = 0;
		num deep = up > across ? up : across;
		UP (l, deep) {
			double A = a * (1 + noise * (u() - .5)), x = u();
			int R = x >= A + b, C = (x >= A && x < A + b) || x >= A + 2 * b;
			if (l < up) r = 2 * r + R;
			if (l < across) c = 2 * c + C;
		}
		e(r, c);
	}
}
KIND(skewed) { quadrants(n, n, (num)(b * (1LL << n)), a, a > .6 ? .14 : a > .5 ? .19 : .22, .3); }
KIND(skewed_wide) { quadrants(n, n + a, (num)(b * (1LL << n)), .55, .18, .2); }
// Expected degrees of a power law, ends drawn by them, the largest first.
KIND(expected_degrees) {
	size(n, n);
	UP (i, (num)(n * b)) both(zipf(n, a), zipf(n, a));
}
// Each page takes most of its links from an earlier page nearby, the others anywhere.
KIND(copying) {
	num d = a;
	size(n, n);
	int *to = malloc(n * d * sizeof(int));
	UP (r, n)
		UP (k, d) {
			num back = 1 + (num)(fabs(gauss()) * 2000), from = r - back;
			num c = from >= 0 && u() < b ? to[from * d + k] : below(r + 1);
			to[r * d + k] = c;
			e(r, c);
			if (u() < .3) e(r, r - k);
		}
}
// Hosts of very different sizes; three links in four stay within, the others go to the first pages of hosts.
KIND(hosts) {
	num m = 0, *first = malloc((n + 1) * sizeof(num)), total = 0;
	size(n, n);
	while (total < n) first[m++] = total, total += 1 + pareto(a, 1.1) % 50000;
	first[m] = n;
	num *order = shuffled(m);
	UP (h, m)
		for (num r = first[h]; r < first[h + 1] && r < n; r++) {
			num w = first[h + 1] - first[h], d = 1 + pareto(b / 3, 1.6) % 3000;
			UP (k, 4 < w ? 4 : w) e(r, first[h] + k);
			UP (k, d)
				if (u() < .75) e(r, u() < .5 ? r + between(-20, 20) : first[h] + below(w));
				else e(r, first[order[zipf(m, .9)]] + geometric(2) - 1);
		}
}
// Communities of Pareto's sizes in which degrees differ, a links each, a share b of them outside.
KIND(communities) {
	size(n, n);
	for (num first = 0; first < n;) {
		num w = 10 + pareto(20, 1.2) % 20000;
		if (first + w > n) w = n - first;
		UP (i, (num)(w * a / 2)) both(first + zipf(w, .5), u() < b ? below(n) : first + below(w));
		first += w;
	}
}
// A core that knows each other, and a periphery that knows some of the core.
KIND(core) {
	num k = n * a;
	size(n, n);
	UP (i, (num)(k * b)) both(below(k), below(k));
	for (num r = k; r < n; r++)
		UP (j, geometric(3)) both(r, zipf(k, .6));
}
// Layers of n, each joined to the next by a links a vertex, drawn near its own place or anywhere.
KIND(layers) {
	num l = 40;
	size(n * l, n * l);
	UP (r, n * l)
		UP (k, a) e(r, (r / n + 1) % l * n + (u() < b ? below(n) : (r % n + (num)(60 * gauss()) + n) % n));
}
// Words of a alphabet's letters: each goes to those that overlap it but for a letter.
KIND(overlaps) {
	size(n, n);
	UP (r, n) {
		UP (k, a) {
			e(r, (r * (num)a + k) % n);
			if (b) e((r * (num)a + k) % n, r);
		}
	}
}
// A vertex for each pattern of n bits, joined to those that differ in one, or in two bits side by side where a is 2.
KIND(cube) {
	num N = 1LL << n;
	size(N, N);
	UP (r, N) {
		e(r, r);
		UP (k, n) {
			e(r, r ^ (1LL << k));
			if (a == 2 && k + 1 < n && coin(k, r % 64) < b) e(r, r ^ (3LL << k));
		}
	}
}
// The graph of a group: a fixed maps of all n vertices, each a permutation.
KIND(maps) {
	size(n, n);
	UP (k, a) {
		num m = (2 * below(n / 2) + 1) | 1, t = below(n);
		UP (r, n) e(r, b ? (r % 1024 + (r / 1024 * m + t) * 1024) % n : (num)(((unsigned __int128)r * m + t) % n));
	}
}
// Parents, those of an animal shortly before it: dams mostly once, sires often, as the inverse of their kinship has
// them.
KIND(pedigree) {
	size(n, n);
	UP (r, n) {
		e(r, r);
		num g = r / 20000 * 20000;
		if (g) {
			num d = g - 1 - below(20000), s = g - 20000 + zipf(20000, a);
			both(r, d), both(r, s), both(d, s);
		}
	}
}
// A tree in which each vertex hangs from an earlier one, near (b small) or anywhere, and a other edges a vertex.
KIND(tree) {
	size(n, n);
	for (num r = 1; r < n; r++) {
		e(r, r);
		num back = geometric(b);
		both(r, back > r ? below(r) : r - back);
		if (u() < a) both(r, below(n));
	}
}
// Flights: airports by times, waiting and flying to a later time of another one; a few airports have most flights.
KIND(flights) {
	num p = a, t = n / p;
	size(p * t, p * t);
	UP (s, p * t) {
		e(s, s), e(s, s + p);
		num port = s % p, k = (num)(b / (1 + port / 8.)) + (u() < .3);
		UP (i, k) e(s, s - port + p * between(1, 30) + zipf(p, .9));
	}
}
// Authors of papers: one to dozens each, teams that write again, sorted by time.
KIND(authors) {
	num m = n * a;
	size(n, m);
	UP (r, n) {
		num lead = (num)(r * .7 * a) + below(m / 5 + 1), k = geometric(b) + (u() < .002 ? 200 : 0);
		e(r, lead);
		UP (i, k) e(r, u() < .6 ? lead - zipf(200, .8) : below(m));
	}
}

// Text, tables, ratings.

// Documents of a few of 300 topics, each with words of its own, and words that all share; documents by topic where a
// is 1.
KIND(topics) {
	num m = 150000, T = 300;
	size(n, m);
	UP (r, n) {
		num t[3];
		UP (k, 3) t[k] = a ? (r * T / n + (k ? below(20) : 0)) % T : below(T);
		UP (k, lognormal(b, .7) + 5)
			e(r, u() < .4 ? zipf(20000, 1.05) : 20000 + (hash(t[below(3)] * 7919 + zipf(3000, .9)) % (m - 20000)));
	}
}
// Words that occur near each other, by rank.
KIND(cooccurrence) {
	size(n, n);
	UP (i, (num)(n * b)) {
		num w = zipf(n, a);
		both(w, u() < .5 ? zipf(n, a) : (num)(hash(w * 31 + zipf(40, .7)) % n));
	}
}
// Pieces of text by a hash of their letters: some pieces everywhere, most once, a to 2a in a row.
KIND(shingles) {
	num m = 1 << 21;
	size(n, m);
	UP (r, n)
		UP (k, between(a, 2 * a)) e(r, hash(u() < b ? zipf(4000, .8) : 5000 + next() % 60000000) % m);
}
// A table of records: 13 numbers and fields of categories, of which one is chosen each, some of many thousands.
KIND(records) {
	num f = a, first[80], total = 13;
	UP (k, f) first[k] = total, total += 3 + (num)exp(b * u());
	size(n, total);
	first[f] = total;
	UP (r, n) {
		UP (k, 13) e(r, k);
		UP (k, f) e(r, first[k] + zipf(first[k + 1] - first[k], 1.1));
	}
}
// Sessions in order of time: items of the moment, which drift, and a few that always sell.
KIND(sessions) {
	num m = n / 4 + 10;
	size(n, m);
	UP (r, n) {
		num now = (num)((double)r / n * m);
		UP (k, 1 + lognormal(a, 1)) e(r, u() < b ? (now + zipf(3000, .7)) % m : hash(zipf(m, .9)) % m);
	}
}
// Reads of a genome by the pieces they hold: runs of numbers that stand in a random order, broken by errors.
KIND(reads) {
	num m = n * a;
	size(n, m);
	UP (r, n) {
		num s = below(m), k = 0;
		UP (i, b) {
			if (u() < .02) k = next() % m;
			e(r, k ? (num)(hash(s + i + k) % m) : (num)(hash((s + i) / 3) % m));
		}
	}
}
// A sample of at most a neighbours each, popular ones more often, in no order.
KIND(sampled) {
	size(n, n * 2);
	UP (r, n)
		UP (k, a) e(r, (num)(hash(zipf(n * 2, b)) % (n * 2)));
}
// Numbers and their small prime factors, as sieves find them: column p is in one row of p.
KIND(sieve) {
	num m = n;
	size(n, m);
	UP (r, n) {
		for (num c = 0; c < 60; c++)
			if (u() < 1. / (c + 2)) e(r, c);
		UP (k, a) e(r, 60 + zipf(m - 60, b));
	}
}
// Each number and all its multiples.
KIND(multiples) {
	size(n, n);
	UP (r, n)
		for (num c = r; c < n; c += r + 1) e(r, c);
}
// Each place and all above it in a tree of halves.
KIND(ancestors) {
	size(n, n);
	UP (r, n) {
		for (num k = r + 1; k; k /= a) e(r, k - 1);
	}
}

// Optimization.

// Rosters: columns of a few tasks near each other in time, of a network of n tasks; a columns a task.
KIND(rosters) {
	num m = n * a;
	size(n, m);
	UP (c, m) {
		num t = (num)(u() * n);
		UP (k, between(3, b)) {
			e(t, c);
			t += geometric(12);
		}
	}
}
// Arcs, each from one vertex to another nearby.
KIND(arcs) {
	num m = n * a;
	size(n, m);
	UP (c, m) {
		num s = c / a;
		e(s, c), e((s + (num)(b * gauss()) + n) % n, c);
	}
}
// Scenarios: first-stage columns that all share, and n blocks of a rows, the same in each.
KIND(scenarios) {
	num d = a, first = 400;
	size(n * d, first + n * d * 2);
	UP (s, n)
		UP (f, d) {
			UP (g, 2 * d)
				if (coin(f, g + 50) < b / (2 * d)) e(s * d + f, first + s * d * 2 + g);
			if (coin(f, 9) < .4)
				UP (k, 12) e(s * d + f, (hash(f * 12 + k)) % first);
		}
}
// Pairs that exclude each other, two entries a row, after a row of each group of a choices.
KIND(choices) {
	num g = a;
	size(n * (1 + g * b), n * g);
	num r = 0;
	UP (s, n) {
		UP (k, g) e(r, s * g + k);
		r++;
		UP (i, (num)(g * b)) {
			e(r, s * g + below(g));
			e(r++, u() < .7 ? s * g + below(g) : below(n * g));
		}
	}
}
// A circuit of gates unrolled n times: clauses of two and three, on a wires of this step and the last.
KIND(unrolled) {
	num w = a, g = w * 3;
	size(n * g, n * w);
	UP (s, n)
		UP (k, g) {
			num o = hash(k / 3) % w;
			e(s * g + k, s * w + k / 3);
			UP (i, k % 3 ? 1 : 2) {
				num x = hash(k * 5 + i) % w;
				if (u() < .001) x = o;
				e(s * g + k, coin(k, i) < b ? (s - 1) * w + x : s * w + (k / 3 + (x % 200)) % w);
			}
		}
}
// Arrows within arrows: each vertex with all above it in a tree of branching a, of which the last border is wide.
KIND(arrows) {
	size(n, n);
	UP (r, n) {
		e(r, r);
		both(r, r + 1);
		num block = 20;
		while (block < n) {
			num first = r / block * block, w = b * log((double)block);
			UP (k, w) both(r, first + k);
			block *= a;
		}
	}
}
// Polynomials: n shifts of a few of them, a terms each, which are near for some and far for others.
KIND(polynomials) {
	size(n, n * 2);
	UP (r, n) {
		num p = r % 7, s = r / 7 * 9;
		UP (k, a) e(r, s + (num)(pow(coin(p, k), 1 + p) * b));
	}
}

// States of chains and quanta.

// Populations of four kinds, at most n in all, in lexical order: one more, one less, one that changes its kind.
KIND(populations) {
	num *index = malloc((n + 1) * (n + 1) * (n + 1) * sizeof(num)), total = 0;
	UP (i, n + 1)
		for (num j = 0; i + j <= n; j++)
			for (num k = 0; i + j + k <= n; k++) {
				index[(i * (n + 1) + j) * (n + 1) + k] = total;
				total += n - i - j - k + 1;
			}
	size(total, total);
#define OF(i, j, k, l) (index[((i) * (n + 1) + (j)) * (n + 1) + (k)] + (l))
	UP (i, n + 1)
		for (num j = 0; i + j <= n; j++)
			for (num k = 0; i + j + k <= n; k++)
				for (num l = 0; i + j + k + l <= n; l++) {
					num r = OF(i, j, k, l);
					e(r, r);
					if (i) { e(r, OF(i - 1, j, k, l)), e(r, OF(i - 1, j + 1, k, l)); }
					if (j) {
						e(r, OF(i, j - 1, k, l));
						if (a) e(r, OF(i, j - 1, k + 1, l));
					}
					if (k) {
						e(r, OF(i, j, k - 1, l));
						if (a) e(r, OF(i, j, k - 1, l + 1));
					}
					if (i + j + k + l < n) e(r, OF(i + 1, j, k, l)), e(r, OF(i, j, k, l + 1));
				}
}
// Two kinds of electrons on a ring of n places, a of each: hops of either, one moves by far strides.
KIND(electrons) {
	num m = 0, *of = malloc((1LL << n) * sizeof(num)), *bits = malloc((1LL << n) * sizeof(num));
	UP (s, 1LL << n)
		if (__builtin_popcountll(s) == (int)a) bits[m] = s, of[s] = m++;
	size(m * m, m * m);
	UP (s, m)
		UP (k, n) {
			num j = (k + 1) % n, x = bits[s];
			if ((x >> k & 1) == (x >> j & 1)) continue;
			num t = of[x ^ (1LL << k) ^ (1LL << j)];
			UP (o, m) e(s * m + o, t * m + o), e(o * m + s, o * m + t);
		}
	UP (r, m * m) e(r, r);
}
// Fingers of a wavelet's operator: bands between all pairs of scales of a vector of 2^n, a wide.
KIND(fingers) {
	num N = 1LL << n;
	size(N, N);
	UP (p, n)
		UP (q, n) {
			num w = (num)(a * pow(b, fabs((double)(p - q)))) + 1, P = 1LL << p, Q = 1LL << q;
			UP (i, P) {
				num at = i * Q / P;
				for (num k = -w; k <= w + (P < Q ? Q / P - 1 < 8 ? Q / P - 1 : 8 : 0); k++)
					if (at + k >= 0 && at + k < Q) e(P + i, Q + at + k);
			}
		}
}

// Blocks and factors.

// Dense blocks of a by a: at places near the diagonal (b is 0), anywhere (1), or some of each (2), 1 to 12 a row of
// blocks.
KIND(blocks) {
	num d = a;
	size(n * d, n * d);
	UP (s, n) {
		num k = 1 + below(12);
		UP (i, k) {
			num t = b == 0 || (b == 2 && u() < .6) ? s + (num)(30 * gauss()) : below(n);
			if (t < 0 || t >= n) continue;
			UP (f, d)
				UP (g, d) e(s * d + f, t * d + g);
		}
	}
}
// Blocks of 2 to 7 rows and as many columns, of a graph, in order of their size where b is 1.
KIND(mixed_blocks) {
	num *first = malloc((n + 1) * sizeof(num)), total = 0;
	UP (i, n) first[i] = total, total += b ? 2 + i * 6 / n : between(2, 7);
	first[n] = total;
	size(total, total);
	UP (i, n)
		UP (k, a) {
			num j = k ? (u() < .5 ? below(n) : (i + between(-99, 99) + n) % n) : i;
			for (num r = first[i]; r < first[i + 1]; r++)
				for (num c = first[j]; c < first[j + 1]; c++) e(r, c);
		}
}
// A factor by fronts: a tree of n leaves of a columns, and above them separators that grow by b; dense below.
KIND(fronts) {
	num total = 0, nodes = 2 * n - 1, *first = malloc(nodes * sizeof(num)), *wide = malloc(nodes * sizeof(num));
	for (num i = nodes - 1; i >= 0; i--) {
		num depth = 0;
		while ((1LL << (depth + 1)) <= i + 1) depth++;
		num top = 0;
		while ((1LL << (top + 1)) <= nodes) top++;
		wide[i] = a * pow(b, (double)(top - depth));
		if (wide[i] < 1) wide[i] = 1;
		first[i] = total, total += wide[i];
	}
	size(total, total);
	UP (i, nodes) {
		for (num r = 0; r < wide[i]; r++)
			for (num c = 0; c <= r; c++) e(first[i] + r, first[i] + c);
		num p = i, share = 2;
		while (p) {
			p = (p - 1) / 2;
			for (num r = 0; r < wide[p]; r++)
				if (coin(i, first[p] + r / 4) < 1. / share)
					for (num c = 0; c < wide[i]; c++) e(first[p] + r, first[i] + c);
			share *= 2;
		}
	}
}
// Patches of surfaces that see each other: of pairs of a surfaces a share b is visible, four fifths of their patches.
KIND(radiosity) {
	num m = a, w = n / m;
	size(m * w, m * w);
	UP (s, m)
		UP (t, m)
			if (s != t && coin(s < t ? s : t, s < t ? t : s) < b)
				UP (i, w) {
					num from = below(w / 5 + 1);
					for (num j = from; j < from + w * 4 / 5; j++) e(s * w + i, t * w + j);
				}
}
// A dense matrix, of which a share a is there.
KIND(dense) {
	size(n, b * n);
	UP (r, n)
		UP (c, (num)(b * n))
			if (a >= 1 || u() < a) e(r, c);
}
// A few full columns, and as many again half full.
KIND(regressors) {
	size(n, 2 * (num)a + 5);
	UP (r, n) {
		UP (c, a) e(r, c);
		for (num c = a; c < 2 * (num)a; c++)
			if (u() < b) e(r, c);
		e(r, 2 * (num)a + below(5));
	}
}
// Below the diagonal, rows that grow: a share a of what is there, in the last b columns.
KIND(growing) {
	size(n, n);
	UP (r, n) {
		num w = r < b ? r : b;
		num k = (num)(w * a);
		UP (i, k) e(r, r - below(w + 1));
		e(r, r);
	}
}
// Layers of a picture's network: n by n pixels, of a channels from and to, a share b of all 3 x 3 weights is kept.
KIND(convolution) {
	num d = a, N = n * n;
	size(d * N, d * N);
	UP (f, d)
		UP (g, d)
			UP (t, 9)
				if (coin(f * d + g, t) < b)
					UP (s, N) {
						num x = s % n + t % 3 - 1, y = s / n + t / 3 - 1;
						if (x >= 0 && x < n && y >= 0 && y < n) e(f * N + s, g * N + y * n + x);
					}
}

// Bands, rays, series.

// A band of a diagonals each way, of which a share b of the places is there, in one place more than in another.
KIND(holes) {
	size(n, n);
	UP (r, n) {
		double keep = b * (1 + .8 * sin(r * 60. / n));
		e(r, r);
		for (num k = -a; k <= a; k++)
			if (u() < keep) e(r, r + k);
	}
}
// A band whose width swings between 2 and a, and a second one that runs askew.
KIND(swing) {
	size(n, n);
	UP (r, n) {
		num w = 2 + (a - 2) * (.5 + .5 * sin(r * b / n));
		for (num k = -w; k <= w; k++) e(r, r + k);
		UP (k, 4) e(r, (r * 2 + k) % n);
	}
}
// Lags of a series in n rows: the last few of each, some of last week and last year, the same for all.
KIND(lags) {
	num d = a;
	size(n * d, n * d);
	UP (t, n)
		UP (f, d) {
			num r = t * d + f;
			UP (k, 5) e(r, r - k * d);
			UP (k, 3) e(r, r - (168 + k) * d), e(r, r - (8760 + k) * d);
			UP (k, b) e(r, t * d + k);
		}
}
// Rays from a point through an n by n picture, a detectors at each of b angles: pixels along them.
KIND(fan) {
	num m = a * b;
	size(m, n * n);
	UP (i, m) {
		double t = (i / (num)a) * 6.283 / b, w = t + 3.14159 + ((i % (num)a) / a - .5) * .9,
			   x = n / 2. + n * .9 * cos(t), y = n / 2. + n * .9 * sin(t);
		UP (k, 2 * n) {
			x += cos(w), y += sin(w);
			if (x >= 0 && y >= 0 && x < n && y < n) e(i, (num)y * n + (num)x);
		}
	}
}
// Rays through an n^3 box, from anywhere to anywhere.
KIND(rays) {
	num m = a;
	size(m, n * n * n);
	UP (i, m) {
		double p[3], q[3];
		UP (k, 3) p[k] = u() * n, q[k] = b ? p[k] + b * gauss() : u() * n;
		double l = sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2)) + 1;
		UP (s, (num)l) {
			num c[3], ok = 1;
			UP (k, 3) {
				c[k] = p[k] + (q[k] - p[k]) * s / l;
				ok &= c[k] >= 0 && c[k] < n;
			}
			if (ok) e(i, (c[2] * n + c[1]) * n + c[0]);
		}
	}
}
// Intervals: runs of b entries in the mean, a in a row, over n columns.
KIND(intervals) {
	num m = n / 2;
	size(m, n);
	UP (r, m)
		UP (k, a) {
			num s = k ? below(n) : r * 2, w = geometric(b);
			UP (i, w) e(r, s + i);
		}
}

// Rows by a law of length (a: which), and columns by a law of place (b: which).
static num length(int law, num r, num n) {
	switch (law) {
	case 0:
		return 4;
	case 1:
		return 24;
	case 2:
		return between(1, 40);
	case 3:
		return geometric(10);
	case 4:
		return r % 16 ? 3 : 120;
	case 5:
		return r / 5000 % 8 ? 5 : 70;
	case 6:
		return pareto(2.5, 1.3) % 20000;
	case 7:
		return lognormal(1.8, 1.3);
	case 8:
		return 2 + (num)(60. * r / n);
	case 9:
		return u() < .5 ? 0 : between(4, 24);
	case 10:
		return 300 + between(-100, 100);
	}
	return r % 20000 ? 6 : 60000;
}
static void places(num r, num k, int law, num n) {
	num m = cols, at = (num)((double)r / n * m), s = below(m), p = below(1 + m / 64) * 64;
	UP (i, k) switch (law) {
		case 0:
			e(r, below(m));
			break;
		case 1:
			e(r, at + (num)(200 * gauss()));
			break;
		case 2:
			e(r, at + (num)(30000 * gauss()));
			break;
		case 3:
			if (i % 8 == 0) s = below(m);
			e(r, s + i % 8);
			break;
		case 4:
			e(r, (num)(hash(zipf(m, .9)) % m));
			break;
		case 5:
			e(r, zipf(m, .8));
			break;
		case 6:
			e(r, (s + (num)(1.5 * i)) % m);
			break;
		case 7:
			e(r, (at + i * 1009) % m);
			break;
		case 8:
			e(r, p + below(64 * (1 + k / 32)));
			break;
		case 9:
			e(r, u() < .5 ? at + i : below(m));
			break;
		default:
			e(r, (at / 4096 * 4096 + below(8192)) % m);
		}
}
KIND(lengths) {
	size(n, n);
	UP (r, n) places(r, length(a, r, n), b, n);
}
KIND(tall) {
	size(n, n / 16);
	UP (r, n) places(r, length(a, r, n), b, n);
}
KIND(wide) {
	size(n, n * 16);
	UP (r, n) places(r, length(a, r, n), b, n);
}

// All of them. In h200-strangers.json.gz their names begin with seventh_.
static const matrix all[] = {
	M(triangles, "_2", 300, 2, 0, ""),
	M(triangles, "_p", 1000, 1, 0, "P"),
	M(tetrahedra, "_3", 36, 3, .5, ""),
	M(tetrahedra, "_1", 88, 1, 1, "W"),
	M(stokes, "", 420, 0, 0, ""),
	M(hanging, "", 300, 4, 20, ""),
	M(hanging, "_deep", 120, 6, 30, "W"),
	M(spectral, "_4", 90, 4, 0, ""),
	M(spectral, "_8", 30, 8, 0, ""),
	M(discontinuous, "_10", 110, 10, 0, ""),
	M(discontinuous, "_6", 170, 6, 1, ""),
	M(splines, "_2d", 330, 4, 2, ""),
	M(splines, "_3d", 36, 2, 3, ""),
	M(star, "_4", 64, 4, .8, ""),
	M(star, "_2", 75, 2, .6, ""),
	M(reordered, "_bricks", 70, 0, 0, ""),
	M(reordered, "_red", 120, 1, 0, ""),
	M(reordered, "_z", 60, 2, 0, ""),
	M(reordered, "_askew", 80, 3, 0, ""),
	M(crystal, "_7", 20, 7, .12, ""),
	M(crystal, "_20", 14, 20, .03, ""),
	M(fractures, "", 1200000, 300, 0, ""),
	M(reservoir, "", 150, .7, 300, ""),
	M(reactions, "_50", 6000, 50, .15, ""),
	M(reactions, "_12", 60000, 12, .4, ""),
	M(ordinates, "_angle", 90, 24, 0, ""),
	M(ordinates, "_cell", 110, 16, 1, ""),
	M(torus, "_3", 14, 3, 0, ""),
	M(torus, "_1", 22, 1, 0, ""),
	M(window, "_5", 400, 5, .2, ""),
	M(window, "_12", 200, 12, .15, ""),
	M(blur, "", 330, 9, 1, ""),
	M(blur, "_t", 350, 12, 4, "T"),
	M(warp, "", 900, 40, 1, ""),
	M(remap, "", 700, .5, 1, ""),
	M(remap, "_t", 600, .7, 2, "T"),
	M(deposit, "", 400000, 60, 0, ""),
	M(deposit, "_t", 600000, 90, 1, "T"),
	M(differences, "", 900, 0, 0, ""),
	M(differences, "_t", 1100, 0, 0, "T"),
	M(boundary, "", 60, 0, 0, ""),
	M(aggregates, "", 1300, 3, 1, ""),
	M(aggregates, "_t", 1500, 5, 1, "T"),
	M(polymer, "", 260000, 1.2, .3, ""),
	M(polymer, "_p", 120000, 1.2, .3, "P"),

	M(skewed, "_45", 18, .45, 10, ""),
	M(skewed, "_57p", 18, .57, 24, "P"),
	M(skewed, "_65", 19, .65, 14, ""),
	M(skewed, "_57l", 19, .57, 10, "L"),
	M(skewed_wide, "", 16, 4, 40, ""),
	M(skewed_wide, "_t", 16, 4, 50, "TR"),
	M(expected_degrees, "_6", 700000, .6, 4, ""),
	M(expected_degrees, "_8", 300000, .75, 8, "P"),
	M(copying, "_8", 600000, 8, .7, ""),
	M(copying, "_14", 200000, 14, .9, "P"),
	M(hosts, "", 1200000, 20, 7, ""),
	M(hosts, "_p", 250000, 50, 7, "P"),
	M(communities, "", 250000, 14, .15, ""),
	M(communities, "_p", 300000, 18, .1, "P"),
	M(core, "", 500000, .01, 60, ""),
	M(layers, "_near", 18000, 8, .1, ""),
	M(layers, "_any", 7000, 10, 1, ""),
	M(overlaps, "_4", 700000, 4, 1, ""),
	M(cube, "_18", 18, 1, 0, ""),
	M(cube, "_17", 17, 2, .5, "P"),
	M(maps, "_12", 1000000, 12, 0, ""),
	M(maps, "_runs", 350000, 9, 1, ""),
	M(pedigree, "", 700000, .7, 0, ""),
	M(tree, "_near", 1000000, .1, 30, ""),
	M(tree, "_any", 1200000, .3, 100000, ""),
	M(flights, "", 1000000, 400, 60, ""),
	M(authors, "", 400000, .8, 6, ""),
	M(authors, "_t", 900000, .3, 5, "T"),

	M(topics, "_sorted", 60000, 1, 4.2, ""),
	M(topics, "", 50000, 0, 4.5, ""),
	M(topics, "_t", 60000, 0, 4.2, "T"),
	M(cooccurrence, "", 200000, 1, 40, ""),
	M(cooccurrence, "_p", 60000, .85, 40, "P"),
	M(shingles, "", 60000, 60, .6, ""),
	M(records, "_26", 90000, 26, 11, ""),
	M(records, "_t", 120000, 30, 9, "T"),
	M(sessions, "", 450000, 2, .6, ""),
	M(sessions, "_t", 500000, 2, .5, "T"),
	M(reads, "", 60000, 20, 80, ""),
	M(reads, "_t", 90000, 8, 60, "T"),
	M(sampled, "_15", 350000, 15, .7, ""),
	M(sampled, "_40", 100000, 40, .9, ""),
	M(sieve, "", 350000, 14, .9, ""),
	M(multiples, "", 900000, 0, 0, ""),
	M(multiples, "_t", 200000, 0, 0, "T"),
	M(ancestors, "", 200000, 2, 0, ""),
	M(ancestors, "_t", 500000, 3, 0, "T"),

	M(rosters, "", 4000, 120, 14, ""),
	M(rosters, "_t", 9000, 70, 12, "T"),
	M(arcs, "", 400000, 5, 900, ""),
	M(arcs, "_t", 500000, 6, 90000, "T"),
	M(scenarios, "", 3000, 140, 9, ""),
	M(choices, "", 4500, 60, 6, ""),
	M(unrolled, "", 70, 8000, .3, ""),
	M(arrows, "", 180000, 20, .5, ""),
	M(polynomials, "", 160000, 40, 9000, ""),
	M(polynomials, "_wide", 90000, 60, 90000, "R"),
	M(populations, "", 48, 1, 0, ""),
	M(electrons, "", 11, 4, 0, ""),
	M(electrons, "_12", 12, 4, 0, ""),
	M(fingers, "", 15, 5, .8, ""),
	M(fingers, "_17", 17, 2, .7, "P"),

	M(blocks, "_2", 130000, 2, 0, ""),
	M(blocks, "_2any", 300000, 2, 1, ""),
	M(blocks, "_3", 80000, 3, 2, ""),
	M(blocks, "_5", 15000, 5, 1, ""),
	M(blocks, "_6", 22000, 6, 0, ""),
	M(mixed_blocks, "", 35000, 7, 0, ""),
	M(mixed_blocks, "_sorted", 16000, 6, 1, ""),
	M(fronts, "", 4096, 12, 1.35, ""),
	M(fronts, "_t", 2048, 8, 1.5, "T"),
	M(radiosity, "", 6000, 45, .12, ""),
	M(dense, "", 1900, 1, 1, ""),
	M(dense, "_half", 1200, .5, 8, ""),
	M(regressors, "", 150000, 20, .5, ""),
	M(regressors, "_t", 100000, 16, .5, "T"),
	M(growing, "", 30000, .015, 30000, ""),
	M(growing, "_band", 120000, .012, 4000, ""),
	M(convolution, "", 96, 24, .09, ""),
	M(convolution, "_64", 40, 64, .03, ""),

	M(holes, "_40", 120000, 40, .5, ""),
	M(holes, "_400", 60000, 400, .1, ""),
	M(swing, "", 80000, 40, 90, ""),
	M(lags, "", 40000, 8, 6, ""),
	M(fan, "", 256, 200, 120, ""),
	M(fan, "_t", 250, 150, 150, "T"),
	M(rays, "", 90, 70000, 0, ""),
	M(rays, "_short", 120, 250000, 12, "R"),
	M(intervals, "_3", 300000, 3, 10, ""),
	M(intervals, "_long", 60000, 2, 90, ""),

	M(lengths, "_0_0", 600000, 0, 0, ""),
	M(lengths, "_1_2", 250000, 1, 2, ""),
	M(lengths, "_2_6", 150000, 2, 6, ""),
	M(lengths, "_3_1", 500000, 3, 1, ""),
	M(lengths, "_4_2", 500000, 4, 2, ""),
	M(lengths, "_5_0", 900000, 5, 0, ""),
	M(lengths, "_6_10", 600000, 6, 10, ""),
	M(lengths, "_7_3", 200000, 7, 3, ""),
	M(lengths, "_8_8", 350000, 8, 8, ""),
	M(lengths, "_9_7", 400000, 9, 7, ""),
	M(lengths, "_10_9", 16000, 10, 9, ""),
	M(lengths, "_11_4", 600000, 11, 4, ""),
	M(tall, "_7_0", 200000, 7, 0, ""),
	M(tall, "_2_4", 300000, 2, 4, ""),
	M(tall, "_6_5", 1400000, 6, 5, "L"),
	M(wide, "_10_3", 14000, 10, 3, ""),
	M(wide, "_3_2", 200000, 3, 2, ""),
	M(wide, "_7_0", 800000, 7, 0, ""),
};

#define POWERS "skewed skewed_wide cube electrons fingers"
#include "write.h"
