package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// draw draws throughput over block or grid size: for each setup and unit of the size an overview with a panel per
// matrix, then the matrices over each other, and for each matrix a picture with a panel per precision and unit.
func (dim dimension) draw(d *analysis.Data) ([]*canvas.Picture, []error) {
	var overviews, overlays, details []*canvas.Picture
	units := dim.units(d.Panels)
	u := analysis.UnitFor(dim.varied(d.Panels))
	for _, s := range d.Setups() {
		for _, unit := range units {
			dim := dim.of(unit)
			panels, suffix := dim.varied(d.In(s)), ""
			if len(units) > 1 {
				suffix = unit
			}
			overviews = append(overviews, paged(panels, mostPanels.here(), func(part []analysis.Panel) *canvas.Picture {
				p := dim.overview(d, s, part, u)
				p.Name, p.About = fileStem(d, "throughput-vs-"+dim.name, s, suffix), s
				return p
			})...)
			if p := dim.overlay(d, s, dim.ofUnit(panels)); p != nil {
				p.Name, p.About = fileStem(d, "throughput-vs-"+dim.name, s, "overlay", suffix), s
				overlays = append(overlays, p)
			}
		}
	}

	for _, group := range grouped(d.Panels, func(p *analysis.Panel) trial.Case { // which differ only in precision
		return trial.Case{Device: p.Device, Matrix: p.Matrix, Cache: p.Cache}
	}) {
		if panels := dim.varied(group); len(panels) > 0 {
			details = append(details, dim.detail(d, panels, u))
		}
	}
	return slices.Concat(overviews, overlays, details), nil
}

// of keeps the kernels to which the size means this, and those without a choice.
func (dim dimension) of(unit string) dimension {
	dim.only = unit
	return dim
}

// units lists what the size means to the kernels of some panels, in the catalogue's order.
func (dim dimension) units(panels []analysis.Panel) []string {
	var list []string
	for _, name := range analysis.KernelsOf(panels) {
		if unit := dim.unitOf(name); unit != "" && !slices.Contains(list, unit) {
			list = append(list, unit)
		}
	}
	return list
}

// fewestSizes is the fewest sizes that a line is drawn over. What two say is a sentence.
const fewestSizes = 3

// varied returns the panels in which some kernel was measured at several sizes.
func (dim dimension) varied(panels []analysis.Panel) []analysis.Panel {
	var list []analysis.Panel
	for i := range panels {
		for _, l := range dim.lines(&panels[i], analysis.GFLOPS) { // every good trial has some
			if len(l.Points) >= fewestSizes {
				list = append(list, panels[i])
				break
			}
		}
	}

	return list
}

// chart makes the panel's chart. These kernels are named, with at most so many markers each. What is drawn of the
// papers is added to c.
func (dim dimension) chart(p *analysis.Panel, u analysis.Unit, c *citations, named []string, markers int) canvas.Chart {
	ch := canvas.Chart{Heading: p.Matrix, Markers: markers}
	for _, l := range dim.lines(p, u) {
		if slices.Contains(named, l.Kernel) {
			ch.Lines = append(ch.Lines, l)
		} else {
			ch.Faint = append(ch.Faint, l)
		}
	}

	dim.cite(ch.Lines, u, c)
	ch.Note = dim.fixedWords(ch.Lines)

	ch.X = canvas.Sizes(sizesOf(slices.Concat(ch.Lines, ch.Faint)))
	ch.Roof = analysis.RoofOf([]analysis.Panel{*p}, u)
	return ch
}

// sizesOf lists the sizes at which there is something on lines.
func sizesOf(lines []canvas.Line) []int {
	var xs []int
	for _, l := range lines {
		for _, q := range slices.Concat(l.Points, l.Published) {
			if q.X > 0 {
				xs = append(xs, int(q.X))
			}
		}
	}
	return xs
}

// A facet is a panel of lines over the sizes of kernels to which they mean the same.
type facet struct {
	analysis.Panel
	heading, unit string
}

// page draws facets, with as many names as are told apart. same gives all of them one y axis.
func (dim dimension) page(d *analysis.Data, facets []facet, own []analysis.Panel, most int, u analysis.Unit,
	same bool) (*canvas.Picture, []canvas.Chart) {
	names := analysis.LeadersOf(own, most)
	cited := citationsOf(d)
	columns := canvas.ColumnsFor(len(facets))
	labelled := columns <= mostLabelled && !canvas.Narrow() // names stand at the ends of lines
	charts := make([]canvas.Chart, len(facets))
	top := 0.0
	for i, f := range facets {
		charts[i] = dim.of(f.unit).chart(&f.Panel, u, cited, names, 24/columns)
		charts[i].Heading, charts[i].Labelled = f.heading, labelled
		top = max(top, charts[i].Peak())
	}
	for i := range charts {
		if same {
			charts[i].Top = top
		}
	}
	drawn := canvas.Panels{List: canvas.ChartPanels(charts), X: strings.TrimSuffix(dim.name+" size: "+dim.only, ": "),
		Y: u.Label}
	p := pictureOf(d, "throughput-vs-"+dim.name, analysis.Setup{}, "", drawn)
	p.Subtitle = dim.subtitle(charts, u, len(analysis.KernelsOf(own))-len(names)) + cited.Caption()
	if !labelled {
		p.Keys = canvas.KeysOf(names, false)
	}
	return p, charts
}

// mostLabelled is the most panels side by side that have room for names.
const mostLabelled = 2

// overview draws small multiples, the matrices by mean row length.
func (dim dimension) overview(d *analysis.Data, s analysis.Setup, panels []analysis.Panel,
	u analysis.Unit) *canvas.Picture {
	facets := make([]facet, len(panels))
	for i, p := range panels {
		facets[i] = facet{p, p.Matrix, dim.only}
	}
	p, _ := dim.page(d, facets, dim.ofUnit(panels), mostSmallLines, u, false)
	p.Subtitle += " Matrices by rising mean row length."
	p.Alt = fmt.Sprintf("%s, a panel per matrix: %s", term.GroupedCount(len(panels), "panel", "panels"),
		analysis.MatrixNames(panels))
	entitle(p, dim.matters(panels), fmt.Sprintf("Throughput over %s size (%s), %s", dim.name, dim.only, d.Words(s)))
	return p
}

// ofUnit keeps the trials of kernels to which the size means what the dimension is about, or
// nothing.
func (dim dimension) ofUnit(panels []analysis.Panel) []analysis.Panel {
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
func (dim dimension) matters(panels []analysis.Panel) string {
	means := analysis.Means[string]{}
	for i := range panels {
		for _, l := range dim.lines(&panels[i], analysis.GFLOPS) {
			if len(l.Points) < fewestSizes {
				continue
			}
			best, worst := slices.MaxFunc(l.Points, byHeight), slices.MinFunc(l.Points, byHeight)
			means.Add(l.Kernel, best.Y/worst.Y)
		}
	}

	if len(means) == 0 {
		return ""
	}
	most, least := extremes(means)
	gain := func(name string) string { return term.Significant(means[name].Value(), 2) }
	text := fmt.Sprintf("From its worst %s size to its best %s gains %s times", dim.name, most, gain(most))
	if gain(least) != gain(most) {
		text += fmt.Sprintf(", %s %s", least, gain(least))
	}
	return text
}

// detail draws one matrix: a panel per unit and precision, on the same y axis.
func (dim dimension) detail(d *analysis.Data, panels []analysis.Panel, u analysis.Unit) *canvas.Picture {
	first := &panels[0]
	var facets []facet
	for _, unit := range dim.units(panels) {
		for _, p := range dim.of(unit).varied(panels) {
			facets = append(facets, facet{p, string(p.Precision) + ", " + unit, unit})
		}
	}
	p, charts := dim.page(d, facets, panels, mostLargeLines, u, true)
	p.Name = fileStem(d, "throughput-vs-"+dim.name, analysis.Setup{Condition: first.Condition()}, first.Matrix)
	p.Title = fmt.Sprintf("%s: throughput over %s size, %s", first.Matrix, dim.name, d.ConditionWords(first.Condition()))
	p.Subtitle += dim.settings(facets, charts)
	p.Alt = first.Matrix + ", a panel per precision"
	p.Detail, p.Matrices = true, []string{first.Matrix}
	return p
}

func byHeight(a, b canvas.Point) int { return cmp.Compare(a.Y, b.Y) }

// settings names what is fixed, kernel by kernel if they differ; "" if the panels' headings
// say it all.
func (dim dimension) settings(facets []facet, charts []canvas.Chart) string {
	var list []string
	for i := range charts {
		var each []string
		for _, l := range charts[i].Lines {
			if s := strings.TrimSpace(fmt.Sprintf("%s %s", numbered(l.Fixed), l.Unusual())); s != "" && !l.Flat() {
				each = append(each, l.Kernel+" "+s)
			}
		}
		if params := slices.ContainsFunc(charts[i].Lines,
			func(l canvas.Line) bool { return l.Unusual() != "" }); params || len(fixedSizes(charts[i].Lines)) > 1 {
			list = append(list, fmt.Sprintf(" Fixed in %s (%s): %s.", facets[i].Precision, dim.other,
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
func (dim dimension) subtitle(charts []canvas.Chart, u analysis.Unit, faint int) string {
	s := fmt.Sprintf("Each kernel at the %s of its best configuration, of those tried with most sizes. Bands: %s.",
		dim.other, canvas.Interval)
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

// overlay draws the matrices of one setup over each other, a panel per kernel, and their
// geometric mean. Each line is a share of its own highest throughput, so that shapes can be
// compared. It is nil if there are fewer than two matrices.
func (dim dimension) overlay(d *analysis.Data, s analysis.Setup, panels []analysis.Panel) *canvas.Picture {
	var charts []canvas.Chart
	names := analysis.LeadersOf(panels, mostKernels.here())
	for _, kernel := range names {
		if ch, ok := dim.overlaid(panels, kernel); ok {
			charts = append(charts, ch)
		}
	}

	if len(charts) == 0 {
		return nil
	}
	columns := canvas.ColumnsFor(len(charts))

	var lines []canvas.Line
	for i := range charts {
		lines = append(lines, charts[i].Faint...)
	}
	xs := sizesOf(lines)

	for i := range charts {
		charts[i].X = canvas.Sizes(xs)
		charts[i].Markers = 24 / columns
	}

	drawn := canvas.Panels{List: canvas.ChartPanels(charts), X: dim.name + " size: " + dim.only,
		Y: "share of the highest throughput"}
	p := pictureOf(d, "throughput-vs-"+dim.name, s, fmt.Sprintf("a panel per kernel, %s over each other: %s",
		term.GroupedCount(len(panels), "matrix", "matrices"), analysis.MatrixNames(panels)), drawn)
	p.Title = fmt.Sprintf("%s size (%s) on all matrices, %s", strings.ToUpper(dim.name[:1])+dim.name[1:], dim.only, d.Words(s))
	p.Subtitle = fmt.Sprintf("Thin: a matrix, as a share of the kernel's highest throughput on it, at the %s of its best "+
		"configuration. Thick: geometric mean of the matrices, where all were measured.", dim.other)
	return p
}

// overlaid returns the panel of one kernel, false if fewer than two matrices have several
// sizes of it.
func (dim dimension) overlaid(panels []analysis.Panel, kernel string) (canvas.Chart, bool) {
	ch := canvas.Chart{Heading: kernel, Top: 1, Steps: 5}
	means := analysis.Means[float64]{} // by X
	for i := range panels {
		own := panels[i]
		own.Rows = own.ByKernel(kernel)
		for _, l := range dim.lines(&own, analysis.GFLOPS) {
			if len(l.Points) < fewestSizes {
				continue
			}
			best := slices.MaxFunc(l.Points, byHeight).Y
			for j := range l.Points {
				q := &l.Points[j]
				*q = canvas.Exact(q.X, q.Y/best)
				means.Add(q.X, q.Y)
			}
			ch.Faint = append(ch.Faint, l)
		}
	}

	if len(ch.Faint) < 2 {
		return canvas.Chart{}, false
	}
	mean := canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	mean.Look.Dashes = nil

	for _, q := range ch.Faint[0].Points { // what all have is among these
		if m := means[q.X]; m.Count() == len(ch.Faint) {
			mean.Points = append(mean.Points, canvas.Exact(q.X, m.Value()))
		}
	}

	if len(mean.Points) > 1 {
		ch.Lines = []canvas.Line{mean}
	}
	return ch, true
}
