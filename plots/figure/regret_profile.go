package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

// regretProfile shows what choosing costs on more matrices than a picture has rows for: on how
// many matrices a choice keeps at least a share of the oracle, as Dolan and Moré compare
// solvers (Math. Program. 91, 2002).
func regretProfile(d *data.Report, list []regret) *canvas.Picture {
	s := list[0].Setup
	matrices, _ := regretRows(list)
	known := knownWays(list)
	p := &canvas.Picture{
		Name: fileStem(d, "selection-regret", s.Device, string(s.Cache)),
		Subtitle: fmt.Sprintf("Each of %s is held out with its family. The choice made without it is compared with "+
			"its fastest measured configuration, the oracle. Lines: on how many matrices a choice keeps at least this "+
			"share; a line that stays high to the right is better. Hollow: the kernel is chosen, and its sizes are "+
			"tuned on the matrix.",
			term.GroupedCount(len(matrices), "matrix", "matrices")) + caveats(list),
		Alt: fmt.Sprintf("matrices over the share of the oracle that is kept, of %s",
			term.GroupedCount(len(matrices), "matrix", "matrices")),
		Matrices: matrices,
		Keys:     []canvas.Key{},
		Height:   chart.PanelHeight(len(list)) + 60,
	}

	entitle(p, keptWords(list), "Choosing for a matrix not seen before, "+d.ConditionWords(s.Condition))
	for _, w := range known {
		p.Keys = append(p.Keys, canvas.Key{Text: ways[w].Name + onFewer(list, w), Look: ways[w].look})
	}
	charts := make([]chart.Chart, len(list))
	for i := range list {
		g := &list[i]
		charts[i] = chart.Chart{Heading: string(g.Precision), X: shareAxis(), Top: 100, Steps: 5, Markers: 7}
		for _, w := range known {
			if g.known(w) {
				charts[i].Lines = append(charts[i].Lines,
					chart.Line{Look: ways[w].look, Points: kept(g.shares[w], charts[i].X.Min)})
				// the rule is the last
				charts[i].Note = fmt.Sprintf("%s: %s in the geometric mean", ways[w].Name,
					number.ShareOfBest(g.mean(w)))
			}
		}
	}

	p.Body = func(c draw.Canvas) {
		chart.DrawCharts(c, charts, len(charts), "share of the oracle's throughput", "% of the matrices")
	}
	return p
}

// onFewer says how many matrices the line of a way is about, if not all. Its shares are not
// comparable with those of the other lines.
func onFewer(list []regret, w int) string {
	least, most, fewer := math.MaxInt, 0, false
	for i := range list {
		if n := list[i].count(w); n > 0 {
			least, most, fewer = min(least, n), max(most, n), fewer || n < len(list[i].matrices)
		}
	}

	switch {
	case !fewer:
		return ""
	case least < most:
		return fmt.Sprintf(" (%d to %s)", least, term.GroupedCount(most, "matrix", "matrices"))
	}

	return fmt.Sprintf(" (%s)", term.GroupedCount(most, "matrix", "matrices"))
}

// kept returns the steps of the percentage of shares that are at least x, for x from low to
// the highest share.
func kept(shares []float64, low float64) []chart.Point {
	sorted := slices.DeleteFunc(slices.Clone(shares), math.IsNaN)
	slices.Sort(sorted)
	at := func(x float64, above int) chart.Point {
		y := 100 * float64(above) / float64(len(sorted))
		return chart.Point{X: x, Y: y, Low: y, High: y}
	}

	points := []chart.Point{at(low, len(sorted))}
	for i, x := range sorted {
		if x = max(x, low); x > points[len(points)-1].X {
			points = append(points, at(x, len(sorted)-i))
		}
		if i+1 < len(sorted) && sorted[i+1] > x {
			points = append(points, at(x, len(sorted)-i-1))
		}
	}

	return points
}
