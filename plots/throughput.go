package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
)

const quarterTurn = math.Pi / 2

// mostPanels are on one overview page; further matrices go to further pages.
const mostPanels = 30

// drawThroughput draws throughput over block or grid size: for each setup an
// overview with a panel per matrix, and for each matrix a page with a panel per
// precision.
func drawThroughput(d *data, dim dimension) ([]*page, []error) {
	var overviews, details []*page
	u := unitFor(dim.varied(d.panels))
	for _, s := range d.setups() {
		panels := dim.varied(d.of(s))
		pages := (len(panels) + mostPanels - 1) / mostPanels
		for n := range pages {
			part := panels[n*mostPanels : min(len(panels), (n+1)*mostPanels)]
			overviews = append(overviews, dim.overview(d, s, part, u, n+1, pages))
		}
	}
	for _, group := range d.byMatrix() {
		if panels := dim.varied(group); len(panels) > 0 {
			details = append(details, dim.detail(d, panels, u))
		}
	}
	return append(overviews, details...), nil
}

// byMatrix groups the panels that differ in precision alone.
func (d *data) byMatrix() [][]panel {
	var groups [][]panel
	index := map[[3]string]int{}
	for _, p := range d.panels {
		key := [3]string{p.Device, p.Cache, p.Matrix}
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

// varied returns the panels in which some kernel was measured at more than one
// size: the others have nothing to say about this dimension.
func (dim dimension) varied(panels []panel) []panel {
	var list []panel
	for i := range panels {
		for _, l := range dim.lines(&panels[i], gflops) { // every good trial has some
			if len(l.Points) > 1 {
				list = append(list, panels[i])
				break
			}
		}
	}
	return list
}

// chart makes the panel's chart, where these kernels are told apart, with at most
// so many tick labels and markers. What is drawn of the papers is added to c, nil where
// nothing is to be.
func (dim dimension) chart(p *panel, u unit, c *citations, named []string, labels, markers int) chart {
	ch := chart{heading: p.Matrix, markers: markers}
	for _, l := range dim.lines(p, u) {
		if slices.Contains(named, l.Kernel) {
			ch.lines = append(ch.lines, l)
		} else {
			ch.faint = append(ch.faint, l)
		}
	}
	dim.cite(ch.lines, u, c)
	ch.note = dim.fixedWords(ch.lines)
	var xs []int
	for _, l := range slices.Concat(ch.lines, ch.faint) {
		for _, q := range l.Points {
			if q.X > 0 {
				xs = append(xs, int(q.X))
			}
		}
		for _, h := range l.published {
			if h.x > 0 {
				xs = append(xs, int(h.x))
			}
		}
	}
	ch.x = sizes(xs, labels)
	ch.roof = roofOf([]panel{*p}, u)
	return ch
}

// overview is a page of small multiples, the matrices by mean row length.
func (dim dimension) overview(d *data, s setup, panels []panel, u unit, n, of int) *page {
	columns := columnsFor(len(panels))
	charts := make([]chart, len(panels))
	names := leadersOf(panels, mostSmallLines)
	cited := d.citations()
	for i := range panels {
		charts[i] = dim.chart(&panels[i], u, cited, names, max(5, 10-columns), 24/columns)
	}
	p := &page{
		Name:     d.fileStem("throughput-vs-"+dim.name, s.Device, string(s.Precision), s.Cache),
		Title:    fmt.Sprintf("Throughput over %s size: %s", dim.name, d.words(s)),
		Subtitle: dim.subtitle(charts, u, len(kernelsOf(panels))-len(names)) + " Matrices by rising mean row length." + cited.caption(),
		Alt:      fmt.Sprintf("%s, a panel per matrix: %s", term.GroupedCount(len(panels), "panel", "panels"), matrixNames(panels)),
		kernels:  names,
	}
	if of > 1 {
		p.Name += fmt.Sprintf("-%d", n)
		p.Title += fmt.Sprintf(" (%d of %d)", n, of)
	}
	rows := (len(charts) + columns - 1) / columns
	p.height = vg.Length(rows)*panelHeight(columns) + 24
	p.body = func(c draw.Canvas) { drawCharts(c, charts, columns, dim.axisLabel(names), u.label) }
	return p
}

// detail is the page of one matrix: a panel per precision, on the same y axis.
func (dim dimension) detail(d *data, panels []panel, u unit) *page {
	first := &panels[0]
	charts := make([]chart, len(panels))
	var top float64
	names := leadersOf(panels, mostLargeLines)
	cited := d.citations()
	for i := range panels {
		charts[i] = dim.chart(&panels[i], u, cited, names, 9, 16)
		charts[i].heading = string(panels[i].Precision)
		top = max(top, charts[i].peak())
	}
	for i := range charts {
		charts[i].top = top
	}
	return &page{
		Name:     d.fileStem("throughput-vs-"+dim.name, first.Device, first.Cache, first.Matrix),
		Title:    fmt.Sprintf("%s: throughput over %s size, %s", first.Matrix, dim.name, d.place(first.Device, first.Cache)),
		Subtitle: dim.subtitle(charts, u, len(kernelsOf(panels))-len(names)) + dim.settings(panels, charts) + cited.caption(),
		Alt:      fmt.Sprintf("%s, a panel per precision", first.Matrix),
		Detail:   true,
		matrices: []string{first.Matrix},
		kernels:  names,
		height:   300,
		body:     func(c draw.Canvas) { drawCharts(c, charts, len(charts), dim.axisLabel(names), u.label) },
	}
}

// settings names what is fixed, kernel by kernel where they differ; "" where
// the panels' headings say it all.
func (dim dimension) settings(panels []panel, charts []chart) string {
	var list []string
	for i := range charts {
		var each []string
		for _, l := range charts[i].lines {
			if s := strings.TrimSpace(fmt.Sprintf("%s %s", numbered(l.Fixed), l.unusual())); s != "" && !l.flat() {
				each = append(each, l.Kernel+" "+s)
			}
		}
		if params := slices.ContainsFunc(charts[i].lines, func(l line) bool { return l.unusual() != "" }); params || len(fixedSizes(charts[i].lines)) > 1 {
			list = append(list, fmt.Sprintf(" Fixed in %s (%s): %s.", panels[i].Precision, dim.other, strings.Join(each, ", ")))
		}
	}
	return strings.Join(list, "")
}

// numbered prints a size, nothing where there is none.
func numbered(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// subtitle says what is fixed and what the marks mean, as far as they occur, and
// how many kernels are not named.
func (dim dimension) subtitle(charts []chart, u unit, faint int) string {
	s := fmt.Sprintf("Each kernel at the %s of its best configuration. Bands: 95%% interval of the median.", dim.other)
	var flat, roof bool
	for i := range charts {
		ch := &charts[i]
		for _, l := range ch.lines {
			flat = flat || l.flat()
		}
		roof = roof || ch.showsRoof()
	}
	if flat {
		s += fmt.Sprintf(" Dotted: kernels without a %s size, with their intervals beside the panel.", dim.name)
	}
	s += unnamed(faint)
	if roof {
		s += " Grey dashes: measured memory bandwidth."
	}
	return s + u.note
}

// columnsFor chooses how many panels stand beside each other.
func columnsFor(n int) int {
	switch {
	case n <= 2:
		return max(n, 1)
	case n <= 4:
		return 2
	case n <= 9:
		return 3
	}
	return 4
}

// panelHeight keeps panels of a page near the golden ratio.
func panelHeight(columns int) vg.Length {
	return map[int]vg.Length{1: 300, 2: 220, 3: 165}[min(columns, 3)] - vg.Length(max(0, columns-3))*20
}

func matrixNames(panels []panel) string {
	names := make([]string, len(panels))
	for i := range panels {
		names[i] = panels[i].Matrix
	}
	return strings.Join(names, ", ")
}
