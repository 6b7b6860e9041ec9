package generate

import (
	"math"
	"slices"
	"testing"

	"spmvtune/sparse"
)

// TestTriangularSizes compares with the table of MARCA's data sets.
func TestTriangularSizes(t *testing.T) {
	for _, c := range []struct{ nx, ny, rows, nnz int }{
		{10, 10, 121, 441},
		{64, 16, 1105, 4257},
		{64, 64, 4225, 16_641},
		{100, 100, 10_201, 40_401},
		{256, 64, 16_705, 66_177},
		{512, 128, 66_177, 263_425},
		{512, 256, 131_841, 525_825},
	} {
		m := build(t, "triangular", map[string]any{"nx": c.nx, "ny": c.ny})
		if m.Rows != c.rows || m.NNZ() != c.nnz {
			t.Errorf("%d by %d is %v, not %d rows with %d nonzeros", c.nx, c.ny, m, c.rows, c.nnz)
		}
	}
}

// TestTriangularIsMC2DEPI compares with what is known of SuiteSparse's mc2depi.
func TestTriangularIsMC2DEPI(t *testing.T) {
	m := build(t, "triangular", map[string]any{"nx": 512, "ny": 1024})
	if m.Rows != 525_825 || m.Cols != 525_825 || m.NNZ() != 2_100_225 {
		t.Fatalf("got %v", m)
	}
	var length, span statistics
	neighbours := 0

	for i := range m.Rows {
		columns, values := m.Row(i)
		length.add(len(columns))
		span.add(int(columns[len(columns)-1] - columns[0]))
		for k := 1; k < len(columns); k++ {
			if columns[k] == columns[k-1]+1 {
				neighbours += 2
			}
		}

		sum := 0.0
		for _, v := range values {
			sum += v
		}
		if sum != 0 {
			t.Fatalf("row %d has the sum %v", i, sum)
		}
	}

	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v, not %v", what, got, want)
		}
	}
	near("mean length", length.mean(), 3.994152)

	near("deviation of lengths", length.deviation(), 0.076323)
	near("mean span", span.mean(), 705.746224)
	near("deviation of spans", span.deviation(), 143.827514)
	near("neighbour rate", float64(neighbours)/float64(m.NNZ()), 0.498297)

	// The same definitions: those of "num-neigh-avg", "bw-avg" and
	// "cross_row_sim-avg" where these figures were published.
	f := sparse.Analyze(m)
	near("feature neighbour_rate", f.NeighbourRate, 0.498297)
	near("feature row_span_mean", f.RowSpanMean, 705.746224)
	if math.Abs(f.RowSimilarity-0.998906) > 5*0.0005 { // estimated; it deviates little from row to row
		t.Errorf("feature row_similarity: %v, not 0.998906", f.RowSimilarity)
	}

	if slices.Min(length.all) != 2 || slices.Max(length.all) != 4 || slices.Min(span.all) != 1 ||
		slices.Max(span.all) != 770 {
		t.Errorf("lengths are %d to %d, spans %d to %d", slices.Min(length.all), slices.Max(length.all),
			slices.Min(span.all), slices.Max(span.all))
	}
}

type statistics struct {
	all          []int
	sum, squares float64
}

func (s *statistics) add(n int) {
	s.all = append(s.all, n)
	s.sum += float64(n)
	s.squares += float64(n) * float64(n)
}

func (s *statistics) mean() float64 { return s.sum / float64(len(s.all)) }

func (s *statistics) deviation() float64 {
	return math.Sqrt(s.squares/float64(len(s.all)) - s.mean()*s.mean())
}

// TestTriangularWritten has 2 by 1 written out: the states in order are (0, 0),
// (1, 0), (2, 0), (0, 1), (1, 1), (2, 1).
func TestTriangularWritten(t *testing.T) {
	want := [][]float64{
		{-2025, 2025, 0, 0, 0, 0},
		{0, -2026, 2025, 1, 0, 0},
		{0, 0, -2, 0, 2, 0},
		{1, 0, 0, -2026, 2025, 0},
		{0, 1, 0, 0, -2026, 2025},
		{0, 0, 1, 0, 0, -1},
	}

	if got := dense(build(t, "triangular", map[string]any{"nx": 2, "ny": 1})); !slices.EqualFunc(got, want,
		slices.Equal) {
		t.Errorf("got %v", got)
	}
}
