package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

// A roofline is the model of Williams, Waterman and Patterson (CACM 52(4), 2009)
// for one device and precision: no kernel does more FLOP/s than its FLOP/byte
// times the memory bandwidth, nor more than the peak.
type roofline struct {
	data.Setup
	bandwidth float64   // The measured bandwidth in GB/s.
	peak      data.Peak // The peak, zero if it is not known.
	points    []roofPoint
	whole     bool // The axis reaches the peak instead of ending near the points.
}

// A roofPoint is a kernel at its best on one matrix.
type roofPoint struct {
	kernel       string
	X            float64 // FLOP/byte of compulsory traffic
	Y, Low, High float64 // GFLOP/s
	row          *store.Row
}

// drawRooflines draws a picture for each condition, with a panel per precision near the points
// and one of the whole model.
func drawRooflines(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		var list []roofline
		var panels []data.Panel
		for _, s := range d.Setups() {
			if s.Condition != at {
				continue
			}
			of := d.In(s)
			if r := rooflineOf(d, s, of); len(r.points) > 0 && r.bandwidth > 0 {
				list, panels = append(list, r), append(panels, of...)
			}
		}
		if len(list) > 0 {
			pages = append(pages, rooflinePage(d, list, panels))
		}
	}

	return pages, nil
}

func rooflineOf(d *data.Report, s data.Setup, panels []data.Panel) roofline {
	r := roofline{Setup: s, bandwidth: data.RoofOf(panels, data.GBPS)}
	for i := range d.Devices {
		if d.Devices[i].Label == s.Device {
			r.peak, _ = data.PeakOf(&d.Devices[i].Device, s.Precision)
		}
	}

	for i := range panels {
		for _, kernel := range data.KernelsOf(panels[i : i+1]) {
			row := data.Fastest(panels[i].ByKernel(kernel))
			if x := intensity(row); x > 0 && !math.IsInf(x, 0) && row.GFLOPS > 0 {
				p := chart.Throughput(row, x, row.GFLOPS)
				r.points = append(r.points, roofPoint{kernel, p.X, p.Y, p.Low, p.High, row})
			}
		}
	}

	return r
}

// intensity returns the FLOP of a trial per byte of compulsory traffic.
func intensity(r *store.Row) float64 { return r.GFLOPS / r.GBPS }

func rooflinePage(d *data.Report, list []roofline, panels []data.Panel) *canvas.Picture {
	s := list[0].Setup
	names := data.LeadersOf(panels, mostSmallLines)
	p := &canvas.Picture{
		Name:  fileStem(d, "roofline", s.Device, string(s.Cache)),
		Title: "Roofline: " + d.ConditionWords(s.Condition),
		Subtitle: fmt.Sprintf("A point per matrix and kernel, in its fastest configuration. Bytes: compulsory "+
			"traffic. Slanted line: the highest bandwidth measured on the device, %s\u202fGB/s.",
			number.Significant(list[0].bandwidth, 4)),
		Alt: fmt.Sprintf("%s under the roof of %s", term.GroupedCount(len(list[0].points), "point", "points"),
			data.ShortDevice(s.Device)),
		Kernels: names,
		Keys:    canvas.KeysOf(names, true),
		Height:  340,
	}

	var peaks []string
	for _, r := range list {
		if r.peak.GFLOPS > 0 {
			peaks = append(peaks, fmt.Sprintf("%s %s\u202fTFLOP/s (%s)", r.Precision,
				number.Significant(r.peak.GFLOPS/1e3, 3), r.peak.How))
		}
	}

	if len(peaks) > 0 {
		p.Subtitle += " Level line, in the narrow panel: the peak at the highest clock, " +
			strings.Join(peaks, ", ") + "."
	} else {
		p.Subtitle += " The arithmetic peak of this device is unknown."
	}

	if len(data.KernelsOf(panels)) > len(names) {
		p.Subtitle += fmt.Sprintf(" Colour: the kernels that are most often the fastest. Grey: the other %d.",
			len(data.KernelsOf(panels))-len(names))
	}

	p.Body = func(c draw.Canvas) { drawRooflinePanels(c, list, names) }
	return p
}

// drawRooflinePanels draws a wide panel per precision and, if the peak is known, a narrow one
// of the whole model.
func drawRooflinePanels(c draw.Canvas, list []roofline, names []string) {
	label := canvas.Typeface(canvas.LabelSize, false, canvas.SoftColor)
	const side, bottom, gap = vg.Length(20), vg.Length(20), vg.Length(16)
	up := canvas.At(label, text.XCenter, text.YTop)
	up.Rotation = canvas.QuarterTurn
	c.FillText(up, vg.Point{X: c.Min.X, Y: (c.Min.Y + bottom + c.Max.Y) / 2}, "GFLOP/s (two per nonzero / time)")
	c.FillText(canvas.At(label, text.XCenter, text.YBottom), vg.Point{X: (c.Min.X + side + c.Max.X) / 2, Y: c.Min.Y},
		"FLOP/byte (two per nonzero / compulsory traffic)")
	c = draw.Crop(c, side, 0, bottom, 0)

	near := list
	var whole []roofline
	for _, r := range list {
		if r.peak.GFLOPS > 0 {
			r.whole = true
			whole = append(whole, r)
		}
	}

	const narrow = 0.5 // of a wide panel
	unit := (c.Max.X - c.Min.X) / vg.Length(float64(len(near))+narrow*float64(len(whole)))
	x := c.Min.X

	for i := range near {
		panels := []roofline{near[i]}
		if len(whole) > 0 {
			panels = append(panels, whole[i])
		}
		for _, r := range panels {
			width := unit
			if r.whole {
				width *= narrow
			}
			tile := c
			tile.Min.X, tile.Max.X = x, x+width-gap
			r.plot(names).Draw(tile)
			x += width
		}
	}
}

// plot makes one panel.
func (r roofline) plot(names []string) *plot.Plot {
	p := canvas.NewPlot()
	xs, ys := r.ends()
	n := 6
	if r.whole {
		n = 4
	}
	canvas.LogBetween(xs[0], xs[1], n).Apply(&p.X)
	canvas.LogBetween(ys[0], ys[1], 8).Apply(&p.Y)
	title := chart.Heading{Text: string(r.Precision), Note: ""}
	if r.whole {
		title = chart.Heading{Text: "to the peak", Note: ""}
	}
	p.Add(chart.ThinGrid(), title, r)
	dots := r.points
	slices.SortStableFunc(dots, func(a, b roofPoint) int { // named ones above the others
		return boolOrder(slices.Contains(names, a.kernel)) - boolOrder(slices.Contains(names, b.kernel))
	})
	p.Add(roofDots{dots, names, r.whole})
	return p
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ends returns the ends of the axes.
func (r roofline) ends() (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), 0}, [2]float64{math.Inf(1), 0}
	for _, q := range r.points {
		x = [2]float64{min(x[0], q.X), max(x[1], q.X)}
		y = [2]float64{min(y[0], q.Low), max(y[1], q.High)}
	}

	x = [2]float64{x[0] / 1.15, x[1] * 1.15}
	y = [2]float64{y[0] / 1.2, max(y[1], x[1]*r.bandwidth) * 1.1}
	if r.whole {
		x[0] = min(x[0], 0.08)
		x[1] = 4 * r.peak.GFLOPS / r.bandwidth
		y[1] = 2 * r.peak.GFLOPS
	}

	return x, y
}

// Plot draws the roof.
func (r roofline) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: canvas.InkColor, Width: 1.4}
	ridge := p.X.Max
	if r.peak.GFLOPS > 0 {
		ridge = min(ridge, r.peak.GFLOPS/r.bandwidth)
	}
	left := max(p.X.Min, p.Y.Min/r.bandwidth)
	c.StrokeLine2(style, tx(left), ty(left*r.bandwidth), tx(ridge), ty(ridge*r.bandwidth))
	if ridge < p.X.Max {
		c.StrokeLine2(style, tx(ridge), ty(r.peak.GFLOPS), c.Max.X, ty(r.peak.GFLOPS))
	}
}

// roofDots are the points of a panel. Kernels without a name are grey.
type roofDots struct {
	points []roofPoint
	names  []string
	small  bool
}

func (d roofDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	radius := vg.Length(3.2)
	if d.small {
		radius = 1.6
	}

	for _, q := range d.points {
		at := vg.Point{X: tx(q.X), Y: ty(q.Y)}
		if !d.small {
			canvas.Hover(c, at, func() string { return data.About(q.row) })
		}
		l := canvas.LookOf(q.kernel)
		if !slices.Contains(d.names, q.kernel) {
			l = canvas.Look{Color: canvas.LineColor}
			if !d.small {
				l.Mark(c, at, radius*0.6)
				continue
			}
		}
		if !d.small {
			c.StrokeLine2(draw.LineStyle{Color: l.Color, Width: 0.9}, at.X, ty(q.Low), at.X, ty(q.High))
		}
		l.Mark(c, at, radius)
	}
}
