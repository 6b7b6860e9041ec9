package sparse_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// TestSampledFeatures holds the two features that are estimated against the same from
// all entries: none is off by three times the bound of their standard error, and few by more
// than the bound.
func TestSampledFeatures(t *testing.T) {
	estimates, far := 0, 0
	holds := func(name string, m *sparse.CSR[float64]) {
		t.Helper()
		similarity, symmetry, deviation := sparse.Exactly(m)
		f := sparse.Analyze(m)
		for k, d := range []float64{f.RowSimilarity - similarity, f.PatternSymmetry - symmetry} {
			estimates++
			if math.Abs(d) > deviation {
				far++
			}
			if math.Abs(d) > 3*deviation {
				t.Errorf("%s: %s is off by %.4f", name, []string{"similarity", "symmetry"}[k], d)
			}
		}
	}

	for _, g := range []struct {
		name string
		args map[string]any
	}{
		{"grid_5pt", map[string]any{"nx": 300, "ny": 300}},
		{"delaunay", map[string]any{"points": 50_000}},
		{"mycielskian", map[string]any{"order": 11}},
		{"rmat", map[string]any{"scale": 14, "edge_factor": 16.0}},
		{"uniform", map[string]any{"rows": 100_000, "cols": 100_000, "row_nnz": 8.0}},
		{"fem_blocks", map[string]any{"nodes": 10_000}},
		{"road", map[string]any{"rows": 300_000}},
		{"giant_row", map[string]any{"rows": 100_000, "giant": 90_000}},
		{"twin", map[string]any{"of": "webbase-1M", "scale": 0.2}},
		{"twin", map[string]any{"of": "Ga41As41H72", "scale": 0.1}},
	} {
		m, err := generate.Build(t.Context(), g.name, g.args)
		if err != nil {
			t.Fatal(err)
		}
		holds(g.name, m)
	}

	real, err := filepath.Glob("../../shared/matrices/*.mtx.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range real {
		read, err := file.Read(t.Context(), path, file.Options{Expand: true, Complex: file.RealPart})
		if err != nil {
			t.Fatal(err)
		}
		holds(strings.TrimSuffix(filepath.Base(path), ".mtx.gz"), read.A)
	}

	if far > estimates/10 {
		t.Errorf("%d of %d estimates are off by more than their standard error may be", far, estimates)
	}
}
