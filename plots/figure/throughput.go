package figure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// drawThroughput draws throughput over block or grid size: for each setup and unit of the size an
// overview with a panel per matrix, and for each matrix a picture with a panel per precision and
// unit.
func drawThroughput(d *data.Report, dim dimension) ([]*canvas.Picture, []error) {
	var overviews, details []*canvas.Picture
	units := dim.units(d.Panels)
	u := data.UnitFor(dim.varied(d.Panels))
	for _, s := range d.Setups() {
		for _, of := range units {
			dim.only = of
			panels := dim.varied(d.In(s))
			pages := (len(panels) + mostPanels.here() - 1) / mostPanels.here()
			for n := range pages {
				part := panels[n*mostPanels.here() : min(len(panels), (n+1)*mostPanels.here())]
				overviews = append(overviews, dim.overview(d, s, part, u, n+1, pages, len(units) > 1))
			}
		}
	}

	dim.only = ""
	for _, group := range byMatrix(d) {
		if panels := dim.varied(group); len(panels) > 0 {
			details = append(details, dim.detail(d, panels, u))
		}
	}

	return append(overviews, details...), nil
}

// units lists what the size means to the kernels of some panels, in the catalogue's order.
func (dim dimension) units(panels []data.Panel) []string {
	var list []string
	for _, name := range data.KernelsOf(panels) {
		if unit := dim.unitOf(name); unit != "" && !slices.Contains(list, unit) {
			list = append(list, unit)
		}
	}
	return list
}

// byMatrix groups the panels that differ only in precision.
func byMatrix(d *data.Report) [][]data.Panel {
	var groups [][]data.Panel
	index := map[trial.Case]int{}
	for _, p := range d.Panels {
		key := trial.Case{Device: p.Device, Matrix: p.Matrix, Cache: p.Cache}
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

// fewestSizes is the fewest sizes that a line is drawn over. What two say is a sentence.
const fewestSizes = 3

// varied returns the panels in which some kernel was measured at several sizes.
func (dim dimension) varied(panels []data.Panel) []data.Panel {
	var list []data.Panel
	for i := range panels {
		for _, l := range dim.lines(&panels[i], data.GFLOPS) { // every good trial has some
			if len(l.Points) >= fewestSizes {
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

// overview draws small multiples, the matrices by mean row length. several says that there are
// kernels to which the size means something else.
func (dim dimension) overview(d *data.Report, s data.Setup, panels []data.Panel, u data.Unit, n,
	of int, several bool) *canvas.Picture {
	columns := chart.ColumnsFor(len(panels))
	charts := make([]chart.Chart, len(panels))
	own := dim.ofUnit(panels)
	names := data.LeadersOf(own, mostSmallLines)
	cited := citationsOf(d)
	for i := range panels {
		charts[i] = dim.chart(&panels[i], u, cited, names, max(5, 10-columns), 24/columns)
	}
	p := &canvas.Picture{
		Name: fileStem(d, "throughput-vs-"+dim.name, s.Device, string(s.Precision), string(s.Cache)),
		Subtitle: dim.subtitle(charts, u, len(data.KernelsOf(own))-len(names)) +
			" Matrices by rising mean row length." + cited.Caption(),
		Alt: fmt.Sprintf("%s, a panel per matrix: %s", term.GroupedCount(len(panels), "panel", "panels"),
			data.MatrixNames(panels)),
	}
	if several {
		p.Name += "-" + canvas.Slug(dim.only)
	}
	dim.keys(p, charts, names, columns)
	entitle(p, dim.matters(panels), fmt.Sprintf("Throughput over %s size (%s), %s", dim.name, dim.only, d.Words(s)))
	if of > 1 {
		p.Name += fmt.Sprintf("-%d", n)
		p.Title += fmt.Sprintf(" (%d of %d)", n, of)
	}

	rows := (len(charts) + columns - 1) / columns
	p.Height = vg.Length(rows)*chart.PanelHeight(columns) + 24
	p.Body = func(c draw.Canvas) { chart.DrawCharts(c, charts, columns, dim.name+" size: "+dim.only, u.Label) }
	return p
}

// keys puts the names of lines at their ends, if panels are wide, or else into the legend.
func (dim dimension) keys(p *canvas.Picture, charts []chart.Chart, names []string, columns int) {
	p.Kernels = names
	if columns > mostLabelled || canvas.Narrow() {
		p.Keys = canvas.KeysOf(names, false)
		return
	}
	p.Keys = []canvas.Key{}
	for i := range charts {
		charts[i].Labelled = true
	}
}

// mostLabelled is the most panels side by side that have room for names.
const mostLabelled = 2

// ofUnit keeps the trials of kernels to which the size means what the dimension is about, or
// nothing.
func (dim dimension) ofUnit(panels []data.Panel) []data.Panel {
	if dim.only == "" {
		return panels
	}
	own := slices.Clone(panels)
	for i := range own {
		own[i].Rows = slices.DeleteFunc(slices.Clone(own[i].Rows), func(r store.Row) bool {
			unit := dim.unitOf(r.Kernel)
			return unit != dim.only && unit != ""
		})
	}
	return own
}

// matters states for which kernel the size matters most and least: how many times as fast its
// best size is as its worst, in the geometric mean over matrices.
func (dim dimension) matters(panels []data.Panel) string {
	means := map[string]*stat.GeometricMean{}
	for i := range panels {
		for _, l := range dim.lines(&panels[i], data.GFLOPS) {
			if len(l.Points) < fewestSizes {
				continue
			}
			byY := func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) }
			if means[l.Kernel] == nil {
				means[l.Kernel] = new(stat.GeometricMean)
			}
			means[l.Kernel].Add(slices.MaxFunc(l.Points, byY).Y / slices.MinFunc(l.Points, byY).Y)
		}
	}

	names := slices.Collect(maps.Keys(means))
	data.SortKernels(names)
	if len(names) == 0 {
		return ""
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(means[b].Value(), means[a].Value()) })
	most, least := names[0], names[len(names)-1]
	gain := func(name string) string { return number.Significant(means[name].Value(), 2) }
	text := fmt.Sprintf("From its worst %s size to its best %s gains %s times", dim.name, most, gain(most))
	if gain(least) != gain(most) {
		text += fmt.Sprintf(", %s %s", least, gain(least))
	}
	return text
}

// detail draws one matrix: a panel per unit and precision, on the same y axis.
func (dim dimension) detail(d *data.Report, panels []data.Panel, u data.Unit) *canvas.Picture {
	first := &panels[0]
	var charts []chart.Chart
	var of []data.Panel // by chart
	var top float64
	names := data.LeadersOf(panels, mostLargeLines)
	cited := citationsOf(d)

	for _, unit := range dim.units(panels) {
		dim.only = unit
		for _, p := range dim.varied(panels) {
			ch := dim.chart(&p, u, cited, names, 7, 16)
			ch.Heading = string(p.Precision) + ", " + unit
			top = max(top, ch.Peak())
			charts, of = append(charts, ch), append(of, p)
		}
	}
	dim.only = ""

	for i := range charts {
		charts[i].Top = top
	}
	columns := min(len(charts), mostLabelled)
	rows := (len(charts) + columns - 1) / columns
	p := &canvas.Picture{
		Name: fileStem(d, "throughput-vs-"+dim.name, first.Device, string(first.Cache), first.Matrix),
		Subtitle: dim.subtitle(charts, u, len(data.KernelsOf(panels))-len(names)) + dim.settings(of, charts) +
			cited.Caption(),
		Alt:      fmt.Sprintf("%s, a panel per precision", first.Matrix),
		Detail:   true,
		Matrices: []string{first.Matrix},
		Height:   vg.Length(rows)*230 + 40,
		Body:     func(c draw.Canvas) { chart.DrawCharts(c, charts, columns, dim.name+" size", u.Label) },
	}
	dim.keys(p, charts, names, columns)
	entitle(p, "", fmt.Sprintf("%s: throughput over %s size, %s", first.Matrix, dim.name,
		d.ConditionWords(first.Condition())))
	return p
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
	s := fmt.Sprintf("Each kernel at the %s of its best configuration, of those tried with most sizes. Bands: %s.",
		dim.other, chart.Interval)
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
