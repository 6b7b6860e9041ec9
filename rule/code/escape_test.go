package code

import (
	"bytes"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/rule"
)

// No text of up to six signs that mean something to C or Go ends the comment that it stands in.
func TestComment(t *testing.T) {
	signs := []string{"*", "/", "\\", "\n", "\r", "?", " ", "\u2028"}
	var try func(text string, left int)
	try = func(text string, left int) {
		out := "/* " + comment(text) + " */"
		if strings.Index(out[2:], "*/") != len(out)-4 || strings.ContainsAny(out, "\n\r\\\u2028") {
			t.Fatalf("%q gives the comment %q", text, out)
		}
		for _, sign := range signs {
			if left > 0 {
				try(text+sign, left-1)
			}
		}
	}
	try("", 6)
}

// outside is a rule with texts that came from outside.
func outside(sweep, device, matrix, kernel, params string) *rule.Rule {
	leaf := &kernels.Config{Kernel: kernel, Precision: kernels.Float32, Params: kernels.Params(params)}
	s := rule.Selector{Device: device, Precision: kernels.Float32, Root: &rule.Node{Choice: leaf}}
	s.Validation.Cases = []rule.Case{{Matrix: matrix, Fraction: 0.5}, {Matrix: "other", Fraction: 1}}
	return &rule.Rule{Version: rule.Version, Sweep: sweep, Selectors: []rule.Selector{s}}
}

// preprocessed is what a compiler sees of a header in C.
func preprocessed(t *testing.T, text []byte) string {
	t.Helper()
	cmd := exec.Command("gcc", "-std=c99", "-E", "-P", "-nostdinc", "-")
	cmd.Stdin = bytes.NewReader(bytes.ReplaceAll(text, []byte("#include <stddef.h>"), nil))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
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
			got := written(t, func(w io.Writer) error { return write(w, r, "x") })
			want := written(t, func(w io.Writer) error { return write(w, plain, "x") })
			if g, w := preprocessed(t, got), preprocessed(t, want); g != w {
				t.Errorf("the compiler sees\n%s\nnot\n%s", g, w)
			}
			cmd := exec.Command("gcc", "-std=c99", "-fsyntax-only", "-xc", "-")
			cmd.Stdin = bytes.NewReader(got)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}

		file := written(t, func(w io.Writer) error { return WriteGo(w, r, "x") })
		tree, err := parser.ParseFile(token.NewFileSet(), "x.go", file, 0)
		if err != nil || len(tree.Decls) != 3 {
			t.Errorf("%v\n%s", err, file)
		}
	})
}

// Devices whose names differ by signs alone have functions of their own, in Go too.
func TestDeviceNames(t *testing.T) {
	r := outside("s", "A 1", "m", "k", "")
	for _, device := range []string{"A1", "A-1", "A  1", "a 1 "} {
		r.Selectors = append(r.Selectors, outside("s", device, "m", "k", "").Selectors...)
	}
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"go.mod": "module x\n",
		"x.go":   string(written(t, func(w io.Writer) error { return WriteGo(w, r, "x") })),
		"x.h":    string(written(t, func(w io.Writer) error { return WriteC(w, r, "x") })),
	})
	do(t, dir, nil, "go", "vet", ".")
	do(t, dir, nil, "gcc", "-std=c99", "-fsyntax-only", "x.h")
}
