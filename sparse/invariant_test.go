package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What does not depend on which side of the diagonal is which.
func TestFeaturesOfTranspose(t *testing.T) {
	for name, m := range patterns(t) {
		a, b := Analyze(m), Analyze(m.Transpose())
		if a.Nonzeros != b.Nonzeros || a.Bandwidth != b.Bandwidth || a.BandwidthMean != b.BandwidthMean ||
			a.Diagonals != b.Diagonals {
			t.Errorf("%s: %+v\ntransposed %+v", name, a, b)
		}

		if d := a.PatternSymmetry - b.PatternSymmetry; max(d, -d) > 0.02 {
			t.Errorf("%s: symmetry %v, transposed %v", name, a.PatternSymmetry, b.PatternSymmetry)
		}
		if a.Cols-a.ColsUsed != b.EmptyRows || b.Cols-b.ColsUsed != a.EmptyRows {
			t.Errorf("%s: %d of %d columns used, but %d rows of the transpose empty", name, a.ColsUsed, a.Cols,
				b.EmptyRows)
		}
	}
}

// A pattern united with its transpose is symmetric.
func TestSymmetricPattern(t *testing.T) {
	for name, m := range patterns(t) {
		if m.Rows != m.Cols || m.NNZ() == 0 {
			continue
		}
		both := pattern(t, m.Rows, m.Rows, func(add func(i, j int)) {
			for i := range m.Rows {
				cols, _ := m.Row(i)
				for _, j := range cols {
					add(i, int(j))
					add(int(j), i)
				}
			}
		})

		if f := Analyze(both); f.PatternSymmetry != 1 {
			t.Errorf("%s: symmetry of the symmetric pattern is %v", name, f.PatternSymmetry)
		}
	}
}

// The order of rows changes nothing in what is said of their lengths and insides.
func TestFeaturesOfPermutedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, m := range patterns(t) {
		order := rng.Perm(m.Rows)
		p := pattern(t, m.Rows, m.Cols, func(add func(i, j int)) {
			for i := range m.Rows {
				cols, _ := m.Row(i)
				for _, j := range cols {
					add(order[i], int(j))
				}
			}
		})

		a, b := Analyze(m), Analyze(p)
		for _, f := range []*Features{&a, &b} { // what the order changes
			f.Bandwidth, f.BandwidthMean, f.Profile, f.RowSimilarity, f.Diagonals, f.PatternSymmetry = 0, 0, 0, 0, 0, 0
		}
		if a != b {
			t.Errorf("%s: %+v\npermuted %+v", name, a, b)
		}
	}
}

func TestFeaturesEqual(t *testing.T) {
	f := Analyze(patterns(t)["few random"])
	old, less := f, f
	old.RowSimilarity = math.NaN() // not known
	less.EmptyRows--
	if !f.Equal(f) || !old.Equal(old) || f.Equal(old) || old.Equal(f) || f.Equal(less) {
		t.Error("features are equal where they differ, or differ where they are equal")
	}
}
