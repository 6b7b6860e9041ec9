package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
	"spmvtune/tuner/stat"
)

// A roofline is what the trials of one device and precision reach of the bandwidth that was
// measured on the device, which bounds them in the model of Williams, Waterman and Patterson
// (CACM 52(4), 2009): no kernel does more FLOP/s than its FLOP/byte times the bandwidth, nor
// more than the peak.
type roofline struct {
	analysis.Setup
	panels    []analysis.Panel
	bandwidth float64 // The measured bandwidth in GB/s.
	peak      analysis.Peak
}

// roofShare is the share of the measured bandwidth that compulsory traffic takes.
var roofShare = analysis.Unit{Name: "of the roof",
	Label: "share of the measured bandwidth",
	Of:    func(r *store.Row) float64 { return r.RoofFraction }}

// drawRooflines draws a picture for each condition.
func drawRooflines(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, at := range d.Conditions() {
		var list []roofline
		for _, s := range d.Setups() {
			if s.Condition != at {
				continue
			}
			if r := rooflineOf(d, s); len(r.panels) > 0 {
				list = append(list, r)
			}
		}
		if len(list) > 0 {
			pages = append(pages, rooflinePages(d, list)...)
		}
	}

	return pages, nil
}

func rooflineOf(d *analysis.Data, s analysis.Setup) roofline {
	r := roofline{Setup: s}
	for _, p := range d.In(s) {
		if b := analysis.Fastest(p.Rows); b.RoofFraction > 0 && b.GFLOPS > 0 {
			r.panels = append(r.panels, p)
			r.bandwidth = b.GBPS / b.RoofFraction
		}
	}
	for i := range d.Devices {
		if d.Devices[i].Label == s.Device {
			r.peak = analysis.PeakOf(&d.Devices[i].Device, s.Precision)
		}
	}
	return r
}

// intensity returns the FLOP of a trial per byte of compulsory traffic.
func intensity(r *store.Row) float64 { return r.GFLOPS / r.GBPS }

// rooflinePages draws rows of matrices.
func rooflinePages(d *analysis.Data, list []roofline) []*canvas.Picture {
	s := list[0].Setup
	var all []analysis.Panel
	for i := range list {
		all = append(all, list[i].panels...)
	}
	names := analysis.LeadersOf(all, mostSmallLines)

	var matrices []string
	for i := range all {
		if m := all[i].Matrix; !slices.Contains(matrices, m) {
			matrices = append(matrices, m)
		}
	}
	slices.SortStableFunc(matrices, func(a, b string) int {
		return cmp.Compare(rowLengthOf(d, a), rowLengthOf(d, b))
	})

	if len(matrices) > mostMatrices.here() {
		return roofClouds(d, list)
	}
	p := rooflinePage(d, list, matrices, names)
	p.Name = fileStem(d, "roofline", s.Device, string(s.Cache))
	entitle(p, roofWords(list), "Share of the roof, "+d.ConditionWords(s.Condition))
	if others := len(analysis.KernelsOf(all)) - len(names); others > 0 {
		p.Subtitle += unnamed(others, "small and grey")
	}
	return []*canvas.Picture{p}
}

// roofClouds draws more matrices than a picture has rows for, over their row length.
func roofClouds(d *analysis.Data, list []roofline) []*canvas.Picture {
	var pages []*canvas.Picture
	for _, r := range list {
		f := crossing{id: "roofline", title: "Share of the roof over row length", order: byRowLength, unit: roofShare,
			lines: true}
		p := f.page(d, r.panels)
		p.Title = ""
		entitle(p, roofWords([]roofline{r}), "Share of the roof over row length, "+d.Words(r.Setup))
		pages = append(pages, p)
	}
	return pages
}

// rowLengthOf returns the mean row length of a matrix.
func rowLengthOf(d *analysis.Data, name string) float64 {
	for i := range d.Matrices {
		if d.Matrices[i].Name == name {
			return d.Matrices[i].RowMean
		}
	}
	return 0
}

// roofWords states how near the fastest come to the roof, in the geometric mean.
func roofWords(list []roofline) string {
	var parts []string
	for _, r := range list {
		var mean stat.GeometricMean
		for i := range r.panels {
			if share := analysis.Fastest(r.panels[i].Rows).RoofFraction; share > 0 {
				mean.Add(share)
			}
		}
		if mean.Count() > 1 {
			parts = append(parts, fmt.Sprintf("%s in %s", term.Percent0(mean.Value()), r.Precision))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The fastest kernels use " + strings.Join(parts, " and ") + " of the measured bandwidth"
}

func rooflinePage(d *analysis.Data, list []roofline, matrices, names []string) *canvas.Picture {
	b := &canvas.Bars{Slots: 1, Dots: true, Label: roofShare.Label, Origin: math.NaN(), Number: term.Percent0, Roof: 1}
	for _, r := range list {
		b.Columns = append(b.Columns, string(r.Precision))
	}
	for _, m := range matrices {
		row := canvas.BarRow{Name: m, Note: term.Significant(rowLengthOf(d, m), 3) + " per row"}
		for _, r := range list {
			row.Cells = append(row.Cells, r.marks(m, names))
		}
		b.Rows = append(b.Rows, row)
	}
	b.Axis = roofScale(list)

	p := &canvas.Picture{
		Subtitle: fmt.Sprintf("A mark per kernel, in its fastest configuration: its compulsory traffic per second as "+
			"a share of the highest bandwidth measured on the device, %s\u202fGB/s; log axis. Above 100%%: caches "+
			"served it. Number: the fastest of all.", term.Significant(list[0].bandwidth, 4)),
		Alt:     "share of the roof on " + analysis.Enumerate(matrices),
		Kernels: names,
		Keys:    canvas.KeysOf(names, true),
		Height:  b.Height(),
	}
	if b.Clips() {
		p.Subtitle += " Arrows: beyond the axis."
	}
	inset := list[0].peak.GFLOPS > 0
	if inset {
		p.Height += insetHeight
		p.Subtitle += fmt.Sprintf(" Below: the whole model, with the fastest on each matrix and the peak "+
			"(%s).", list[0].peak.How)
	} else {
		p.Subtitle += " The arithmetic peak is not drawn: " + list[0].peak.How + "."
	}
	p.Body = func(c draw.Canvas) {
		rows := c
		if inset {
			rows.Min.Y += insetHeight
			drawInsets(c, b, list)
		}
		b.Draw(rows)
	}
	return p
}

// roofScale has the lines of the roof and its parts, down to the slowest kernel or a twentieth.
func roofScale(list []roofline) canvas.Scale {
	const lowest = 0.05
	low, high := 0.25, 1.0
	for _, r := range list {
		for i := range r.panels {
			for j := range r.panels[i].Rows {
				if share := r.panels[i].Rows[j].RoofFraction; share > 0 { // which it is not if the roof is not known
					low, high = min(low, share), max(high, share)
				}
			}
		}
	}
	low = max(low/1.2, lowest/1.2)
	return shareLines(canvas.Scale{Min: low, Max: high, Norm: plot.LogScale{}})
}

// shareLines gives a scale ticks at the roof and its parts.
func shareLines(s canvas.Scale) canvas.Scale {
	s.Ticks = nil
	for _, v := range []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1} {
		if v >= s.Min && v <= s.Max {
			s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: term.Percent0(v)})
		}
	}
	return s
}

// marks returns the kernels on a matrix: those without a name small and grey, then the named
// ones, the fastest above all.
func (r *roofline) marks(matrix string, names []string) []canvas.Mark {
	var grey, named []canvas.Mark
	for i := range r.panels {
		p := &r.panels[i]
		if p.Matrix != matrix {
			continue
		}
		fastest := analysis.Fastest(p.Rows)
		for _, kernel := range analysis.KernelsOf(r.panels[i : i+1]) {
			row := p.Best(kernel)
			if !(row.RoofFraction > 0) {
				continue // the roof is not known
			}
			q := canvas.Throughput(row, 0, row.RoofFraction)
			m := canvas.Mark{Look: canvas.LookOf(kernel), V: q.Y, Low: q.Low, High: q.High, Hollow: math.NaN(),
				Row: row}
			legend := slices.Contains(names, kernel)
			if row == fastest {
				m.First = true
				if !legend || !canvas.Narrow() { // a column of a paper has little room
					m.Words = kernel
				}
			}
			if legend {
				named = append(named, m)
				continue
			}
			m.Look, m.Faint = canvas.Look{Color: canvas.LineColor}, true
			grey = append(grey, m)
		}
	}
	return append(grey, named...)
}

const insetHeight = vg.Length(132)

// drawInsets draws the model from the data to the peak below each column.
func drawInsets(c draw.Canvas, b *canvas.Bars, list []roofline) {
	plots := make([]*plot.Plot, len(list))
	for i := range list {
		plots[i] = list[i].model()
	}
	c.Max.Y = c.Min.Y + insetHeight - 8
	c.Min.X += b.Left() - 40
	label := "FLOP/byte (two per nonzero / compulsory traffic)"
	if canvas.Narrow() {
		label = "FLOP/byte"
	}
	canvas.DrawPlots(c, plots, len(plots), label, "GFLOP/s")
}

// model is the roofline of the device with the fastest trial of each matrix.
func (r roofline) model() *plot.Plot {
	p := canvas.NewPlot()
	low, lowest := math.Inf(1), math.Inf(1)
	for i := range r.panels {
		f := analysis.Fastest(r.panels[i].Rows)
		low, lowest = min(low, intensity(f)), min(lowest, f.GFLOPS)
	}
	roundedLog(low/2, 4*r.peak.GFLOPS/r.bandwidth, 6).Apply(&p.X)
	roundedLog(lowest/2, 2*r.peak.GFLOPS, 4).Apply(&p.Y)
	p.Add(canvas.ThinGrid(), canvas.Heading{Note: fmt.Sprintf("%s: peak %s\u202fTFLOP/s", r.Precision,
		term.Significant(r.peak.GFLOPS/1e3, 3))}, r)
	return p
}

// Plot draws the roof and the fastest trials.
func (r roofline) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: canvas.InkColor, Width: 1.4}
	ridge := r.peak.GFLOPS / r.bandwidth
	left := max(p.X.Min, p.Y.Min/r.bandwidth)
	c.StrokeLine2(style, tx(left), ty(left*r.bandwidth), tx(ridge), ty(r.peak.GFLOPS))
	c.StrokeLine2(style, tx(ridge), ty(r.peak.GFLOPS), c.Max.X, ty(r.peak.GFLOPS))
	for i := range r.panels {
		f := analysis.Fastest(r.panels[i].Rows)
		canvas.LookOf(f.Kernel).Mark(c, vg.Point{X: tx(intensity(f)), Y: ty(f.GFLOPS)}, 2)
	}
}
