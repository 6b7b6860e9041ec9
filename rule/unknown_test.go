package rule

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// Matrices of an older database lack some features. As long as one does, the rule
// is learned without them, and says so.
func TestUnknownFeatures(t *testing.T) {
	rate := func(f sparse.Features) float64 { return float64(f.Nonzeros%7) / 7 }
	obs := world(rand.New(rand.NewPCG(1, 2)), 25, func(f sparse.Features) string {
		if rate(f) > 0.5 {
			return "a"
		}
		return "b"
	})

	for i := range obs {
		obs[i].Features.RowGini = rate(*obs[i].Features)
	}
	s := learn(t, obs, DefaultOptions).Selectors[0]
	if s.Root.Feature != "row_gini" {
		t.Fatalf("learned to split on %q", s.Root.Feature)
	}

	if text := strings.Join(s.Warnings, "\n"); strings.Contains(text, "Not split on") {
		t.Error(text)
	}

	for i := range obs {
		if obs[i].Matrix == obs[0].Matrix {
			obs[i].Features.RowGini = math.NaN()
		}
	}

	s = learn(t, obs, DefaultOptions).Selectors[0]
	if s.Root.used(nil)["row_gini"] {
		t.Error("a feature was used that is not known of all matrices")
	}
	if text := strings.Join(s.Warnings, "\n"); !strings.Contains(text, "not known of all matrices: row_gini.") {
		t.Errorf("warnings are %q", text)
	}
}

// A choice for a matrix of which too little is known goes by its sizes, or names what is not known.
func TestChoiceWithUnknownFeatures(t *testing.T) {
	of := func(feature string) *Node {
		return &Node{Feature: feature, Threshold: 10, Below: leafOf("below"), Above: leafOf("above")}
	}
	split := func(rows float64) *Node {
		return &Node{Feature: "rows", Threshold: rows, Below: of("row_gini"), Above: leafOf("above")}
	}
	f := sparse.UnknownFeatures()
	f.Rows, f.Cols, f.Nonzeros = 1000, 1000, 5000
	for name, c := range map[string]struct {
		selector        Selector
		chosen, unknown string
	}{
		"known":           {Selector{Root: of("rows"), Sizes: of("row_gini")}, "above", ""},
		"known by sizes":  {Selector{Root: of("row_gini"), Sizes: of("rows")}, "above", "row_gini"},
		"without sizes":   {Selector{Root: of("row_gini")}, "", "row_gini"},
		"unknown to both": {Selector{Root: of("row_gini"), Sizes: of("row_std")}, "", "row_std"},
		"not asked for":   {Selector{Root: split(10)}, "above", ""},
		"asked for later": {Selector{Root: split(1e4)}, "", "row_gini"},
	} {
		r := &Rule{Selectors: []Selector{c.selector}}
		got, err := r.SelectFor(Key{}, f, Wanted{})
		unknown := got.Unknown
		if lacks := new(UnknownError); errors.As(err, &lacks) {
			unknown = lacks.Feature
		}
		if got.Config.Kernel != c.chosen || unknown != c.unknown || (err == nil) != (c.chosen != "") {
			t.Errorf("%s: chose %q, not known %q, error %v", name, got.Config.Kernel, unknown, err)
		}
	}
}

func leafOf(kernel string) *Node { return &Node{Choice: &kernels.Config{Kernel: kernel}} }
