package figure

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/rule"
	"spmvtune/store"
)

// A share that is not known is no share, of a way or of a mean.
func TestRegretOfUnknownWays(t *testing.T) {
	d := synthetic.Processor().Report()
	for i := range d.Rule.Selectors {
		cases := d.Rule.Selectors[i].Validation.Cases
		for j := range cases {
			cases[j].CSRFive = 0
		}
	}
	list := regrets(d)
	if len(list) == 0 {
		t.Fatal("nothing was validated")
	}
	for _, w := range knownWays(list) {
		if ways[w].Name == rule.CSRFive.Name {
			t.Error("a rule is drawn that was not measured on any matrix")
		}
	}
	if g := list[0]; len(g.matrices) < 2 {
		t.Fatal("few matrices")
	} else {
		s := &d.Rule.Selectors[0]
		s.Validation.Cases[0].Partial = true // a kernel was not tried there
		if got := regrets(d)[0]; len(got.matrices) != len(g.matrices)-1 {
			t.Errorf("%d of %d matrices are judged, one of which is partial", len(got.matrices), len(g.matrices))
		}
	}
	last := len(ways) - 1
	if got := ways[last].share(rule.Case{Fraction: 0.9}); ways[last].Name != rule.Learned.Name || got != 0.9 {
		t.Errorf("the last is %s with %v", ways[last].Name, got)
	}
}

// A mean over some of the matrices can't be compared with one over all.
func TestRegretMean(t *testing.T) {
	g := regret{shares: [][]float64{{0.25, 1}, {math.NaN(), 1}}}
	if got := g.mean(0); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("geometric mean %v, want 0.5", got)
	}
	if got := g.mean(1); !math.IsNaN(got) || !g.known(1) {
		t.Errorf("mean %v of a way that is not known of each matrix", got)
	}
	d := synthetic.Processor().Report()
	d.Rule = nil
	if pages, _ := drawRegret(d); len(pages) > 0 {
		t.Error("a page without a rule")
	}
}

// The overlay compares shapes: each matrix as a share of its own highest throughput.
func TestOverlay(t *testing.T) {
	on := func(matrix string, block int, gflops float64) store.Row {
		r := synthetic.TileRow(block, 8, gflops, "")
		r.Matrix = matrix
		return r
	}
	d := data.New([]store.Row{on("a", 32, 10), on("a", 64, 40), on("a", 256, 40), on("b", 32, 900),
		on("b", 64, 100), on("b", 128, 300), on("b", 256, 900)}, nil, nil, nil)
	ch, ok := overBlock.overlaid(d.Panels, "csr_vector")
	if !ok || len(ch.Faint) != 2 || len(ch.Lines) != 1 {
		t.Fatalf("%d matrices, %d means", len(ch.Faint), len(ch.Lines))
	}
	var got []string
	for _, q := range ch.Lines[0].Points { // 128 was not measured on both
		got = append(got, fmt.Sprintf("%g:%.4f", q.X, q.Y))
	}
	if s := strings.Join(got, " "); s != "32:0.5000 64:0.3333 256:1.0000" {
		t.Errorf("mean %s", s)
	}
	if _, ok := overBlock.overlaid(d.Panels[:1], "csr_vector"); ok {
		t.Error("one matrix over itself")
	}
}
