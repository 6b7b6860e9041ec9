package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/rule"
	"spmvtune/tuner/stat"
)

// drawRegret draws a picture for each condition: matrices from top to bottom, a column per
// precision. Of many matrices it draws the distribution.
func drawRegret(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	all := regrets(d)
	for _, at := range d.Conditions() {
		var list []regret
		for _, g := range all {
			if g.Condition == at {
				list = append(list, g)
			}
		}
		if matrices, _ := regretRows(list); len(matrices) > mostMatrices.here() {
			pages = append(pages, regretProfile(d, list))
		} else if len(list) > 0 {
			pages = append(pages, regretPage(d, list))
		}
	}

	return pages, nil
}

// regretPage draws a row for each matrix and one for their mean, and a column for each precision.
func regretPage(d *analysis.Data, list []regret) *canvas.Picture {
	s := list[0].Setup
	matrices, means := regretRows(list)
	known := knownSelectors(list)
	b := &canvas.Bars{Slots: len(known), Tight: true, Label: "share of the oracle's throughput", Origin: math.NaN(),
		Number: term.ShareOfBest, Axis: shareAxis()}
	for _, g := range list {
		b.Columns = append(b.Columns, string(g.Precision))
	}
	note := func(name string) string {
		if mean, known := means[name]; known {
			return term.Significant(mean, 3)
		}
		return ""
	}
	names := append(slices.Clone(matrices), meanOfAll)
	b.Rows = canvas.NewRows(names, note, len(list), func(name string, column int) (cell []canvas.Mark) {
		g := &list[column]
		for slot, w := range known {
			if v := g.shareOn(name, w); !math.IsNaN(v) {
				m := canvas.Mark{Slot: slot, Look: selectors[w].look, V: v, Low: v, High: v, Hollow: math.NaN(),
					Name: fmt.Sprintf("%s, %s, %s", selectors[w].Name, name, g.Precision)}
				if m.First = w == len(selectors)-1; m.First {
					m.Words = "tree"
				}
				cell = append(cell, m)
			}
		}
		return cell
	})

	p := pictureOf(d, "selection-regret", analysis.Setup{Condition: s.Condition},
		"share of the oracle on "+strings.Join(list[0].matrices, ", "), b)
	p.Matrices = matrices
	for _, w := range known {
		p.Keys = append(p.Keys, canvas.Key{Text: selectors[w].Name, Look: selectors[w].look, Dot: true})
	}
	if b.Clips() {
		p.Subtitle += fmt.Sprintf(" Arrows at the left edge: below %.0f%%.", 100*lowestShare)
	}
	p.Subtitle += caveats(list)
	entitle(p, keptWords(list), "Choosing for a matrix not seen before, "+d.ConditionWords(s.Condition))
	return p
}

const meanOfAll = "geometric mean"

// shareOn is the share of a selector on a matrix, or the mean of all; NaN if it is not known.
func (g *regret) shareOn(matrix string, selector int) float64 {
	if matrix == meanOfAll {
		return g.mean(selector)
	}
	if at := slices.Index(g.matrices, matrix); at >= 0 {
		return g.shares[selector][at]
	}
	return math.NaN()
}

// keptWords states what share of the best speed the selectors keep in the geometric mean, of those that
// are known on all matrices: the rule's and the next best, in the first precision with both.
func keptWords(list []regret) string {
	for i := range list {
		g := &list[i]
		rule, next, best := g.mean(len(selectors)-1), 0.0, ""
		for w := range selectors[:len(selectors)-1] {
			if m := g.mean(w); m > next {
				next, best = m, selectors[w].Name
			}
		}
		if math.IsNaN(rule) || best == "" {
			continue
		}
		return fmt.Sprintf("%s: the learned rule keeps %s of the best speed, against %s (%s)", g.Precision,
			term.ShareOfBest(rule), term.ShareOfBest(next), best)
	}
	return ""
}

// knownSelectors returns the indexes of the selectors that have a share in some column.
func knownSelectors(list []regret) []int {
	var known []int
	for w := range selectors {
		if slices.ContainsFunc(list, func(g regret) bool { return g.known(w) }) {
			known = append(known, w)
		}
	}
	return known
}

// regretRows lists the matrices of all columns by row length, and the row lengths.
func regretRows(list []regret) (names []string, means map[string]float64) {
	means = map[string]float64{}
	for _, g := range list {
		for i, m := range g.matrices {
			if _, seen := means[m]; !seen {
				names, means[m] = append(names, m), g.rowMean[i]
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(means[a], means[b]) })
	return names, means
}

// lowestShare is the left end of the axis. The worst of a bad selector would press everything else
// together.
const lowestShare = 0.4

// shareAxis is linear from lowestShare to all.
func shareAxis() canvas.Scale { return canvas.Steps(lowestShare, 1, 0, 0.1, term.Percent0) }

// regretProfile shows what choosing costs on more matrices than a picture has rows for: on how
// many matrices a choice keeps at least a share of the oracle, as Dolan and Moré compare
// solvers (Math. Program. 91, 2002).
func regretProfile(d *analysis.Data, list []regret) *canvas.Picture {
	s := list[0].Setup
	matrices, _ := regretRows(list)
	known := knownSelectors(list)
	count := term.GroupedCount(len(matrices), "matrix", "matrices")
	charts := make([]canvas.Chart, len(list))
	for i := range list {
		g := &list[i]
		charts[i] = canvas.Chart{Heading: string(g.Precision), X: shareAxis(), Top: 100, Steps: 5, Markers: 7}
		for _, w := range known {
			if g.known(w) {
				charts[i].Lines = append(charts[i].Lines,
					canvas.Line{Look: selectors[w].look, Points: kept(g.shares[w], charts[i].X.Min)})
				// the rule is the last
				charts[i].Note = fmt.Sprintf("%s: %s in the geometric mean", selectors[w].Name,
					term.ShareOfBest(g.mean(w)))
			}
		}
	}

	p := pictureOf(d, "selection-regret", analysis.Setup{Condition: s.Condition},
		"matrices over the share of the oracle that is kept, of "+count, canvas.Panels{List: canvas.ChartPanels(charts),
			Columns: len(charts), X: "share of the oracle's throughput", Y: "% of the matrices"})
	p.Matrices = matrices
	p.Subtitle = fmt.Sprintf("Each of %s is held out with its family. The choice made without it is compared with its "+
		"fastest measured configuration, the oracle. Lines: on how many matrices a choice keeps at least this share; a "+
		"line that stays high to the right is better. Hollow: the kernel is chosen, and its sizes are tuned on the matrix.",
		count) + caveats(list)
	entitle(p, keptWords(list), "Choosing for a matrix not seen before, "+d.ConditionWords(s.Condition))
	for _, w := range known {
		p.Keys = append(p.Keys, canvas.Key{Text: selectors[w].Name + onFewer(list, w), Look: selectors[w].look})
	}
	return p
}

// onFewer says how many matrices the line of a selector is about, if not all. Its shares are not
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
func kept(shares []float64, low float64) []canvas.Point {
	sorted := slices.DeleteFunc(slices.Clone(shares), math.IsNaN)
	slices.Sort(sorted)
	at := func(x float64, above int) canvas.Point {
		return canvas.Exact(x, 100*float64(above)/float64(len(sorted)))
	}

	points := []canvas.Point{at(low, len(sorted))}
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

// A selector is a way to choose a configuration for an unseen matrix, with its look.
type selector struct {
	rule.Selector
	look canvas.Look
}

// selectors are in the order in which they are drawn; the rule comes last, above the others.
// Markers are hollow where a kernel is tuned on the matrix itself.
var selectors = []selector{
	{rule.SingleConfig, canvas.Look{Color: canvas.SoftColor, Marker: canvas.Markers[5]}},
	{rule.SingleKernel, canvas.Look{Color: canvas.Hues[4], Marker: canvas.Markers[1], Hollow: true}},
	{rule.CuSPARSE, canvas.Look{Color: canvas.Hues[3], Marker: canvas.Markers[3], Hollow: true}},
	{rule.COOFinal, canvas.Look{Color: canvas.Hues[1], Marker: canvas.Markers[2], Hollow: true}},
	{rule.CSRFive, canvas.Look{Color: canvas.Hues[2], Marker: canvas.Markers[4], Hollow: true}},
	{rule.Learned, canvas.Look{Color: canvas.Hues[5]}},
}

// share returns the throughput of what the selector chose in a case, as a fraction of the oracle's;
// NaN if it is not known.
func (w *selector) share(c rule.Case) float64 {
	if x := w.Of(c); x > 0 {
		return x
	}
	return math.NaN()
}

// A regret holds the shares of one setup.
type regret struct {
	analysis.Setup
	matrices []string // The matrices by mean row length.
	rowMean  []float64
	shares   [][]float64 // The shares by selector and matrix.
	noise    string      // What shares of 100% hide, see rule.Model.
	partial  int         // The number of other matrices, where not every kernel was tried.
}

// regrets returns one regret for each setup that the rule was validated on.
func regrets(d *analysis.Data) []regret {
	if d.Rule == nil {
		return nil
	}
	var list []regret
	for i := range d.Rule.Models {
		s := &d.Rule.Models[i]
		if g := regretOf(d, s); len(g.matrices) > 1 {
			list = append(list, g)
		}
	}

	return list
}

func regretOf(d *analysis.Data, s *rule.Model) regret {
	g := regret{Setup: analysis.SetupOn(s.Device, s.Cache, s.Precision), shares: make([][]float64, len(selectors)),
		noise: s.Noise, partial: s.Validation.Partial}
	panels := d.In(g.Setup)
	for i := range panels {
		p := &panels[i]
		at := slices.IndexFunc(s.Validation.Cases, func(c rule.Case) bool { return c.Matrix == p.Matrix })
		if at < 0 || s.Validation.Cases[at].Partial {
			continue
		}
		g.matrices = append(g.matrices, p.Matrix)
		g.rowMean = append(g.rowMean, byRowLength.value(&p.Rows[0]))
		for w := range selectors {
			g.shares[w] = append(g.shares[w], selectors[w].share(s.Validation.Cases[at]))
		}
	}

	return g
}

// caveats says what is not judged, and what shares of 100% hide, nothing if that is little.
func caveats(list []regret) string {
	words := ""
	for i := range list {
		if g := &list[i]; g.noise != "" {
			words += fmt.Sprintf(" %s: %s", g.Precision, g.noise)
		}
		if g := &list[i]; g.partial > 0 {
			words += fmt.Sprintf(" %s: not judged on %s, where not every kernel was tried.", g.Precision,
				term.GroupedCount(g.partial, "other matrix", "other matrices"))
		}
	}
	return words
}

// mean returns the geometric mean of a selector, NaN unless the selector is known on every matrix: a
// mean over other matrices is not comparable.
func (g *regret) mean(w int) float64 {
	return stat.GeometricMeanOf(g.shares[w])
}

// known reports whether the selector has a share on any matrix.
func (g *regret) known(w int) bool { return g.count(w) > 0 }

// count returns on how many matrices the selector has a share.
func (g *regret) count(w int) int {
	n := 0
	for _, x := range g.shares[w] {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}
