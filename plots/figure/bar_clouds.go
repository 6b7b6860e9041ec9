package figure

import (
	"fmt"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
)

// clouds draws more matrices than a page has rows for: a picture for each precision, with a dot for
// each matrix over its row length.
func (f *barFigure) clouds(s *scene, t *tally) []*canvas.Picture {
	q := f.quantity(s)
	var pages []*canvas.Picture
	for _, precision := range t.precisions {
		sets := t.sets(&q, precision, s.published)
		if len(sets) == 0 {
			continue
		}
		var stops []stop
		for _, m := range t.matrices {
			if x := t.rowMean[m]; x > 0 {
				stops = append(stops, stop{m, x})
			}
		}
		if len(stops) < fewestStops {
			continue
		}

		p := &canvas.Picture{
			Name: canvas.Slug(append([]string{f.id, string(precision)}, s.file...)...),
			Alt: fmt.Sprintf("%s on %s by %s", q.label, term.GroupedCount(len(stops), "matrix", "matrices"),
				byRowLength.by),
			Kernels:  t.idsShown(),
			Keys:     []canvas.Key{},
			Subtitle: f.shows(t) + ": " + f.says(s),
		}
		over := crossing{order: byRowLength, unit: data.Unit{Label: q.label}}
		cl := chart.Cloud{Sets: sets, X: byRowLength.axis(stops, 12)}
		if slices.ContainsFunc(sets, hasTrend) {
			over.many(p, cl, stops)
		} else {
			over.few(p, cl)
		}
		p.Subtitle += q.note + s.published.Caption()
		f.entitle(p, s, t, ", "+string(precision))
		pages = append(pages, p)
	}
	return pages
}

// sets returns the shown series in one precision over the row length of matrices.
func (t *tally) sets(q *quantity, precision kernels.Precision, published *citations) []chart.Set {
	var sets []chart.Set
	for _, j := range t.shown {
		l := chart.Line{Kernel: t.series[j].id}
		for _, m := range t.matrices {
			for _, e := range t.cells[spot{m, precision}] {
				v := q.of(e.row, e.base)
				if x := t.rowMean[m]; e.series == j && x > 0 && v.Y > 0 {
					v.X, v.Row = x, e.row
					_, l.Look = t.series[j].key(e.row)
					l.Points = append(l.Points, v)
					if h := published.value(q, e); h > 0 {
						l.Published = append(l.Published, chart.Hollow{X: x, Y: h, Words: e.row.Kernel + " as published"})
					}
				}
			}
		}
		if len(l.Points) > 0 {
			sets = append(sets, chart.SetOf(l))
		}
	}
	return sets
}

// idsShown lists the series that are drawn.
func (t *tally) idsShown() []string {
	names := make([]string, len(t.shown))
	for i, j := range t.shown {
		names[i] = t.series[j].id
	}
	return names
}
