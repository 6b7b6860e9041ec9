package code

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
)

// The ensemble in C chooses as the rule does, and hands on to the tree where it is not sure.
func TestEnsembleInC(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	r := withEnsembles(rng, randomRule(rng))
	p := newProgram(r, "e", true)
	var calls strings.Builder
	for _, f := range p.functions {
		fmt.Fprintf(&calls, "        print(e_%s(&f));\n", strings.Join(f.words, "_"))
	}
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"rule.h": string(written(t, func(w io.Writer) error { return WriteC(w, r, "e") })),
		"main.c": `#include <stdio.h>
#include "rule.h"
static void print(const e_choice *c)
{
    if (c) printf("%s %d %d [%s]\n", c->kernel, c->block, c->grid, c->params);
    else puts("-");
}
int main(void)
{
    e_features f;
    while (fread(&f, sizeof f, 1, stdin) == 1) {
` + calls.String() + "    }\n    return 0;\n}\n",
		"empty.cc": "#include \"rule.h\"\n",
	})

	cases := make([]sparse.Features, 3000)
	for i := range cases {
		cases[i] = randomFeatures(rng)
	}
	want := expected(r, cases)
	for c := range 3 {
		if n := strings.Count(want, fmt.Sprint("boosted_", c)); n < 100 || n > 4*len(cases)*9/10 {
			t.Fatalf("the ensembles choose %d %d times: no test", c, n)
		}
	}
	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "-o", "main")
	do(t, dir, nil, "g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "empty.cc")
	compare(t, do(t, dir, vectors(p, cases), filepath.Join(dir, "main")), want)
}

// The ensemble that comes with the program chooses in C, by row offsets, what `select --accurate` does.
func TestShippedEnsembleByOffsets(t *testing.T) {
	r, _, err := rule.Open(rule.EmbeddedName)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"rule.h": string(written(t, func(w io.Writer) error { return WriteC(w, r, "r") })),
		"main.c": offsetsMain + `    for (int i = 0; i < 2; i++) {
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
			c, err := r.SelectFor(k, facts, rule.Wanted{Accurate: true})
			tree, treeErr := r.SelectFor(k, facts, rule.Wanted{})
			if err != nil || treeErr != nil || c.By != rule.ByEnsemble {
				t.Fatalf("%s: by %s, %s (%v, %v)", spec, c.By, c.Unsure, err, treeErr)
			}
			if c.Config != tree.Config {
				other++
			}
			fmt.Fprintf(&want, "%s %d %d [%s]\n", c.Kernel, c.Block, c.Grid, c.Params)
		}
		compare(t, do(t, dir, offsetsOf(a), filepath.Join(dir, "main")), want.String())
	}
	if other == 0 {
		t.Error("the ensembles choose as the trees do: no test")
	}
}
