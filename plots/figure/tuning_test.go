package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// One configuration for all matrices is the one with the best geometric mean of those that all have.
func TestTuningOf(t *testing.T) {
	on := func(matrix string, block int, ms float64) store.Row {
		r := synthetic.Row("csr_vector", block, 8, ms)
		r.Matrix = matrix
		return r
	}
	d := data.New([]store.Row{on("a", 32, 1), on("a", 64, 2), on("a", 128, 4), on("a", 256, 8), on("b", 32, 10),
		on("b", 64, 2), on("b", 128, 4), on("b", 512, 1)}, nil, nil, nil)
	got, ok := tuningOf(d.Panels, "csr_vector")
	// Block 64 is half as fast as the best on both; 32 is the best on a, and a tenth on b.
	if !ok || got.config.Block != 64 || math.Abs(got.single-0.5) > 1e-12 || got.matrices != 2 {
		t.Errorf("%v at %g of %d matrices", got.config, got.single, got.matrices)
	}
	if len(got.shares) != 8 || got.shares[0] != 0.1 || got.shares[7] != 1 {
		t.Errorf("shares %v", got.shares)
	}
	if _, ok := tuningOf(d.Panels, "csr_scalar"); ok {
		t.Error("a kernel without trials has a distribution")
	}
}

// Preparing pays off after as many products as its cost is times the gain; where it decides
// nothing there is no picture.
func TestReigns(t *testing.T) {
	plain, fast := synthetic.Row("csr_scalar", 64, 8, 2), synthetic.Row("sell_c_sigma", 64, 8, 1)
	plain.Prepare, fast.Prepare = 1e-3, 0.101
	d := data.New([]store.Row{plain, fast}, nil, nil, nil)
	list := reigns(&d.Panels[0])
	if len(list) != 2 || list[0].kernel != "csr_scalar" || list[1].kernel != "sell_c_sigma" ||
		list[0].to < 95 || list[0].to > 110 {
		t.Errorf("%+v, want a change at 100 products", list)
	}
	pages, _ := drawBreakEven(d)
	if len(pages) != 1 || !strings.HasPrefix(pages[0].Title, "For one product csr_scalar") {
		t.Errorf("%d pages", len(pages))
	}
	fast.Prepare = 0
	if pages, _ := drawBreakEven(data.New([]store.Row{plain, fast}, nil, nil, nil)); len(pages) != 0 {
		t.Error("a picture though preparation decides nothing")
	}
}

// The spread between runs is that of repeated trials; without repeats there is no picture.
func TestRunToRun(t *testing.T) {
	r := synthetic.Row("csr_scalar", 64, 8, 2)
	if pages, _ := byCondition(runToRunPage)(data.New([]store.Row{r}, nil, nil, nil)); len(pages) != 0 {
		t.Error("a spread without repeats")
	}
	r.Factor = 1.12
	pages, _ := byCondition(runToRunPage)(data.New([]store.Row{r}, nil, nil, nil))
	if len(pages) != 1 || !slices.Contains(textsOf(pages[0]), "12%") {
		t.Error("no 12% on the page")
	}
}
