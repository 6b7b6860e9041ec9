// SPDX-License-Identifier: Apache-2.0

package code

import (
	"bytes"
	"encoding/binary"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// csrMain begins a program in C that reads row offsets and columns, and computes the features f.
const csrMain = `#include <stdio.h>
#include "rule.h"
static int n[2], offsets[1 << 20], columns[1 << 21];
int main(void)
{
    r_features f;
    if (fread(n, sizeof *n, 2, stdin) != 2 || fread(offsets, sizeof *offsets, n[0] + 1, stdin) != (size_t)n[0] + 1 ||
        fread(columns, sizeof *columns, offsets[n[0]], stdin) != (size_t)offsets[n[0]])
        return 1;
    r_from_csr(&f, n[0], n[1], offsets, columns);
`

// csrOf is what that program reads.
func csrOf(a *sparse.CSR[float64]) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.NativeEndian, []int32{int32(a.Rows), int32(a.Cols)}) // to memory
	binary.Write(&b, binary.NativeEndian, a.RowPtr)
	binary.Write(&b, binary.NativeEndian, a.ColIdx)
	return b.Bytes()
}

// built makes the matrix of a spec.
func built(t *testing.T, spec string) *sparse.CSR[float64] {
	t.Helper()
	name, args, err := generate.ParseSpec(spec)
	testkit.Succeed(t, err)
	return testkit.Must(generate.Build(t.Context(), name, args))
}

// The features that the header computes of a matrix in CSR are those of sparse.Analyze.
func TestCSR(t *testing.T) {
	leaf := &rule.Node{Choice: &kernels.Config{Kernel: "k", Precision: kernels.Float32}}
	everything := leaf
	for _, f := range rule.Features() {
		everything = &rule.Node{Feature: f.Name, Threshold: -1, Below: leaf, Above: everything}
	}

	r := &rule.Rule{Models: []rule.Model{{Key: keyA, Hardware: lab, Root: everything}}}
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"rule.h": written(t, WriteC, r, "r"),
		"main.c": csrMain + `    fwrite(&f, sizeof f, 1, stdout);
    return 0;
}
`})

	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "main.c", "-o", "main")
	others := map[string]bool{} // names of those that it does not compute, which no ensemble asks for
	all := rule.Features()
	for _, f := range all[slices.IndexFunc(all, func(f rule.Feature) bool { return f.Name == "cols_used" }):] {
		others[f.Name] = true
	}

	for _, spec := range []string{"grid_5pt:nx=50,ny=40", "rmat:scale=12,edge_factor=9",
		"uniform:rows=3000,cols=700,row_nnz=40", "giant_row:rows=20000,giant=9000,row_nnz=3"} {
		a := built(t, spec)
		got := do(t, dir, csrOf(a), filepath.Join(dir, "main"))
		facts := sparse.Analyze(a)

		for i, f := range rule.Features() {
			x := math.Float64frombits(binary.NativeEndian.Uint64([]byte(got)[8*i:]))
			want := f.Value(&rule.Subject{Features: &facts, Hardware: lab})
			if others[f.Name] != math.IsNaN(x) || math.Abs(x-want) > 1e-12*max(1, want) {
				t.Errorf("%s: %s is %v, want %v", spec, f.Name, x, want)
			}
		}
	}
}

// What is relative to the device is not known where the devices of a rule differ, unless the user says which it is.
func TestCSROfTwoDevices(t *testing.T) {
	leaf := &rule.Node{Choice: &kernels.Config{Kernel: "k", Precision: kernels.Float32}}
	root := &rule.Node{Feature: "cache_share", Threshold: -1, Below: leaf, Above: leaf}
	other := lab
	other.Cache *= 2
	r := &rule.Rule{Models: []rule.Model{{Key: keyA, Hardware: lab, Root: root},
		{Key: rule.Key{Device: "B", Precision: kernels.Float32}, Hardware: other, Root: root}}}
	dir := t.TempDir()
	save(t, dir, map[string]string{"rule.h": written(t, WriteC, r, "r"),
		"main.c": csrMain + "    printf(\"%d\", f.cache_share == f.cache_share);\n    return 0;\n}\n"})

	a := built(t, "grid_5pt:nx=50,ny=40")
	for known, flags := range map[string][]string{"0": nil, "1": {"-DR_CACHE=64.0", "-DR_WARPS=2.0"}} {
		strict := []string{"-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "main.c", "-o", "main"}
		do(t, dir, nil, "gcc", append(flags, strict...)...)
		testkit.Equal(t, do(t, dir, csrOf(a), filepath.Join(dir, "main")), known, "with %v the header says known", flags)
	}
}

// outside is a rule with texts that came from outside.
func outside(sweep, device, matrix, kernel, params string) *rule.Rule {
	leaf := &kernels.Config{Kernel: kernel, Precision: kernels.Float32, Params: kernels.Params(params)}
	s := rule.Model{Key: rule.Key{Device: device, Precision: kernels.Float32}, Root: &rule.Node{Choice: leaf}}
	s.Validation.Cases = []rule.Case{{Matrix: matrix, Fraction: 0.5}, {Matrix: "other", Fraction: 1}}
	return &rule.Rule{Version: rule.Version, Sweep: sweep, Models: []rule.Model{s}}
}

// preprocessed is what a compiler sees of a header in C.
func preprocessed(t *testing.T, text string) string {
	t.Helper()
	cmd := exec.Command("gcc", "-std=c99", "-E", "-P", "-nostdinc", "-")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, "#include <stddef.h>", ""))
	out, err := cmd.CombinedOutput()
	testkit.Require(t, err == nil, "%v: %s\n%s", err, out, text)
	return string(out)
}

// Whatever a sweep, a device or a matrix is called, the program is the same; whatever a kernel
// is called, a compiler takes it.
func FuzzGenerated(f *testing.F) {
	if _, err := exec.LookPath("gcc"); err != nil {
		f.Skip(err)
	}
	f.Add("*\\ int x; /\\*", "A */ B", "*\\\n/", `k"??/`, "a=1")
	f.Add("a\r\n//go:build ignore", "\u202e*/", "\xff\x00", "1k\n", "\\")
	f.Fuzz(func(t *testing.T, sweep, device, matrix, kernel, params string) {
		r, plain := outside(sweep, device, matrix, kernel, params), outside("s", "d", "m", kernel, params)
		for _, write := range []func(io.Writer, *rule.Rule, string) error{WriteC, WriteLaunches} {
			got := written(t, write, r, "x")
			want := written(t, write, plain, "x")
			testkit.Equal(t, preprocessed(t, got), preprocessed(t, want), "the compiler sees")
			cmd := exec.Command("gcc", "-std=c99", "-fsyntax-only", "-xc", "-")
			cmd.Stdin = strings.NewReader(got)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}

		decls := func(r *rule.Rule) int {
			file := written(t, WriteGo, r, "x")
			tree, err := parser.ParseFile(token.NewFileSet(), "x.go", file, 0)
			if err != nil {
				t.Errorf("%v\n%s", err, file)
				return 0
			}
			return len(tree.Decls)
		}
		testkit.Equal(t, decls(r), decls(plain), "declarations")
	})
}

// Devices whose names differ by signs alone have functions of their own, in Go too.
func TestDeviceNames(t *testing.T) {
	r := outside("s", "A 1", "m", "k", "")
	for _, device := range []string{"A1", "A-1", "A  1", "a 1 "} {
		r.Models = append(r.Models, outside("s", device, "m", "k", "").Models...)
	}
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"go.mod": "module x\n",
		"x.go":   written(t, WriteGo, r, "x"),
		"x.h":    written(t, WriteC, r, "x"),
	})
	do(t, dir, nil, "go", "vet", ".")
	do(t, dir, nil, "gcc", "-std=c99", "-fsyntax-only", "x.h")
}
