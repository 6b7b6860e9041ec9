package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/tuner/trial"
)

// mostPanels is the number of panels on one overview.
const mostPanels = 30

// drawThroughput draws throughput over block or grid size: for each setup an overview with a
// panel per matrix, and for each matrix a picture with a panel per precision.
func drawThroughput(d *data.Report, dim dimension) ([]*canvas.Picture, []error) {
	var overviews, details []*canvas.Picture
	u := data.UnitFor(dim.varied(d.Panels))
	for _, s := range d.Setups() {
		panels := dim.varied(d.In(s))
		pages := (len(panels) + mostPanels - 1) / mostPanels
		for n := range pages {
			part := panels[n*mostPanels : min(len(panels), (n+1)*mostPanels)]
			overviews = append(overviews, dim.overview(d, s, part, u, n+1, pages))
		}
	}

	for _, group := range byMatrix(d) {
		if panels := dim.varied(group); len(panels) > 0 {
			details = append(details, dim.detail(d, panels, u))
		}
	}

	return append(overviews, details...), nil
}

// byMatrix groups the panels that differ only in precision.
func byMatrix(d *data.Report) [][]data.Panel {
	var groups [][]data.Panel
	index := map[trial.Place]int{}
	for _, p := range d.Panels {
		key := trial.Place{Device: p.Device, Matrix: p.Matrix, Cache: p.Cache}
		i, found := index[key]
		if !found {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}

	return groups
}

// varied returns the panels in which some kernel was measured at more than one size.
func (dim dimension) varied(panels []data.Panel) []data.Panel {
	var list []data.Panel
	for i := range panels {
		for _, l := range dim.lines(&panels[i], data.GFLOPS) { // every good trial has some
			if len(l.Points) > 1 {
				list = append(list, panels[i])
				break
			}
		}
	}

	return list
}

// chart makes the panel's chart. These kernels are named, with at most this many tick labels
// and markers. What is drawn of the papers is added to c.
func (dim dimension) chart(p *data.Panel, u data.Unit, c *citations, named []string, labels, markers int) chart.Chart {
	ch := chart.Chart{Heading: p.Matrix, Markers: markers}
	for _, l := range dim.lines(p, u) {
		if slices.Contains(named, l.Kernel) {
			ch.Lines = append(ch.Lines, l)
		} else {
			ch.Faint = append(ch.Faint, l)
		}
	}

	dim.cite(ch.Lines, u, c)
	ch.Note = dim.fixedWords(ch.Lines)

	var xs []int
	for _, l := range slices.Concat(ch.Lines, ch.Faint) {
		for _, q := range l.Points {
			if q.X > 0 {
				xs = append(xs, int(q.X))
			}
		}
		for _, h := range l.Published {
			if h.X > 0 {
				xs = append(xs, int(h.X))
			}
		}
	}

	ch.X = canvas.Sizes(xs, labels)
	ch.Roof = data.RoofOf([]data.Panel{*p}, u)
	return ch
}

// overview draws small multiples, the matrices by mean row length.
func (dim dimension) overview(d *data.Report, s data.Setup, panels []data.Panel, u data.Unit, n,
	of int) *canvas.Picture {
	columns := chart.ColumnsFor(len(panels))
	charts := make([]chart.Chart, len(panels))
	names := data.LeadersOf(panels, mostSmallLines)
	cited := citationsOf(d)
	for i := range panels {
		charts[i] = dim.chart(&panels[i], u, cited, names, max(5, 10-columns), 24/columns)
	}
	p := &canvas.Picture{
		Name:  fileStem(d, "throughput-vs-"+dim.name, s.Device, string(s.Precision), string(s.Cache)),
		Title: fmt.Sprintf("Throughput over %s size: %s", dim.name, d.Words(s)),
		Subtitle: dim.subtitle(charts, u, len(data.KernelsOf(panels))-len(names)) +
			" Matrices by rising mean row length." + cited.Caption(),
		Alt: fmt.Sprintf("%s, a panel per matrix: %s", term.GroupedCount(len(panels), "panel", "panels"),
			data.MatrixNames(panels)),
		Kernels: names,
	}
	if of > 1 {
		p.Name += fmt.Sprintf("-%d", n)
		p.Title += fmt.Sprintf(" (%d of %d)", n, of)
	}

	rows := (len(charts) + columns - 1) / columns
	p.Height = vg.Length(rows)*chart.PanelHeight(columns) + 24
	p.Body = func(c draw.Canvas) { chart.DrawCharts(c, charts, columns, dim.axisLabel(names), u.Label) }
	return p
}

// detail draws one matrix: a panel per precision, on the same y axis.
func (dim dimension) detail(d *data.Report, panels []data.Panel, u data.Unit) *canvas.Picture {
	first := &panels[0]
	charts := make([]chart.Chart, len(panels))
	var top float64
	names := data.LeadersOf(panels, mostLargeLines)
	cited := citationsOf(d)

	for i := range panels {
		charts[i] = dim.chart(&panels[i], u, cited, names, 9, 16)
		charts[i].Heading = string(panels[i].Precision)
		top = max(top, charts[i].Peak())
	}

	for i := range charts {
		charts[i].Top = top
	}
	return &canvas.Picture{
		Name: fileStem(d, "throughput-vs-"+dim.name, first.Device, string(first.Cache), first.Matrix),
		Title: fmt.Sprintf("%s: throughput over %s size, %s", first.Matrix, dim.name,
			d.ConditionWords(first.Condition())),
		Subtitle: dim.subtitle(charts, u, len(data.KernelsOf(panels))-len(names)) + dim.settings(panels, charts) +
			cited.Caption(),
		Alt:      fmt.Sprintf("%s, a panel per precision", first.Matrix),
		Detail:   true,
		Matrices: []string{first.Matrix},
		Kernels:  names,
		Height:   300,
		Body:     func(c draw.Canvas) { chart.DrawCharts(c, charts, len(charts), dim.axisLabel(names), u.Label) },
	}
}

// settings names what is fixed, kernel by kernel if they differ; "" if the panels' headings
// say it all.
func (dim dimension) settings(panels []data.Panel, charts []chart.Chart) string {
	var list []string
	for i := range charts {
		var each []string
		for _, l := range charts[i].Lines {
			if s := strings.TrimSpace(fmt.Sprintf("%s %s", numbered(l.Fixed), l.Unusual())); s != "" && !l.Flat() {
				each = append(each, l.Kernel+" "+s)
			}
		}
		if params := slices.ContainsFunc(charts[i].Lines,
			func(l chart.Line) bool { return l.Unusual() != "" }); params || len(fixedSizes(charts[i].Lines)) > 1 {
			list = append(list, fmt.Sprintf(" Fixed in %s (%s): %s.", panels[i].Precision, dim.other,
				strings.Join(each, ", ")))
		}
	}

	return strings.Join(list, "")
}

// numbered prints a size, "" for none.
func numbered(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// subtitle says what is fixed, what the marks mean, and how many kernels are not named.
func (dim dimension) subtitle(charts []chart.Chart, u data.Unit, faint int) string {
	s := fmt.Sprintf("Each kernel at the %s of its best configuration. Bands: %s.", dim.other, chart.Interval)
	var flat, roof bool
	for i := range charts {
		ch := &charts[i]
		for _, l := range ch.Lines {
			flat = flat || l.Flat()
		}
		roof = roof || ch.ShowsRoof()
	}

	if flat {
		s += fmt.Sprintf(" Dotted: kernels without a %s size, with their intervals beside the panel.", dim.name)
	}
	s += unnamed(faint, "thin grey")
	if roof {
		s += " Grey dashes: measured memory bandwidth."
	}
	return s + u.Note
}
