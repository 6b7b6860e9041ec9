package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/store"
)

// A crossing is a figure of throughput over matrices in some order, a line per
// kernel, as csr-five-algorithms has them.
type crossing struct {
	id, title string
	order     ordering
	unit      unit
}

const (
	fewestStops = 2  // make a line over matrices worth a page
	longLine    = 12 // matrices: from there on lines cross so often that fewer are named
)

// drawCrossing draws a page for each device and cache state, in the papers'
// precision where it was measured.
func drawCrossing(d *data, f crossing) ([]*page, []error) {
	var pages []*page
	for _, place := range d.places() {
		if panels := d.singlePrecision(place[0], place[1]); len(panels) >= fewestStops {
			pages = append(pages, f.page(d, panels))
		}
	}
	return pages, nil
}

// singlePrecision returns the panels of a place in float32, or in the first
// precision that there is.
func (d *data) singlePrecision(device, cache string) []panel {
	var other []panel
	for _, s := range d.setups() {
		if s.Device != device || s.Cache != cache {
			continue
		}
		if s.Precision == kernels.Float32 {
			return d.of(s)
		}
		if other == nil {
			other = d.of(s)
		}
	}
	return other
}

// room for the data of a single chart: the page without margins, labels and ticks.
const chartWidth = pageWidth - 2*pageMargin - 46

func (f crossing) page(d *data, panels []panel) *page {
	s := panels[0].setup
	stops := f.order.stops(panels)
	most := mostSmallLines
	if len(stops) > longLine {
		most = mostLongLines
	}
	names := leadersOf(panels, most)
	ch := chart{x: f.order.namedAxis(stops, chartWidth), markers: len(stops), steps: 7, apart: true}
	all := kernelsOf(panels)
	cited := d.citations()
	for _, kernel := range all {
		l := overStops(panels, stops, kernel, f.unit)
		if slices.Contains(names, kernel) {
			for _, q := range l.Points {
				l.published = append(l.published, cited.beside(f.unit, q.row, func(*publication) (float64, bool) { return q.X, true })...)
			}
			ch.lines = append(ch.lines, l)
		} else {
			ch.faint = append(ch.faint, l)
		}
	}
	ch.roof = roofOf(panels, f.unit)
	p := &page{
		Name:  d.fileStem(f.id, s.Device, string(s.Precision), s.Cache),
		Title: fmt.Sprintf("%s: %s", f.title, d.words(s)),
		Subtitle: "Each kernel in its fastest configuration on each matrix. Whiskers: 95% interval of the median." +
			unnamed(len(all)-len(names)) + roofNote(&ch) + cited.caption(),
		Alt:     fmt.Sprintf("%s of %s over %s by %s: %s", f.unit.label, term.GroupedCount(len(all), "kernel", "kernels"), term.GroupedCount(len(stops), "matrix", "matrices"), f.order.by, matrixNames(panels)),
		kernels: names,
		height:  heightOf(ch.x, 330),
	}
	p.body = func(c draw.Canvas) {
		drawCharts(c, []chart{ch}, 1, "matrices by rising "+f.order.by, f.unit.label)
	}
	return p
}

// overStops is the line of one kernel over the matrices, at its best on each of
// those that it was measured on.
func overStops(panels []panel, stops []stop, kernel string, u unit) line {
	l := line{Kernel: kernel, Look: lookOf(kernel)}
	for i, s := range stops {
		at := slices.IndexFunc(panels, func(p panel) bool { return p.Matrix == s.Matrix })
		if at < 0 {
			continue
		}
		if r := fastest(panels[at].byKernel(kernel)); r != nil {
			if v := u.of(r); v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, throughput(r, float64(i+1), v))
			}
		}
	}
	return l
}

// roofOf is the measured bandwidth of the panels' device where the unit can be
// compared with it, 0 otherwise.
func roofOf(panels []panel, u unit) float64 {
	if !u.bytes {
		return 0
	}
	for i := range panels {
		for j := range panels[i].rows {
			if bandwidth := bandwidthOf(&panels[i].rows[j]); bandwidth > 0 {
				return bandwidth
			}
		}
	}
	return 0
}

// bandwidthOf is the roof that a row was compared with, 0 if there was none.
func bandwidthOf(r *store.Row) float64 {
	if r.RoofFraction > 0 && r.GBPS > 0 {
		return r.GBPS / r.RoofFraction
	}
	return 0
}

// unnamed says how many kernels a page draws without a name.
func unnamed(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" In colour the kernels that are fastest most often, in thin grey the other %d.", n)
}

func roofNote(ch *chart) string {
	if ch.showsRoof() {
		return " Grey dashes: measured memory bandwidth."
	}
	return ""
}

// heightOf a row of charts whose labels are turned or not.
func heightOf(s scale, height vg.Length) vg.Length {
	if s.turned {
		height += longestName
	}
	return height
}
