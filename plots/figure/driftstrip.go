package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// fewestInLine is the fewest sentinels that show a course. Of two there is one ratio.
const fewestInLine = 3

// driftStrip draws matrices whose sentinel was measured again once, as marks in rows; nil if one
// has more.
func driftStrip(d *data.Report, of []store.Drift) []*canvas.Picture {
	if slices.ContainsFunc(of, func(s store.Drift) bool { return len(s.Points) >= fewestInLine }) {
		return nil
	}
	var caches []trial.Cache
	for _, s := range of {
		if !slices.Contains(caches, s.Cache) {
			caches = append(caches, s.Cache)
		}
	}
	slices.Sort(caches)

	panels := driftPanels(of)
	all := len(panels)
	if all > mostMatrices.here() {
		panels = mostDrifted(panels)[:mostMatrices.here()]
	}
	p := stripPage(of, panels, caches)
	p.Name = fileStem(d, "drift", of[0].Device)
	title, counts := largestWords(of)
	p.Subtitle += counts
	if all > len(panels) {
		p.Subtitle += fmt.Sprintf(" The %d of %d matrices that drifted most.", len(panels), all)
	}
	entitle(p, title, "Drift, "+d.DeviceWords(of[0].Device))
	return []*canvas.Picture{p}
}

func stripPage(of []store.Drift, panels []driftPanel, caches []trial.Cache) *canvas.Picture {
	reach := driftReach(of)
	b := &chart.Bars{Slots: 1, Label: "time of the sentinel over its first", Origin: 1, Dots: true,
		Number: number.Change, Axis: aroundOne(min(reach, mostReach))}
	b.Axis.Max += 0.3 * min(reach, mostReach) // for the numbers
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

	p := &canvas.Picture{
		Subtitle: "A trial that was measured first and last: its second time divided by its first. Lines: 95% " +
			"interval within the run.",
		Alt:    "second time over first on " + strings.Join(names, ", "),
		Keys:   []canvas.Key{},
		Height: b.Height(),
		Body:   b.Draw,
	}
	if reach > mostReach || b.Clips() {
		p.Subtitle += " What lies above the axis is drawn at its end."
	}
	return p
}
