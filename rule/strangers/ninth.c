// SPDX-License-Identifier: Apache-2.0
// The ninth set: 150 matrices of 66 kinds that no other set has, of 1 to 10 million nonzeros, whose values differ.
// It is called as the seventh: see there, also for what T, P, R, L and W mean.
#define SET "ninth_"
#include "draw.h"

#define ROWS(cols) size(n, cols); UP (r, n)

// Meshes and grids.
// at numbers the cells of a box of n by n by h by nested dissection: halves first, then the plane between them.
static num *nested(num n, num h) {
	num *at = malloc(n * n * h * sizeof(num)), k = 0, top = 0;
	static num stack[4096][7];
	memcpy(stack[top++], (num[7]){0, n, 0, n, 0, h, 0}, sizeof stack[0]);
	while (top) {
		num *s = stack[--top], p[7];
		memcpy(p, s, sizeof p);
		num d = 0;
		for (num i = 1; i < 3; i++)
			if (p[2 * i + 1] - p[2 * i] > p[2 * d + 1] - p[2 * d]) d = i;
		if (p[6] || p[2 * d + 1] - p[2 * d] < 4) {
			for (num z = p[4]; z < p[5]; z++)
				for (num y = p[2]; y < p[3]; y++)
					for (num x = p[0]; x < p[1]; x++) at[(z * n + y) * n + x] = k++;
			continue;
		}
		num mid = (p[2 * d] + p[2 * d + 1]) / 2, q[3][7];
		UP (i, 3) {
			memcpy(q[i], p, sizeof p);
			q[i][2 * d] = i == 0 ? mid : i == 1 ? mid + 1 : p[2 * d];
			if (i != 1) q[i][2 * d + 1] = i == 0 ? mid + 1 : mid;
			q[i][6] = i == 0;
			memcpy(stack[top++], q[i], sizeof p);
		}
	}
	return at;
}
// A box of n by n by a numbered by nested dissection, its 5, 7 or (b is 1) all 9 or 27 neighbours.
KIND(dissected) {
	num h = a, N = n * n * h, *at = nested(n, h);
	size(N, N);
	UP (s, N)
		for (num t = 0; t < 27; t++) {
			num i = t % 3 - 1, j = t / 3 % 3 - 1, k = t / 9 - 1, x = s % n + i, y = s / n % n + j, z = s / n / n + k;
			if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= h || (!b && i * i + j * j + k * k > 1)) continue;
			e(at[s], at[s + i + j * n + k * n * n]);
		}
}
// A cube in order of distance from a corner, in no order at the same distance, a unknowns a node; 15 neighbours.
KIND(levels) {
	num N = n * n * n, d = a, *first = calloc(6 * n + 9, sizeof(num)), *at = malloc(N * sizeof(num));
	num *order = shuffled(N);
#define FAR(s) ((num)(2 * ((s) % n + (s) / n % n + (s) / n / n) * (b ? .5 : 1) + (b ? coin(s, 3) * b : 0)))
	UP (s, N) first[FAR(s) + 1]++;
	UP (k, 6 * n + 8) first[k + 1] += first[k];
	UP (k, N) at[order[k]] = first[FAR(order[k])]++;
	size(N * d, N * d);
	UP (s, N)
		UP (t, 27) {
			num i = t % 3 - 1, j = t / 3 % 3 - 1, k = t / 9 - 1, x = s % n + i, y = s / n % n + j, z = s / n / n + k;
			if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n || i * j * k != 0 || i * j < 0) continue;
			UP (f, d)
				UP (g, d) e(at[s] * d + f, at[s + i + j * n + k * n * n] * d + g);
		}
}
// A shell of n by n nodes with 6 unknowns each, all of its 9 neighbours, and beams along every a-th line.
KIND(shells) {
	size(6 * n * n, 6 * n * n);
	UP (s, n * n)
		UP (t, 9) {
			num x = s % n + t % 3 - 1, y = s / n + t / 3 - 1;
			num beam = (s / n % (num)a == 0 && t == 5) || (s % (num)a == 0 && t == 7);
			if (x < 0 || y < 0 || x >= n || y >= n) continue;
			UP (f, 6)
				UP (g, 6)
					if (b || (f < 3) == (g < 3) || t == 4) {
						e(s * 6 + f, (y * n + x) * 6 + g);
						if (beam && s + 2 < n * n - 2 * n) both(s * 6 + f, (s + (t == 5 ? 2 : 2 * n)) * 6 + g);
					}
		}
}
// Corners and edges of bricks, the corners first: rows of 27 to 81 in four parts; b is how many unknowns a node has.
KIND(bricks) {
	num m = n + 1, N = m * m * m, d = a;
	size(4 * N * d, 4 * N * d);
#define NODE(x, y, z, f) (((f)*N + ((z)*m + (y)) * m + (x)))
	UP (s, n * n * n) {
		num x = s % n, y = s / n % n, z = s / n / n, node[20], k = 0;
		UP (i, 8) node[k++] = NODE(x + i % 2, y + i / 2 % 2, z + i / 4, 0);
		UP (i, 4)
			node[k++] = NODE(x, y + i % 2, z + i / 2, 1), node[k++] = NODE(x + i % 2, y, z + i / 2, 2),
			node[k++] = NODE(x + i % 2, y + i / 2, z, 3);
		UP (i, 20)
			UP (j, 20)
				UP (f, d)
					UP (g, d) e(node[i] * d + f, node[j] * d + g);
	}
}
// Fields on the edges of a cube of n^3 cells, three directions apart (a is 0) or of each node together (1): 33 a row.
KIND(edges) {
	num m = n + 1, N = m * m * m;
	size(3 * N, 3 * N);
#define EDGE(x, y, z, f) (a > 0 ? (((z)*m + (y)) * m + (x)) * 3 + (f) : (f)*N + ((z)*m + (y)) * m + (x))
	UP (s, n * n * n) {
		num x = s % n, y = s / n % n, z = s / n / n, k = 0, edge[12];
		UP (i, 4)
			edge[k++] = EDGE(x, y + i % 2, z + i / 2, 0), edge[k++] = EDGE(x + i % 2, y, z + i / 2, 1),
			edge[k++] = EDGE(x + i % 2, y + i / 2, z, 2);
		UP (i, 12)
			UP (j, 12) e(edge[i], edge[j]);
	}
}
// Flow through the faces of n by n by n/2 cells, and the cells' pressures: two kinds of rows, faces in no order if a.
KIND(faces) {
	num h = n / 2 + 1, N = n * n * h, *p = a ? shuffled(3 * N) : NULL;
	size(4 * N, 4 * N);
	UP (s, N) {
		num face[6] = {s, s + 1, N + s, N + s + n, 2 * N + s, 2 * N + s + n * n};
		UP (i, 6)
			if (face[i] < 3 * N) {
				num f = p ? p[face[i]] : face[i];
				both(f, 3 * N + s);
				e(f, f);
				if (b && face[i ^ 1] < 3 * N) e(f, p ? p[face[i ^ 1]] : face[i ^ 1]);
			}
	}
}
// An ocean of n by n columns of up to a layers by depth, by column (b is 0) or by layer (1); half of it is land.
KIND(ocean) {
	num N = n * n, *deep = calloc(N, sizeof(num)), *at = calloc(N * (num)a, sizeof(num)), k = 0;
	UP (s, N) {
		double x = 6.28 * (s % n) / n, y = 6.28 * (s / n) / n;
		deep[s] = fmax(0, fmin(a, a * (.3 + sin(x + 1.3 * sin(2 * y)) * .6 + .4 * cos(3 * y + x) + .1 * coin(s, 1))));
	}
	if (b) {
		UP (z, a)
			UP (s, N)
				if (z < deep[s]) at[s * (num)a + z] = k++;
	} else
		UP (s, N)
			UP (z, deep[s]) at[s * (num)a + z] = k++;
	size(k, k);
	UP (s, N)
		UP (z, deep[s]) {
			num r = at[s * (num)a + z];
			e(r, r);
			if (z) both(r, at[s * (num)a + z - 1]);
			for (num t = 0; t < 4; t++) {
				num to = s + (t == 0 ? 1 : t == 1 ? n : t == 2 ? n + 1 : n - 1);
				if (to < N && z < deep[to]) both(r, at[to * (num)a + z]);
			}
		}
}
// Nineteen populations in each of n^3 cells, of which each takes all of one cell nearby; solid cells (a share b) bounce.
KIND(streaming) {
	num N = n * n * n, d = a;
	size(N * d, N * d);
	UP (s, N)
		UP (f, d) {
			num t = f % 27, from = (s + (t % 3 - 1) + (t / 3 % 3 - 1) * n + (t / 9 - 1) * n * n + N) % N;
			if (coin(s / 3, 7) < b) e(s * d + f, s * d + (f + d / 2) % d);
			else
				UP (g, d) e(s * d + f, from * d + g);
		}
}
// Memory of a process: n steps of a places, each with its past at ever farther steps.
KIND(memory) {
	num d = a;
	size(n * d, n * d);
	UP (t, n)
		UP (f, d) {
			for (double back = 0; back <= t; back = back * b + 1) e(t * d + f, (t - (num)back) * d + f);
			for (num g = -2; g < 3; g++)
				if (f + g >= 0 && f + g < d) e(t * d + f, t * d + f + g);
		}
}
// Halves within halves: dense leaves of a, and at each level b columns for each half, kept in numbers of their own.
KIND(lowrank) {
	num leaves = n / (num)a, levels = 0, d = b;
	while ((1LL << levels) < leaves) levels++;
	size(n + 2 * d * (1LL << levels), n + 2 * d * (1LL << levels));
	UP (r, n) {
		num l = r / (num)a;
		for (num c = l * (num)a; c < (l + 1) * (num)a; c++) e(r, c);
		UP (k, levels)
			UP (i, d) both(r, n + ((1LL << (levels - k)) + (l >> k)) * d + i);
	}
}
// Leaves of an adaptive tree of points, of Pareto's sizes, full with those near in order and with some farther.
KIND(nearfield) {
	num *first = malloc((n + 1) * sizeof(num)), total = 0;
	UP (i, n) first[i] = total, total += 1 + pareto(a, 2) % 200;
	first[n] = total;
	size(total, total);
	UP (i, n)
		UP (k, 9) {
			num j = k < 3 ? i + k - 1 : k < 6 ? i + (num)(b * (k - 4)) + (i & 3) : i + (num)(8 * b * gauss());
			if (j < 0 || j >= n) continue;
			for (num r = first[i]; r < first[i + 1]; r++)
				for (num c = first[j]; c < first[j + 1]; c++) e(r, c);
		}
}
// Points in a square, sorted by one side only, with all within a radius: anywhere in a window, a of them in the mean.
KIND(stripes) {
	double radius = sqrt(a / (3.14159 * n)), *y = malloc(n * sizeof(double));
	size(n, n);
	UP (i, n) y[i] = b ? u() * u() : u();
	UP (i, n) {
		e(i, i);
		for (num j = i + 1; j < n && (j - i) < radius * n; j++) {
			double dx = (double)(j - i) / n, dy = y[i] - y[j];
			if (dx * dx + dy * dy < radius * radius) both(i, j);
		}
	}
}

// Networks of things.
// Power flow: four parts, voltages apart from angles, of regions in which buses meet few others.
KIND(buses) {
	size(2 * n, 2 * n);
	UP (s, n) {
		num region = s / (num)a * (num)a, k = geometric(1.4);
		UP (i, k + 1) {
			num t = i ? (u() < b ? below(n) : region + (num)(a * u() * u())) : s;
			if (t >= n) continue;
			UP (q, 4) e(q / 2 * n + s, q % 2 * n + t), e(q / 2 * n + t, q % 2 * n + s);
		}
	}
}
// Feeders: trees of a few thousand nodes of one to three phases, each coupled within a node.
KIND(feeders) {
	size(3 * n, 3 * n);
	UP (s, n) {
		num root = s / (num)a * (num)a, up = s == root ? 0 : s - geometric(b), phases = 1 + (num)(3 * coin(s / 40, 1));
		UP (f, phases)
			UP (g, phases) {
				e(s * 3 + f, s * 3 + g);
				if (up > root) both(s * 3 + f, up * 3 + g);
				else both(s * 3 + f, root * 3 + g);
			}
	}
}
// A plant: units of stages, stages of 3 to a substances, dense within, next to each other, and streams that come back.
KIND(plant) {
	num *first = malloc((n + 1) * sizeof(num)), *d = malloc((n + 1) * sizeof(num)), total = 0, m = 0;
	UP (s, n) {
		if (s % 37 == 0) m = between(3, a);
		first[s] = total, d[s] = m, total += 2 * m + 1;
	}
	size(total, total);
	UP (s, n)
		UP (f, 2 * d[s] + 1) {
			for (num t = s - 1; t <= s + 1; t++)
				if (t >= 0 && t < n)
					UP (g, t == s ? 2 * d[t] + 1 : d[t])
						if (t == s || g % d[t] == f % d[s] || f == 2 * d[s]) e(first[s] + f, first[t] + g);
			if (s % 37 == 0 && f < d[s]) {
				num t = hash(s) % n;
				e(first[s] + f, first[t] + f % d[t]);
			}
		}
}
// Harmonics: n places of a circuit with a frequencies each; a share b of them is full between all, the rest is not.
KIND(harmonics) {
	num d = a;
	size(n * d, n * d);
	UP (s, n)
		UP (i, 4) {
			num t = i ? (coin(s, i) < .9 ? s + (num)(coin(s, i + 9) * 60) - 30 : (num)(coin(s, i + 9) * n)) : s;
			if (t < 0 || t >= n) continue;
			UP (f, d) {
				if (coin(s, 77) < b)
					UP (g, d) e(s * d + f, t * d + g);
				else e(s * d + f, t * d + f);
			}
		}
}
// Transistors: cells of a nodes, copied, with supplies, clocks, and buses of wires to cells anywhere.
KIND(transistors) {
	num m = a;
	size(n * m + 20, n * m + 20);
	UP (s, n)
		UP (k, m) {
			num r = s * m + k, kind = s % 5;
			UP (i, 3) both(r, s * m + (num)(coin(kind * 1000 + k, i) * m));
			e(r, r);
			if (coin(kind, k) < b) both(r, n * m + k % 3);
			if (coin(kind, k + 999) < .1) both(r, n * m + 3 + s % 17);
			if (k < 3) both(r, below(n) * m + k);
		}
}
// Streets: corners joined by chains of points, a in the mean; corners after the points, or each before its chains.
KIND(streets) {
	num corners = n, total = n;
	num points = (num)(n * 2 * a);
	size(n + points + 1, n + points + 1);
	num w = sqrt((double)n);
	UP (s, corners)
		UP (k, 2) {
			num t = k ? s + w : s + 1, l = geometric(a), last = s;
			if (t >= corners || coin(s, k) < b) continue;
			UP (i, l) {
				if (total >= n + points) break;
				both(last, total), e(total, total), last = total++;
			}
			both(last, t);
		}
}
// Rivers: each of n by n cells with all that lie below it on its way, a at most.
KIND(rivers) {
	size(n * n, n * n);
	UP (s, n * n) {
		num at = s;
		UP (i, 1 + geometric(a)) {
			e(s, at);
			double x = at % n, y = at / n, dx = sin(x / 23 + 2 * sin(y / 40)) + coin(at, 1) - .5,
				   dy = cos(y / 31 + sin(x / 57) * b) + coin(at, 2) - .5;
			num to = at + (dx > .3 ? 1 : dx < -.3 ? -1 : 0) + (dy > .3 ? n : dy < -.3 ? -n : 0);
			if (to == at || to < 0 || to >= n * n) break;
			at = to;
		}
	}
}

// Graphs.
// A crawl: each page finds some new ones, which get the next numbers, and links to what was found, early pages most.
KIND(crawl) {
	num found = 1;
	ROWS (n) {
		num k = pareto(a / 2, 1.7) % 2000, back = 1 + pareto(a / 3, 1.4) % 2000;
		UP (i, k)
			if (found < n && (found <= r + 1 || u() < .4)) e(r, found++);
		UP (i, back) e(r, u() < b ? zipf(found, .8) : found - 1 - zipf(found < 3000 ? found : 3000, .3));
	}
}
// Pages of a template: the pages of a site share a list of a links in one place or all over, and have few of their own.
KIND(templates) {
	size(n, n);
	for (num first = 0; first < n;) {
		num w = 5 + pareto(20, 1.1) % 30000, k = geometric(a), *link = malloc((k + 1) * sizeof(num));
		UP (i, k) link[i] = u() < b ? below(n) : first + below(w);
		for (num r = first; r < first + w && r < n; r++) {
			UP (i, k) e(r, link[i]);
			UP (i, geometric(3)) e(r, u() < .7 ? first + below(w) : zipf(n, .9));
		}
		first += w;
		free(link);
	}
}
// Log-normal degrees on both sides; a share of links is mutual, and pages that are lists have thousands.
KIND(encyclopedia) {
	ROWS (n)
		UP (k, u() < .0004 ? 4000 : lognormal(a, 1.1)) {
			num c = hash(lognormal(log(n) - 2.5, 1.8)) % n;
			e(r, c);
			if (u() < b) e(c, r);
		}
}
// Users and things, Zipf's law on both sides, a by which for users and b for things, in no order or by rank.
KIND(ratings) {
	num m = n / 4;
	size(n, m);
	UP (i, 5000000 * (n / 300000.)) e(zipf(n, a), zipf(m, b));
}
KIND(ratings_any) {
	num m = n * 2;
	size(n, m);
	UP (i, 14 * n) e(hash(zipf(n, a)) % n, hash(zipf(m, b) + 5) % m);
}
// Lists of songs: runs of an album, a songs long, and single ones.
KIND(albums) {
	num m = n * 2;
	ROWS (m)
		UP (k, 1 + geometric(b))
			if (u() < .5) {
				num s = hash(zipf(m / 12, .8)) % (m / 12) * 12;
				UP (i, a) e(r, s + i);
			} else
				UP (i, 5) e(r, hash(zipf(m, .7)) % m);
}
// Followers: in order of joining; people follow those of their time, and a few thousand stars follow nobody.
KIND(followers) {
	ROWS (n)
		UP (k, 1 + pareto(a, 1.35) % 40000) {
			double t = u();
			e(r, t < b ? hash(zipf(5000, .9)) % n : t < .8 ? r + (num)(gauss() * 4000) : below(r + 1));
		}
}
// Messages: threads of a few people who write again and again, sorted by time, with those who answer everybody.
KIND(threads) {
	size(n, n);
	UP (i, n * a / 6) {
		num at = (num)(i / (n * a / 6.) * n), who[40], k = 2 + pareto(2, 1.5) % 38;
		UP (j, k) who[j] = u() < b ? zipf(n, .9) : (at + (num)(fabs(gauss()) * 500)) % n;
		UP (j, k - 1) both(who[j], who[j + 1]), e(who[below(k)], who[below(k)]);
	}
}
// Patents: backwards by log-normal ages, mostly of the own class of 400.
KIND(patents) {
	ROWS (n)
		UP (k, geometric(a)) {
			num c = r - lognormal(log(n / 12.), b);
			e(r, u() < .75 ? c - c % 400 + r % 400 : c);
		}
}
// Teams projected: cliques of Pareto's sizes over people near in number, and some from anywhere.
KIND(teams) {
	size(n, n);
	UP (i, n / 2) {
		num k = 2 + pareto(a, 2.2) % 60, who[70];
		UP (j, k) who[j] = u() < b ? below(n) : (i * 2 + below(300)) % n;
		UP (j, k)
			UP (l, k) e(who[j], who[l]);
	}
}
// Three by three: n digits to base 3, of noisy weights.
KIND(thirds) {
	num N = 1;
	UP (i, n) N *= 3;
	size(N, N);
	static const double weight[9] = {.26, .14, .05, .14, .12, .06, .05, .06, .12};
	UP (i, N * a) {
		num r = 0, c = 0;
		UP (l, n) {
			double x = u(), s = b * (u() - .5);
			num q = 0;
			while (q < 8 && (x -= weight[q] * (q ? 1 - s * .35 : 1 + s)) > 0) q++;
			r = 3 * r + q / 3, c = 3 * c + q % 3;
		}
		e(r, c);
	}
}
// A circle of vertices of Pareto's weights: tied to those as far as weights reach.
KIND(hyperbolic) {
	ROWS (n) {
		double w = pow(coin(r, 1) + 1e-9, -1 / a);
		if (w > 3000) w = 3000;
		UP (k, 1 + (num)(w * b / 2)) {
			num c = r + (num)(gauss() * w * 30 * pow(u() + 1e-6, -.5));
			both(r, (c % n + n) % n);
		}
	}
}
// Groups of groups: an edge stays in the group of 8, 64, 512, ... with falling probability.
KIND(groups) {
	ROWS (n)
		UP (k, geometric(a)) {
			num w = 8;
			while (u() < b && w < n) w *= 8;
			both(r, r / w * w + below(w));
		}
}
// Stars of Pareto's sizes: a hub, then its own, and edges between hubs.
KIND(stars) {
	size(n, n);
	num last = 0;
	for (num first = 0; first < n;) {
		num w = 1 + pareto(a, 1.05) % 100000;
		for (num r = first; r < first + w && r < n; r++) {
			both(r, first), e(r, r);
			if (u() < b) both(r, r + 1), both(r, r + 2);
		}
		both(first, last);
		if (u() < .3) last = first;
		first += w;
	}
}
// Intervals by where they begin, with all that they meet: runs to the right; lengths by Pareto's law.
KIND(meetings) {
	ROWS (n) {
		num w = pareto(a, b) % 20000;
		e(r, r);
		for (num c = r + 1; c <= r + w; c++) both(r, c);
	}
}
// Jumps: a edges a vertex, the farther the rarer, by a power b.
KIND(jumps) {
	ROWS (n)
		UP (k, a) {
			num d = pareto(1, b);
			e(r, ((u() < .5 ? r - d : r + d) % n + n) % n);
		}
}

// Text, images, instruments.
// Documents in order of time: words come again within one, new words come up all the time.
KIND(bursts) {
	num m = n * 6;
	ROWS (m) {
		num known = 5000 + (num)((double)r / n * (m - 5000)), k = pareto(a, 1.8) % 8000;
		UP (i, k) e(r, u() < b ? zipf(known, 1) : u() < .5 ? known - 1 - zipf(2000, .5) : below(known));
	}
}
// Single letters of alleles: as many samples as one over their rank has it, sites in order.
KIND(spectrum) {
	num m = a;
	ROWS (m) {
		num k = (num)exp(u() * log(m / 2.)), s = below(m);
		UP (i, k) e(r, u() < b ? (s + (num)(i * 1.3)) % m : below(m));
	}
}
// Pieces of a genome that overlap, with repeats that are all over; sorted by place.
KIND(assembly) {
	ROWS (n) {
		e(r, r);
		UP (k, 1 + geometric(a)) both(r, r + geometric(a));
		if (coin(r / 60, 1) < b)
			UP (k, 40) e(r, (num)(coin((num)(coin(r / 60, 2) * 50), k / 4 + below(9) * 100) * n) + below(60));
	}
}
// Ellipses in a picture: what comes back at a time, by sensor and time; a sensors.
KIND(echoes) {
	num T = b;
	size(a * T, n * n);
	UP (s, a)
		UP (t, T) {
			double R = n * (.1 + .8 * t / T), cx = n * s / a, cy = -4;
			for (double w = 0; w < 3.1416; w += .7 / R) {
				num x = cx + R * cos(w), y = cy + R * sin(w) * .8;
				if (x >= 0 && x < n && y >= 0 && y < n) e(s * T + t, y * n + x);
			}
		}
}
// Pictures of a scene of n by n, each a-th pixel, moved by a little: b of them, one below the other.
KIND(frames_low) {
	num m = n / (num)a;
	size(m * m * b, n * n);
	UP (f, b)
		UP (s, m * m) {
			num x = s % m * (num)a + f * 7 % 5, y = s / m * (num)a + f * 3 % 5, w = a + 1;
			for (num j = 0; j < w; j++)
				for (num i = 0; i < w; i++)
					if (x + i < n && y + j < n) e(f * m * m + s, (y + j) * n + x + i);
		}
}
// Patches alike: each pixel of an 8 by 8 patch with the same a others far and near.
KIND(patches) {
	size(n * n, n * n);
	UP (s, n * n) {
		num p = (s / n / 8) * n + s % n / 8;
		e(s, s);
		UP (k, a) {
			num t = s + (num)((coin(p, k) - .5) * 2 * b) + n * (num)((coin(p, k + 99) - .5) * 2 * b);
			if (t >= 0 && t < n * n) e(s, t);
		}
	}
}
// Regions of a picture: a row for each, of some pixels in each of its lines, of very different sizes.
KIND(regions) {
	num m = n * n / (num)(a * a);
	size(m, n * n);
	UP (r, m) {
		double R = a * .5 * exp(b * gauss());
		num x = below(n), y = below(n);
		if (R > n / 3) R = n / 3;
		for (num j = -R; j <= R; j++) {
			num w = sqrt(R * R - j * j);
			if (y + j >= 0 && y + j < n)
				for (num i = -w; i <= w; i++)
					if (x + i >= 0 && x + i < n) e(r, (y + j) * n + x + i);
		}
	}
}
// Visibilities: n points along a tracks over a plane of 1024 by 1024, each with b by b cells; by track or by time.
KIND(gridding) {
	num w = 1024;
	ROWS (w * w) {
		num track = r % (num)a;
		double t = 6.28 * r / n, R = w * .48 * sqrt(coin(track, 1));
		num x = w / 2 + R * cos(t + track), y = w / 2 + .7 * R * sin(t + track);
		UP (i, b)
			UP (j, b) e(r, (y + j) * w + x + i);
	}
}
// Numbers of a picture of sensors: n rows, each a random set of runs of one line out of many; b by b tiles.
KIND(tiles) {
	num m = a;
	ROWS (m * m) {
		num x = below(m), y = below(m), w = 1 + below(b), h = 1 + below(b);
		UP (j, h)
			UP (i, w) e(r, (y + j) % m * m + (x + i) % m);
	}
}
// Forests: n samples, a trees, one of b leaves of each.
KIND(forests) {
	ROWS (a * b)
		UP (k, a) e(r, k * (num)b + zipf(b, .4));
}
// Sketches: each column in a of n rows; few rows that are long.
KIND(sketches) {
	num m = b;
	size(n, m);
	UP (c, m)
		UP (k, a) e(n * k / (num)a + hash(c * 31 + k) % (n / (num)a), c);
}
// Towers of very different reach, and phones in order of place.
KIND(towers) {
	num m = n / 20;
	size(m, n);
	UP (r, m) {
		double w = exp(a + b * gauss());
		UP (k, w) e(r, r * 20 + (num)(gauss() * (50 + 4 * w)));
	}
}

// Optimization and logic.
// Control over n steps: a states and a/3 inputs, and multipliers, step by step.
KIND(horizon) {
	num d = a, m = d / 3, w = 2 * d + m;
	size(n * w, n * w);
	UP (t, n) {
		num x = t * w, v = x + d, l = v + m;
		UP (f, d + m) {
			UP (g, d + m)
				if (f == g || coin(f, g) < b) e(x + f, x + g);
			UP (g, d)
				if (coin(f, g + 500) < b * 2) both(x + f, l + g);
		}
		UP (g, d) both(l + g, x + w + g);
	}
}
// Goods: a goods over a network of n arcs, rows for what is kept at each place, then rows that bound each arc.
KIND(goods) {
	num places = n / 3, g = a;
	size(places * g + n, n * g + n);
	UP (k, n) {
		num s = below(places), t = u() < b ? below(places) : (s + between(1, 40)) % places;
		UP (f, g) {
			num c = f * n + k;
			e(f * places + s, c), e(f * places + t, c), e(places * g + k, c);
		}
		e(places * g + k, n * g + k);
	}
}
// Cutting: n lengths, b patterns, a pieces each; long rows.
KIND(cutting) {
	size(n, b);
	UP (c, b)
		UP (k, 2 + below(a)) e(zipf(n, .5), c);
}
// Hours: events by rooms by hours; rows that bound each room at each hour, each event, and each teacher.
KIND(hours) {
	num rooms = a, hours = b;
	num per = rooms * hours;
	size(n + per + n / 4, n * per);
	UP (v, n)
		UP (k, per) {
			num c = v * per + k;
			if (coin(v, k / hours) > .5) continue;
			e(v, c), e(n + k, c), e(n + per + v / 4, c);
		}
}
// Clauses of communities: 2 to a literals, mostly of one community of 300 names, others by rank.
KIND(clauses) {
	num m = n / 4;
	ROWS (2 * m) {
		num home = hash(r / 50) % (m / 300) * 300;
		UP (k, 2 + geometric(a)) e(r, 2 * (u() < b ? home + below(300) : zipf(m, .8)) + below(2));
	}
}
// Cuts: rows of 2 to many columns, evenly by the logarithm, in windows or anywhere.
KIND(cuts) {
	num m = a;
	ROWS (m) {
		num k = (num)exp(u() * log(m / 10.)) + 1, s = below(m), w = 1 + (num)(k * b);
		UP (i, k) e(r, b ? s + below(w) : below(m));
	}
}

// Chains, quanta, numbers.
// Words of n letters of a, joined to those that differ in one; a letter changes to few others if b is below 1.
KIND(letters) {
	num N = 1, d = a;
	UP (i, n) N *= d;
	size(N, N);
	UP (r, N) {
		num step = 1;
		e(r, r);
		UP (i, n) {
			num x = r / step % d;
			UP (y, d)
				if (y != x && coin(x * d + y, i) < b) e(r, r + (y - x) * step);
			step *= d;
		}
	}
}
// Spins of n places of which a are up: pairs change within a reach of b.
KIND(sectors) {
	num m = 0, *of = malloc((1LL << n) * sizeof(num)), *bits = malloc((1LL << n) * sizeof(num));
	UP (s, 1LL << n)
		if (__builtin_popcountll(s) == (int)a) bits[m] = s, of[s] = m++;
	size(m, m);
	UP (s, m) {
		e(s, s);
		UP (i, n)
			for (num j = i + 1; j <= i + b && j < n; j++)
				if ((bits[s] >> i & 1) != (bits[s] >> j & 1)) e(s, of[bits[s] ^ (1LL << i) ^ (1LL << j)]);
	}
}
// Molecules of three to a atoms of 1, 5 or 13 orbitals, tied to molecules near in number and to some farther.
KIND(molecules) {
	num *first = malloc((n + 1) * sizeof(num)), total = 0;
	UP (i, n) {
		first[i] = total;
		UP (k, between(3, a)) total += (num[]){1, 5, 13}[below(3)];
	}
	first[n] = total;
	size(total, total);
	UP (i, n)
		UP (k, 8) {
			num j = k ? i + (num)(b * gauss()) : i;
			if (j < 0 || j >= n) continue;
			double near = k ? .6 : 1;
			for (num r = first[i]; r < first[i + 1]; r++)
				if (coin(r, j) < near)
					for (num c = first[j]; c < first[j + 1]; c++)
						if (coin(c, i) < near) e(r, c);
		}
}
// Ranges as sums of nodes of a tree of halves: at most two of each level.
KIND(ranges) {
	num N = 1LL << 19;
	ROWS (2 * N) {
		num l = b ? below(N) : r * N / n, h = l + (num)exp(u() * log(a));
		if (h > N) h = N;
		for (l += N, h += N; l < h; l /= 2, h /= 2) {
			if (l & 1) e(r, l++);
			if (h & 1) e(r, --h);
		}
	}
}
// Combs: rows of a columns at a distance that is each row's own.
KIND(combs) {
	ROWS (n * 3) {
		num d = 1 + below(b), s = below(n * 3);
		UP (k, 1 + geometric(a)) e(r, s + k * d);
	}
}

// Bands, twins, mixtures.
// Bands of a log-normal width around the diagonal, the width of b rows alike.
KIND(envelopes) {
	size(n, n);
	num l = 0, w = 0;
	UP (r, n) {
		if (r % (num)b == 0) l = lognormal(a, 1), w = lognormal(a, 1);
		for (num c = r - (l < 3000 ? l : 3000); c <= r + (w < 3000 ? w : 3000); c++) e(r, c);
	}
}
// Twins: a rows alike, each with b columns in the mean, anywhere.
KIND(twins) {
	size(n, n);
	num list[4000], k = 0;
	UP (r, n) {
		if (r % (num)a == 0) {
			k = geometric(b) % 4000;
			UP (i, k) list[i] = below(n);
		}
		UP (i, k) e(r, list[i]);
	}
}
// Rows that keep the columns of the row before with a chance of b, else draw new ones; a of them.
KIND(persistent) {
	size(n, n);
	num list[400], m = a;
	UP (i, m) list[i] = below(n);
	UP (r, n)
		UP (i, m) {
			if (u() > b) list[i] = below(n);
			e(r, list[i]);
		}
}
// A band, then rows anywhere, then a few long ones: a is the share of the band, b what the long ones have.
KIND(thirds_apart) {
	ROWS (n) {
		if (r < n * a) {
			for (num k = -6; k <= 6; k++) e(r, r + k);
		} else if (r < n - 300) {
			UP (k, 8) e(r, below(n));
		} else
			UP (k, b) e(r, below(n));
	}
}
// Nine entries in ten lie in a of the columns, which stand together; the rest anywhere.
KIND(hotzone) {
	num z = n * a;
	ROWS (n)
		UP (k, geometric(b)) e(r, u() < .9 ? n / 3 + below(z) : below(n));
}

// Rows by a law of length (a) and columns by a law of place (b), others than those of the seventh set.
static num length(int law, num r, num n) {
	static double walk;
	switch (law) {
	case 0: return 2 + (u() < .1);
	case 1: return between(11, 13);
	case 2: return geometric(30);
	case 3: return lognormal(2.5, .8);
	case 4: return pareto(4, 2) % 30000;
	case 5: return u() < .97 ? 5 : 400;
	case 6:
		walk = .999 * walk + .05 * gauss();
		return (num)exp(2 + walk);
	case 7: return 1 + (num)(3000 / pow(1 + r % (n / 40 + 1), .6)) % 3000;
	case 8: return u() < .8 ? 0 : 40;
	case 9: return r % 3 == 0 ? 2 : r % 3 == 1 ? 17 : 33;
	case 10: return 64;
	case 11: return (num)(120 * pow(u(), 4)) + 1;
	case 12: return r < n / 500 ? 1500 : 7;
	}
	return lognormal(4.5, 1.2) % 30000;
}
static void places(num r, num k, int law, num n) {
	num m = cols, at = (num)((double)r / n * m), s = below(m), w = sqrt((double)m);
	UP (i, k) switch (law) {
		case 0: e(r, hash(zipf(m, 1.1)) % m); break;
		case 1: e(r, at + (num)(100 * log(1 - u()) * (u() < .5 ? 1 : -1))); break;
		case 2: e(r, at + between(-3, 3) + w * between(-3, 3)); break;
		case 3:
			if (u() < .2) s = below(m);
			e(r, s++);
			break;
		case 4: e(r, m - 1 - at + (num)(1000 * gauss())); break;
		case 5: e(r, (2 * at + i) % m); break;
		case 6: e(r, u() < .5 ? below(m / 50 + 1) : below(m)); break;
		case 7: e(r, (num)(coin(r / 8, i) * m)); break;
		case 8: e(r, (at + (num)pow(m, u())) % m); break;
		case 9: e(r, (num)(m * u() * u() * u())); break;
		case 10: e(r, at / 100000 * 100000 + below(100000)); break;
		default: e(r, below(m));
		}
}
#define LAWS(name, cols)                                                                                               \
	KIND(name) { ROWS (cols) places(r, length(a, r, n), b, n); }
LAWS(squares, n)
LAWS(columns, n / 40)
LAWS(lines, n * 40)

static const matrix all[] = {
	M(dissected, "_2d", 800, 1, 1, ""), M(dissected, "_3d", 62, 62, 1, ""), M(levels, "_3", 34, 3, 0, ""),
	M(levels, "_1", 75, 1, 1, ""), M(shells, "_70", 120, 70, 1, ""), M(shells, "_9", 150, 9, 0, "W"),
	M(bricks, "_1", 30, 1, 0, ""), M(bricks, "_3", 13, 3, 0, ""), M(edges, "", 38, 0, 0, ""),
	M(edges, "_node", 34, 1, 0, ""), M(faces, "", 90, 0, 0, ""), M(faces, "_any", 90, 1, 1, ""),
	M(ocean, "", 220, 40, 0, ""), M(ocean, "_layer", 200, 50, 1, ""), M(streaming, "_19", 22, 19, .1, ""),
	M(streaming, "_9", 45, 9, .3, ""), M(memory, "_1", 500, 500, 1.6, ""), M(memory, "_4", 4000, 60, 1.25, ""),
	M(lowrank, "_64", 40000, 64, 5, ""), M(lowrank, "_20", 120000, 20, 2, ""), M(nearfield, "_12", 2000, 12, 40, ""),
	M(nearfield, "_5", 6000, 5, 900, "W"), M(stripes, "_20", 250000, 20, 0, ""), M(stripes, "_90", 60000, 90, 1, ""),
	M(buses, "", 300000, 3000, .02, ""), M(buses, "_p", 200000, 3000, .1, "P"), M(feeders, "", 300000, 4000, 3, ""),
	M(feeders, "_far", 250000, 900, 60, "R"), M(plant, "_20", 9000, 20, 0, ""), M(plant, "_45", 2600, 45, 0, ""),
	M(harmonics, "_16", 14000, 16, .2, ""), M(harmonics, "_40", 8000, 40, .06, ""),
	M(transistors, "", 7000, 90, .3, ""), M(transistors, "_p", 2500, 200, .1, "P"),
	M(streets, "_9", 200000, 9, .2, ""), M(streets, "_2", 350000, 2, .1, "W"), M(rivers, "_20", 560, 20, .2, ""),
	M(rivers, "_60", 430, 60, 1, ""), M(crawl, "", 500000, 6, .3, ""), M(crawl, "_p", 400000, 8, .6, "P"),
	M(templates, "", 200000, 25, .1, ""), M(templates, "_any", 120000, 40, .8, "R"),
	M(encyclopedia, "", 800000, 1.8, .2, ""), M(encyclopedia, "_p", 380000, 2.8, .1, "P"),
	M(ratings, "_7", 250000, .7, .8, ""), M(ratings, "_t", 120000, .5, 1, "T"),
	M(ratings_any, "", 400000, .6, .9, ""), M(ratings_any, "_t", 300000, .8, .6, "T"),
	M(albums, "", 120000, 12, 4, ""), M(albums, "_t", 150000, 10, 3, "T"), M(followers, "", 250000, 4, .4, ""),
	M(followers, "_t", 350000, 3, .3, "T"), M(threads, "", 400000, 8, .3, ""), M(threads, "_p", 300000, 9, .1, "P"),
	M(patents, "", 600000, 9, 1, ""), M(patents, "_r", 350000, 14, 2, "R"), M(teams, "_3", 250000, 3, .1, ""),
	M(teams, "_5", 90000, 5, .5, "P"), M(thirds, "_12", 12, 9, .3, ""), M(thirds, "_11p", 11, 28, .5, "P"),
	M(hyperbolic, "", 400000, 1.6, 3, ""), M(hyperbolic, "_p", 200000, 2.2, 8, "P"),
	M(groups, "_6", 400000, 6, .4, ""), M(groups, "_12p", 500000, 12, .6, "P"), M(stars, "", 700000, 3, .4, ""),
	M(stars, "_r", 1000000, 8, .1, "R"), M(meetings, "_2", 150000, 6, 1.6, ""), M(meetings, "_1", 40000, 2, .8, "L"),
	M(jumps, "_8", 400000, 8, .7, ""), M(jumps, "_24", 150000, 24, .3, ""),
	 M(bursts, "", 60000, 50, .7, ""), M(bursts, "_t", 80000, 35, .4, "T"),
	M(spectrum, "_4000", 12000, 4000, 0, ""), M(spectrum, "_runs", 20000, 2000, .7, ""),
	M(assembly, "", 150000, 14, .05, ""), M(assembly, "_p", 100000, 20, .01, "P"), M(echoes, "", 500, 64, 150, ""),
	M(echoes, "_t", 400, 90, 120, "T"), M(frames_low, "", 800, 4, 4, ""), M(frames_low, "_2t", 700, 2, 3, "T"),
	M(patches, "_12", 600, 12, 15, ""), M(patches, "_40", 300, 40, 60, ""), M(regions, "", 1500, 18, .8, ""),
	M(regions, "_t", 1200, 40, .4, "T"), M(gridding, "_7", 100000, 500, 7, ""), M(gridding, "_4", 250000, 3, 4, ""),
	M(gridding, "_6t", 120000, 30, 6, "T"), M(tiles, "_12", 120000, 700, 12, ""), M(tiles, "_4", 900000, 2000, 4, ""),
	M(forests, "_80", 60000, 80, 900, ""), M(forests, "_12", 400000, 12, 60000, ""),
	M(sketches, "_4", 4000, 4, 1200000, ""), M(sketches, "_t", 60000, 6, 900000, "T"),
	M(towers, "", 1500000, 3, 1.2, ""), M(towers, "_t", 1200000, 4, .6, "T"), M(horizon, "_12", 8000, 12, .5, ""),
	M(horizon, "_40", 900, 40, .8, ""), M(goods, "_12", 90000, 12, .05, ""), M(goods, "_30", 30000, 30, .5, "T"),
	M(cutting, "", 400, 14, 700000, ""), M(cutting, "_t", 3000, 6, 1200000, "T"), M(hours, "", 900, 60, 40, ""),
	M(hours, "_t", 200, 120, 60, "T"), M(clauses, "_3", 900000, 2.5, .8, ""), M(clauses, "_9t", 350000, 9, .6, "T"),
	M(cuts, "", 3000, 60000, 0, ""), M(cuts, "_runs", 2000, 200000, 2, ""), M(letters, "_4", 9, 4, 1, ""),
	M(letters, "_20", 4, 20, .8, ""), M(letters, "_61", 3, 61, .15, ""), M(sectors, "_22", 22, 7, 3, ""),
	M(sectors, "_20", 20, 8, 8, ""), M(molecules, "_6", 3000, 6, 40, ""), M(molecules, "_20", 800, 20, 4, ""),
	M(ranges, "", 600000, 20000, 1, ""), M(ranges, "_sorted", 500000, 3000, 0, ""),
	M(combs, "_9", 600000, 9, 900, ""), M(combs, "_60", 160000, 60, 40, ""), M(envelopes, "_3", 150000, 2.6, 1, ""),
	M(envelopes, "_b", 90000, 3, 500, ""), M(twins, "_4", 250000, 4, 20, ""), M(twins, "_16r", 120000, 16, 60, "R"),
	M(persistent, "_12", 400000, 12, .8, ""), M(persistent, "_50", 90000, 50, .95, ""),
	M(thirds_apart, "", 500000, .4, 12000, ""), M(thirds_apart, "_short", 900000, .1, 600, "W"),
	M(hotzone, "_1", 800000, .01, 14, ""), M(hotzone, "_10", 500000, .1, 35, ""),
	M(squares, "_0_11", 1500000, 0, 11, ""), M(squares, "_1_7", 300000, 1, 7, ""),
	M(squares, "_2_2", 150000, 2, 2, ""), M(squares, "_3_8", 250000, 3, 8, ""), M(squares, "_4_4", 600000, 4, 4, ""),
	M(squares, "_5_10", 350000, 5, 10, ""), M(squares, "_6_0", 400000, 6, 0, ""), M(squares, "_7_9", 60000, 7, 9, ""),
	M(squares, "_8_3", 500000, 8, 3, ""), M(squares, "_9_5", 200000, 9, 5, ""), M(squares, "_10_1", 70000, 10, 1, ""),
	M(squares, "_11_6", 200000, 11, 6, ""), M(squares, "_12_11", 500000, 12, 11, ""),
	M(squares, "_13_3", 25000, 13, 3, ""), M(columns, "_3_0", 250000, 3, 0, ""),
	M(columns, "_4_6", 600000, 4, 6, ""), M(columns, "_0_9", 1500000, 0, 9, ""),
	M(columns, "_11_3", 200000, 11, 3, ""), M(lines, "_13_8", 25000, 13, 8, ""), M(lines, "_9_7", 200000, 9, 7, ""),
	M(lines, "_3_11", 250000, 3, 11, ""), M(lines, "_7_6", 30000, 7, 6, ""),
};
#define POWERS "thirds sectors"
#include "write.h"
