package cpu

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/uses"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

// What prepares the matrix for kernels, and what they call, is part of their digests.
func TestSourceCountsWhatIsUsed(t *testing.T) {
	code, err := sourceCode()
	if err != nil {
		t.Fatal(err)
	}
	everywhere := []string{"planOrdered", "Of", "cuthillMcKee", "rim", "sorted", "Apply", "moveColumns", "Inverse"}
	for kernel, functions := range map[string][]string{
		"cpu_sell": {"NewSELL", "sortWindows", "fillChunk", "tall", "take"}, "cpu_coo": {"COO", "all"},
		"cpu_coo_chunks": {"COO", "chunk", "take", "work", "notify"}, "cpu_csr": {"rowsOf"},
		"cpu_csr_rows": {"rowsOf", "take", "notify"}, "cpu_csr_merge": {"pathAt", "dot", "notify"},
	} {
		used := code.Functions(sources[kernel], "planOrdered")
		for _, f := range append(functions, everywhere...) {
			if !strings.Contains(used, " "+f+" ") {
				t.Errorf("%s does not count %s", kernel, f)
			}
		}
	}
	if strings.Contains(code.Functions(sources["cpu_csr"], "planOrdered"), "NewSELL") {
		t.Error("cpu_csr counts a format that it does not use")
	}
}

// The files with formats that are embedded are all that the kernels use.
func TestSourceIsWhole(t *testing.T) {
	counted := map[string]bool{}
	add := func(dir string, files fs.FS) {
		names, err := fs.Glob(files, "*.go")
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, name := range names {
			counted[filepath.Join(dir, name)] = true
		}
	}
	add("kernels/cpu", sourceFiles)
	add("sparse", sparse.Source)
	add("sparse/reorder", reorder.Source)
	found, err := uses.Between("../..", []string{"spmvtune/kernels/cpu", "spmvtune/sparse", "spmvtune/sparse/reorder"})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range found {
		if counted[u.From] && strings.HasPrefix(u.To, "sparse/") && !counted[u.To] {
			t.Errorf("%s uses %s of %s, which is not counted", u.From, u.Name, u.To)
		}
	}
}
