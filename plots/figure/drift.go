// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
)

func driftsByDevice(d *analysis.Data) [][]store.Drift {
	return lists.Groups(d.Drifts, func(s store.Drift) string { return s.Device })
}

// driftPage draws the sentinels of a device over the time since the first of their matrix. Those that drifted most have
// colours.
func driftPage(d *analysis.Data, of []store.Drift) *canvas.Picture {
	by := func(s *store.Drift) float64 {
		_, factor := analysis.LargestDrift([]store.Drift{*s})
		return math.Abs(math.Log(factor))
	}
	of = slices.SortedStableFunc(slices.Values(of), func(a, b store.Drift) int { return cmp.Compare(by(&b), by(&a)) })
	var most time.Duration
	reach := 0.02
	for _, s := range of {
		most = max(most, time.Duration(s.Points[len(s.Points)-1].At-s.Points[0].At)*time.Millisecond)
		for _, q := range s.Points {
			reach = max(reach, math.Abs(q.Low-1), math.Abs(q.High-1), math.Abs(q.Value-1))
		}
	}
	unit, name := unitOf(most)
	p := canvas.Panel{X: elapsed(most, unit, 10), Y: aroundOne(reach)}
	p.Add(canvas.Level(1))
	var ends canvas.Ends
	for i, s := range slices.Backward(of) {
		l := canvas.Line{Kernel: s.Matrix + ", " + string(s.Cache), Look: canvas.Look{Color: canvas.LineColor}}
		if i < mostNamed {
			l.Look = canvas.Look{Color: canvas.Hues[i], Marker: canvas.Markers[i]}
		}
		var course []canvas.Point // the factors that comparisons use
		for _, q := range s.Points {
			x := float64(q.At-s.Points[0].At) / 1e3 / unit.Seconds()
			course = append(course, canvas.Exact(x, s.Factor(q.At)))
			l.Points = append(l.Points, canvas.Point{X: x, Y: q.Value, Low: q.Low, High: q.High, Words: aboutSentinel(&q)})
		}
		p.Add(canvas.Curve{Points: course, Look: l.Look, Width: 1.3},
			canvas.Marks{Points: l.Points, Look: l.Look, Radius: 2.2, Whiskers: 0.9})
		if i < mostNamed {
			ends.Lines = append(ends.Lines, l)
		}
	}
	p.Add(ends)
	names := lists.Distinct(of, func(s store.Drift) string { return s.Matrix })
	return pictureOf(d, "drift", analysis.SetupOn(of[0].Device, "", ""), "drift on "+strings.Join(names, ", "),
		canvas.Panels{List: []canvas.Panel{p}, X: name + " since the first measurement", Y: "time of the sentinel over its first"})
}

// mostNamed is the number of lines of drift that have colours.
const mostNamed = 3

// aroundOne returns a scale for ratios of 1-reach to 1+reach, with a tick to either side of 1 at least; from 0 where ratios
// are above 2.
func aroundOne(reach float64) canvas.Scale {
	if reach > 1 {
		return canvas.FromZero(1+reach, 6)
	}
	step := canvas.NiceStep(2*reach, 4)
	for n := 5; step > 1.05*reach; n++ {
		step = canvas.NiceStep(2*reach, n)
	}
	return canvas.Steps(max(0, 1-1.05*reach), 1+1.05*reach, 1, step, canvas.Decimals(step))
}

// unitOf returns the unit for times up to most, with its name.
func unitOf(most time.Duration) (time.Duration, string) {
	switch {
	case most >= 2*time.Hour:
		return time.Hour, "hours"
	case most >= 2*time.Minute:
		return time.Minute, "minutes"
	}
	return time.Second, "seconds"
}

// elapsed returns a scale for times from 0 to most.
func elapsed(most, unit time.Duration, labels int) canvas.Scale {
	top := max(most.Seconds()/unit.Seconds(), 0.01)
	s := canvas.FromZero(top, labels)
	s.Min, s.Max = -0.03*top, 1.03*top
	return s
}

// aboutSentinel returns the tip of a sentinel.
func aboutSentinel(q *store.Sentinel) string {
	times := func(v float64) string { return term.Significant(v, 4) }
	return canvas.Between(times, q.Value, q.Low, q.High) + " times as long as at first. " + analysis.About(q.Trial)
}

// A wobble is how far measuring a configuration again moves its time, in one place.
type wobble struct {
	between float64 // The difference that most pairs of runs stay below, as a fraction.
	within  float64 // The median half width of intervals within the run, as a fraction.
}

func wobbleOf(p *analysis.Panel) (w wobble, moves bool) {
	var half []float64
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Factor > 1 {
			w.between = max(w.between, r.Factor-1)
		}
		if r.WithinLow > 0 && r.Median > 0 {
			half = append(half, max(r.WithinHigh-r.Median, r.Median-r.WithinLow)/r.Median)
		}
	}
	w.within = analysis.Middle(half)
	return w, w.between > 0
}

// runToRunPage draws how far repeating a trial moves its time on each matrix.
func runToRunPage(d *analysis.Data, s scene) *canvas.Picture {
	found, worst := map[spot]wobble{}, map[string]float64{}
	var matrices []string
	for i := range s.panels {
		p := &s.panels[i]
		w, ok := wobbleOf(p)
		if !ok {
			continue
		}
		found[spot{p.Matrix, p.Precision}] = w
		if _, seen := worst[p.Matrix]; !seen {
			matrices = append(matrices, p.Matrix)
		}
		worst[p.Matrix] = max(worst[p.Matrix], w.between)
	}
	if len(matrices) == 0 {
		return nil
	}

	of := len(matrices)
	slices.SortStableFunc(matrices, func(a, b string) int { return cmp.Compare(worst[b], worst[a]) })
	matrices = matrices[:min(of, mostMatrices.here())]
	precisions := precisionsOf(s.panels)
	p := pictureOf(d, "run-to-run", s.about, "spread on "+analysis.Enumerate(matrices), runToRunRows(found, matrices, precisions))
	p.Subtitle = fmt.Sprintf(p.Subtitle, term.ShortPercent(stat.Share)) + someOf(len(matrices), of, "matrices, those that move most")
	return p
}

func runToRunRows(found map[spot]wobble, matrices []string, precisions []kernels.Precision) *canvas.Bars {
	b := &canvas.Bars{Slots: 1, Dots: true, Label: "difference between two runs of a trial", Origin: math.NaN(),
		Number: func(v float64) string { return term.Significant(100*v, 2) + "%" }}
	b.Columns = columnsOf(precisions)
	b.Rows = canvas.NewRows(matrices, nil, len(precisions), func(m string, column int) []canvas.Mark {
		w, ok := found[spot{m, precisions[column]}]
		if !ok {
			return nil
		}
		mark := canvas.Mark{Look: canvas.Look{Color: canvas.Hues[column]}, V: w.between, Low: w.between, High: w.between,
			Hollow: w.within, Name: m}
		if !(w.within > 0) { // a logarithmic axis has no place for it
			mark.Hollow = math.NaN()
		}
		return []canvas.Mark{mark}
	})
	low, high := b.Reach()
	b.Axis = canvas.NewScale(low/1.2, high*1.2, plot.LogScale{},
		[]float64{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}, term.ShortPercent)
	return b
}
