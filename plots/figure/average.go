package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/stat"
)

// An average holds the speed-ups of all kernels over a baseline.
type average struct {
	baseline   string
	kernels    []string // The kernels by falling mean.
	precisions []kernels.Precision
	gains      map[kernelColumn][]stat.Ratio
	matrices   map[kernels.Precision]int // The number of matrices that have the baseline.
}

type kernelColumn struct {
	kernel    string
	precision kernels.Precision
}

func averages(d *data.Report, s *scene) *average {
	a := &average{
		baseline: d.BaselineOf(s.device),
		gains:    map[kernelColumn][]stat.Ratio{},
		matrices: map[kernels.Precision]int{},
	}

	for i := range s.panels {
		p := &s.panels[i]
		gains := p.Gains(a.baseline)
		if len(gains) == 0 {
			continue
		}
		a.matrices[p.Precision]++
		if !slices.Contains(a.precisions, p.Precision) {
			a.precisions = append(a.precisions, p.Precision)
		}
		for _, g := range gains {
			at := kernelColumn{g.Row.Kernel, p.Precision}
			a.gains[at] = append(a.gains[at], stat.Ratio{Value: g.Ratio, Low: g.Low, High: g.High})
			if !slices.Contains(a.kernels, g.Row.Kernel) {
				a.kernels = append(a.kernels, g.Row.Kernel)
			}
		}
	}

	data.SortKernels(a.kernels)
	slices.SortStableFunc(a.kernels, func(x, y string) int { return -cmp.Compare(a.top(x), a.top(y)) })
	return a
}

// top returns the highest mean of a kernel over the precisions.
func (a *average) top(kernel string) float64 {
	var top float64
	for _, precision := range a.precisions {
		if g := a.gains[kernelColumn{kernel, precision}]; len(g) > 0 {
			top = max(top, data.MeanRatio(g).Value)
		}
	}
	return top
}

// averagePage draws what each kernel gains over the baseline on the average of all
// matrices: kernels from top to bottom, the fastest first, a column for each
// precision.
//
// The paper averages arithmetically and says that a few matrices with long rows
// skew it. A ratio and its inverse should average to 1, which the geometric mean
// does; the arithmetic one is drawn beside it for comparison.
func averagePage(d *data.Report, s *scene) *canvas.Picture {
	a := averages(d, s)
	if len(a.kernels) == 0 {
		return nil
	}
	q := timesAsFast(a.baseline)
	b := &chart.Bars{Slots: 1, Label: q.label, Origin: q.origin, Number: q.number}
	for _, precision := range a.precisions {
		b.Columns = append(b.Columns, fmt.Sprintf("%s, %s", precision,
			term.GroupedCount(a.matrices[precision], "matrix", "matrices")))
	}

	for _, kernel := range a.kernels {
		r := chart.BarRow{Name: kernel, Note: a.fewer(kernel)}
		for _, precision := range a.precisions {
			var cell []chart.Mark
			if g := a.gains[kernelColumn{kernel, precision}]; len(g) > 0 {
				mean, all := data.MeanRatio(g), valuesOf(g)
				cell = append(cell, chart.Mark{Look: canvas.LookOf(kernel), V: mean.Value, Low: mean.Low,
					High: mean.High, Least: slices.Min(all), Most: slices.Max(all),
					Hollow: number.ArithmeticMean(all), Name: kernel})
			}
			r.Cells = append(r.Cells, cell)
		}
		b.Rows = append(b.Rows, r)
	}

	b.Axis = q.scale(b.Reach())
	p := &canvas.Picture{
		Name: canvas.Slug(append([]string{"average-improvement"}, s.file...)...),
		Subtitle: "Bar and number: geometric mean over the matrices of each kernel in its fastest configuration, log " +
			"axis; whisker: where another run finds the mean (95%). Hollow: arithmetic mean, as in the paper; a few " +
			"large values raise it. Thin line: from the least to the largest speed-up.",
		Alt:    "from the fastest kernel to the slowest: " + strings.Join(a.kernels, ", "),
		Height: b.Height(),
		Body:   b.Draw,
	}
	entitle(p, a.words(), fmt.Sprintf("Average speed-up over %s, %s", a.baseline, s.words))
	return p
}

// words states what the first kernel gains.
func (a *average) words() string {
	for _, precision := range a.precisions {
		g := a.gains[kernelColumn{a.kernels[0], precision}]
		if len(g) < 2 {
			continue
		}
		mean := data.MeanRatio(g)
		times := func(v float64) string { return number.Significant(v, 3) }
		return fmt.Sprintf("%s is %s times as fast as %s on %s (%s)", a.kernels[0],
			chart.Between(times, mean.Value, mean.Low, mean.High), a.baseline,
			term.GroupedCount(len(g), "matrix", "matrices"), precision)
	}
	return ""
}

func valuesOf(list []stat.Ratio) []float64 {
	values := make([]float64, len(list))
	for i, r := range list {
		values[i] = r.Value
	}
	return values
}

// fewer says on how many matrices a kernel's mean rests, if not on all.
func (a *average) fewer(kernel string) string {
	for _, precision := range a.precisions {
		if n := len(a.gains[kernelColumn{kernel, precision}]); n > 0 && n < a.matrices[precision] {
			return fmt.Sprintf("on %d", n)
		}
	}
	return ""
}
