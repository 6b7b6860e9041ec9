// SPDX-License-Identifier: Apache-2.0
// Writes the matrix of `all` whose name is given. POWERS names the kinds whose n is an exponent.
static int byColumn(const void *p, const void *q) {
	uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
	return (x > y) - (x < y);
}
static num *lengthsOf;
static int byLength(const void *p, const void *q) {
	num x = *(const num *)p, y = *(const num *)q;
	return lengthsOf[x] != lengthsOf[y] ? (lengthsOf[x] < lengthsOf[y]) - (lengthsOf[x] > lengthsOf[y])
										: (x > y) - (x < y);
}
static num *windows(num n) {
	num *p = malloc(n * sizeof(num)), w = 2000;
	UP (i, n) p[i] = i;
	UP (i, n) {
		num first = i / w * w, j = i + below((first + w < n ? first + w : n) - i), t = p[i];
		p[i] = p[j], p[j] = t;
	}
	return p;
}
static char *put(char *at, uint64_t x) {
	char digits[20];
	int k = 0;
	do digits[k++] = '0' + x % 10;
	while (x /= 10);
	while (k) *at++ = digits[--k];
	return at;
}

int main(int argc, char **argv) {
	num m = sizeof all / sizeof *all, i = 0;
	if (argc == 2 && !strcmp(argv[1], "list")) {
		UP (k, m) printf("%s %s\n", all[k].kind, all[k].name);
		return 0;
	}
	while (argc > 2 && i < m && strcmp(argv[1], all[i].name)) i++;
	if (argc < 3 || i == m) {
		fprintf(stderr, "usage: %s list, or %s NAME FOLDER [SCALE]\n", argv[0], argv[0]);
		return 2;
	}
	for (const char *s = argv[1]; *s; s++) state = hash(state + *s);
	double scale = argc > 3 ? atof(argv[3]) : 1;
	num n = all[i].n;
	if (scale < 1) {
		double p = n <= 64 ? .34 : n < 2500 ? .5 : 1;
		n = n < 30 && n > 10 && strstr(POWERS, all[i].kind)
				? n - 5
				: fmax(n < 6 ? n : 6, n * pow(scale, p));
	}
	all[i].make(n, all[i].a, all[i].b);

	num *p = NULL, *q = NULL;
	for (const char *t = all[i].then; *t; t++) {
		p = q = NULL;
		if (*t == 'T') {
			UP (k, count) list[k] = (entry){list[k].c, list[k].r};
			num x = rows;
			rows = cols, cols = x;
		}
		if (*t == 'P') p = shuffled(rows), q = p;
		if (*t == 'W') p = windows(rows), q = p;
		if (*t == 'R') p = shuffled(rows);
		if (*t == 'L') {
			lengthsOf = calloc(rows, sizeof(num));
			UP (k, count) lengthsOf[list[k].r]++;
			num *order = malloc(rows * sizeof(num));
			UP (k, rows) order[k] = k;
			qsort(order, rows, sizeof(num), byLength);
			p = malloc(rows * sizeof(num));
			UP (k, rows) p[order[k]] = k;
		}
		if (p)
			UP (k, count) list[k].r = p[list[k].r];
		if (q)
			UP (k, count) list[k].c = q[list[k].c];
	}
	num *first = calloc(rows + 2, sizeof(num)), nonzeros = 0;
	uint32_t *c = malloc((count + 1) * sizeof(uint32_t));
	UP (k, count) first[list[k].r + 2]++;
	UP (r, rows) first[r + 2] += first[r + 1];
	UP (k, count) c[first[list[k].r + 1]++] = list[k].c;
	UP (r, rows) { // first[r] to first[r+1]; doubles are dropped, and what is left of a row ends with UINT32_MAX
		num k = first[r], end = first[r + 1], o = k;
		qsort(c + k, end - k, sizeof *c, byColumn);
		for (; k < end; k++)
			if (o == first[r] || c[k] != c[o - 1]) c[o++] = c[k];
		nonzeros += o - first[r];
		if (o < end) c[o] = UINT32_MAX;
	}
	char name[4096];
	snprintf(name, sizeof name, "%s/%s.mtx", argv[2], argv[1]);
	FILE *f = fopen(name, "w");
	if (!f) {
		perror(name);
		return 1;
	}
	fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)rows, (long long)cols,
			(long long)nonzeros);
	static char buffer[1 << 20];
	char *at = buffer;
	UP (r, rows)
		for (num k = first[r]; k < first[r + 1] && c[k] != UINT32_MAX; k++) {
			at = put(at, r + 1), *at++ = ' ', at = put(at, c[k] + 1ULL), *at++ = ' ', at = put(at, 1 + next() % 999999),
			*at++ = '\n';
			if (at > buffer + sizeof buffer - 100) fwrite(buffer, 1, at - buffer, f), at = buffer;
		}
	fwrite(buffer, 1, at - buffer, f);
	if (fclose(f)) {
		perror(name);
		return 1;
	}
	printf("%-24s %9lld x %9lld, %10lld nonzeros\n", argv[1], (long long)rows, (long long)cols, (long long)nonzeros);
	return 0;
}
