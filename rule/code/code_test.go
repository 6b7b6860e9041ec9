// SPDX-License-Identifier: Apache-2.0

package code

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
)

// What is written in C chooses as the tree does, also where features are not known, and as the ensemble, which hands on
// to the tree where it is not sure; and compilers have nothing to say about it.
func TestCAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 4 {
		if round%2 > 0 && !testkit.LongAsked() {
			continue
		}
		r, dir, cases := randomRule(rng), t.TempDir(), randomCases(rng, 3000)
		agrees := func(source string, p *program) {
			t.Helper()
			want := expected(r, cases)
			if n := strings.Count(want, "-\n"); n == 0 || n == len(cases)*len(p.Functions) {
				t.Fatal("the cases are no test of unknown features")
			}
			do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", source, "-o", "main")
			compare(t, do(t, dir, vectors(p, cases), filepath.Join(dir, "main")), want)
		}

		p := newProgram(r, "spmv rule", false)
		var launches strings.Builder
		for _, f := range p.Functions {
			fmt.Fprintf(&launches, "        switch (spmv_rule_%s(&f)) {\n        SPMV_RULE_%s(PRINT)\n"+
				"        default: puts(\"-\");\n        }\n", f.Name, strings.ToUpper(f.Name))
		}
		save(t, dir, map[string]string{
			"rule.cuh": written(t, WriteLaunches, r, "spmv rule"),
			"launch.c": `#include "rule.cuh"
#include <stdio.h>
#define PRINT(number, kernel, block, grid, params) case number: printf("%s %d %d [%s]\n", #kernel, block, grid, params); break;
` + eachOf("spmv_rule", launches.String()),
			"empty.cu": "#include \"rule.cuh\"\n__global__ void use(spmv_rule_features f, int *to) { *to = spmv_rule_" +
				p.Functions[0].Name + "(&f); }\n",
		})
		agrees("launch.c", p)
		if _, err := exec.LookPath("nvcc"); err == nil && round == 0 && testkit.LongAsked() {
			do(t, dir, nil, "nvcc", "-ptx", "empty.cu")
		}

		if round > 1 {
			r = withEnsembles(rng, r)
			for c := range 3 {
				if n := strings.Count(expected(r, cases), fmt.Sprint("boosted_", c)); n < 100 || n > 4*len(cases)*9/10 {
					t.Fatalf("the ensembles choose %d %d times: no test", c, n)
				}
			}
		}
		p = newProgram(r, "spmv rule", true)
		var calls strings.Builder
		for _, f := range p.Functions {
			fmt.Fprintf(&calls, "        print(spmv_rule_%s(&f));\n", f.Name)
		}
		save(t, dir, map[string]string{
			"rule.h":   written(t, WriteC, r, "spmv rule"),
			"main.c":   "#include \"rule.h\"\n" + printing("spmv_rule") + eachOf("spmv_rule", calls.String()),
			"empty.cc": "#include \"rule.h\"\n",
		})
		agrees("main.c", p)
		do(t, dir, nil, "g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "empty.cc")
	}
}

// The Go file chooses as the tree does.
func TestGoAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := randomRule(rng)
	p := newProgram(r, "spmvrule", false)
	var calls strings.Builder
	for _, f := range p.Functions {
		fmt.Fprintf(&calls, "print(spmvrule.%s(&f))\n", camel(f.Name))
	}

	var fields strings.Builder
	for _, f := range p.Features {
		fmt.Fprintf(&fields, "&f.%s, ", camel(f.Name))
	}
	dir := t.TempDir()
	testkit.Succeed(t, os.Mkdir(filepath.Join(dir, "spmvrule"), 0o777))

	save(t, dir, map[string]string{
		"spmvrule/rule.go": written(t, WriteGo, r, "spmvrule"),
		"go.mod":           "module example\n\ngo 1.26\n",
		"main.go": `package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"example/spmvrule"
)

func print(c spmvrule.Choice, ok bool) {
	if !ok {
		fmt.Println("-")
		return
	}
	fmt.Printf("%s %d %d [%s]\n", c.Kernel, c.Block, c.Grid, c.Params)
}

func main() {
	var f spmvrule.Features
	for {
		for _, x := range []*float64{` + fields.String() + `} {
			if binary.Read(os.Stdin, binary.NativeEndian, x) != nil {
				return
			}
		}
` + calls.String() + "}\n}\n",
	})

	cases := randomCases(rng, 2000)
	do(t, dir, nil, "go", "vet", "./...")
	compare(t, do(t, dir, vectors(p, cases), "go", "run", "."), expected(r, cases))
}

// A rule that asks for nothing is code, too.
func TestSingleLeaf(t *testing.T) {
	leaf := &rule.Node{Choice: &kernels.Config{Kernel: `odd "name"??/`, Precision: kernels.Float32}}
	r := &rule.Rule{Models: []rule.Model{{Key: keyA, Root: leaf}}}
	dir := t.TempDir()
	module := t.TempDir()
	save(t, module, map[string]string{
		"rule.go": written(t, WriteGo, r, "1 rule"),
		"go.mod":  "module example\n\ngo 1.26\n",
	})

	save(t, dir, map[string]string{
		"rule.h": written(t, WriteC, r, "1 rule"),
		"main.c": "#include <stdio.h>\n#include \"rule.h\"\n" +
			"int main(void) { rule_1_rule_features f = {0}; return !puts(rule_1_rule_float32(&f)->kernel); }\n",
	})
	do(t, dir, nil, "gcc", "-std=c99", "-Wall", "-Werror", "main.c", "-o", "main")
	testkit.Equal(t, do(t, dir, nil, filepath.Join(dir, "main")), leaf.Choice.Kernel+"\n", "chose")
	do(t, module, nil, "go", "vet", ".")
}

// An ensemble that has seen the largest numbers is code as well.
func TestLargestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	r := withEnsembles(rng, randomRule(rng))
	for i := range r.Models {
		e := r.Models[i].Ensemble
		e.High[0], e.High[1], e.Low[2] = math.MaxFloat64, math.MaxFloat64/3, math.SmallestNonzeroFloat64
	}
	dir := t.TempDir()
	save(t, dir, map[string]string{"rule.h": written(t, WriteC, r, "r")})
	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "rule.h")
}

// The example chooses for its matrix what the rule does, and says so.
func TestExample(t *testing.T) {
	r, _, err := rule.Open(rule.EmbeddedName)
	testkit.Succeed(t, err)
	dir := t.TempDir()
	example := testkit.Must(filepath.Abs("example/select_spmv.c"))

	save(t, dir, map[string]string{"rule.h": written(t, WriteC, r, "rule")})
	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I"+dir, example, "-o", "main")
	f := sparse.Analyze(diagonals(1_000_000))
	choice := testkit.Must(r.Select(rule.Key{Precision: kernels.Float32, Cache: "warm"}, f, rule.Wanted{}))

	testkit.Says(t, "the example", do(t, dir, nil, filepath.Join(dir, "main")), choice.Kernel+" ")
}

// diagonals is the matrix of the example: three entries in each row but the first and last.
func diagonals(n int) *sparse.CSR[float64] {
	a := &sparse.CSR[float64]{Rows: n, Cols: n, RowPtr: make([]int32, 1, n+1)}
	for i := range n {
		for j := max(0, i-1); j < min(n, i+2); j++ {
			a.ColIdx, a.Val = append(a.ColIdx, int32(j)), append(a.Val, 1)
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.ColIdx)))
	}
	return a
}

// The ensemble that comes with the program chooses in C, of a matrix in CSR, what `select` does.
func TestShippedEnsembleByCSR(t *testing.T) {
	r, _, err := rule.Open(rule.EmbeddedName)
	testkit.Succeed(t, err)
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"rule.h": written(t, WriteC, r, "r"),
		"main.c": csrMain + `    for (int i = 0; i < 2; i++) {
        const r_choice *c = i ? r_float64_warm_by_ensemble(&f) : r_float32_warm_by_ensemble(&f);
        printf("%s %d %d [%s]\n", c->kernel, c->block, c->grid, c->params);
    }
    return 0;
}
`})
	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "main.c", "-o", "main")

	other := 0 // choices that are not those of the tree
	for _, spec := range []string{"grid_5pt:nx=500,ny=400", "rmat:scale=14,edge_factor=20",
		"uniform:rows=30000,cols=20000,row_nnz=40", "uniform:rows=1000,cols=100000,row_nnz=1500"} {
		a := built(t, spec)
		facts := sparse.Analyze(a)
		var want strings.Builder
		for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			k := rule.Key{Precision: p, Cache: "warm"}
			c, err := r.Select(k, facts, rule.Wanted{})
			testkit.Require(t, err == nil && c.By == rule.ByEnsemble, "%s: by %s, %s (%v)", spec, c.By, c.Unsure, err)
			if c.Tree != nil {
				other++
			}
			fmt.Fprintf(&want, "%s %d %d [%s]\n", c.Kernel, c.Block, c.Grid, c.Params)
		}
		compare(t, do(t, dir, csrOf(a), filepath.Join(dir, "main")), want.String())
	}
	testkit.Check(t, other != 0, "the ensembles choose as the trees do: no test")
}
