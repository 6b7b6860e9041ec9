// SPDX-License-Identifier: Apache-2.0

// Package native binds shared libraries that are loaded at run time: products that a user has written in C or
// C++, and NVML, which reads the sensors of a GPU. A library that is missing is an error where it is needed, and
// all else goes on.
package native

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*three)(int, int, int, const int *, const int *, const void *, const void *, void *, int, int);
typedef void (*four)(int, int, int, const int *, const int *, const int *, const void *, const void *, void *, int, int);

static void call(void *f, int rows, int cols, int nonzeros, const int *a, const int *b, const int *c, const void *val,
                 const void *x, void *y, int block, int grid) {
	if (c)
		((four)f)(rows, cols, nonzeros, a, b, c, val, x, y, block, grid);
	else
		((three)f)(rows, cols, nonzeros, a, b, val, x, y, block, grid);
}

static void refuse(void) {
	static const char said[] = "the kernel starts a process, which none may do\n";
	ssize_t n = write(2, said, sizeof said - 1);
	_exit(n > 0 ? 1 : 2);
}

static void prepare(void) {
	pthread_atfork(refuse, 0, 0);
	setvbuf(stdout, 0, _IONBF, 0); // what a kernel prints is not printed during a later trial
}
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"
)

// ToolkitRoots are the usual folders of the CUDA toolkit.
func ToolkitRoots() []string {
	roots := []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda"}
	return slices.DeleteFunc(roots, func(root string) bool { return root == "" })
}

// OpenToolkit opens a library of the CUDA toolkit under one of some names: where the loader looks, and then in the
// toolkit's folders. open takes a string of C and returns why it can't, null if it can. The last of these is returned.
func OpenToolkit(open func(path unsafe.Pointer) (why unsafe.Pointer), names ...string) (why string) {
	for _, root := range append([]string{""}, ToolkitRoots()...) {
		for _, name := range names {
			if root != "" {
				name = filepath.Join(root, "lib64", name)
			}
			path := C.CString(name)
			failure := open(unsafe.Pointer(path))
			C.free(unsafe.Pointer(path))
			if failure == nil {
				return ""
			}
			why = C.GoString((*C.char)(failure))
		}
	}
	return why
}

// A Function is a product in a library.
type Function struct{ address unsafe.Pointer }

// Arrays are what a product reads and writes, at addresses outside of Go's memory. Third is nil
// for a format with two arrays of integers.
type Arrays struct {
	Rows, Cols, Nonzeros int
	First, Second, Third unsafe.Pointer
	Val, X, Y            unsafe.Pointer
	Block, Grid          int
}

// prepare makes the process end before it forks in C: two copies of a worker would answer. What Go
// starts is not meant.
var prepare = sync.OnceFunc(func() { C.prepare() })

// Open loads a library, which stays, and finds a function in it.
func Open(file, name string) (Function, error) {
	path, symbol := C.CString(file), C.CString(name)
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(symbol))
	prepare()
	library := C.dlopen(path, C.RTLD_NOW|C.RTLD_LOCAL)
	if library == nil {
		return Function{}, errors.New("it can't be loaded: " + C.GoString(C.dlerror()))
	}
	f := C.dlsym(library, symbol)
	if f == nil {
		return Function{}, fmt.Errorf("it has no function %s; in C++ it needs extern \"C\"", name)
	}
	return Function{f}, nil
}

// Call computes a product.
func (f Function) Call(a *Arrays) {
	C.call(f.address, C.int(a.Rows), C.int(a.Cols), C.int(a.Nonzeros), (*C.int)(a.First), (*C.int)(a.Second),
		(*C.int)(a.Third), a.Val, a.X, a.Y, C.int(a.Block), C.int(a.Grid))
}
