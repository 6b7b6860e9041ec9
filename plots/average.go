package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/tuner/stat"
)

// drawAverage draws what each kernel gains over the baseline on the average of all
// matrices: kernels from top to bottom, the fastest first, a column for each
// precision.
//
// The paper averages arithmetically and says that a few matrices with long rows
// skew it. A ratio and its inverse should average to 1, which the geometric mean
// does; the arithmetic one is drawn beside it for comparison.
func drawAverage(d *data) ([]*page, []error) {
	var pages []*page
	for _, s := range d.scenesByPlace() {
		if a := averages(d, &s); len(a.kernels) > 0 {
			pages = append(pages, a.page(&s))
		}
	}
	return pages, nil
}

// An average holds the speed-ups of all kernels over a baseline.
type average struct {
	baseline   string
	kernels    []string // by falling mean
	precisions []kernels.Precision
	gains      map[kernelColumn][]float64
	matrices   map[kernels.Precision]int // that have the baseline
}

type kernelColumn struct {
	kernel    string
	precision kernels.Precision
}

func averages(d *data, s *scene) *average {
	a := &average{
		baseline: d.baselineOf(s.device),
		gains:    map[kernelColumn][]float64{},
		matrices: map[kernels.Precision]int{},
	}
	for i := range s.panels {
		p := &s.panels[i]
		gains := p.gains(a.baseline)
		if len(gains) == 0 {
			continue
		}
		a.matrices[p.Precision]++
		if !slices.Contains(a.precisions, p.Precision) {
			a.precisions = append(a.precisions, p.Precision)
		}
		for _, g := range gains {
			at := kernelColumn{g.Row.Kernel, p.Precision}
			a.gains[at] = append(a.gains[at], g.Ratio)
			if !slices.Contains(a.kernels, g.Row.Kernel) {
				a.kernels = append(a.kernels, g.Row.Kernel)
			}
		}
	}
	sortKernels(a.kernels)
	slices.SortStableFunc(a.kernels, func(x, y string) int { return -cmp.Compare(a.top(x), a.top(y)) })
	return a
}

// top is the highest mean of a kernel over the precisions.
func (a *average) top(kernel string) float64 {
	var top float64
	for _, precision := range a.precisions {
		if g := a.gains[kernelColumn{kernel, precision}]; len(g) > 0 {
			top = max(top, stat.GeometricMeanOf(g))
		}
	}
	return top
}

// arithmeticMean is the mean of at least one value.
func arithmeticMean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func (a *average) page(s *scene) *page {
	q := timesAsFast(a.baseline)
	b := &bars{slots: 1, label: q.label, origin: q.origin, number: q.number}
	for _, precision := range a.precisions {
		b.columns = append(b.columns, fmt.Sprintf("%s, %s", precision, term.GroupedCount(a.matrices[precision], "matrix", "matrices")))
	}
	for _, kernel := range a.kernels {
		r := barRow{name: kernel, note: a.fewer(kernel)}
		for _, precision := range a.precisions {
			var cell []mark
			if g := a.gains[kernelColumn{kernel, precision}]; len(g) > 0 {
				cell = append(cell, mark{look: lookOf(kernel), v: stat.GeometricMeanOf(g), low: slices.Min(g), high: slices.Max(g), hollow: arithmeticMean(g), name: kernel})
			}
			r.cells = append(r.cells, cell)
		}
		b.rows = append(b.rows, r)
	}
	b.axis = q.scale(b.reach())
	return &page{
		Name:  slug(append([]string{"average-improvement"}, s.file...)...),
		Title: fmt.Sprintf("Average speed-up over %s: %s", a.baseline, s.words),
		Subtitle: "Bar and number: geometric mean over the matrices of each kernel in its fastest configuration, log axis. " +
			"Hollow: arithmetic mean, as in the paper, which few large values pull up. Line: from the least to the largest speed-up.",
		Alt:    "from the fastest kernel to the slowest: " + strings.Join(a.kernels, ", "),
		height: b.height(),
		body:   b.draw,
	}
}

// fewer says on how many matrices a kernel's mean is, where that is not all.
func (a *average) fewer(kernel string) string {
	for _, precision := range a.precisions {
		if n := len(a.gains[kernelColumn{kernel, precision}]); n > 0 && n < a.matrices[precision] {
			return fmt.Sprintf("on %d", n)
		}
	}
	return ""
}
