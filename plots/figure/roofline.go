package figure

import (
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

// roofFigure shows how near trials come to the roof; below the rows of few matrices stands the whole model.
var roofFigure = &barFigure{
	id:    "roofline",
	title: func(*scene) string { return "Share of the roof" },
	says: func(s *scene) string {
		return fmt.Sprintf("its compulsory traffic per second as a share of the highest bandwidth measured on the device, "+
			"%s\u202fGB/s; log axis. Above 100%%: caches served it.", term.Significant(rooflines(s.data, s)[0].bandwidth, 4))
	},
	quantity: func(*scene) quantity {
		return quantity{
			label:  "share of the measured bandwidth",
			of:     func(r, _ *store.Row) canvas.Point { return canvas.Throughput(r, 0, r.RoofFraction) },
			scale:  roofScale,
			origin: math.NaN(),
			number: term.Percent0,
			dots:   true,
		}
	},
	series: func(s *scene) []series {
		if len(rooflines(s.data, s)) == 0 {
			return nil
		}
		list := each(analysis.KernelsOf(s.panels), nil)
		for i := range list {
			list[i].of = list[i].of.And(func(r *store.Row) bool { return r.RoofFraction > 0 })
		}
		return list
	},
	finish: func(s *scene, t *tally, p *canvas.Picture, b *canvas.Bars) {
		list := rooflines(s.data, s)
		entitle(p, roofWords(list), "Share of the roof"+s.in())
		b.Roof = 1
		if list[0].peak.GFLOPS == 0 {
			p.Subtitle += " The arithmetic peak is not drawn: " + list[0].peak.How + "."
			return
		}
		p.Height += insetHeight
		p.Subtitle += fmt.Sprintf(" Below: the whole model, with the fastest on each matrix and the peak (%s).",
			list[0].peak.How)
		p.Body = func(c draw.Canvas) {
			drawInsets(c, b, list)
			c.Min.Y += insetHeight
			b.Draw(c)
		}
	},
}

// rooflines returns those of a scene, by precision.
func rooflines(d *analysis.Data, s *scene) []roofline {
	var list []roofline
	for i := range s.panels {
		p := &s.panels[i]
		f := analysis.Fastest(p.Rows)
		if !(f.RoofFraction > 0 && f.GFLOPS > 0) {
			continue
		}
		at := slices.IndexFunc(list, func(r roofline) bool { return r.Setup == p.Setup() })
		if at < 0 {
			at = len(list)
			list = append(list, roofline{Setup: p.Setup()})
			for j := range d.Devices {
				if d.Devices[j].Label == p.Device {
					list[at].peak = analysis.PeakOf(&d.Devices[j].Device, p.Precision)
				}
			}
		}
		list[at].panels, list[at].bandwidth = append(list[at].panels, *p), f.GBPS/f.RoofFraction
	}
	return list
}

// intensity returns the FLOP of a trial per byte of compulsory traffic.
func intensity(r *store.Row) float64 { return r.GFLOPS / r.GBPS }

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

// roofScale has the lines of the roof and its parts, down to the slowest kernel or a twentieth.
func roofScale(low, high float64) canvas.Scale {
	const lowest = 0.05
	return shareLines(canvas.Scale{Min: max(min(low, 0.25), lowest) / 1.2, Max: max(high, 1), Norm: plot.LogScale{}})
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
