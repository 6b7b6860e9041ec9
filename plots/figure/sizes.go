// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner/trial"
)

// draw draws throughput over block or grid size: for each setup an overlay of its matrices, and for each matrix a
// picture with a panel per precision and meaning of the size.
func (dim dimension) draw(d *analysis.Data) ([]*canvas.Picture, []error) {
	var overlays, details []*canvas.Picture
	u := analysis.UnitFor(dim.varied(d.Panels))
	for _, s := range d.Setups() {
		if panels := dim.varied(d.In(s)); len(panels) > 1 {
			if p := dim.overlay(d, s, panels, u); p != nil {
				overlays = append(overlays, p)
			}
		}
	}
	for _, group := range lists.Groups(d.Panels, func(p analysis.Panel) trial.Case { // which differ only in precision
		return trial.Case{Device: p.Device, Matrix: p.Matrix, Cache: p.Cache}
	}) {
		if panels := dim.varied(group); len(panels) > 0 {
			p := dim.detail(d, panels, u)
			p.Detail = len(overlays) > 0
			details = append(details, p)
		}
	}
	return slices.Concat(overlays, details), nil
}

// of keeps the kernels to which the size means this, and those without a choice.
func (dim dimension) of(unit string) dimension {
	dim.only = unit
	return dim
}

// units lists what the size means to the kernels of some panels, in the catalogue's order.
func (dim dimension) units(panels []analysis.Panel) []string {
	units := lists.Distinct(analysis.KernelsOf(panels), dim.unitOf)
	return lists.Where(units, func(unit string) bool { return unit != "" })
}

// fewestSizes is the fewest sizes that a line is drawn over.
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

// chart makes the panel's chart, in which these kernels have colours. What is drawn of the papers is added to c.
func (dim dimension) chart(d *analysis.Data, p *analysis.Panel, u analysis.Unit, c *citations, named []string) canvas.Chart {
	ch := canvas.Chart{Heading: fmt.Sprintf("%s, %s", p.Precision, dim.only)}
	ch.Roof.Low, ch.Roof.High = d.RoofOf(p.Device, u)
	for _, l := range dim.lines(p, u) {
		ch.Put(l, slices.Contains(named, l.Kernel))
	}
	dim.cite(ch.Lines, u, c)
	return ch
}

// panelsOf are the panels of charts. If named says so, lines have names at their ends where there is room.
func (dim dimension) panelsOf(charts []canvas.Chart, y string, named bool) canvas.Panels {
	columns := canvas.ColumnsFor(len(charts))
	for i := range charts {
		charts[i].Markers = 24 / columns
		charts[i].Labelled = named && columns <= 2 && !canvas.Narrow()
		charts[i].X = canvas.Sizes(charts[i].Xs())
	}
	panels := lists.Of(charts, func(ch canvas.Chart) canvas.Panel { return ch.Panel() })
	return canvas.Panels{List: panels, X: dim.name + " size", Y: y}
}

// detail draws one matrix: a panel per unit and precision, on the same y axis.
func (dim dimension) detail(d *analysis.Data, panels []analysis.Panel, u analysis.Unit) *canvas.Picture {
	first, names, cited := &panels[0], coloured(panels), citationsOf(d)
	var charts []canvas.Chart
	top, roof := 0.0, ""
	for _, unit := range dim.units(panels) {
		dim := dim.of(unit)
		for _, p := range dim.varied(panels) {
			charts = append(charts, dim.chart(d, &p, u, cited, names))
			top = max(top, charts[len(charts)-1].Peak())
		}
	}
	for i := range charts {
		if charts[i].Top = top; charts[i].ShowsRoof() {
			roof = " Dashed: memory bandwidth."
		}
	}
	about := analysis.Setup{Condition: first.Condition()}
	p := pictureOf(d, "throughput-vs-"+dim.name, about, first.Matrix+", a panel per precision", dim.panelsOf(charts, u.Label, true))
	p.Name, p.Title = fileStem(d, "throughput-vs-"+dim.name, about, first.Matrix), first.Matrix+": "+p.Title
	p.Subtitle = "Each kernel at its best " + dim.other + ". Bands: " + canvas.Interval + ". Dotted: no " + dim.name + " size." + roof + cited.Caption()
	p.Matrices = []string{first.Matrix}
	if !charts[0].Labelled {
		p.Keys = canvas.KeysOf(names, false)
	}
	return p
}

// overlay draws the matrices of one setup over each other: the geometric means of kernels, in a panel for each meaning
// of the size, and below them, in a panel for each kernel, its matrices.
func (dim dimension) overlay(d *analysis.Data, s analysis.Setup, panels []analysis.Panel, u analysis.Unit) *canvas.Picture {
	names, shown := coloured(panels), analysis.LeadersOf(panels, mostKernels.here())
	var means, shapes []canvas.Chart
	for _, unit := range dim.units(panels) {
		dim, mean := dim.of(unit), canvas.Chart{Heading: unit}
		for _, kernel := range analysis.KernelsOf(panels) {
			l, shape := dim.across(panels, kernel, u)
			if len(l.Points) > 0 {
				mean.Put(l, slices.Contains(names, kernel))
			}
			if len(shape.Faint) > 1 && slices.Contains(shown, kernel) {
				shapes = append(shapes, shape)
			}
		}
		if len(mean.Lines) > 0 {
			means = append(means, mean)
		}
	}
	var whole stack
	if len(means) > 0 {
		whole = stack{dim.panelsOf(means, u.Label, true)}
	}
	if len(shapes) > 0 && (whole == nil || !canvas.InPaper()) {
		whole = append(whole, dim.panelsOf(shapes, "share of the highest", false))
	}
	if whole == nil { // what differs from matrix to matrix is in the picture of each
		return nil
	}
	p := pictureOf(d, "throughput-vs-"+dim.name, s, "geometric means of kernels, and a panel per kernel with its matrices: "+
		analysis.MatrixNames(panels), whole)
	if len(whole) == 1 && len(means) > 0 {
		p.Subtitle = "Geometric means over the matrices, each kernel at its best " + dim.other + "."
	}
	p.Subtitle += inGrey(len(analysis.KernelsOf(panels)) - len(names))
	if len(means) == 0 || !means[0].Labelled {
		p.Keys = canvas.KeysOf(names, false)
	}
	return p
}

// across gathers a kernel over matrices: its geometric means, where all were measured, and the panel of its shapes, of
// each matrix as a share of its own highest throughput.
func (dim dimension) across(panels []analysis.Panel, kernel string, u analysis.Unit) (mean canvas.Line, shape canvas.Chart) {
	mean = canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel)}
	shape = canvas.Chart{Heading: kernel, Note: dim.only, Top: 1, Steps: 5}
	rates, shares := analysis.Means[float64]{}, analysis.Means[float64]{} // by size
	for i := range panels {
		own := panels[i]
		own.Rows = own.ByKernel(kernel)
		for _, l := range dim.lines(&own, u) {
			best := slices.MaxFunc(l.Points, func(a, b canvas.Point) int { return cmp.Compare(a.Y, b.Y) }).Y
			for j, q := range l.Points {
				rates.Add(q.X, q.Y)
				l.Points[j] = canvas.Exact(q.X, q.Y/best)
			}
			if len(l.Points) < fewestSizes {
				continue
			}
			for _, q := range l.Points {
				shares.Add(q.X, q.Y)
			}
			shape.Faint = append(shape.Faint, l)
		}
	}
	common := func(of analysis.Means[float64], n int, what string) (points []canvas.Point) {
		for _, x := range slices.Sorted(maps.Keys(of)) {
			if of[x].Count() == n {
				q := canvas.Exact(x, of[x].Value())
				q.Words = fmt.Sprintf("%s, %s %s: %s %s in the mean", kernel, dim.name, term.Plain(x), term.Significant(q.Y, 3), what)
				points = append(points, q)
			}
		}
		return points
	}
	mean.Points = common(rates, len(panels), u.Name)
	if points := common(shares, len(shape.Faint), "of the highest"); len(points) > 1 {
		shape.Lines = []canvas.Line{{Look: mean.Look, Points: points}}
	}
	return mean, shape
}

// few is the most kernels that are told apart by their colours.
const few = 8

// mostColoured is how many of n kernels have colours: all if they are few, or three.
func mostColoured(n int) int {
	if n > few {
		return 3
	}
	return n
}

// coloured lists the kernels that have colours, those that are the fastest most often.
func coloured(panels []analysis.Panel) []string {
	return analysis.LeadersOf(panels, mostColoured(len(analysis.KernelsOf(panels))))
}
