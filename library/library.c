// SPDX-License-Identifier: Apache-2.0
// The plans of C, and what of a call needs no Go.
#include "library.h"
#include "_cgo_export.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

struct spmv_plan {
	pthread_mutex_t busy;
	int live; // 0: freed
	made made;
	spmv_plan *next; // of those to be used again
};

// Memory of plans is never given back: so a plan that was freed is told from one that lives. One is used again after
// ROOM others were freed.
enum { ROOM = 256, MOST = 1 << 16 };
static spmv_plan *blocks[MOST];
static int count; // of blocks
static spmv_plan *oldest, *newest;
static int waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local char why[WHY];

static int fail(int status, const char *text) {
	snprintf(why, sizeof why, "%s", text);
	return status;
}

// quiet keeps signals of the program from this thread and gives back what it kept from it before. Go computes on stacks
// of its own, which have no room for a handler that was installed without SA_ONSTACK. Faults, and what Go preempts by,
// are let through.
static sigset_t quiet(void) {
	static const int through[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGURG};
	sigset_t most, before;
	sigfillset(&most);
	for (size_t i = 0; i < sizeof through / sizeof *through; i++) sigdelset(&most, through[i]);
	pthread_sigmask(SIG_BLOCK, &most, &before);
	return before;
}

static int loud(sigset_t before, int status) {
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

// GO calls a function of Go.
#define GO(call) \
	({ \
		sigset_t before = quiet(); \
		loud(before, call); \
	})

// Go's threads are started by a constructor of this library between these two, and keep its mask. After fork they are
// not there.
static sigset_t before_go;
static int forked;
static void on_fork(void) { forked = 1; }
__attribute__((constructor(101))) static void begin(void) { before_go = quiet(); }
__attribute__((constructor)) static void begun(void) {
	loud(before_go, 0);
	pthread_atfork(NULL, NULL, on_fork);
}

static int after_fork(void) {
	return fail(SPMV_INVALID, "the library was loaded before fork: it can't be used in the child, nor can plans that were made");
}

// known says whether p is a plan that lives.
static int known(const spmv_plan *p) {
	int n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
	for (int i = 0; i < n; i++) {
		uintptr_t at = (uintptr_t)p - (uintptr_t)blocks[i];
		if (at < ROOM * sizeof *p) return at % sizeof *p == 0 && __atomic_load_n(&p->live, __ATOMIC_ACQUIRE);
	}
	return 0;
}

static void give(spmv_plan *p) { // with the lock
	p->next = NULL;
	if (newest) newest->next = p;
	else oldest = p;
	newest = p;
	waiting++;
}

static spmv_plan *take(void) {
	pthread_mutex_lock(&lock);
	if (waiting <= ROOM && count < MOST) {
		spmv_plan *block = calloc(ROOM, sizeof *block);
		for (int i = 0; block && i < ROOM; i++) {
			pthread_mutex_init(&block[i].busy, NULL);
			give(&block[i]);
		}
		if (block) {
			blocks[count] = block;
			__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
		}
	}
	spmv_plan *p = oldest;
	if (p) {
		oldest = p->next;
		if (!oldest) newest = NULL;
		waiting--;
	}
	pthread_mutex_unlock(&lock);
	return p;
}

API const char *spmv_error(void) { return why; }

API int spmv_plan_csr(spmv_plan **plan, int64_t rows, int64_t cols, const int32_t *row_ptr, const int32_t *col_idx,
                      const void *values, const spmv_options *options) {
	static const spmv_options defaults = SPMV_DEFAULTS;
	if (!plan) return fail(SPMV_INVALID, "there is no place for the plan: it is NULL");
	*plan = NULL;
	if (forked) return after_fork();
	spmv_plan *p = take();
	if (!p) return fail(SPMV_MEMORY, "there is no memory for a plan");
	memset(&p->made, 0, sizeof p->made);
	int status = GO(goPlan(rows, cols, (int32_t *)row_ptr, (int32_t *)col_idx, (void *)values,
	                       (spmv_options *)(options ? options : &defaults), &p->made, why));
	pthread_mutex_lock(&lock);
	if (status) give(p);
	else __atomic_store_n(&p->live, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	if (!status) *plan = p;
	return status;
}

// enter makes this thread the one that uses p, unless that is no plan.
static int enter(spmv_plan *p) {
	if (!p) return fail(SPMV_INVALID, "the plan is NULL");
	if (forked) return after_fork();
	if (!known(p)) return fail(SPMV_INVALID, "the plan was freed, or never made");
	pthread_mutex_lock(&p->busy);
	if (p->live) return SPMV_OK;
	pthread_mutex_unlock(&p->busy);
	return fail(SPMV_INVALID, "the plan was freed");
}

static int leave(spmv_plan *p, int status) {
	pthread_mutex_unlock(&p->busy);
	return status;
}

API int spmv_multiply(spmv_plan *p, const void *x, void *y, void *stream) {
	int status = enter(p);
	if (status) return status;
	const made *m = &p->made;
	uintptr_t from = (uintptr_t)x, to = (uintptr_t)y;
	if ((!x && m->x_bytes) || (!y && m->y_bytes)) return leave(p, fail(SPMV_INVALID, x ? "y is NULL" : "x is NULL"));
	if (m->x_bytes && m->y_bytes && from < to + m->y_bytes && to < from + m->x_bytes)
		return leave(p, fail(SPMV_INVALID, "x and y overlap: the product would read what it has written"));
	if (!m->run) return leave(p, GO(goMultiply(m->handle, (void *)x, y, why)));
	status = m->run(m->data, x, y, stream, why, sizeof why);
	return leave(p, status == 0 ? SPMV_OK : status > 0 ? SPMV_INVALID : SPMV_FAULT);
}

API int spmv_update_values(spmv_plan *p, const void *values) {
	int status = enter(p);
	return status ? status : leave(p, GO(goUpdate(p->made.handle, (void *)values, why)));
}

API int spmv_check(spmv_plan *p, double *worst) {
	int status = enter(p);
	return status ? status : leave(p, GO(goCheck(p->made.handle, worst, why)));
}

API const char *spmv_plan_text(const spmv_plan *p) { return p && known(p) ? p->made.text : ""; }

API int spmv_plan_free(spmv_plan *p) {
	if (!p) return SPMV_OK;
	int status = enter(p);
	if (status) return status;
	__atomic_store_n(&p->live, 0, __ATOMIC_RELEASE);
	status = GO(goFree(p->made.handle, why));
	free(p->made.text);
	leave(p, status);
	pthread_mutex_lock(&lock);
	give(p);
	pthread_mutex_unlock(&lock);
	return status;
}

API int spmv_wisdom_load(const char *path) {
	if (forked) return after_fork();
	return path ? GO(goLoad((char *)path, why)) : fail(SPMV_INVALID, "the path is NULL");
}

API int spmv_wisdom_save(const char *path) {
	if (forked) return after_fork();
	return path ? GO(goSave((char *)path, why)) : fail(SPMV_INVALID, "the path is NULL");
}
