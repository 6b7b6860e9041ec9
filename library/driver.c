// SPDX-License-Identifier: Apache-2.0
//go:build cuda

// The driver, which is opened when the library is loaded: each of its functions is a jump to where it lies then. So the
// library can be linked, and loaded by any loader, where there is no driver, and interferes with nobody's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#define X(name) #name,
static const char *const names[] = {
#include "driver.h"
};
#undef X
enum { COUNT = sizeof names / sizeof *names };

__attribute__((visibility("hidden"))) void *spmv_driver_table[COUNT];

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#if defined __x86_64__
#define JUMP(at) "jmp *spmv_driver_table+8*" at "(%rip)\n"
#elif defined __aarch64__
#define JUMP(at)                                     \
	"adrp x16, spmv_driver_table+8*" at "\n"         \
	"ldr x16, [x16, :lo12:spmv_driver_table+8*" at "]\n" \
	"br x16\n"
#endif
#define X(name)                                                                                          \
	__asm__(".text\n.balign 16\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" JUMP( \
	    TEXT(__COUNTER__)));
#include "driver.h"

static int absent(void) { return 500; } // CUDA_ERROR_NOT_FOUND: an older driver lacks it

__attribute__((constructor(101))) static void find(void) {
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	for (int i = 0; i < COUNT; i++) {
		void *f = driver ? dlsym(driver, names[i]) : NULL;
		spmv_driver_table[i] = f ? f : (void *)absent;
	}
}
