// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/store"
)

// A cloud is a picture of values over what matrices are like, dots of a kernel alike, as in
// csr-five-algorithms. Matrices are unrelated, so no line joins dots; many have running medians.
type cloud struct {
	over  ordering
	stops []stop
	sets  []canvas.Line // What is drawn alike.
	grey  []canvas.Line // Sets without a name, behind the others.
	label string        // The label of the y axis.
	roof  canvas.Roof   // The measured bandwidth, drawn if it is near the data.
}

const rowLengthLabel = "mean row length (nonzeros)"

// A crossing is a figure of the throughput of kernels over what matrices are like.
type crossing struct {
	id   string
	over ordering
	unit analysis.Unit
}

var (
	overRows               = crossing{"gflops-vs-rows", byRows, analysis.GFLOPS}
	overNonzeros           = crossing{"gflops-vs-nnz", byNonzeros, analysis.GFLOPS}
	overRowLength          = crossing{"gflops-vs-row-length", byRowLength, analysis.GFLOPS}
	bandwidthOverRowLength = crossing{"bandwidth-vs-row-length", byRowLength, analysis.GBPS}
)

// singlePrecision returns the panels of a condition in float32, or in the first precision that
// there is.
func singlePrecision(d *analysis.Data, at analysis.Condition) []analysis.Panel {
	setups := slices.DeleteFunc(d.Setups(), func(s analysis.Setup) bool { return s.Condition != at })
	single := slices.IndexFunc(setups, func(s analysis.Setup) bool { return s.Precision == kernels.Float32 })
	return d.In(setups[max(0, single)])
}

// page draws a condition, in the papers' precision if it was measured.
func (f crossing) page(d *analysis.Data, at analysis.Condition) *canvas.Picture {
	panels := slices.DeleteFunc(singlePrecision(d, at), func(p analysis.Panel) bool { // imported, with times alone
		return !slices.ContainsFunc(p.Rows, func(r store.Row) bool { return f.unit.Of(&r) > 0 })
	})
	stops := f.over.stops(panels)
	if !differ(stops) {
		return nil
	}
	names, all, cited := coloured(panels), analysis.KernelsOf(panels), citationsOf(d)
	cl := cloud{over: f.over, stops: stops, label: f.unit.Label}
	cl.roof.Low, cl.roof.High = d.RoofOf(panels[0].Device, f.unit)
	for _, kernel := range all {
		set := overMatrices(panels, f.over, kernel, f.unit)
		if !slices.Contains(names, kernel) {
			cl.grey = append(cl.grey, set)
			continue
		}
		for _, q := range set.Points {
			set.Published = append(set.Published,
				cited.beside(f.unit, q.Row, func(*analysis.Publication) (float64, bool) { return q.X, true })...)
		}
		cl.sets = append(cl.sets, set)
	}
	p := pictureOf(d, f.id, panels[0].Setup(), fmt.Sprintf("%s of %s over %s by %s: %s", cl.label,
		term.Count(len(all), "kernel", "kernels"), term.Matrices(len(stops)), f.over.by,
		analysis.MatrixNames(panels)), cl.panels())
	p.Keys = cl.keys()
	p.Subtitle += inGrey(len(all)-len(names)) + cited.Caption()
	return p
}

// panels is the cloud in one panel.
func (cl *cloud) panels() canvas.Panels {
	return canvas.Panels{List: []canvas.Panel{cl.panel(12, cl.sets)}, X: cl.over.by, Y: cl.label}
}

// keys are those of the sets.
func (cl *cloud) keys() []canvas.Key {
	return lists.Of(cl.sets, func(l canvas.Line) canvas.Key { return canvas.Key{Text: l.Kernel, Look: l.Look, Dot: true} })
}

// panel is one for these sets, with about this many labels along x. The dots of a matrix stand beside each other.
func (cl *cloud) panel(labels int, sets []canvas.Line) canvas.Panel {
	p := canvas.Panel{X: cl.axis(labels), Y: cl.scale(slices.Concat(sets, cl.grey))}
	if cl.roof.High > 0 && cl.roof.High <= p.Y.Max {
		p.Add(cl.roof)
	}
	for _, l := range cl.grey {
		p.Add(canvas.Marks{Points: l.Points, Look: canvas.Look{Color: canvas.LineColor}, Radius: 1.5})
	}
	var trends []plot.Plotter
	for i, l := range sets {
		dots := canvas.Marks{Look: l.Look, Radius: 3, Whiskers: 0.9}
		if trend := canvas.Trend(l.Points); trend != nil {
			dots.Radius, dots.Whiskers = 1.6, 0
			trends = append(trends, canvas.Curve{Points: trend, Look: l.Look, Width: 1.8, Rim: true})
		}
		aside := math.Pow(p.X.Max/p.X.Min, 0.006*(float64(i)-float64(len(sets)-1)/2))
		for _, q := range l.Points {
			q.X *= aside
			dots.Points = append(dots.Points, q)
		}
		p.Add(dots, canvas.PublishedOf(l))
	}
	p.Add(trends...)
	return p
}

// overMatrices returns the throughput of one kernel at its best on each matrix that it was measured on.
func overMatrices(panels []analysis.Panel, over ordering, kernel string, u analysis.Unit) canvas.Line {
	l := canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	for i := range panels {
		if r := panels[i].Best(kernel); r != nil {
			if x, v := over.value(r), u.Of(r); x > 0 && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, canvas.Throughput(r, x, v))
			}
		}
	}
	return l
}

// scale is logarithmic: matrices differ by orders of magnitude.
func (cl *cloud) scale(sets []canvas.Line) canvas.Scale {
	low, high := math.Inf(1), 0.0
	for _, l := range sets {
		for _, q := range l.Points {
			low, high = min(low, q.Y), max(high, q.Y)
		}
	}
	if cl.roof.High <= canvas.RoofWithin*high {
		high = max(high, cl.roof.High)
	}
	return canvas.LogBetween(max(low/1.2, high/1e4), high*1.2, 5)
}

// An ordering sorts matrices along an axis with a label.
type ordering struct {
	by    string
	value func(*store.Row) float64
}

var (
	byRows      = ordering{"number of rows", func(r *store.Row) float64 { return float64(r.Rows) }}
	byNonzeros  = ordering{"number of nonzeros", func(r *store.Row) float64 { return float64(r.NNZ) }}
	byRowLength = ordering{rowLengthLabel, func(r *store.Row) float64 { return float64(r.NNZ) / float64(max(r.Rows, 1)) }}
)

// A stop is a matrix on the axis.
type stop struct {
	Matrix string
	Value  float64
}

// stops lists the matrices of some panels in order, each once. A logarithmic axis has no place for empty ones.
func (o ordering) stops(panels []analysis.Panel) []stop {
	var list []stop
	for i := range panels {
		s := stop{panels[i].Matrix, o.value(&panels[i].Rows[0])}
		if s.Value > 0 && !slices.ContainsFunc(list, func(other stop) bool { return other.Matrix == s.Matrix }) {
			list = append(list, s)
		}
	}

	slices.SortStableFunc(list, func(a, b stop) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

const fewestStops = 2 // The fewest matrices that are worth a page.

// differ reports whether an axis would tell matrices apart.
func differ(stops []stop) bool {
	const least = 1.1 // the highest value over the lowest
	return len(stops) >= fewestStops && stops[len(stops)-1].Value >= least*stops[0].Value
}

// axis is logarithmic and has at most about n labels.
func (cl *cloud) axis(n int) canvas.Scale {
	low, high := cl.stops[0].Value, cl.stops[len(cl.stops)-1].Value
	pad := max(1.06, math.Pow(high/low, 0.03))
	return canvas.LogBetween(low/pad, high*pad, n)
}

// kernelsPage draws throughput over row length with a panel for each kernel and marks for each precision.
func kernelsPage(d *analysis.Data, at analysis.Condition) *canvas.Picture {
	panels := d.Under(at)
	cl := cloud{over: byRowLength, stops: byRowLength.stops(panels), label: analysis.GFLOPS.Label}
	if !differ(cl.stops) {
		return nil
	}
	names, precisions := analysis.LeadersOf(panels, mostKernels.here()), precisionsOf(panels)
	drawn := canvas.Panels{X: cl.over.by, Y: cl.label}
	for _, kernel := range names {
		var sets []canvas.Line
		for _, precision := range precisions {
			l := overMatrices(slices.DeleteFunc(slices.Clone(panels),
				func(p analysis.Panel) bool { return p.Precision != precision }), cl.over, kernel, analysis.GFLOPS)
			l.Look = precisionLook(l.Look.Color, precision)
			sets = append(sets, l)
		}
		panel := cl.panel(14/canvas.ColumnsFor(len(names)), sets)
		panel.Heading = kernel
		drawn.List = append(drawn.List, panel)
	}
	p := pictureOf(d, "kernel-gflops-vs-row-length", analysis.Setup{Condition: panels[0].Condition()},
		"a panel per kernel: "+strings.Join(names, ", "), drawn)
	p.Subtitle += someOf(len(names), len(analysis.KernelsOf(panels)), "kernels")
	for _, precision := range precisions {
		look := precisionLook(canvas.SoftColor, precision)
		p.Keys = append(p.Keys, canvas.Key{Text: string(precision), Look: look, Dot: true})
	}
	return p
}

// precisionLook tells precisions of one colour apart: float64 is hollow and dashed.
func precisionLook(c color.Color, p kernels.Precision) canvas.Look {
	if p == kernels.Float64 {
		return canvas.Look{Color: c, Hollow: true, Dashes: []vg.Length{5, 3}}
	}
	return canvas.Look{Color: c}
}
