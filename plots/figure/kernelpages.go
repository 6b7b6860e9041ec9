package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
)

// mostKernels is the number of kernels on one overview.
const mostKernels = 24

// drawKernels draws overviews with a panel for each kernel, for each condition, and a picture
// of its own for each kernel: throughput over matrices by row length, a line per precision.
func drawKernels(d *data.Report) ([]*canvas.Picture, []error) {
	var overviews, details []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := d.Under(at)
		stops := byRowLength.stops(panels)
		if len(stops) < fewestStops {
			continue
		}
		names := data.KernelsOf(panels)
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

// precisionLook keeps a kernel's colour and marker and tells precisions apart: float64 is
// hollow and dashed.
func precisionLook(l canvas.Look, p kernels.Precision) canvas.Look {
	l.Dashes = nil
	if p == kernels.Float64 {
		l.Hollow, l.Dashes = true, []vg.Length{5, 3}
	}
	return l
}

// byPrecision returns the lines of one kernel and their precisions.
func byPrecision(panels []data.Panel, stops []stop, kernel string) (lines []chart.Line,
	precisions []kernels.Precision) {
	groups := map[kernels.Precision][]data.Panel{}
	for _, p := range panels {
		if groups[p.Precision] == nil {
			precisions = append(precisions, p.Precision)
		}
		groups[p.Precision] = append(groups[p.Precision], p)
	}

	measured := precisions[:0]
	for _, p := range precisions {
		l := overStops(groups[p], stops, kernel, data.GFLOPS)
		l.Look = precisionLook(l.Look, p)
		if len(l.Points) > 0 {
			lines = append(lines, l)
			measured = append(measured, p)
		}
	}

	return lines, measured
}

func kernelOverview(d *data.Report, panels []data.Panel, stops []stop, names []string) *canvas.Picture {
	at := panels[0].Condition()
	columns := chart.ColumnsFor(len(names))
	charts := make([]chart.Chart, len(names))
	p := &canvas.Picture{
		Name:  fileStem(d, "kernel-gflops-vs-row-length", at.Device, string(at.Cache)),
		Title: "Throughput of each kernel over row length: " + d.ConditionWords(at),
		Subtitle: "Fastest configuration on each matrix; matrices by rising mean row length, which labels the axis. " +
			"Whiskers: " + chart.Interval + ". Each panel has its own y axis.",
		Alt: "a panel per kernel: " + fmt.Sprint(names),
	}

	for i, kernel := range names {
		lines, precisions := byPrecision(panels, stops, kernel)
		charts[i] = chart.Chart{Heading: kernel, Lines: lines, X: byRowLength.valueAxis(stops, max(3, 12/columns)),
			Markers: max(8, 24/columns), Apart: true}
		for _, precision := range precisions {
			if !slices.ContainsFunc(p.Keys, func(k canvas.Key) bool { return k.Text == string(precision) }) {
				p.Keys = append(p.Keys, canvas.Key{Text: string(precision),
					Look: precisionLook(canvas.Look{Color: canvas.SoftColor}, precision)})
			}
		}
	}

	slices.SortFunc(p.Keys, func(a, b canvas.Key) int { return slices.Compare([]byte(a.Text), []byte(b.Text)) })
	rows := (len(charts) + columns - 1) / columns
	p.Height = vg.Length(rows)*chart.PanelHeight(columns) + 24
	p.Body = func(c draw.Canvas) {
		chart.DrawCharts(c, charts, columns, "matrices by rising "+byRowLength.by, data.GFLOPS.Label)
	}
	return p
}

func kernelDetail(d *data.Report, panels []data.Panel, stops []stop, kernel string) *canvas.Picture {
	at := panels[0].Condition()
	ch := chart.Chart{X: byRowLength.namedAxis(stops, chartWidth), Markers: len(stops), Steps: 6, Apart: true}
	p := &canvas.Picture{
		Name:     fileStem(d, "kernel-gflops-vs-row-length", at.Device, string(at.Cache), kernel),
		Title:    fmt.Sprintf("%s: throughput over row length, %s", kernel, d.ConditionWords(at)),
		Subtitle: "Fastest configuration on each matrix. Whiskers: " + chart.Interval + ".",
		Alt: fmt.Sprintf("%s over %s by mean row length", kernel,
			term.GroupedCount(len(stops), "matrix", "matrices")),
		Detail: true,
		Height: heightOf(ch.X, 280),
	}

	lines, precisions := byPrecision(panels, stops, kernel)
	ch.Lines = lines
	for i, precision := range precisions {
		p.Keys = append(p.Keys, canvas.Key{Text: string(precision), Look: lines[i].Look})
	}
	p.Body = func(c draw.Canvas) {
		chart.DrawCharts(c, []chart.Chart{ch}, 1, "matrices by rising "+byRowLength.by, data.GFLOPS.Label)
	}
	return p
}
