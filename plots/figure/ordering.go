package figure

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

// An ordering sorts matrices along an axis.
type ordering struct {
	name  string // "nnz", in names of files
	by    string // "nonzeros", after "matrices by rising"
	value func(*store.Row) float64
	print func(float64) string
	unit  string // "rows", after a value.
}

// words is a value with its unit.
func (o ordering) words(v float64) string { return o.print(v) + " " + o.unit }

var (
	byRows = ordering{
		name: "rows", unit: "rows", by: "number of rows",
		value: func(r *store.Row) float64 { return float64(r.Rows) },
		print: number.Abbreviated,
	}
	byNonzeros = ordering{
		name: "nnz", unit: "nonzeros", by: "number of nonzeros",
		value: func(r *store.Row) float64 { return float64(r.NNZ) },
		print: number.Abbreviated,
	}
	byRowLength = ordering{
		name: "row-length", unit: "nonzeros in a row", by: "mean row length (nonzeros)",
		value: func(r *store.Row) float64 { return float64(r.NNZ) / float64(max(r.Rows, 1)) },
		print: func(v float64) string { return number.Significant(v, 3) },
	}
)

// A stop is a matrix on the axis.
type stop struct {
	Matrix string
	Value  float64
}

// stops lists the matrices of some panels in order, each once. A logarithmic axis has no place
// for those without a value.
func (o ordering) stops(panels []data.Panel) []stop {
	var list []stop
	for i := range panels {
		p := &panels[i]
		if o.value(&p.Rows[0]) > 0 && !slices.ContainsFunc(list, func(s stop) bool { return s.Matrix == p.Matrix }) {
			list = append(list, stop{p.Matrix, o.value(&p.Rows[0])})
		}
	}

	slices.SortStableFunc(list, func(a, b stop) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

// differ reports whether an axis over some panels would tell their matrices apart.
func (o ordering) differ(panels []data.Panel) bool {
	const least = 1.1 // the highest value over the lowest
	stops := o.stops(panels)
	return len(stops) >= fewestStops && stops[len(stops)-1].Value >= least*stops[0].Value
}

// mostStems is the most matrices that are named on an axis.
const mostStems = chart.FewestForTrend - 1

// stems names matrices on the axis, if there are few.
func (o ordering) stems(stops []stop) []chart.Stem {
	if len(stops) > mostStems {
		return nil
	}
	list := make([]chart.Stem, len(stops))
	for i, s := range stops {
		list[i] = chart.Stem{Name: s.Matrix, X: s.Value}
	}
	return list
}

// axis is logarithmic and has at most about n labels.
func (o ordering) axis(stops []stop, n int) canvas.Scale {
	low, high := stops[0].Value, stops[len(stops)-1].Value
	pad := max(1.06, math.Pow(high/low, 0.03))
	return roundedLog(low/pad, high*pad, n)
}

// roundedLog is canvas.LogBetween with short labels.
func roundedLog(low, high float64, n int) canvas.Scale {
	s := canvas.LogBetween(low, high, n)
	for i := range s.Ticks {
		if t := &s.Ticks[i]; t.Label != "" {
			t.Label = rounded(t.Value)
		}
	}
	return s
}

// rounded prints the value of a tick.
func rounded(v float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if v >= unit.size {
			return number.Plain(v/unit.size) + unit.name
		}
	}
	return number.Plain(v)
}
