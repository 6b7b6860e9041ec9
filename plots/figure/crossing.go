package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
)

// A crossing is a figure of throughput over ordered matrices, a line per kernel, as in
// csr-five-algorithms.
type crossing struct {
	id, title string
	order     ordering
	unit      data.Unit
}

const (
	fewestStops = 2  // The fewest matrices that make a line worth a page.
	longLine    = 12 // From this many matrices on, lines cross often and fewer are named.
)

// draw draws a picture for each condition, in the papers' precision if it was measured.
func (f crossing) draw(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		if panels := singlePrecision(d, at); len(panels) >= fewestStops {
			pages = append(pages, f.page(d, panels))
		}
	}
	return pages, nil
}

// singlePrecision returns the panels of a condition in float32, or in the first precision that
// there is.
func singlePrecision(d *data.Report, at data.Condition) []data.Panel {
	var other []data.Panel
	for _, s := range d.Setups() {
		if s.Condition != at {
			continue
		}
		if s.Precision == kernels.Float32 {
			return d.In(s)
		}
		if other == nil {
			other = d.In(s)
		}
	}

	return other
}

// chartWidth is the width of the data of a single chart: the page without margins, labels and
// ticks.
const chartWidth = canvas.PageWidth - 2*canvas.PageMargin - 46

func (f crossing) page(d *data.Report, panels []data.Panel) *canvas.Picture {
	s := panels[0].Setup()
	stops := f.order.stops(panels)
	most := mostSmallLines
	if len(stops) > longLine {
		most = mostLongLines
	}
	names := data.LeadersOf(panels, most)
	ch := chart.Chart{X: f.order.namedAxis(stops, chartWidth), Markers: len(stops), Steps: 7, Apart: true}
	all := data.KernelsOf(panels)
	cited := citationsOf(d)

	for _, kernel := range all {
		l := overStops(panels, stops, kernel, f.unit)
		if slices.Contains(names, kernel) {
			for _, q := range l.Points {
				l.Published = append(l.Published,
					cited.beside(f.unit, q.Row, func(*data.Publication) (float64, bool) { return q.X, true })...)
			}
			ch.Lines = append(ch.Lines, l)
		} else {
			ch.Faint = append(ch.Faint, l)
		}
	}

	ch.Roof = data.RoofOf(panels, f.unit)
	p := &canvas.Picture{
		Name:  fileStem(d, f.id, s.Device, string(s.Precision), string(s.Cache)),
		Title: fmt.Sprintf("%s: %s", f.title, d.Words(s)),
		Subtitle: "Each kernel in its fastest configuration on each matrix. Whiskers: " + chart.Interval + "." +
			unnamed(len(all)-len(names)) + roofNote(&ch) + cited.Caption(),
		Alt: fmt.Sprintf("%s of %s over %s by %s: %s", f.unit.Label,
			term.GroupedCount(len(all), "kernel", "kernels"), term.GroupedCount(len(stops), "matrix", "matrices"),
			f.order.by, data.MatrixNames(panels)),
		Kernels: names,
		Height:  heightOf(ch.X, 330),
	}

	p.Body = func(c draw.Canvas) {
		chart.DrawCharts(c, []chart.Chart{ch}, 1, "matrices by rising "+f.order.by, f.unit.Label)
	}
	return p
}

// overStops returns the line of one kernel, at its best on each matrix that it was measured
// on.
func overStops(panels []data.Panel, stops []stop, kernel string, u data.Unit) chart.Line {
	l := chart.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	for i, s := range stops {
		at := slices.IndexFunc(panels, func(p data.Panel) bool { return p.Matrix == s.Matrix })
		if at < 0 {
			continue
		}
		if r := data.Fastest(panels[at].ByKernel(kernel)); r != nil {
			if v := u.Of(r); v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, chart.Throughput(r, float64(i+1), v))
			}
		}
	}

	return l
}

// unnamed says how many kernels are drawn without a name.
func unnamed(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" Colour: the kernels that are most often the fastest. Thin grey: the other %d.", n)
}

func roofNote(ch *chart.Chart) string {
	if ch.ShowsRoof() {
		return " Grey dashes: measured memory bandwidth."
	}
	return ""
}

// heightOf returns the height of a row of charts, whose labels may be turned.
func heightOf(s canvas.Scale, height vg.Length) vg.Length {
	if s.Turned {
		height += longestName
	}
	return height
}
