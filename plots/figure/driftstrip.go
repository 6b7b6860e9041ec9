package figure

import (
	"math"
	"slices"
	"strings"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/number"
)

// fewestInLine is the fewest sentinels that show a course. Of two there is one ratio.
const fewestInLine = 3

// driftStrip draws matrices whose sentinel was measured again once, as marks in rows.
func driftStrip(panels []driftPanel, reach float64) *canvas.Picture {
	b := &chart.Bars{Slots: 1, Label: "time of the sentinel over its first", Origin: 1, Dots: true,
		Number: number.Change, Axis: aroundOne(reach)}
	caches := cachesOf(panels)
	for _, cache := range caches {
		b.Columns = append(b.Columns, string(cache)+" cache")
	}

	var names []string
	for _, dp := range panels {
		row := chart.BarRow{Name: dp.matrix, Cells: make([][]chart.Mark, len(caches))}
		for _, s := range dp.series {
			if len(s.Points) < 2 {
				continue
			}
			at, q := slices.Index(caches, s.Cache), s.Points[1]
			row.Cells[at] = append(row.Cells[at], chart.Mark{Look: cacheLook(s.Cache), V: q.Value, Low: q.Low,
				High: q.High, Hollow: math.NaN(), Name: aboutSentinel(&q)})
		}
		names = append(names, dp.matrix)
		b.Rows = append(b.Rows, row)
	}

	return &canvas.Picture{
		Subtitle: "A trial that was measured first and last: its second time divided by its first. Lines: 95% " +
			"interval within the run.",
		Alt:    "second time over first on " + strings.Join(names, ", "),
		Keys:   []canvas.Key{},
		Height: b.Height(),
		Body:   b.Draw,
	}
}
