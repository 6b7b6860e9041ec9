// SPDX-License-Identifier: Apache-2.0

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
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
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
		n := &rule.Node{Choice: c}
		for range rng.IntN(3) { // limits before what has none, after it, or alone
			n.Choice, n.Next = limited(rng, p), append([]kernels.Config{*n.Choice}, n.Next...)
		}
		if len(n.Next) > 0 && rng.IntN(4) == 0 {
			n.Next = n.Next[:len(n.Next)-1]
		}
		return n
	}

	return &rule.Node{
		Feature: features[rng.IntN(len(features))].Name, Threshold: float64(rng.IntN(8)) / 2,
		Below: randomTree(rng, p, features, depth-1), Above: randomTree(rng, p, features, depth-1),
	}
}

// limited is a configuration that is legal on some matrices only.
func limited(rng *rand.Rand, p kernels.Precision) *kernels.Config {
	name, setting := "panel_sell", "columns=1024"
	switch rng.IntN(3) {
	case 0:
		name, setting = "csr_lanes", "x=panels"
	case 1:
		name, setting = "sell_diagonals", "turn=3"
	}
	k, _ := kernels.Lookup(name)
	return &kernels.Config{Kernel: name, Precision: p, Block: 128, Grid: 8, Params: k.Complete(kernels.Params(setting))}
}

// lab is the device of random rules.
var lab = rule.Hardware{Cache: 64, Warps: 2}

var keyA = rule.Key{Device: "A", Precision: kernels.Float32}

// withEnsembles gives the trees of a rule an ensemble each, of random trees.
func withEnsembles(rng *rand.Rand, r *rule.Rule) *rule.Rule {
	for i := range r.Models {
		e := &rule.Ensemble{Base: []float64{0.5, 0.25, 0.5, 0.3}, Features: []string{"row_mean", "rows", "cache_share", "empty_share"},
			Low: []float64{0, 0, 1, 0}, High: []float64{2, 2, 4, 9}}
		for c := range 3 {
			e.Configs = append(e.Configs, kernels.Config{Kernel: fmt.Sprintf("boosted_%d", c), Precision: r.Models[i].Precision})
		}
		e.Configs = append(e.Configs, *limited(rng, r.Models[i].Precision))
		for c := range e.Configs { // of the second model none
			if i != 1 {
				e.Times = append(e.Times, kernels.Sum{{Factor: 1e-6 * float64(c)},
					{Factor: rng.Float64() * 1e-6, Features: []string{"nonzeros", "row_spread"}},
					{Factor: rng.Float64() * 1e-6, Features: []string{"memory_share"}}})
			}
		}
		for range 20 {
			b := rule.Boost{Scale: rng.Float32() / 100}
			for s := range b.Feature {
				b.Feature[s], b.Threshold[s] = uint8(rng.IntN(4)), float32(rng.IntN(9))/2
			}
			for l := range b.Add {
				for range e.Base {
					b.Add[l] = append(b.Add[l], int8(rng.IntN(255)-127))
				}
			}
			e.Trees = append(e.Trees, b)
		}
		r.Models[i].Ensemble = e
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
		s := rule.Model{Key: k, Hardware: lab, Configs: 9}
		s.Root = randomTree(rng, k.Precision, rule.Features(), 6)
		s.Sizes = randomTree(rng, k.Precision, rule.Features()[:3], 3)
		r.Models = append(r.Models, s)
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
	f := sparse.Features{
		Rows: n(), Cols: n(), Nonzeros: n(), RowMean: x(), RowStd: x(), RowMin: n(), RowP25: n(), RowMedian: n(), RowP75: n(),
		RowP90: n(), RowP99: n(), RowMax: n(), EmptyRows: n(), ColsUsed: n(), Bandwidth: n(), BandwidthMean: x(), RowSkewness: x(),
		RowGini: x(), RowMaxOverMean: x(), ShareAbove32: x(), ShareAbove256: x(), ShareAbove1024: x(), RowSpanMean: x(), Profile: x(),
		ColGapMean: x(), NeighbourRate: x(), RowSimilarity: x(), Diagonals: x(), PatternSymmetry: x(),
	}
	if rng.IntN(3) == 0 { // beyond some limits, and within others
		f.Cols = 1 << (14 + rng.IntN(6))
	}
	if rng.IntN(3) == 0 {
		f.Nonzeros = 50 + rng.IntN(200)
	}
	return f
}

func randomCases(rng *rand.Rand, n int) []sparse.Features {
	cases := make([]sparse.Features, n)
	for i := range cases {
		cases[i] = randomFeatures(rng)
	}
	return cases
}

// printing is a function in C that prints a choice of the rule of that name.
func printing(name string) string {
	return `#include <stdio.h>
static void print(const ` + name + `_choice *c)
{
    if (c) printf("%s %d %d [%s]\n", c->kernel, c->block, c->grid, c->params);
    else puts("-");
}
`
}

// eachOf is a program in C that does something with all features f that it reads.
func eachOf(name, do string) string {
	return "int main(void)\n{\n    " + name + "_features f;\n    while (fread(&f, sizeof f, 1, stdin) == 1) {\n" + do +
		"    }\n    return 0;\n}\n"
}

// trees are all trees and ensembles of a rule as rules of their own, in the order of the functions.
func trees(r *rule.Rule) (all []*rule.Rule) {
	for _, s := range r.Models {
		for _, root := range []*rule.Node{s.Root, s.Sizes} {
			alone := s
			alone.Root, alone.Sizes, alone.Ensemble = root, nil, nil
			all = append(all, &rule.Rule{Models: []rule.Model{alone}})
		}
		if s.Ensemble != nil {
			s.Sizes = nil
			all = append(all, &rule.Rule{Models: []rule.Model{s}})
		}
	}
	return all
}

// expected is what trees choose for each of the features, a line for each tree.
func expected(r *rule.Rule, cases []sparse.Features) string {
	var b strings.Builder
	for i := range cases {
		for _, tree := range trees(r) {
			s := &tree.Models[0]
			c, err := tree.Select(s.Key, cases[i], rule.Wanted{})
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
		for _, f := range p.Features {
			binary.Write(&b, binary.NativeEndian, f.Value(&rule.Subject{Features: &cases[i], Hardware: lab})) // to memory
		}
	}
	return b.Bytes()
}

func written(t *testing.T, write func(io.Writer, *rule.Rule, string) error, r *rule.Rule, name string) string {
	t.Helper()
	var b strings.Builder
	testkit.Succeed(t, write(&b, r, name))
	return b.String()
}

// save writes files to a folder.
func save(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
}

// do runs a command in a folder and returns what it prints.
func do(t *testing.T, dir string, input []byte, name string, args ...string) string {
	t.Helper()
	if testkit.RaceDetector {
		t.Skip("it is another program, into which the race detector does not see")
	}
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
	testkit.Equal(t, len(g), len(w), "lines")

	for i := range g {
		testkit.Equal(t, g[i], w[i], "line %d: chose", i+1)
	}
}
