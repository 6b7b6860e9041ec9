package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/kernels"
)

// mostKernels are on one overview page of small panels.
const mostKernels = 24

// drawKernels draws, for each device and cache state, pages with a panel per
// kernel, and for each kernel a page of its own: its throughput over matrices by
// row length, a line per precision.
func drawKernels(d *data) ([]*page, []error) {
	var overviews, details []*page
	for _, place := range d.places() {
		var panels []panel
		for i := range d.panels {
			if p := &d.panels[i]; p.Device == place[0] && p.Cache == place[1] {
				panels = append(panels, *p)
			}
		}
		stops := byRowLength.stops(panels)
		if len(stops) < fewestStops {
			continue
		}
		names := kernelsOf(panels)
		pages := (len(names) + mostKernels - 1) / mostKernels
		for n := range pages {
			p := kernelOverview(d, panels, stops, names[n*mostKernels:min(len(names), (n+1)*mostKernels)])
			if pages > 1 {
				p.Name += fmt.Sprintf("-%d", n+1)
				p.Title += fmt.Sprintf(" (%d of %d)", n+1, pages)
			}
			overviews = append(overviews, p)
		}
		for _, kernel := range names {
			details = append(details, kernelDetail(d, panels, stops, kernel))
		}
	}
	return append(overviews, details...), nil
}

// precisionLook keeps the colour and the marker of a kernel and tells precisions
// apart: float64 is hollow and dashed.
func precisionLook(l look, p kernels.Precision) look {
	l.Dashes = nil
	if p == kernels.Float64 {
		l.Hollow, l.Dashes = true, []vg.Length{5, 3}
	}
	return l
}

// byPrecision are the lines of one kernel, and their precisions.
func byPrecision(panels []panel, stops []stop, kernel string) (lines []line, precisions []kernels.Precision) {
	groups := map[kernels.Precision][]panel{}
	for _, p := range panels {
		if groups[p.Precision] == nil {
			precisions = append(precisions, p.Precision)
		}
		groups[p.Precision] = append(groups[p.Precision], p)
	}
	measured := precisions[:0]
	for _, p := range precisions {
		l := overStops(groups[p], stops, kernel, gflops)
		l.Look = precisionLook(l.Look, p)
		if len(l.Points) > 0 {
			lines = append(lines, l)
			measured = append(measured, p)
		}
	}
	return lines, measured
}

func kernelOverview(d *data, panels []panel, stops []stop, names []string) *page {
	device, cache := panels[0].Device, panels[0].Cache
	columns := columnsFor(len(names))
	charts := make([]chart, len(names))
	p := &page{
		Name:  d.fileStem("kernel-gflops-vs-row-length", device, cache),
		Title: "Throughput of each kernel over row length: " + d.place(device, cache),
		Subtitle: "Fastest configuration on each matrix; matrices by rising mean row length, which labels the axis. Whiskers: 95% interval of the median. " +
			"Each panel has its own y axis.",
		Alt: "a panel per kernel: " + fmt.Sprint(names),
	}
	for i, kernel := range names {
		lines, precisions := byPrecision(panels, stops, kernel)
		charts[i] = chart{heading: kernel, lines: lines, x: byRowLength.valueAxis(stops, max(3, 12/columns)), markers: max(8, 24/columns), apart: true}
		for _, precision := range precisions {
			if !slices.ContainsFunc(p.keys, func(k key) bool { return k.text == string(precision) }) {
				p.keys = append(p.keys, key{text: string(precision), look: precisionLook(look{Color: softColor}, precision)})
			}
		}
	}
	slices.SortFunc(p.keys, func(a, b key) int { return slices.Compare([]byte(a.text), []byte(b.text)) })
	rows := (len(charts) + columns - 1) / columns
	p.height = vg.Length(rows)*panelHeight(columns) + 24
	p.body = func(c draw.Canvas) {
		drawCharts(c, charts, columns, "matrices by rising "+byRowLength.by, gflops.label)
	}
	return p
}

func kernelDetail(d *data, panels []panel, stops []stop, kernel string) *page {
	device, cache := panels[0].Device, panels[0].Cache
	ch := chart{x: byRowLength.namedAxis(stops, chartWidth), markers: len(stops), steps: 6, apart: true}
	p := &page{
		Name:     d.fileStem("kernel-gflops-vs-row-length", device, cache, kernel),
		Title:    fmt.Sprintf("%s: throughput over row length, %s", kernel, d.place(device, cache)),
		Subtitle: "Fastest configuration on each matrix. Whiskers: 95% interval of the median.",
		Alt:      fmt.Sprintf("%s over %s by mean row length", kernel, term.GroupedCount(len(stops), "matrix", "matrices")),
		Detail:   true,
		height:   heightOf(ch.x, 280),
	}
	lines, precisions := byPrecision(panels, stops, kernel)
	ch.lines = lines
	for i, precision := range precisions {
		p.keys = append(p.keys, key{text: string(precision), look: lines[i].Look})
	}
	p.body = func(c draw.Canvas) {
		drawCharts(c, []chart{ch}, 1, "matrices by rising "+byRowLength.by, gflops.label)
	}
	return p
}
