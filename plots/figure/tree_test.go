package figure

import (
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/rule"
)

// TestTree: every leaf of the rule is drawn, in reach of the page, and told to those who
// can't see it.
func TestTree(t *testing.T) {
	leaf := func(kernel string) *rule.Node {
		return &rule.Node{Choice: &kernels.Config{Kernel: kernel, Block: 64}, Matrices: []string{"m"}, Fraction: 0.5}
	}
	d := synthetic.Processor().Report()
	d.Rule = synthetic.SampleRule()
	root := leaf("cpu_coo")
	for _, name := range []string{"cpu_csr", "cpu_sell", "cpu_csr_rows", "cpu_csr_merge", "cpu_coo_chunks"} {
		root = &rule.Node{Feature: "row_" + name, Threshold: 12.5, Below: leaf(name), Above: root}
	}
	d.Rule.Selectors[0].Root = root
	pages := DrawTrees(d)
	if len(pages) != 1 {
		t.Fatalf("%d pages", len(pages))
	}
	svg, tips := pages[0].Web(&canvas.WebStyles{})
	if len(tips) != root.Leaves() {
		t.Errorf("%d leaves can be pointed at, of %d", len(tips), root.Leaves())
	}
	rows := map[int]bool{}
	for _, tip := range tips {
		if tip.X < 0 || tip.X > canvas.Tenth*int(canvas.PageWidth) {
			t.Errorf("a leaf lies at %d", tip.X)
		}
		rows[tip.Y] = true
	}
	if len(rows) != len(tips) {
		t.Errorf("leaves lie on each other: %v", tips)
	}
	for _, want := range []string{"cpu_csr_merge", "≤ 12.5", "&gt; 12.5", "row_cpu_sell"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if !strings.Contains(pages[0].Alt, "row_cpu_coo_chunks above 12.5 and row_cpu_csr_merge at most 12.5: "+
		"cpu_csr_merge, block 64") {
		t.Errorf("the words for it: %s", pages[0].Alt)
	}
	d.Rule.Selectors[0].Root = leaf("cpu_csr")
	if pages := DrawTrees(d); slices.ContainsFunc(pages, func(*canvas.Picture) bool { return true }) {
		t.Error("a rule that asks nothing is drawn as a tree")
	}
}
