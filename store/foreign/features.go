package foreign

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"spmvtune/sparse"
)

// sizes are the features that every table has to give.
var sizes = []string{"rows", "cols", "nonzeros"}

var featureNames = sparse.FeatureNames()

// features reads the features in a row. It notes what is wrong with them.
func (t *table) features(row int, f *sparse.Features) {
	for _, name := range featureNames {
		if !t.has(name) {
			continue
		}
		text := t.cell(row, name)
		if text == "" {
			t.fail(row, "%s is empty: give it on each line, or leave the column out", name)
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.fail(row, "%s = %q is not a number: write it as 1234 or 12.5", name, text)
		} else if err := f.Set(name, x); err != nil {
			t.fail(row, "%w: docs/features.md says what it means", err)
		}
	}

	if hi, lo := bits.Mul64(uint64(max(f.Rows, 0)), uint64(max(f.Cols, 0))); hi == 0 && uint64(max(f.Nonzeros, 0)) > lo {
		t.fail(row, "%d nonzeros are more than %d rows and %d columns have places for", f.Nonzeros, f.Rows, f.Cols)
	}
	if f.Rows > 0 && f.Nonzeros >= 0 {
		mean := float64(f.Nonzeros) / float64(f.Rows)
		if off := math.Abs(f.RowMean - mean); off > 0.01*mean {
			t.fail(row, "row_mean = %v, but nonzeros/rows is %.6g: leave the column out, or correct one of them",
				f.RowMean, mean)
		}
		f.RowMean = mean
	}
}

// isFeature reports whether a column is a feature.
func isFeature(column string) bool { return slices.Contains(featureNames, column) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
