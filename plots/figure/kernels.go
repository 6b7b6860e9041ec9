// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/tuner/stat"
)

// A kernelColumn is a kernel in a column.
type kernelColumn struct {
	kernel    string
	precision kernels.Precision
}

// averagePage draws what each kernel gains over the baseline on the average of all
// matrices: kernels from top to bottom, the fastest first, a column for each
// precision.
//
// The paper averages arithmetically and says that a few matrices with long rows
// skew it. A ratio and its inverse should average to 1, which the geometric mean
// does; the arithmetic one is drawn beside it for comparison.
func averagePage(d *analysis.Data, s scene) *canvas.Picture {
	baseline := d.BaselineOf(s.about.Device)
	with := slices.DeleteFunc(slices.Clone(s.panels), func(p analysis.Panel) bool { return len(p.Gains(baseline)) == 0 })
	gains, top, matrices := map[kernelColumn][]stat.Ratio{}, map[string]float64{}, map[kernels.Precision]int{}
	for i := range with {
		matrices[with[i].Precision]++
		for _, g := range with[i].Gains(baseline) {
			at := kernelColumn{g.Row.Kernel, with[i].Precision}
			gains[at] = append(gains[at], g.Ratio)
		}
	}
	for at, list := range gains {
		top[at.kernel] = max(top[at.kernel], stat.MeanRatio(list).Value)
	}
	if len(top) == 0 {
		return nil
	}
	names, precisions := slices.Collect(maps.Keys(top)), precisionsOf(with)
	analysis.SortKernels(names)
	slices.SortStableFunc(names, func(x, y string) int { return -cmp.Compare(top[x], top[y]) })

	q := timesAsFast(baseline)
	b := &canvas.Bars{Slots: 1, Label: q.label, Origin: q.origin, Number: q.number}
	for _, precision := range precisions {
		b.Columns = append(b.Columns, fmt.Sprintf("%s, %s", precision, term.Matrices(matrices[precision])))
	}
	fewer := func(kernel string) string { // on how many matrices its mean rests, if not on all
		for _, precision := range precisions {
			if n := len(gains[kernelColumn{kernel, precision}]); n > 0 && n < matrices[precision] {
				return fmt.Sprintf("on %d", n)
			}
		}
		return ""
	}
	b.Rows = canvas.NewRows(names, fewer, len(precisions), func(kernel string, column int) []canvas.Mark {
		return averageMark(kernel, gains[kernelColumn{kernel, precisions[column]}])
	})
	b.Axis = q.scale(b.Reach())
	return pictureOf(d, "average-improvement", s.about, "from the fastest kernel to the slowest: "+strings.Join(names, ", "), b)
}

// averageMark shows the geometric mean of gains, their range and, hollow, their arithmetic mean; nothing of none.
func averageMark(kernel string, gains []stat.Ratio) []canvas.Mark {
	if len(gains) == 0 {
		return nil
	}
	mean := stat.MeanRatio(gains)
	m := canvas.Mark{Look: canvas.LookOf(kernel), V: mean.Value, Low: mean.Low, High: mean.High, Least: gains[0].Value,
		Name: kernel}
	for _, r := range gains {
		m.Least, m.Most = min(m.Least, r.Value), max(m.Most, r.Value)
		m.Hollow += r.Value / float64(len(gains))
	}
	return []canvas.Mark{m}
}

// A tuning is what tuning a kernel buys in one precision: the speeds of its configurations as
// shares of its best one on each matrix.
type tuning struct {
	shares   []float64 // of all configurations on all matrices, sorted
	matrices int
	// single is the highest geometric mean of a configuration, of those that were measured on the
	// most matrices, and on is their number.
	single       float64
	on           int
	config       kernels.Config
	median       float64
	first, third float64 // quartiles
}

// fewestConfigs is the fewest configurations that have a distribution.
const fewestConfigs = 4

// tuningOf gathers a kernel's configurations over panels of one setup; false if there are few.
func tuningOf(panels []analysis.Panel, kernel string) (tuning, bool) {
	var t tuning
	means := analysis.Means[kernels.Config]{}
	most := 0
	for i := range panels {
		rows := panels[i].ByKernel(kernel)
		best := analysis.Fastest(rows)
		if best == nil {
			continue
		}
		t.matrices++
		most = max(most, len(rows))
		for j := range rows {
			share := best.Time / rows[j].Time
			t.shares = append(t.shares, share)
			means.Add(rows[j].Config, share)
		}
	}
	if most < fewestConfigs {
		return t, false
	}

	for config, m := range means {
		if cmp.Or(cmp.Compare(m.Count(), t.on), cmp.Compare(m.Value(), t.single),
			strings.Compare(t.config.String(), config.String())) > 0 {
			t.single, t.on, t.config = m.Value(), m.Count(), config
		}
	}
	slices.Sort(t.shares)
	at := func(part float64) float64 { return t.shares[int(part*float64(len(t.shares)-1))] }
	t.first, t.median, t.third = at(0.25), at(0.5), at(0.75)
	return t, true
}

// configurationsPage draws how the configurations of each kernel are distributed between its slowest
// and its best.
func configurationsPage(d *analysis.Data, s scene) *canvas.Picture {
	precisions := precisionsOf(s.panels)
	found := map[kernelColumn]tuning{}
	var names []string
	for _, name := range analysis.KernelsOf(s.panels) {
		for _, precision := range precisions {
			of := slices.DeleteFunc(slices.Clone(s.panels), func(p analysis.Panel) bool { return p.Precision != precision })
			if t, ok := tuningOf(of, name); ok {
				found[kernelColumn{name, precision}] = t
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := found[kernelColumn{a, precisions[0]}], found[kernelColumn{b, precisions[0]}]
		return cmp.Compare(x.median, y.median)
	})

	b := &canvas.Bars{Slots: 1, Dots: true, Label: "share of the kernel's best speed on the matrix", Origin: lowestShare,
		Number: term.Percent0, Axis: shareAxis()}
	b.Columns = columnsOf(precisions)
	note := func(name string) string {
		trials := func(p kernels.Precision) int { return len(found[kernelColumn{name, p}].shares) }
		return term.Trials(lists.Most(precisions, trials))
	}
	b.Rows = canvas.NewRows(names, note, len(precisions), func(name string, column int) []canvas.Mark {
		if t, ok := found[kernelColumn{name, precisions[column]}]; ok {
			return []canvas.Mark{t.mark(name)}
		}
		return nil
	})

	return pictureOf(d, "configurations", s.about, "configurations of "+strings.Join(names, ", "), b)
}

// mark draws a tuning in a row.
func (t *tuning) mark(kernel string) canvas.Mark {
	m := canvas.Mark{Look: canvas.LookOf(kernel), V: t.single, Low: t.first, High: t.third, Thick: true,
		Least: t.shares[0], Most: 1, Hollow: t.median}
	m.Words = canvas.Here("tuned: ", "") + term.Significant(1/t.single, 3) + "×"
	if t.on < t.matrices {
		m.Words += fmt.Sprintf(" (%d of %d)", t.on, t.matrices)
	}
	m.Name = fmt.Sprintf("%s, one configuration for %s: block %d, grid %d %s", kernel,
		term.Matrices(t.on), t.config.Block, t.config.Grid, t.config.Params)
	return m
}
