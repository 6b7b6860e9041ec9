package figure

import (
	"cmp"
	"fmt"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
)

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

func tabulate(d *data.Report, s *scene, list []series) *tally {
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
		speeds := map[string]float64{}
		for _, e := range entries {
			speeds[list[e.series].id] = 1 / e.row.Time
		}
		cases = append(cases, speeds)
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
func entriesOf(p *data.Panel, list []series) (entries []entry, lacks bool) {
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

// leads states which series is the fastest most often, if it is that, or tied, on half of the matrices.
func (t *tally) leads() string {
	wins, counts, of, several := make([]int, len(t.series)), make([]int, len(t.series)), 0, false
	for _, entries := range t.cells {
		best := slices.MinFunc(entries, func(a, b entry) int { return cmp.Compare(a.row.Time, b.row.Time) })
		of++
		wins[best.series]++
		several = several || len(entries) > 1
		for _, e := range entries {
			if e.row == best.row || !data.Tells(best.row, e.row) {
				counts[e.series]++
			}
		}
	}
	lead := 0
	for j := range counts {
		if cmp.Or(cmp.Compare(wins[j], wins[lead]), cmp.Compare(counts[j], counts[lead])) > 0 {
			lead = j
		}
	}
	if !several || 2*counts[lead] < of {
		return ""
	}
	where := term.GroupedCount(of, "matrix", "matrices")
	if len(t.precisions) > 1 {
		where = term.GroupedCount(of, "case", "cases") + " (matrix and precision)"
	}
	return fmt.Sprintf("%s is the fastest, or tied, on %d of %s", t.series[lead].id, counts[lead], where)
}

// beats counts in how many cases, a matrix in one precision each, the first kernel of a pair is faster than the second,
// by more than repeats differ, of those where both were measured.
func (t *tally) beats(pairs ...[2]string) (wins, of int) {
	for _, entries := range t.cells {
		for _, pair := range pairs {
			a, b := t.rowOf(entries, pair[0]), t.rowOf(entries, pair[1])
			if a == nil || b == nil {
				continue
			}
			of++
			if a.Time < b.Time && data.Tells(a, b) {
				wins++
			}
		}
	}
	return wins, of
}

// rowOf returns the trial of a series among entries, nil if there is none.
func (t *tally) rowOf(entries []entry, id string) *store.Row {
	for _, e := range entries {
		if t.series[e.series].id == id {
			return e.row
		}
	}
	return nil
}

// choose fills shown: the series with data or, if there are too many, the leaders. A case
// holds the speeds of one panel, by series.
func (t *tally) choose(cases []map[string]float64) {
	room := mostBars
	for j := range t.series {
		s := &t.series[j]
		if !slices.ContainsFunc(cases, func(c map[string]float64) bool { return c[s.id] > 0 }) {
			continue
		}
		t.found++
		if s.always {
			t.shown = append(t.shown, j)
			room--
		}
	}

	for j := range t.series {
		if t.series[j].always {
			for _, c := range cases {
				delete(c, t.series[j].id)
			}
		}
	}

	names := data.Leaders(cases, max(room, 0))
	for j := range t.series {
		if slices.Contains(names, t.series[j].id) {
			t.shown = append(t.shown, j)
		}
	}

	slices.Sort(t.shown)
}

// legend lists what is drawn of some matrices: kernels in the order of the catalogue, then
// variants in the order of their series.
func (t *tally) legend(matrices []string) []canvas.Key {
	var plain, variants []string
	looks := map[string]canvas.Look{}
	for j := range t.series {
		for _, m := range matrices {
			for _, precision := range t.precisions {
				for _, e := range t.cells[spot{m, precision}] {
					if e.series != j || !slices.Contains(t.shown, j) {
						continue
					}
					name, look := t.series[j].key(e.row)
					if _, seen := looks[name]; seen {
						continue
					}
					looks[name] = look
					if t.series[j].variant != nil {
						variants = append(variants, name)
					} else {
						plain = append(plain, name)
					}
				}
			}
		}
	}

	data.SortKernels(plain)
	var keys []canvas.Key
	for _, name := range append(plain, variants...) {
		keys = append(keys, canvas.Key{Text: name, Look: looks[name]})
	}
	return keys
}

// Beyond these numbers kernels can't be told apart: marks of one matrix on a page
// of speed-ups, lines in a small panel and lines in a large one.
const (
	mostBars       = 10
	mostSmallLines = 10
	mostLargeLines = 16
	mostOverMany   = 8 // over so many matrices that they have running medians
)
