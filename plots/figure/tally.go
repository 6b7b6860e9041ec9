// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"slices"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
)

// A series has one mark for each matrix: the fastest trial of a selection.
type series struct {
	id   string             // The name of a kernel or variant, as in legends.
	of   analysis.Selection //
	over analysis.Selection // The fastest of these trials is the baseline; nil for none.
	look canvas.Look
}

// each makes a series of each kernel. All are compared with the same trials.
func each(names []string, over analysis.Selection) []series {
	return lists.Of(names, func(name string) series {
		return series{id: name, of: analysis.OfKernels(name), over: over, look: canvas.LookOf(name)}
	})
}

// byParam makes a series of each value of a kernel's parameter, in shades of the kernel's
// colour.
func byParam(kernel, param string, over analysis.Selection) []series {
	k, _ := kernels.Lookup(kernel)
	i := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == param })
	p := k.Params[i]

	list := make([]series, len(p.Values))
	for j, v := range p.Values {
		list[j] = series{id: kernel + " " + param + "=" + v, look: canvas.Shade(kernel, j, len(p.Values)),
			of: analysis.OfKernels(kernel).And(analysis.WithParam(p, v)), over: over}
	}

	return list
}

// A tally holds the trials of a scene by series.
type tally struct {
	series     []series
	shown      []int    // The indexes of the series that are drawn.
	found      int      // The number of series that have data.
	matrices   []string // The matrices by mean row length.
	rowMean    map[string]float64
	precisions []kernels.Precision
	cells      map[spot][]entry
	lacking    []string // The matrices without a baseline.
}

// A spot is a matrix in a column.
type spot struct {
	matrix    string
	precision kernels.Precision
}

// An entry is the trial of a series and the trial that it is compared with, if any.
type entry struct {
	series    int
	row, base *store.Row
}

func tabulate(d *analysis.Data, s *scene, list []series) *tally {
	t := &tally{series: list, rowMean: map[string]float64{}, cells: map[spot][]entry{}}
	var cases []map[string]float64
	for i := range s.panels {
		p := &s.panels[i]
		entries, lacks := entriesOf(p, list)
		if lacks && !slices.Contains(t.lacking, p.Matrix) {
			t.lacking = append(t.lacking, p.Matrix)
		}
		if len(entries) == 0 {
			continue
		}
		speed := func(e entry) (string, float64) { return list[e.series].id, 1 / e.row.Time }
		cases = append(cases, lists.Keyed(entries, speed))
		t.cells[spot{p.Matrix, p.Precision}] = entries
		if !slices.Contains(t.precisions, p.Precision) {
			t.precisions = append(t.precisions, p.Precision)
		}
		if _, seen := t.rowMean[p.Matrix]; !seen {
			t.matrices = append(t.matrices, p.Matrix)
			r := entries[0].row
			t.rowMean[p.Matrix] = float64(r.NNZ) / float64(r.Rows)
		}
	}

	t.choose(cases)
	// Panels are sorted within a precision; a second one may bring more matrices.
	rank := map[string]int{}
	for i, m := range slices.Backward(d.Matrices) {
		rank[m.Name] = i
	}
	slices.SortStableFunc(t.matrices, func(a, b string) int { return rank[a] - rank[b] })
	return t
}

// entriesOf finds the series in a panel. lacks reports whether what they are compared with is
// missing.
func entriesOf(p *analysis.Panel, list []series) (entries []entry, lacks bool) {
	for j := range list {
		e := entry{series: j, row: p.FastestOf(list[j].of)}
		if e.row == nil {
			continue
		}
		if over := list[j].over; over != nil {
			if e.base = p.FastestOf(over); e.base == nil {
				lacks = true
				continue
			}
		}
		entries = append(entries, e)
	}

	return entries, lacks
}

// choose fills shown: the series with data or, if there are too many, the leaders. A case
// holds the speeds of one panel, by series.
func (t *tally) choose(cases []map[string]float64) {
	t.shown = lists.Where(lists.Indices(len(t.series)), func(j int) bool {
		return slices.ContainsFunc(cases, func(c map[string]float64) bool { return c[t.series[j].id] > 0 })
	})
	t.found = len(t.shown)
	names := analysis.Leaders(cases, mostColoured(t.found))
	t.shown = slices.DeleteFunc(t.shown, func(j int) bool { return !slices.Contains(names, t.series[j].id) })
}
