// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// The text of each kernel has no include left. Those that the host packs nothing for say so, and how they are launched.
func TestText(t *testing.T) {
	for name := range recipes {
		k, _ := kernels.Lookup(name)
		text := testkit.Must(Text(k))
		if strings.Contains(text, "#include \"") || strings.Contains(text, "#pragma once") {
			t.Errorf("%s includes what is not in it", name)
		}
		testkit.Check(t, strings.Contains(text, "_f32<<<") && !strings.Contains(text, "<<<0,"), "%s does not say how it is launched", name)
		testkit.Equal(t, strings.Count(text, "cudaMemset("), strings.Count(text, "//     int *"), "arrays that begin at -1")
	}
}

var (
	launchLine   = regexp.MustCompile(`(?m)^//     (.*\n)`)
	launchSyntax = regexp.MustCompile(`(\w+)<<<(.*)>>>\((.*)\);`)
)

// The text of a kernel of plain CSR or COO compiles by itself, with nvcc and NVRTC, and the lines in its head compute the
// product, in both precisions: on a GPU, where there is one.
func TestLaunched(t *testing.T) {
	testkit.Long(t, "it compiles kernels and programs, two ways")
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		t.Skip("there is no nvcc")
	}
	main, dir := string(testkit.Must(os.ReadFile("testdata/launched.cu"))), t.TempDir()
	files, functions, names := map[string]string{}, map[string]string{}, map[string]string{}
	for _, k := range kernels.Catalogue {
		if k.Backend != "cuda" || k.Library() {
			continue
		}
		text := testkit.Must(Text(k))
		if strings.Contains(text, "// The host packs ") {
			continue
		}
		product := "static void run_" + k.Name + "(const int *row_ptr, const int *row_idx, const int *col_idx, const float *val, " +
			"const float *x, float *y, int rows, int cols, int nnz, cudaStream_t stream) {\n"
		for _, line := range launchLine.FindAllStringSubmatch(text, -1) {
			product += line[1]
		}
		product += "}\n"
		file := kernelFiles()[k.Name][0].source
		files[file] = text
		functions[file] += product + strings.NewReplacer("float", "double", "_f32<<<", "_f64<<<").Replace(product)
		names[file] += "X(" + k.Name + ") "
	}
	testkit.Check(t, len(files) >= 11, "only %d files have kernels of plain CSR or COO", len(files))

	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for name, text := range files {
		source := filepath.Join(dir, name+".cu")
		testkit.Succeed(t, os.WriteFile(source, []byte(text), 0o666))
		head := "#include <algorithm>\nusing std::min;\n#define NAMES " + names[name] + "\n"
		before, after, _ := strings.Cut(main, "\ntemplate <typename T>\n")
		for how, program := range map[string]string{
			"nvcc.cu": head + text + functions[name] + main,
			"nvrtc.cpp": head + fmt.Sprintf("#define NVRTC\n#define SOURCE %q\n", source) + before +
				launchSyntax.ReplaceAllString(functions[name], `launch("$1", $2, $3);`) + "template <typename T>\n" + after,
		} {
			file := filepath.Join(dir, name+"-"+how)
			testkit.Succeed(t, os.WriteFile(file, []byte(program), 0o666))
			group.Go(func() error {
				args := []string{"-w", "-arch=sm_80", "-std=c++17", "-o", file + ".out", file, "-ldl"}
				if how == "nvrtc.cpp" { // without kernels of its own
					args = append(args, "-lnvrtc")
				}
				if out, err := exec.Command(nvcc, args...).CombinedOutput(); err != nil {
					t.Errorf("%s does not compile with %s: %s", name, how, out)
					return nil
				}
				out, err := exec.Command(file + ".out").CombinedOutput()
				if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 77) {
					t.Errorf("%s with %s: %v\n%s", name, how, err, out)
				}
				t.Logf("with %s: %s", how, out)
				return nil
			})
		}
	}
	testkit.Succeed(t, group.Wait())
}
