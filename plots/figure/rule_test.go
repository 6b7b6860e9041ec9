// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/store"
)

// Of more matrices than a page has rows for, those on which the rule loses most are shown.
func TestRegretOfManyMatrices(t *testing.T) {
	n := mostMatrices.here() + 1
	d := synthetic.Gpu(n, 64).Report()
	list := regrets(d)
	best := ""
	for i := range list[0].cases {
		list[0].cases[i].Fraction = 0.5 + 0.4*float64(i)/float64(n)
		best = list[0].cases[i].Matrix
	}
	p := regretPage(d, list[:1])
	texts := textsOf(p)
	testkit.Equal(t, len(p.Matrices), n-1, "matrices")
	testkit.Check(t, !slices.Contains(texts, best) && slices.Contains(texts, meanOfAll), "the best is shown, or no mean: %q", texts)
}

// A parameter that a trial does not spell out has the catalogue's default.
func TestSelections(t *testing.T) {
	k, _ := kernels.Lookup("csr_thread_row")
	bound := k.Params[0]
	for params, want := range map[string]string{"": "none", "shared=1": "none", "min_blocks=2 shared=0": "2"} {
		r := synthetic.Row(k.Name, 0, 0, 1)
		r.Params = kernels.Params(params)
		var got []string
		for _, v := range bound.Values {
			if analysis.WithParam(bound, v)(&r) {
				got = append(got, v)
			}
		}
		testkit.EqualLists(t, got, []string{want}, "of %q", params)
	}
	p := analysis.Panel{Rows: []store.Row{synthetic.Row("coo_scan_shared", 1024, 8, 1),
		synthetic.Row("coo_scan_shared", 32, 8, 3), synthetic.Row("coo_scan_shared", 32, 16, 2),
		synthetic.Row("coo_blelloch", 32, 8, 0.5)}}
	if r := p.FastestOf(ofFirstScan); r == nil || r.Block != 32 || r.Grid != 16 {
		t.Errorf("the first scan is %+v", r)
	}
	testkit.Equal(t, p.FastestOf(analysis.OfKernels("csr_scalar")), nil, "found among other kernels")
}

// A share that is not known is no share, of a selector or of a mean.
func TestRegretOfUnknownWays(t *testing.T) {
	d := synthetic.Processor().Report()
	for i := range d.Rule.Models {
		cases := d.Rule.Models[i].Validation.Cases
		for j := range cases {
			cases[j].CSRFive = 0
		}
	}
	list := regrets(d)
	testkit.Require(t, len(list) != 0, "nothing was validated")
	for _, w := range knownSelectors(list) {
		testkit.Check(t, selectors[w].Name != rule.CSRFive.Name, "a rule is drawn that was not measured on any matrix")
	}
	d.Rule.Models[0].Validation.Cases[0].Partial = true // a kernel was not tried there
	testkit.Equal(t, len(regrets(d)[0].cases), len(list[0].cases)-1, "matrices that are judged, but for one that is partial")
	last := len(selectors) - 1
	testkit.Equal(t, selectors[last].Name, rule.Learned.Name, "the last")
	testkit.Equal(t, selectors[last].share(rule.Case{Fraction: 0.9}), 0.9, "the last's share")
}

// A mean over some of the matrices can't be compared with one over all.
func TestRegretMean(t *testing.T) {
	last := len(selectors) - 1
	g := regret{cases: []rule.Case{{Matrix: "a"}, {Matrix: "b", Fraction: 1}}}
	if got := g.shareOn(meanOfAll, last); !math.IsNaN(got) || !slices.Contains(knownSelectors([]regret{g}), last) {
		t.Errorf("mean %v of a selector that is not known of each matrix", got)
	}
	d := synthetic.Processor().Report()
	d.Rule = nil
	pages, _ := drawings["selection-regret"](d)
	testkit.Equal(t, len(pages), 0, "pages without a rule")
}

// The overlay compares shapes: each matrix as a share of its own highest throughput.
func TestOverlay(t *testing.T) {
	on := func(matrix string, block int, gflops float64) store.Row {
		r := synthetic.TileRow(block, 8, gflops, "")
		r.Matrix = matrix
		return r
	}
	d := analysis.New([]store.Row{on("a", 32, 10), on("a", 64, 40), on("a", 256, 40), on("b", 32, 900),
		on("b", 64, 100), on("b", 128, 300), on("b", 256, 900)}, nil, nil, nil)
	_, ch := overBlock.across(d.Panels, "csr_vector", analysis.GFLOPS)
	testkit.EqualLists(t, []int{len(ch.Faint), len(ch.Lines)}, []int{2, 1}, "matrices and means")
	var got []string
	for _, q := range ch.Lines[0].Points { // 128 was not measured on both
		got = append(got, fmt.Sprintf("%g:%.4f", q.X, q.Y))
	}
	testkit.Equal(t, strings.Join(got, " "), "32:0.5000 64:0.3333 256:1.0000", "mean")
}
