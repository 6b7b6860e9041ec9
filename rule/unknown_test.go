package rule

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

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
