// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

func TestValue(t *testing.T) {
	sizes := map[string]int{"rows": 1000, "block": 64, "value_bytes": 8, "zero": 0, "big": 1 << 31}
	for text, want := range map[string]int{
		"7": 7, "(rows + block - 1) / block": 16, "7 / 2 * 2": 6, "7 % 4": 3, "block * value_bytes": 512,
		"min(rows, 5, 9)": 5, "max(rows, 5)": 1000, "0x10": 16,
	} {
		testkit.Equal(t, testkit.Must(Value(text, sizes)), want, "%s", text)
	}
	for text, want := range map[string]string{
		"rows +": "not an integer expression", "cols": `unknown variable "cols"`, "1.5": "only integers", `"a"`: "only integers",
		"rows / zero": "division by zero", "1 % zero": "division by zero", "-1": "only integers", "5 - 7": "not from 0",
		"big": "not from 0", "big * big": "not from 0", "9223372036854775808": "not from 0", "f(1)": `unknown variable "f"`,
		"min()": "not enough arguments", "min": "not an integer expression", "rows(1)": "cannot call", "func() int { return 1 }()": "only integers", "1 << 20": "only integers", "rows.a": "only integers",
		strings.Repeat("(", 600) + "1" + strings.Repeat(")", 600): "longer than",
	} {
		testkit.Fails(t, testkit.Err(Value(text, sizes)), want, "%.40s", text)
	}
}

// put writes files to a folder of the test.
func put(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	testkit.Succeed(t, write(dir, files))
	return dir
}

// A kernel's files are its source and what it includes, in whatever folder, each once.
func TestGather(t *testing.T) {
	dir := put(t, map[string]string{
		"src/my.c":        "#include \"a.h\"\n  #  include \"../lib/b.h\"\n#include <math.h>\n#include \"compiler.h\"\n",
		"src/a.h":         "#include \"a.h\"\n",
		"lib/b.h":         "#include \"deep/c.h\"\n",
		"lib/deep/c.h":    "",
		"src/unrelated.h": "",
		"one.c":           "int one;\n",
		"absolute.c":      "#include \"/etc/passwd\"\n",
	})
	files, name, err := Gather(filepath.Join(dir, "src/my.c"))
	got := slices.Sorted(maps.Keys(files))
	if want := []string{"lib/b.h", "lib/deep/c.h", "src/a.h", "src/my.c"}; err != nil || name != "src/my.c" ||
		!slices.Equal(got, want) {
		t.Errorf("%s of %q, %v", name, got, err)
	}
	if files, name, err = Gather(filepath.Join(dir, "one.c")); err != nil || name != "one.c" || len(files) != 1 ||
		files["one.c"] != "int one;\n" {
		t.Errorf("one file: %s of %q, %v", name, files, err)
	}
	for _, name := range []string{"absolute.c", "missing.c"} {
		_, _, err := Gather(filepath.Join(dir, name))
		testkit.Fails(t, err, "", "%s", name)
	}
}

// myKernel is a kernel in C with a text.
func myKernel(text string) kernels.Custom {
	return kernels.Custom{
		Kernel: kernels.Kernel{Name: "mine", Backend: "cpu", Format: kernels.CSR, Custom: true, Block: "rows",
			Params: []kernels.Param{{Name: "unroll", Values: []string{"1", "2"}, Default: "1"}}},
		Entry: "mine", File: "src/my.c", Files: map[string]string{"src/my.c": text, "src/a.h": "#define FACTOR 2\n"},
	}
}

func counted(t *testing.T) (by *Compiler, runs *int) {
	t.Helper()
	by, err := ForCPU("my.c", "processor")
	if err != nil {
		t.Skip(err)
	}
	by.Flags = slices.DeleteFunc(by.Flags, func(f string) bool { return f == "-fopenmp" })
	compile, n := by.Compile, 0
	one := *by
	one.Compile = func(dir, source, out string, flags []string) (string, error) {
		n++
		return compile(dir, source, out, flags)
	}
	return &one, &n
}

// Workers of several GPUs that need the same configuration at once compile it once.
func TestBuildOnceAtATime(t *testing.T) {
	by, runs := counted(t)
	cache := t.TempDir()
	o := myKernel("SPMV_REAL f(void) { return UNROLL; }\n")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c := kernels.Config{Kernel: "mine", Precision: kernels.Float64, Block: 64, Params: "unroll=1"}
			testkit.Must(Build(cache, by, o, c))
		})
	}
	all.Wait()
	testkit.Equal(t, *runs, 1, "the compiler ran")
	testkit.Equal(t, len(testkit.Must(filepath.Glob(filepath.Join(cache, "*.lock")))), 0, "locks that are left")
}

// What is compiled is kept by content: configurations that differ in macros which the source does not
// use share it, and any change of a file, the flags or the compiler makes it anew.
func TestBuildKeeps(t *testing.T) {
	by, runs := counted(t)
	cache := t.TempDir()
	o := myKernel("#include \"a.h\"\nSPMV_REAL f(void) { return FACTOR * UNROLL; }\n")
	config := func(p kernels.Precision, block int, unroll string) kernels.Config {
		return kernels.Config{Kernel: "mine", Precision: p, Block: block, Params: kernels.Params("unroll=" + unroll)}
	}
	build := func(c kernels.Config, wantRuns int) string {
		t.Helper()
		file := testkit.Must(Build(cache, by, o, c))
		testkit.Equal(t, *runs, wantRuns, "runs of the compiler")
		return file
	}
	first := build(config(kernels.Float64, 64, "1"), 1)
	testkit.Equal(t, build(config(kernels.Float64, 128, "1"), 1), first, "the file of a block that is not in the source")
	build(config(kernels.Float32, 64, "1"), 2)
	build(config(kernels.Float64, 64, "2"), 3)
	o.Files["src/a.h"] = "#define FACTOR 3\n"
	build(config(kernels.Float64, 64, "1"), 4)
	by.Version += "newer"
	build(config(kernels.Float64, 64, "1"), 5)
	by.Flags = append(by.Flags, "-g")
	build(config(kernels.Float64, 64, "1"), 6)
	testkit.Equal(t, len(testkit.Must(filepath.Glob(filepath.Join(cache, ".tmp-*")))), 0, "files that are left")
}

// An error of the compiler has file and line, and is not asked for twice.
func TestBuildSaysWhy(t *testing.T) {
	by, runs := counted(t)
	o := myKernel("\nint f(void) { return undeclared; }\n")
	cache := t.TempDir()
	for range 2 {
		_, err := Build(cache, by, o, kernels.Config{Precision: kernels.Float64})
		invalid := new(kernels.InvalidError)
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "src/my.c:2:") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error is %v", err)
		}
	}
	testkit.Equal(t, *runs, 1, "the compiler ran")
}

// What is cut off or changed in the cache is compiled again, whether it compiles or not; and so is what a full
// disk kept from compiling, which is no fault of the source.
func TestBuildMends(t *testing.T) {
	by, runs := counted(t)
	c := kernels.Config{Precision: kernels.Float64}
	for _, text := range []string{"int f(void) { return 1; }\n", "int f(void) { return undeclared; }\n"} {
		cache := t.TempDir()
		want, first := Build(cache, by, myKernel(text), c)
		files, _ := filepath.Glob(filepath.Join(cache, "*"))
		for _, file := range files {
			for _, size := range []int64{0, 70} {
				testkit.Succeed(t, os.Truncate(file, size))
				*runs = 0
				got, err := Build(cache, by, myKernel(text), c)
				if got != want || fmt.Sprint(err) != fmt.Sprint(first) || *runs != 1 {
					t.Errorf("with %d bytes of %s: %s, %v after %d runs", size, file, got, err, *runs)
				}
			}
		}
		testkit.Check(t, len(files) != 0, "nothing is kept")
	}

	o := myKernel("int f(void) { return 1; }\n")
	for said, ofSource := range map[string]bool{
		"f.c:1: error: No space left on device":                                                 false,
		"nvcc error   : 'cicc' died due to signal 9 (Kill signal)":                              false,
		"f.c:12:5: error: expected ';'\n   12 |     return killed\n      |     ^ out of memory": true,
	} {
		failing := *by
		failing.Compile = func(string, string, string, []string) (string, error) {
			return said, &Refused{"exit status 1"}
		}
		cache := t.TempDir()
		if _, err := Build(cache, &failing, o, c); err == nil || errors.As(err, new(*kernels.InvalidError)) != ofSource {
			t.Errorf("%s: %v", said, err)
		}
		testkit.Equal(t, testkit.Err(Build(cache, by, o, c)) != nil, ofSource, "compiled again after %s: failed", said)
	}
}

// The files of a kernel can't leave the folder in which it is compiled.
func TestFilesStayInside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"../out.c", "/tmp/out.c", ""} {
		testkit.Fails(t, write(dir, map[string]string{name: ""}), "", "%q", "%s", name)
	}
}

// A compiler for a GPU compiles a kernel with its headers, where it is, and its errors have file and line.
func TestCompilersForGPU(t *testing.T) {
	for name, find := range map[string]func(string) (*Compiler, error){"nvcc": ForGPU, "NVRTC": NVRTC} {
		t.Run(name, func(t *testing.T) {
			by, err := find("80")
			if err != nil {
				t.Skip(err)
			}
			o := kernels.Custom{Kernel: kernels.Kernel{Name: "mine", Backend: "cuda", Custom: true}, Entry: "mine", File: "src/my.cu",
				Files: map[string]string{
					"src/my.cu": "#include \"../lib/a.h\"\n" +
						"extern \"C\" __global__ void mine(SPMV_REAL *y) { y[threadIdx.x] = FACTOR; }\n",
					"lib/a.h": "#include \"b.h\"\n", "lib/b.h": "#define FACTOR 2\n",
				}}
			c := kernels.Config{Kernel: "mine", Precision: kernels.Float32, Block: 128}
			file := testkit.Must(Build(t.TempDir(), by, o, c))
			if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "\x7fELF") {
				t.Errorf("%s is no module: %v", file, err)
			}
			o.Files["lib/b.h"] = "#define FACTOR undeclared\n"
			_, err = Build(t.TempDir(), by, o, c)
			testkit.Fails(t, err, "my.cu(2): error")
		})
	}
}

// Of a long log the beginning and the end are kept.
func TestNVRTCIsBounded(t *testing.T) {
	if _, err := NVRTC("80"); err != nil {
		t.Skip(err)
	}
	_, log, _ := build("#warning first\n"+strings.Repeat("#warning again\n", 5000)+"#error last\n", "w.cu", nil)
	testkit.Says(t, "the log", log, "first", "last")
	testkit.Check(t, len(log) < 33<<10, "%d bytes are kept", len(log))
}

// A trial is measured again where the compiler or its arguments are others, not where the sweep has more values.
func TestSource(t *testing.T) {
	identity := func(cc string, values ...string) string {
		t.Setenv("CC", cc)
		by, err := ForCPU("my.c", "a processor")
		if err != nil {
			t.Skip(err)
		}
		o := myKernel("")
		o.Params = []kernels.Param{{Name: "unroll", Values: values, Default: values[0]}}
		return Source(by, o)
	}
	first := identity("gcc", "1")
	testkit.Equal(t, identity("gcc", "1", "2"), first, "another value of a parameter makes a kernel another")
	testkit.Check(t, identity("gcc -O0", "1") != first, "an argument of the compiler makes no difference")
}

// A file is no option of the compiler, whatever it is called.
func TestBuildAnyName(t *testing.T) {
	by, _ := counted(t)
	o := myKernel("")
	o.Files = map[string]string{"-o.c": "int f(void) { return undeclared; }\n"}
	o.File = "-o.c"
	_, err := Build(t.TempDir(), by, o, kernels.Config{Precision: kernels.Float64})
	testkit.Fails(t, err, "-o.c:1:")
}

// What somebody who was killed has left in the cache goes, but not the folder of one who still compiles.
func TestBuildRemovesLeft(t *testing.T) {
	by, _ := counted(t)
	cache := filepath.Join(t.TempDir(), "job[1]") // no pattern
	os.Mkdir(cache, 0o777)
	scratch := testkit.Must(files.NewScratch(cache, ".tmp-"))
	left, used := scratch.Path()+"1", scratch.Path()
	os.Mkdir(left, 0o777)
	yesterday := time.Now().AddDate(0, 0, -1)
	os.Chtimes(left, yesterday, yesterday)
	testkit.Must(Build(cache, by, myKernel(""), kernels.Config{Precision: kernels.Float64}))
	testkit.Fails(t, testkit.Err(os.Stat(left)), "", "what was left")
	testkit.Must(os.Stat(used))
}

// Whatever a compiler, or what it reads, does without end: it is ended, and no memory goes to it.
func TestBuildEnds(t *testing.T) {
	dir := put(t, map[string]string{
		"print": "exec yes error:", "link": "for out; do :; done; ln -s /dev/zero $out", "fill": "exec cat /dev/zero > file",
		"errors": "yes error: | head -c 1000000 >&2; exit 1", "folder": "for out; do :; done; mkdir $out",
	})
	for _, name := range []string{"print", "link", "fill", "errors", "folder", ""} {
		t.Setenv("CC", "sh "+filepath.Join(dir, name))
		o := myKernel("")
		if name == "" {
			t.Setenv("CC", "gcc")
			o = myKernel("#include </dev/zero>\n")
		}
		by, err := ForCPU("my.c", "processor")
		if err != nil {
			t.Skip(err)
		}
		testkit.Check(t, len(by.Version) < 64<<10, "%s: the version has %d bytes", name, len(by.Version))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Build(t.TempDir(), by, o, kernels.Config{Precision: kernels.Float64})
		runtime.ReadMemStats(&after)
		testkit.Fails(t, err, "", "%s", name)
		testkit.Check(t, after.TotalAlloc-before.TotalAlloc < 8<<20, "%s: %d bytes of memory", name, after.TotalAlloc-before.TotalAlloc)
	}
}
