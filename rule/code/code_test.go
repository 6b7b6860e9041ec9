package code

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/long"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// randomTree makes a tree over features that take few values, so that tests at
// thresholds are among the cases.
func randomTree(rng *rand.Rand, p kernels.Precision, features []rule.Feature, depth int) *rule.Node {
	if depth == 0 || rng.IntN(5) == 0 {
		c := &kernels.Config{Kernel: fmt.Sprintf("kernel_%d", rng.IntN(4)), Precision: p, Block: 32 * rng.IntN(4),
			Grid: rng.IntN(3)}
		if rng.IntN(2) == 0 {
			c.Params = kernels.Params(fmt.Sprintf("tile=%d unroll=4", rng.IntN(3)))
		}
		return &rule.Node{Choice: c}
	}

	return &rule.Node{
		Feature: features[rng.IntN(len(features))].Name, Threshold: float64(rng.IntN(8)) / 2,
		Below: randomTree(rng, p, features, depth-1), Above: randomTree(rng, p, features, depth-1),
	}
}

// lab is the device of random rules.
var lab = rule.Hardware{Cache: 64, Warps: 2}

// withEnsembles gives the trees of a rule an ensemble each, of random trees.
func withEnsembles(rng *rand.Rand, r *rule.Rule) *rule.Rule {
	for i := range r.Selectors {
		e := &rule.Ensemble{Base: []float64{0.5, 0.25, 0.5}, Features: []string{"row_mean", "rows", "cache_share", "empty_share"},
			Low: []float64{0, 0, 1, 0}, High: []float64{2, 2, 4, 9}}
		for c := range e.Base {
			e.Configs = append(e.Configs, kernels.Config{Kernel: fmt.Sprintf("boosted_%d", c), Precision: r.Selectors[i].Precision})
		}
		for range 20 {
			b := rule.Boost{Scale: rng.Float32() / 100}
			for s := range b.Feature {
				b.Feature[s], b.Threshold[s] = uint8(rng.IntN(4)), float32(rng.IntN(9))/2
			}
			for l := range b.Add {
				b.Add[l] = []int8{int8(rng.IntN(255) - 127), int8(rng.IntN(255) - 127), int8(rng.IntN(255) - 127)}
			}
			e.Trees = append(e.Trees, b)
		}
		r.Selectors[i].Ensemble = e
	}
	return r
}

func randomRule(rng *rand.Rand) *rule.Rule {
	r := &rule.Rule{Version: rule.Version, Sweep: "test */ \\"}
	for _, k := range []rule.Key{
		{Device: "A (x)", Precision: kernels.Float32, Cache: "cold"}, {Device: "A (x)", Precision: kernels.Float64,
			Cache: "cold"},
		{Device: "A [x]", Precision: kernels.Float32, Cache: "cold"}, {Device: "B\n1 \"?", Precision: kernels.Float32},
	} {
		s := rule.Selector{Device: k.Device, Precision: k.Precision, Cache: k.Cache, Hardware: lab, Configs: 9}
		s.Root = randomTree(rng, k.Precision, rule.Features(), 6)
		s.Sizes = randomTree(rng, k.Precision, rule.Features()[:3], 3)
		r.Selectors = append(r.Selectors, s)
	}

	return r
}

// randomFeatures gives features with values around the thresholds, or none.
func randomFeatures(rng *rand.Rand) sparse.Features {
	x := func() float64 {
		switch rng.IntN(40) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1)
		}
		return float64(rng.IntN(8)) / 2
	}

	n := func() int { return rng.IntN(6) - rng.IntN(20)/19 } // now and then sparse.Unknown
	return sparse.Features{
		Rows: n(), Cols: n(), Nonzeros: n(), RowMean: x(), RowStd: x(), RowMin: n(), RowP25: n(), RowMedian: n(), RowP75: n(),
		RowP90: n(), RowP99: n(), RowMax: n(), EmptyRows: n(), ColsUsed: n(), Bandwidth: n(), BandwidthMean: x(), RowSkewness: x(),
		RowGini: x(), RowMaxOverMean: x(), ShareAbove32: x(), ShareAbove256: x(), ShareAbove1024: x(), RowSpanMean: x(), Profile: x(),
		ColGapMean: x(), NeighbourRate: x(), RowSimilarity: x(), Diagonals: x(), PatternSymmetry: x(),
	}
}

// trees are all trees and ensembles of a rule as rules of their own, in the order of the functions.
func trees(r *rule.Rule) (all []*rule.Rule) {
	for _, s := range r.Selectors {
		for _, root := range []*rule.Node{s.Root, s.Sizes} {
			alone := s
			alone.Root, alone.Sizes, alone.Ensemble = root, nil, nil
			all = append(all, &rule.Rule{Selectors: []rule.Selector{alone}})
		}
		if s.Ensemble != nil {
			s.Sizes = nil
			all = append(all, &rule.Rule{Selectors: []rule.Selector{s}})
		}
	}
	return all
}

// expected is what trees choose for each of the features, a line for each tree.
func expected(r *rule.Rule, cases []sparse.Features) string {
	var b strings.Builder
	for i := range cases {
		for _, tree := range trees(r) {
			s := &tree.Selectors[0]
			c, err := tree.SelectFor(s.Key(), cases[i], rule.Wanted{Accurate: s.Ensemble != nil})
			if err != nil {
				b.WriteString("-\n")
				continue
			}
			fmt.Fprintf(&b, "%s %d %d [%s]\n", c.Kernel, c.Block, c.Grid, c.Params)
		}
	}

	return b.String()
}

// vectors are the values of the features that a program asks for.
func vectors(p *program, cases []sparse.Features) []byte {
	var b bytes.Buffer
	for i := range cases {
		for _, f := range p.features {
			binary.Write(&b, binary.NativeEndian, f.Value(&rule.Subject{Features: &cases[i], Hardware: lab})) // to memory
		}
	}
	return b.Bytes()
}

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// save writes files to a folder.
func save(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// do runs a command in a folder and returns what it prints.
func do(t *testing.T, dir string, input []byte, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(name, args...)
	var out, complaints bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(input), &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, complaints.String())
	}

	return out.String()
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(g) != len(w) {
		t.Fatalf("%d lines, want %d", len(g), len(w))
	}

	for i := range g {
		if g[i] != w[i] {
			t.Fatalf("line %d: chose %q, want %q", i+1, g[i], w[i])
		}
	}
}

// What is written in C chooses as the tree does, also where features are not known, and
// compilers have nothing to say about it.
func TestCAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 4 {
		r := randomRule(rng)
		p := newProgram(r, "spmv rule", false)
		var calls, launches strings.Builder
		for _, f := range p.functions {
			name := strings.Join(f.words, "_")
			fmt.Fprintf(&calls, "        print(spmv_rule_%s(&f));\n", name)
			fmt.Fprintf(&launches, "        switch (spmv_rule_%s(&f)) {\n        SPMV_RULE_%s(PRINT)\n"+
				"        default: puts(\"-\");\n        }\n",
				name, strings.ToUpper(name))
		}

		dir := t.TempDir()
		save(t, dir, map[string]string{
			"rule.h":   string(written(t, func(w io.Writer) error { return WriteC(w, r, "spmv rule") })),
			"rule.cuh": string(written(t, func(w io.Writer) error { return WriteLaunches(w, r, "spmv rule") })),
			"main.c": `#include <stdio.h>
#include "rule.h"
static void print(const spmv_rule_choice *c)
{
    if (c) printf("%s %d %d [%s]\n", c->kernel, c->block, c->grid, c->params);
    else puts("-");
}
int main(void)
{
    spmv_rule_features f;
    while (fread(&f, sizeof f, 1, stdin) == 1) {
` + calls.String() + "    }\n    return 0;\n}\n",
			"launch.c": `#include <stdio.h>
#include "rule.cuh"
#define PRINT(number, kernel, block, grid, params) case number: printf("%s %d %d [%s]\n", #kernel, block, grid, params); break;
int main(void)
{
    spmv_rule_features f;
    while (fread(&f, sizeof f, 1, stdin) == 1) {
` + launches.String() + "    }\n    return 0;\n}\n",
			"empty.cc": "#include \"rule.h\"\n",
			"empty.cu": "#include \"rule.cuh\"\n__global__ void use(spmv_rule_features f, int *to) { *to = spmv_rule_" +
				strings.Join(p.functions[0].words, "_") + "(&f); }\n",
		})

		cases := make([]sparse.Features, 3000)
		for i := range cases {
			cases[i] = randomFeatures(rng)
		}
		input, want := vectors(p, cases), expected(r, cases)
		if !strings.Contains(want, "-\n") || strings.Count(want, "-\n") == len(cases)*len(p.functions) {
			t.Fatal("the cases are no test of unknown features")
		}

		for _, source := range []string{"main.c", "launch.c"} {
			do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", source, "-o", "main")
			compare(t, do(t, dir, input, filepath.Join(dir, "main")), want)
		}
		do(t, dir, nil, "g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "empty.cc")
		if _, err := exec.LookPath("nvcc"); err == nil && round == 0 && long.Asked() {
			do(t, dir, nil, "nvcc", "-ptx", "empty.cu")
		}
	}
}

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

// The Go file chooses as the tree does.
func TestGoAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := randomRule(rng)
	p := newProgram(r, "spmvrule", false)
	var calls strings.Builder
	for _, f := range p.functions {
		fmt.Fprintf(&calls, "print(spmvrule.%s(&f))\n", camel(strings.Join(f.words, "_")))
	}

	var fields strings.Builder
	for _, f := range p.features {
		fmt.Fprintf(&fields, "&f.%s, ", camel(f.Name))
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "spmvrule"), 0o777); err != nil {
		t.Fatal(err)
	}

	save(t, dir, map[string]string{
		"spmvrule/rule.go": string(written(t, func(w io.Writer) error { return WriteGo(w, r, "spmvrule") })),
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

	cases := make([]sparse.Features, 2000)
	for i := range cases {
		cases[i] = randomFeatures(rng)
	}
	do(t, dir, nil, "go", "vet", "./...")
	compare(t, do(t, dir, vectors(p, cases), "go", "run", "."), expected(r, cases))
}

// A rule that asks for nothing is code, too.
func TestSingleLeaf(t *testing.T) {
	leaf := &rule.Node{Choice: &kernels.Config{Kernel: `odd "name"??/`, Precision: kernels.Float32}}
	r := &rule.Rule{Selectors: []rule.Selector{{Device: "A", Precision: kernels.Float32, Root: leaf}}}
	dir := t.TempDir()
	module := t.TempDir()
	save(t, module, map[string]string{
		"rule.go": string(written(t, func(w io.Writer) error { return WriteGo(w, r, "1 rule") })),
		"go.mod":  "module example\n\ngo 1.26\n",
	})

	save(t, dir, map[string]string{
		"rule.h": string(written(t, func(w io.Writer) error { return WriteC(w, r, "1 rule") })),
		"main.c": "#include <stdio.h>\n#include \"rule.h\"\n" +
			"int main(void) { rule_1_rule_features f = {0}; return !puts(rule_1_rule_float32(&f)->kernel); }\n",
	})
	do(t, dir, nil, "gcc", "-std=c99", "-Wall", "-Werror", "main.c", "-o", "main")
	if got := do(t, dir, nil, filepath.Join(dir, "main")); got != leaf.Choice.Kernel+"\n" {
		t.Errorf("chose %q", got)
	}
	do(t, module, nil, "go", "vet", ".")
}

// offsetsMain begins a program in C that reads row offsets and computes the features f.
const offsetsMain = `#include <stdio.h>
#include "rule.h"
static int n[2], offsets[1 << 20];
int main(void)
{
    r_features f;
    if (fread(n, sizeof *n, 2, stdin) != 2 || fread(offsets, sizeof *offsets, n[0] + 1, stdin) != (size_t)n[0] + 1)
        return 1;
    r_from_offsets(&f, n[0], n[1], offsets);
`

// offsetsOf is what that program reads.
func offsetsOf(a *sparse.CSR[float64]) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.NativeEndian, []int32{int32(a.Rows), int32(a.Cols)}) // to memory
	binary.Write(&b, binary.NativeEndian, a.RowPtr)
	return b.Bytes()
}

// built makes the matrix of a spec.
func built(t *testing.T, spec string) *sparse.CSR[float64] {
	t.Helper()
	name, args, err := generate.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, err := generate.Build(t.Context(), name, args)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The features that the header computes from row offsets are those of sparse.Analyze.
func TestOffsets(t *testing.T) {
	leaf := &rule.Node{Choice: &kernels.Config{Kernel: "k", Precision: kernels.Float32}}
	everything := leaf
	for _, f := range rule.Features() {
		everything = &rule.Node{Feature: f.Name, Threshold: -1, Below: leaf, Above: everything}
	}

	r := &rule.Rule{Selectors: []rule.Selector{{Device: "A", Hardware: lab, Precision: kernels.Float32, Root: everything}}}
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"rule.h": string(written(t, func(w io.Writer) error { return WriteC(w, r, "r") })),
		"main.c": offsetsMain + `    fwrite(&f, sizeof f, 1, stdout);
    return 0;
}
`})

	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "main.c", "-o", "main")
	columns := map[string]bool{} // names of those that need the columns, which no ensemble asks for
	all := rule.Features()
	for _, f := range all[slices.IndexFunc(all, func(f rule.Feature) bool { return f.Name == "cols_used" }):] {
		columns[f.Name] = true
	}

	for _, spec := range []string{"grid_5pt:nx=50,ny=40", "rmat:scale=12,edge_factor=9",
		"uniform:rows=3000,cols=700,row_nnz=40", "giant_row:rows=20000,giant=9000,row_nnz=3"} {
		a := built(t, spec)
		got := do(t, dir, offsetsOf(a), filepath.Join(dir, "main"))
		facts := sparse.Analyze(a)

		for i, f := range rule.Features() {
			x := math.Float64frombits(binary.NativeEndian.Uint64([]byte(got)[8*i:]))
			want := f.Value(&rule.Subject{Features: &facts, Hardware: lab})
			if columns[f.Name] != math.IsNaN(x) || math.Abs(x-want) > 1e-12*max(1, want) {
				t.Errorf("%s: %s is %v, want %v", spec, f.Name, x, want)
			}
		}
	}
}

// The ensemble that comes with the program chooses in C, by row offsets, what `select --accurate` does.
func TestShippedEnsembleByOffsets(t *testing.T) {
	r, _, err := rule.Open(rule.BoostedName)
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

// The example chooses for its matrix what the rule does, and says so.
func TestExample(t *testing.T) {
	r, err := rule.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	example, err := filepath.Abs("example/select_spmv.c")
	if err != nil {
		t.Fatal(err)
	}

	save(t, dir, map[string]string{"rule.h": string(written(t,
		func(w io.Writer) error { return WriteC(w, r, "rule") }))})
	do(t, dir, nil, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I"+dir, example, "-o", "main")
	f := sparse.Analyze(diagonals(1_000_000))
	choice, err := r.Select(rule.Key{Precision: kernels.Float32, Cache: "warm"}, f)
	if err != nil {
		t.Fatal(err)
	}

	if got := do(t, dir, nil, filepath.Join(dir, "main")); !strings.HasPrefix(got, choice.Kernel+" ") {
		t.Errorf("the example chose %q, want %s", got, choice.Kernel)
	}
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
