// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
)

// A roofline is what the trials of one device and precision reach of the bandwidth that was
// measured on the device, which bounds them in the model of Williams, Waterman and Patterson
// (CACM 52(4), 2009): no kernel does more FLOP/s than its FLOP/byte times the bandwidth, nor
// more than the peak.
type roofline struct {
	analysis.Setup
	panels []analysis.Panel
	roof   canvas.Roof
	peak   float64 // in GFLOP/s
}

// roofFigure shows how near trials come to the roof; below the rows of few matrices stands the whole model.
var roofFigure = &barFigure{
	id: "roofline",
	quantity: quantity{
		label:  "share of the measured bandwidth",
		of:     func(r, _ *store.Row) canvas.Point { return canvas.Throughput(r, 0, r.RoofFraction) },
		scale:  roofScale,
		origin: math.NaN(),
		number: term.Percent0,
		dots:   true,
	},
	fit: func(f *barFigure, s *scene) {
		list := rooflines(s.data, s)
		if len(list) == 0 {
			return
		}
		f.series = each(analysis.KernelsOf(s.panels), nil)
		for i := range f.series {
			f.series[i].of = f.series[i].of.And(func(r *store.Row) bool { return r.RoofFraction > 0 })
		}
	},
	finish: func(s *scene, t *tally, p *canvas.Picture, b *canvas.Bars) {
		list := rooflines(s.data, s)
		low, high := list[0].roof.Low, list[0].roof.High
		b.Roof = canvas.Roof{Low: low / high, High: 1}
		text := term.Significant(high, 4)
		if low < high {
			text = term.Significant(low, 2) + " to " + term.Significant(high, 2)
			p.Subtitle += " Reading, copying and triad differ: the band; shares are of the highest."
		}
		p.Subtitle = fmt.Sprintf(p.Subtitle, text)
		if list[0].peak > 0 && !canvas.InPaper() {
			whole := stack{b, insets(list)}
			p.Height, p.Body, p.Bars = whole.Height(), whole.Draw, nil
			p.Subtitle += " Below: the whole model."
		}
	},
}

// rooflines returns those of a scene, by precision.
func rooflines(d *analysis.Data, s *scene) []roofline {
	known := slices.DeleteFunc(slices.Clone(s.panels), func(p analysis.Panel) bool {
		f := analysis.Fastest(p.Rows)
		return !(f.RoofFraction > 0 && f.GFLOPS > 0)
	})
	var list []roofline
	for _, of := range lists.Groups(known, func(p analysis.Panel) analysis.Setup { return p.Setup() }) {
		r := roofline{Setup: of[0].Setup(), panels: of}
		r.roof.Low, r.roof.High = d.RoofOf(r.Device, analysis.GBPS)
		r.peak = analysis.PeakOf(&d.Device(r.Device).Device, r.Precision)
		list = append(list, r)
	}
	return list
}

// roofScale has the lines of the roof and its parts, down to the slowest kernel or a twentieth.
func roofScale(low, high float64) canvas.Scale {
	const lowest = 0.05
	return canvas.NewScale(max(min(low, 0.25), lowest)/1.2, max(high, 1), plot.LogScale{},
		[]float64{0.01, 0.05, 0.1, 0.25, 0.5, 1}, term.Percent0)
}

// insets have the model from the data to the peak, with the fastest on each matrix.
func insets(list []roofline) canvas.Panels {
	return canvas.Panels{X: "FLOP/byte (two per nonzero / compulsory traffic)", Y: "GFLOP/s", List: lists.Of(list, roofline.model)}
}

// model is the roofline of the device with the fastest trial of each matrix.
func (r roofline) model() canvas.Panel {
	low, lowest := math.Inf(1), math.Inf(1)
	var marks []plot.Plotter
	for i := range r.panels {
		f := analysis.Fastest(r.panels[i].Rows)
		at := canvas.Exact(f.GFLOPS/f.GBPS, f.GFLOPS) // FLOP per byte of compulsory traffic
		low, lowest = min(low, at.X), min(lowest, at.Y)
		marks = append(marks, canvas.Marks{Points: []canvas.Point{at}, Look: canvas.LookOf(f.Kernel), Radius: 2})
	}
	ridge := r.peak / r.roof.High
	p := canvas.Panel{Note: fmt.Sprintf("%s: peak %s\u202fTFLOP/s", r.Precision, term.Significant(r.peak/1e3, 3)),
		X: canvas.LogBetween(low/2, 4*ridge, 6), Y: canvas.LogBetween(lowest/2, 2*r.peak, 4)}
	left := max(p.X.Min, p.Y.Min/r.roof.High)
	p.Add(canvas.Curve{Look: canvas.Look{Color: canvas.InkColor}, Width: 1.4, Points: []canvas.Point{
		canvas.Exact(left, left*r.roof.High), canvas.Exact(ridge, r.peak), canvas.Exact(p.X.Max, r.peak)}})
	p.Add(marks...)
	return p
}
