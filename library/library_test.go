// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// The library is built, and programs in C are: the page's, one that solves, and one of random calls,
// right and wrong ones, which is also run with drivers that lack a function, or fail. It exports its calls, and nothing else.
func TestC(t *testing.T) {
	testkit.Long(t, "it builds the library, with SQLite")
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
		}
		return string(out)
	}
	run("make", "-C", "..", "lib", "BIN="+dir)
	for line := range strings.Lines(run("nm", "-D", "--defined-only", filepath.Join(dir, "libspmvtune.so"))) {
		testkit.Check(t, strings.Contains(line, " T spmv_"), "the library exports %s", line)
	}

	page := string(testkit.Must(os.ReadFile("../docs/library.md")))
	_, page, _ = strings.Cut(page, "```c\n")
	page, _, _ = strings.Cut(page, "```")
	printed := filepath.Join(dir, "page.c")
	if err := os.WriteFile(printed, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{printed, "../examples/cg.c", "testdata/fuzz.c"} {
		program := filepath.Join(dir, filepath.Base(source)+".out")
		run("gcc", "-O2", "-Wall", "-Werror", "-std=c99", "-D_DEFAULT_SOURCE", "-Wno-unknown-pragmas", "-I.", source,
			"-o", program, "-L"+dir, "-lspmvtune", "-lm", "-Wl,-rpath,"+dir)
		if out := run(program, "100"); source == printed && !strings.HasSuffix(out, ": y = 6 6\n") {
			t.Errorf("the page's program prints %s", out)
		}
	}

	t.Setenv("LD_LIBRARY_PATH", dir)
	for _, driver := range [][2]string{{"nothing", ""}, {"cuStreamCreate", ""}, {"cuModuleLoadData", ""}, {"cuGetErrorString", ""},
		{"nothing", "cuInit 100"}, {"nothing", "cuInit 803"}, {"nothing", "cuInit 999"}, {"nothing", "cuModuleLoadData 222"}} {
		t.Setenv("FAIL", driver[1])
		run("gcc", "-shared", "-fPIC", "-D"+driver[0]+"=absent", "testdata/driver.c", "-o", filepath.Join(dir, "libcuda.so.1"))
		run(filepath.Join(dir, "fuzz.c.out"), "1", "10")
	}
}
