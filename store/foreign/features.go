package foreign

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// unknown are the features of a matrix of which nothing is known.
func unknown() sparse.Features {
	var f sparse.Features
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		if v.Field(i).CanFloat() {
			v.Field(i).SetFloat(math.NaN())
		} else {
			v.Field(i).SetInt(sparse.Unknown)
		}
	}
	return f
}

// featureColumns are the names of the features, and which of them are counts.
var featureColumns = func() (columns []featureColumn) {
	t := reflect.TypeFor[sparse.Features]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		columns = append(columns, featureColumn{name, i, t.Field(i).Type.Kind() == reflect.Int})
	}
	return columns
}()

type featureColumn struct {
	name  string
	field int
	count bool
}

// sizes are the features that every table has to give.
var sizes = []string{"rows", "cols", "nonzeros"}

// features reads the features in a row. It notes what is wrong with them.
func (t *table) features(row int, f *sparse.Features) {
	v := reflect.ValueOf(f).Elem()
	for _, c := range featureColumns {
		if !t.has(c.name) {
			continue
		}
		text := t.cell(row, c.name)
		x, err := strconv.ParseFloat(text, 64)
		switch {
		case text == "":
			t.fail(row, "%s is empty: give it on each line, or leave the column out", c.name)
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			t.fail(row, "%s = %q is not a number: write it as 1234 or 12.5", c.name, text)
		case x < 0 && c.name != "row_skewness":
			t.fail(row, "%s = %s is negative: see docs/features.md for what it means", c.name, text)
		case c.count && (x != math.Trunc(x) || x > 1<<53):
			t.fail(row, "%s = %s is not a whole number, which a count is", c.name, text)
		case c.count:
			v.Field(c.field).SetInt(int64(x))
		default:
			v.Field(c.field).SetFloat(x)
		}
	}
	if f.Rows > 0 && f.Nonzeros >= 0 {
		mean := float64(f.Nonzeros) / float64(f.Rows)
		if off := math.Abs(f.RowMean - mean); off > 0.01*mean {
			t.fail(row, "row_mean = %v, but nonzeros/rows is %.6g: leave the column out, or correct one of them", f.RowMean, mean)
		}
		f.RowMean = mean
	}
}

// isFeature reports whether a column is a feature.
func isFeature(column string) bool {
	return slices.ContainsFunc(featureColumns, func(c featureColumn) bool { return c.name == column })
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
