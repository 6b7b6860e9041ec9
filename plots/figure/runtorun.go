package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/stat"
)

// A wobble is how far measuring a configuration again moves its time, in one place.
type wobble struct {
	between float64 // The difference that most pairs of runs stay below, as a fraction.
	within  float64 // The median half width of intervals within the run, as a fraction.
}

func wobbleOf(p *data.Panel) (wobble, bool) {
	var w wobble
	var half []float64
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Factor > 1 {
			w.between = max(w.between, r.Factor-1)
		}
		if r.Low > 0 && r.Median > 0 {
			half = append(half, max(r.High-r.Median, r.Median-r.Low)/r.Median)
		}
	}
	w.within = data.Middle(half)
	return w, w.between > 0
}

// runToRunPage draws how far repeating a trial moves its time on each matrix.
func runToRunPage(d *data.Report, s *scene) *canvas.Picture {
	found := map[spot]wobble{}
	worst := map[string]float64{}
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
	p := runToRunRows(found, matrices, precisions)
	p.Name = canvas.Slug(append([]string{"run-to-run"}, s.file...)...)
	if of > len(matrices) {
		p.Subtitle += fmt.Sprintf(" The %d of %s that move most.", len(matrices), term.GroupedCount(of, "matrix", "matrices"))
	}

	var all []float64
	for _, w := range found {
		all = append(all, w.between)
	}
	statement := fmt.Sprintf("Measuring a trial again mostly moves its time by less than %s",
		number.Percent(data.Middle(all)))
	if largest := worst[matrices[0]]; number.Percent(largest) != number.Percent(data.Middle(all)) {
		statement += fmt.Sprintf(", %s on %s", number.Percent(largest), matrices[0])
	}
	entitle(p, statement, "Run-to-run spread, "+s.words)
	return p
}

func runToRunRows(found map[spot]wobble, matrices []string, precisions []kernels.Precision) *canvas.Picture {
	b := &chart.Bars{Slots: 1, Dots: true, Label: "difference between two runs of a trial", Origin: math.NaN(),
		Number: func(v float64) string { return number.Significant(100*v, 2) + "%" }}
	for _, precision := range precisions {
		b.Columns = append(b.Columns, string(precision))
	}
	low, high := math.Inf(1), 0.0
	for _, m := range matrices {
		row := chart.BarRow{Name: m}
		for i, precision := range precisions {
			var cell []chart.Mark
			if w, ok := found[spot{m, precision}]; ok {
				look := canvas.Look{Color: canvas.Hues[i%len(canvas.Hues)]}
				cell = append(cell, chart.Mark{Look: look, V: w.between, Low: w.between, High: w.between, Hollow: w.within,
					Name: m})
				low, high = min(low, w.between), max(high, w.between)
				if w.within > 0 {
					low, high = min(low, w.within), max(high, w.within)
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		b.Rows = append(b.Rows, row)
	}

	b.Axis = canvas.Scale{Min: low / 1.2, Max: high * 1.2, Norm: plot.LogScale{}}
	for _, v := range []float64{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10} {
		if v >= b.Axis.Min && v <= b.Axis.Max {
			b.Axis.Ticks = append(b.Axis.Ticks, plot.Tick{Value: v, Label: number.Percent(v)})
		}
	}
	return &canvas.Picture{
		Subtitle: fmt.Sprintf("Mark and number: what two runs of a configuration differ by at most in %s of all cases, "+
			"from repeated trials; log axis. Hollow: the median half-width of the 95%% interval within a run, which is "+
			"narrower where runs differ as a whole. Matrices by falling spread.", number.Percent(stat.Share)),
		Alt:    "spread on " + data.Enumerate(matrices),
		Height: b.Height(),
		Body:   b.Draw,
	}
}
