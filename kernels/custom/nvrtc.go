// SPDX-License-Identifier: Apache-2.0

package custom

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct spmv_nvrtc {
	int (*version)(int *, int *);
	int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
	int (*compile)(void *, int, const char *const *);
	int (*log_size)(void *, size_t *);
	int (*log)(void *, char *);
	int (*cubin_size)(void *, size_t *);
	int (*cubin)(void *, char *);
	int (*destroy)(void **);
	const char *(*text)(int);
} spmv_nvrtc;

static const char *spmv_nvrtc_open(spmv_nvrtc *n, const char *name) {
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library) return dlerror();
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
	    {"nvrtcVersion", &n->version},       {"nvrtcCreateProgram", &n->create},
	    {"nvrtcCompileProgram", &n->compile}, {"nvrtcGetProgramLogSize", &n->log_size},
	    {"nvrtcGetProgramLog", &n->log},      {"nvrtcGetCUBINSize", &n->cubin_size},
	    {"nvrtcGetCUBIN", &n->cubin},         {"nvrtcDestroyProgram", &n->destroy},
	    {"nvrtcGetErrorString", &n->text},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(library, symbols[i].name);
		if (!f) return dlerror();
		*(void **)symbols[i].to = f;
	}
	return NULL;
}

static int spmv_nvrtc_version(spmv_nvrtc *n, int *major, int *minor) { return n->version(major, minor); }
static int spmv_nvrtc_create(spmv_nvrtc *n, void **p, const char *source, const char *name) {
	return n->create(p, source, name, 0, NULL, NULL);
}
static int spmv_nvrtc_compile(spmv_nvrtc *n, void *p, int count, const char *const *flags) {
	return n->compile(p, count, flags);
}
static size_t spmv_nvrtc_size(spmv_nvrtc *n, void *p, int log) {
	size_t size = 0;
	int status = log ? n->log_size(p, &size) : n->cubin_size(p, &size);
	return status ? 0 : size;
}
static int spmv_nvrtc_get(spmv_nvrtc *n, void *p, int log, char *to) { return log ? n->log(p, to) : n->cubin(p, to); }
static void spmv_nvrtc_destroy(spmv_nvrtc *n, void *p) { n->destroy(&p); }
static const char *spmv_nvrtc_text(spmv_nvrtc *n, int status) { return n->text(status); }
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unsafe"

	"example.org/spmvtune/kernels/internal/native"
)

// open loads the library once.
var open = sync.OnceValues(func() (*C.spmv_nvrtc, error) {
	n := (*C.spmv_nvrtc)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_nvrtc{}))))
	if why := native.OpenToolkit(func(path unsafe.Pointer) unsafe.Pointer {
		return unsafe.Pointer(C.spmv_nvrtc_open(n, (*C.char)(path)))
	}, "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"); why != "" {
		return nil, errors.New(why)
	}
	return n, nil
})

// NVRTC returns NVRTC as a compiler for a compute capability, times 10.
func NVRTC(compute string) (*Compiler, error) {
	n, err := open()
	if err != nil {
		return nil, err
	}
	var major, minor C.int
	C.spmv_nvrtc_version(n, &major, &minor)
	by := &Compiler{
		Version: fmt.Sprintf("NVRTC %d.%d", major, minor), Ending: ".cubin", Compile: compile,
		Flags: []string{"-std=c++17", "-arch=sm_" + compute},
	}
	for _, root := range native.ToolkitRoots() {
		dir := filepath.Join(root, "include")
		if _, err := os.Stat(dir); err == nil {
			by.Flags = append(by.Flags, "-I"+dir)
		}
	}
	return by, nil
}

// compile compiles in this process, since NVRTC is no program. It can't be stopped: after its time
// it goes on in a thread that nobody waits for.
func compile(dir, source, out string, flags []string) (printed string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(source)))
	if err != nil {
		return "", err
	}
	flags = append(flags, "-I"+dir, "-I"+filepath.Join(dir, path.Dir(source)))
	type made struct {
		cubin []byte
		log   string
		err   error
	}
	done := make(chan made, 1)
	go func() {
		cubin, log, err := build(string(text), source, flags)
		done <- made{cubin, log, err}
	}()
	select {
	case m := <-done:
		log := strings.ReplaceAll(m.log, dir+"/", "")
		if m.err != nil {
			return log, m.err
		}
		return log, os.WriteFile(out, m.cubin, 0o666)
	case <-time.After(compileTimeout):
		return "", errors.New("NVRTC did not end in time")
	}
}

// build compiles a text, which messages call name.
func build(text, name string, flags []string) (cubin []byte, log string, err error) {
	n, err := open()
	if err != nil {
		return nil, "", err
	}
	source, called := C.CString(text), C.CString(name)
	defer C.free(unsafe.Pointer(source))
	defer C.free(unsafe.Pointer(called))
	var p unsafe.Pointer
	if status := C.spmv_nvrtc_create(n, &p, source, called); status != 0 {
		return nil, "", errors.New("NVRTC: " + C.GoString(C.spmv_nvrtc_text(n, status)))
	}
	defer C.spmv_nvrtc_destroy(n, p)

	room := C.malloc(C.size_t(len(flags)+1) * C.size_t(unsafe.Sizeof(uintptr(0))))
	defer C.free(room)
	list := unsafe.Slice((**C.char)(room), len(flags))
	for i, flag := range flags {
		list[i] = C.CString(flag)
		defer C.free(unsafe.Pointer(list[i]))
	}
	status := C.spmv_nvrtc_compile(n, p, C.int(len(flags)), (**C.char)(room))
	log = strings.TrimRight(string(get(n, p, 1)), "\x00")
	if status != 0 {
		return nil, log, &Refused{Reason: "NVRTC: " + C.GoString(C.spmv_nvrtc_text(n, status))}
	}
	return get(n, p, 0), log, nil
}

// get returns an excerpt of the log, or what was compiled.
func get(n *C.spmv_nvrtc, p unsafe.Pointer, log C.int) []byte {
	size := C.spmv_nvrtc_size(n, p, log)
	if size == 0 {
		return nil
	}
	to := C.malloc(size)
	defer C.free(to)
	if C.spmv_nvrtc_get(n, p, log, (*C.char)(to)) != 0 {
		return nil
	}
	made := unsafe.Slice((*byte)(to), size)
	if log != 0 {
		return []byte(excerpt(bytes.NewReader(made)))
	}
	return bytes.Clone(made)
}
