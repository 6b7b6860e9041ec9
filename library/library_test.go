package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"spmvtune/internal/testing/testkit"
)

// The library is built, and programs in C are: one that solves, and one of random calls, right and wrong ones.
func TestC(t *testing.T) {
	testkit.Long(t, "it builds the library, with SQLite")
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
		}
	}
	run("go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libspmvtune.so"), ".")
	for _, source := range []string{"../examples/cg.c", "testdata/fuzz.c"} {
		program := filepath.Join(dir, filepath.Base(source)+".out")
		run("gcc", "-O2", "-Wall", "-Werror", "-std=c99", "-D_DEFAULT_SOURCE", "-Wno-unknown-pragmas", "-I.", source,
			"-o", program, "-L"+dir, "-lspmvtune", "-lm", "-Wl,-rpath,"+dir)
		run(program, "100")
	}
}
