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

// What kernels use to prepare the matrix is part of their digests.
func TestSourceCountsFormats(t *testing.T) {
	code, err := formatCode()
	if err != nil {
		t.Fatal(err)
	}
	for file, functions := range map[string][]string{
		"sell.go": {"NewSELL", "sortWindows", "fillChunk"}, "coo.go": {"COO"},
		"reorder.go": {"Of", "cuthillMcKee", "rim", "sorted", "Apply", "moveColumns", "Inverse"},
	} {
		text, err := sourceFiles.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		used, err := code.Used("spmvtune/kernels/cpu", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range functions {
			if !strings.Contains(used, " "+f+" ") {
				t.Errorf("%s does not count %s", file, f)
			}
		}
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
