package figure

import (
	"math"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/chart"
	"spmvtune/rule"
)

// The line of a choice falls where it keeps no more, and ends where the best does.
func TestKept(t *testing.T) {
	got := kept([]float64{1, 0.02, 0.5, math.NaN(), 0.5, 1}, 0.1)
	want := []chart.Point{{X: 0.1, Y: 100}, {X: 0.1, Y: 80}, {X: 0.5, Y: 80}, {X: 0.5, Y: 40}, {X: 1, Y: 40}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, p := range got {
		if p.X != want[i].X || math.Abs(p.Y-want[i].Y) > 1e-12 {
			t.Errorf("%d: %v at %v, want %v at %v", i, p.Y, p.X, want[i].Y, want[i].X)
		}
	}
}

// More matrices than a page has rows for are one page that is no higher than for few.
func TestRegretOfManyMatrices(t *testing.T) {
	rows, _ := drawRegret(synthetic.Gpu(mostMatrices.here(), 64).Report())
	many, _ := drawRegret(synthetic.Gpu(mostMatrices.here()+1, 64).Report())
	if len(rows) != 1 || len(many) != 1 || many[0].Height > rows[0].Height/2 {
		t.Errorf("%d and %d pages", len(rows), len(many))
	}
	texts := textsOf(many[0])
	for _, want := range []string{"% of the matrices", "learned tree"} {
		found := false
		for _, s := range texts {
			found = found || s == want
		}
		if !found {
			t.Errorf("the page does not say %q: %q", want, texts)
		}
	}
}

// A line of fewer matrices than the others says so: its shares are of these.
func TestRegretOfFewerMatrices(t *testing.T) {
	d := synthetic.Gpu(mostMatrices.here()+1, 64).Report()
	for i := range d.Rule.Selectors {
		cases := d.Rule.Selectors[i].Validation.Cases
		for j := range cases {
			cases[j].SingleKernel = 0
			if j < 7 {
				cases[j].SingleKernel = 0.5
			}
		}
	}
	pages, _ := drawRegret(d)
	if len(pages) != 1 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, k := range pages[0].Keys {
		fewer := strings.HasSuffix(k.Text, " (7 matrices)")
		if fewer != strings.HasPrefix(k.Text, rule.SingleKernel.Name) {
			t.Errorf("the key says %q", k.Text)
		}
	}
}

// Pages say what shares of 100% hide, of few matrices and of many.
func TestRegretNamesNoise(t *testing.T) {
	for _, n := range []int{mostMatrices.here(), mostMatrices.here() + 1} {
		d := synthetic.Gpu(n, 64).Report()
		d.Rule.Selectors[0].Noise = "it is noisy."
		pages, _ := drawRegret(d)
		if want := string(d.Rule.Selectors[0].Precision) + ": it is noisy."; !strings.HasSuffix(pages[0].Subtitle, want) {
			t.Errorf("%d matrices: %s", n, pages[0].Subtitle)
		}
	}
}
