// SPDX-License-Identifier: Apache-2.0
// Random calls in random order, right and wrong ones: each gives a code with a sentence, and no product is wrong.
#include <spmvtune.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 4, N = 60 };
static unsigned long long state;
static int below(int n) {
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int)((state >> 33) % n);
}

static struct {
	spmv_plan *plan;
	int rows, cols, single, ptr[N + 1], col[N * N];
	double val[N * N];
} slot[SLOTS];
static char junk[8 * N * N];

static void *pack(const double *from, int n, int single) {
	static double room[N * N];
	for (int i = 0; i < n; i++) {
		if (single) ((float *)room)[i] = (float)from[i];
		else room[i] = from[i];
	}
	return room;
}

// check ends the program where a call said nothing about what was wrong.
static void check(int code, int wanted, const char *call) {
	if ((wanted >= 0 && code != wanted) || code < 0 || code > SPMV_FAULT || (code && !*spmv_error()) || code == SPMV_FAULT) {
		printf("%s: code %d, not %d: %s\n", call, code, wanted, spmv_error());
		exit(1);
	}
}

static volatile sig_atomic_t caught;
static void on_signal(int s) { caught = s; }

// on_alarm needs more room than Go's stacks have.
static volatile sig_atomic_t alarms;
static void on_alarm(int s) {
	volatile char big[1 << 16];
	memset((void *)big, 0x5a, sizeof big);
	alarms += s == SIGALRM;
}

// alarms_and_fork multiplies while signals come, and in a child.
static void alarms_and_fork(void) {
	enum { ROWS = 40000 };
	static int ptr[ROWS + 1], col[ROWS];
	static double val[ROWS], x[ROWS], y[ROWS];
	for (int i = 0; i < ROWS; i++) ptr[i + 1] = i + 1, col[i] = i, val[i] = 2, x[i] = i;
	spmv_options o = SPMV_DEFAULTS;
	o.device = SPMV_CPU;
	spmv_plan *p;
	check(spmv_plan_csr(&p, ROWS, ROWS, ptr, col, val, &o), SPMV_OK, "plan");
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (alarms < 1000) check(spmv_multiply(p, x, y, 0), SPMV_OK, "multiply");
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < ROWS; i++)
		if (y[i] != 2.0 * i) printf("row %d is %g\n", i, y[i]), exit(1);
	int status;
	pid_t child = fork();
	if (child == 0) {
		spmv_plan *other;
		check(spmv_multiply(p, x, y, 0), SPMV_INVALID, "multiply after fork");
		check(spmv_plan_csr(&other, ROWS, ROWS, ptr, col, val, &o), SPMV_INVALID, "plan after fork");
		check(spmv_plan_free(p), SPMV_INVALID, "free after fork");
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status) printf("the child ended with %d\n", status), exit(1);
	check(spmv_plan_free(p), SPMV_OK, "free");
}

// said ends the program unless a call gave this code and a sentence with these words.
static void said(int code, int wanted, const char *words, const char *call) {
	check(code, wanted, call);
	if (!strstr(spmv_error(), words)) printf("%s: it says: %s\n", call, spmv_error()), exit(1);
}

// bad_use has what random calls don't meet.
static void bad_use(void) {
	char file[] = "/tmp/spmvtune-wisdom-XXXXXX";
	close(mkstemp(file));
	int ptr[] = {0, 2, 3}, col[] = {0, 1, 1}, twice[] = {1, 1, 0}, unsorted[] = {1, 0, 0}, beyond[] = {0, 1, 2};
	double val[] = {4, 1, 3};
	spmv_plan *p;
	spmv_options o = SPMV_DEFAULTS;
	o.device = 99;
	said(spmv_plan_csr(&p, 2, 2, ptr, col, val, &o), SPMV_DEVICE, "", "a GPU that is not there");
	for (o.device = SPMV_AUTO; o.device <= 0; o.device++) {
		int code = spmv_plan_csr(&p, 2, 2, ptr, col, val, &o);
		check(code, code ? SPMV_DEVICE : SPMV_OK, "a GPU that may be there");
		check(spmv_plan_free(p), SPMV_OK, "free");
	}
	o.device = SPMV_CPU;
	said(spmv_plan_csr(&p, 2, 2, ptr, twice, val, &o), SPMV_MATRIX, "row 0", "an entry given twice");
	said(spmv_plan_csr(&p, 2, 2, ptr, unsorted, val, &o), SPMV_MATRIX, "row 0", "a row that is not sorted");
	said(spmv_plan_csr(&p, 2, 2, ptr, beyond, val, &o), SPMV_MATRIX, "row 1", "a column outside");
	o.config = "cpu_magic";
	said(spmv_plan_csr(&p, 2, 2, ptr, col, val, &o), SPMV_CONFIG, "cpu_magic", "an unknown kernel");
	o.config = NULL, o.measure = 0.05;
	check(spmv_plan_csr(&p, 2, 2, ptr, col, val, &o), SPMV_OK, "measure");
	check(spmv_plan_free(p), SPMV_OK, "free");
	check(spmv_wisdom_save(file), SPMV_OK, "save");
	check(spmv_wisdom_load(file), SPMV_OK, "load");
	static char text[1 << 16];
	FILE *f = fopen(file, "r+");
	size_t n = fread(text, 1, sizeof text - 1, f);
	char *device = strstr(text, "\"device\":");
	if (!device || n == 0) printf("wisdom names no device: %s\n", text), exit(1);
	memcpy(strchr(device + 9, '"') + 1, "OTHER", 5);
	rewind(f), fwrite(text, 1, n, f), fclose(f);
	said(spmv_wisdom_load(file), SPMV_WISDOM, "OTHER", "wisdom of another device");
	f = fopen(file, "w"), fputs("{\"version\": ", f), fclose(f);
	said(spmv_wisdom_load(file), SPMV_WISDOM, file, "wisdom that was cut off");
	unlink(file);
	said(spmv_wisdom_load(file), SPMV_WISDOM, file, "wisdom that is not there");
	said(spmv_wisdom_save("/nowhere/wisdom"), SPMV_WISDOM, "/nowhere/wisdom", "wisdom that can't be written");
}

int main(int argc, char **argv) {
	state = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
	int calls = argc > 2 ? atoi(argv[2]) : 1000, counts[SPMV_FAULT + 1] = {0};
	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_signal);
	int far = 100000000; // where no rows begin
	spmv_plan *none;
	check(spmv_plan_csr(&none, 0, 3, &far, &far, &far, NULL), SPMV_MATRIX, "plan of no rows");
	alarms_and_fork();
	bad_use();
	static const char *const configs[] = {NULL, NULL, "cpu_csr", "cpu_sell block 8 grid 2", "cpu_csr_merge grid 3", "cpu_magic",
	    "cpu_sell block -1 grid 2", "cpu_csr float31", "", "cpu_sell block 8 grid 2 sigma=x", "cpu_csr_rows block 4 grid 2 reorder=rcm",
	    "csr_light", "cpu_coo_chunks block 16 grid 99999999"};
	for (int i = 0; i < calls; i++) {
		int k = below(SLOTS), code = 0;
		spmv_plan *p = slot[k].plan;
		switch (below(8)) {
		case 0: { // a plan, of a matrix that may be wrong
			if (p) check(spmv_plan_free(p), SPMV_OK, "free");
			int rows = slot[k].rows = below(N), cols = slot[k].cols = below(N), n = 0, bad = below(8);
			for (int r = 0; r < rows; r++) {
				slot[k].ptr[r] = n;
				for (int c = 0; c < cols; c++)
					if (below(4) == 0) slot[k].col[n] = c, slot[k].val[n++] = below(17) - 8;
			}
			slot[k].ptr[rows] = n;
			int wrong = 0, last = n - 1;
			if (n > 1 && bad == 1) slot[k].col[last] = cols, wrong = 1;
			if (n > 1 && bad == 2) slot[k].col[last] = -1, wrong = 1;
			if (rows > 1 && bad == 3) slot[k].ptr[0] = 1, wrong = 1;
			if (rows > 2 && n > 0 && bad == 4) slot[k].ptr[1] = n + 1, wrong = 1;
			spmv_options o = SPMV_DEFAULTS;
			o.device = SPMV_CPU;
			o.precision = slot[k].single = below(2);
			o.products = below(3) ? 0 : below(100);
			o.config = configs[below(sizeof configs / sizeof *configs)];
			int odd = below(24);
			if (odd == 0) o.device = -7;
			if (odd == 1) o.products = -1;
			if (odd == 2) o.measure = NAN;
			if (odd == 3) o.precision = 9;
			code = spmv_plan_csr(&slot[k].plan, odd == 4 ? -rows - 1 : rows, odd == 5 ? 1ll << 40 : cols, odd == 6 ? NULL : slot[k].ptr,
			                     slot[k].col, pack(slot[k].val, n, slot[k].single), &o);
			check(code, odd <= 6 ? SPMV_INVALID : wrong ? SPMV_MATRIX : o.config ? -1 : SPMV_OK, "plan");
			if ((code != 0) != (slot[k].plan == NULL)) return printf("a plan and code %d\n", code), 1;
			break;
		}
		case 1: case 2: case 3: {
			double x[N], y[N], want;
			if (!p) {
				check(code = spmv_multiply(p, x, y, 0), SPMV_INVALID, "multiply");
				break;
			}
			for (int c = 0; c < N; c++) x[c] = below(9) - 4, y[c] = NAN;
			static double moved[N];
			memcpy(moved, pack(x, N, slot[k].single), sizeof moved);
			check(code = spmv_multiply(p, moved, y, 0), SPMV_OK, "multiply");
			for (int r = 0; r < slot[k].rows; r++) {
				want = 0;
				for (int j = slot[k].ptr[r]; j < slot[k].ptr[r + 1]; j++) want += slot[k].val[j] * x[slot[k].col[j]];
				double got = slot[k].single ? ((float *)y)[r] : y[r];
				if (got != want) return printf("row %d of %s is %g, not %g\n", r, spmv_plan_text(p), got, want), 1;
			}
			if (slot[k].rows) check(spmv_multiply(p, moved, NULL, 0), SPMV_INVALID, "multiply to NULL");
			if (slot[k].rows && slot[k].cols) check(spmv_multiply(p, y, y, 0), SPMV_INVALID, "multiply in place");
			break;
		}
		case 4:
			if (p) {
				int n = slot[k].ptr[slot[k].rows];
				for (int j = 0; j < n; j++) slot[k].val[j] = below(17) - 8;
				check(code = spmv_update_values(p, pack(slot[k].val, n, slot[k].single)), SPMV_OK, "update");
			} else check(code = spmv_update_values(p, junk), SPMV_INVALID, "update");
			break;
		case 5: check(code = spmv_check(p, NULL), p ? SPMV_OK : SPMV_INVALID, "check"); break;
		case 6:
			check(code = spmv_plan_free(p), SPMV_OK, "free");
			if (p) check(spmv_plan_free(p), SPMV_INVALID, "free again");
			if (p) check(spmv_multiply(p, junk, junk + 4 * N * N, 0), SPMV_INVALID, "multiply a freed plan");
			slot[k].plan = NULL;
			break;
		case 7:
			check(code = spmv_multiply((spmv_plan *)(junk + below(99)), junk, junk, 0), SPMV_INVALID, "multiply no plan");
			check(spmv_wisdom_load(below(2) ? "/nowhere" : NULL), -1, "load");
			check(spmv_plan_csr(NULL, 1, 1, slot[0].ptr, slot[0].col, junk, NULL), SPMV_INVALID, "plan to NULL");
			raise(SIGUSR1);
			if (caught != SIGUSR1) return printf("the program misses its signal\n"), 1;
			break;
		}
		counts[code]++;
	}
	for (int i = 0; i <= SPMV_FAULT; i++) printf("%d ", counts[i]);
	printf("\n");
	return 0;
}
