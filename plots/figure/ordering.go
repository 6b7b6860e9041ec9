package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"spmvtune/plots/canvas"
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
}

var (
	byRows = ordering{
		name: "rows", by: "number of rows",
		value: func(r *store.Row) float64 { return float64(r.Rows) },
		print: number.Abbreviated,
	}
	byNonzeros = ordering{
		name: "nnz", by: "number of nonzeros",
		value: func(r *store.Row) float64 { return float64(r.NNZ) },
		print: number.Abbreviated,
	}
	byRowLength = ordering{
		name: "row-length", by: "mean row length (nonzeros)",
		value: func(r *store.Row) float64 { return float64(r.NNZ) / float64(max(r.Rows, 1)) },
		print: func(v float64) string { return number.Significant(v, 3) },
	}
)

// A stop is a matrix on the axis.
type stop struct {
	Matrix string
	Value  float64
}

// stops lists the matrices of some panels in order, each once.
func (o ordering) stops(panels []data.Panel) []stop {
	var list []stop
	for i := range panels {
		p := &panels[i]
		if !slices.ContainsFunc(list, func(s stop) bool { return s.Matrix == p.Matrix }) {
			list = append(list, stop{p.Matrix, o.value(&p.Rows[0])})
		}
	}

	slices.SortStableFunc(list, func(a, b stop) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

// namedAxis places the matrices at 1, 2, …, labelled with name and value. Labels that do not
// fit into the width are turned, and if they would still touch, some are left out.
func (o ordering) namedAxis(stops []stop, width vg.Length) canvas.Scale {
	style := canvas.Typeface(canvas.TickSize, false, canvas.SoftColor)
	slot := width / vg.Length(len(stops))
	upright := true

	for _, s := range stops {
		upright = upright && style.Width(s.Matrix) <= slot-6 && style.Width(o.print(s.Value)) <= slot-6
	}
	every := 1
	for !upright && slot*vg.Length(every) < canvas.TickSize+2 {
		every++
	}
	return o.axis(stops, every, !upright, func(s stop) string {
		if upright {
			return s.Matrix + "\n" + o.print(s.Value)
		}
		return canvas.Fit(style, s.Matrix, longestName) + "  " + o.print(s.Value) + " " // off the axis
	})
}

// longestName is the room for a matrix's name along a turned axis.
const longestName = vg.Length(110)

// valueAxis labels at most n of the values.
func (o ordering) valueAxis(stops []stop, n int) canvas.Scale {
	return o.axis(stops, (len(stops)+n-1)/n, false, func(s stop) string { return o.print(s.Value) })
}

func (o ordering) axis(stops []stop, every int, turned bool, label func(stop) string) canvas.Scale {
	s := canvas.Scale{Min: 0.5, Max: float64(len(stops)) + 0.5, Norm: plot.LinearScale{}, Turned: turned}
	for i, m := range stops {
		t := plot.Tick{Value: float64(i + 1)}
		if i%every == 0 {
			t.Label = label(m)
		}
		s.Ticks = append(s.Ticks, t)
	}
	return s
}
