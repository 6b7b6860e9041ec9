package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spmvtune/rule"
	"spmvtune/store"
)

// wayShare finds a way by the start of its name and asks it.
func wayShare(t *testing.T, name string, p *panel, c *rule.Case) float64 {
	t.Helper()
	at := slices.IndexFunc(ways, func(w way) bool { return strings.HasPrefix(w.name, name) })
	if at < 0 {
		t.Fatalf("there is no way %q", name)
	}
	return ways[at].share(p, c)
}

func TestWays(t *testing.T) {
	matrix := func(mean int, rows ...store.Row) *panel {
		for i := range rows {
			rows[i].NNZ = mean * rows[i].Rows
		}
		d := newData(rows, nil, nil, nil)
		return &d.panels[0]
	}
	all := func() []store.Row {
		return []store.Row{row("csr_pcsr", 64, 1, 4), row("csr_light", 64, 1, 5), row("csr_light", 128, 1, 8), row("cusparse_csr_alg1", 0, 0, 3),
			row("cusparse_csr_alg2", 0, 0, 2), row("coo_segscan_warp_chunk", 64, 1, 10), row("coo_segscan_block", 64, 1, 20), row("csr_vector", 32, 1, 1)}
	}
	c := &rule.Case{Fraction: 0.9, SingleConfig: 0.5, SingleKernel: 0.6}
	for _, tt := range []struct {
		way  string
		mean int
		want float64
	}{
		{"learned rule", 5, 0.9}, {"best single configuration", 5, 0.5}, {"best single kernel", 5, 0.6},
		{"fastest of cuSPARSE", 5, 0.5},
		{"rule of csr-five", 17, 0.25}, {"rule of csr-five", 18, 0.2},
		{"rule of coo", 99, 0.1}, {"rule of coo", 100, 0.05},
	} {
		if got := wayShare(t, tt.way, matrix(tt.mean, all()...), c); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s at %d nonzeros in a row: %v of the oracle, want %v", tt.way, tt.mean, got, tt.want)
		}
	}
	if got := wayShare(t, "fastest of cuSPARSE", matrix(5, row("csr_vector", 32, 1, 1)), c); !math.IsNaN(got) {
		t.Errorf("cuSPARSE was not measured, and has %v of the oracle", got)
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
	d := processor().data()
	d.rule = nil
	if pages, _ := drawRegret(d); len(pages) > 0 {
		t.Error("a page without a rule")
	}
}

// The overlay compares shapes: each matrix as a share of its own highest throughput.
func TestOverlay(t *testing.T) {
	on := func(matrix string, block int, gflops float64) store.Row {
		r := tileRow(block, 8, gflops, "")
		r.Matrix = matrix
		return r
	}
	d := newData([]store.Row{on("a", 32, 10), on("a", 64, 40), on("b", 32, 900), on("b", 64, 100), on("b", 128, 300)}, nil, nil, nil)
	ch, ok := overBlock.overlaid(d.panels, "csr_vector")
	if !ok || len(ch.faint) != 2 || len(ch.lines) != 1 {
		t.Fatalf("%d matrices, %d means", len(ch.faint), len(ch.lines))
	}
	var got []string
	for _, q := range ch.lines[0].Points { // 128 was not measured on both
		got = append(got, fmt.Sprintf("%g:%.4f", q.X, q.Y))
	}
	if s := strings.Join(got, " "); s != "32:0.5000 64:0.3333" {
		t.Errorf("mean %s", s)
	}
	if _, ok := overBlock.overlaid(d.panels[:1], "csr_vector"); ok {
		t.Error("one matrix over itself")
	}
}
