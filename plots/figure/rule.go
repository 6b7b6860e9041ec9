// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/tuner/stat"
)

func regretsByCondition(d *analysis.Data) [][]regret {
	return lists.Groups(regrets(d), func(g regret) analysis.Condition { return g.Condition })
}

// regretPage draws a row for each matrix and one for their mean, and a column for each precision.
func regretPage(d *analysis.Data, list []regret) *canvas.Picture {
	s := list[0].Setup
	matrices, means := regretRows(list)
	of, known := len(matrices), knownSelectors(list)
	if most := mostMatrices.here(); of > most {
		lost := func(m string) float64 { return list[0].shareOn(m, len(selectors)-1) }
		slices.SortStableFunc(matrices, func(a, b string) int { return cmp.Compare(lost(a), lost(b)) })
		matrices = matrices[:most]
	}
	b := &canvas.Bars{Slots: len(known), Tight: true, Label: "share of the oracle's throughput", Origin: math.NaN(),
		Number: term.ShareOfBest, Axis: shareAxis()}
	b.Columns = columnsOf(lists.Of(list, func(g regret) kernels.Precision { return g.Precision }))
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
				m.First = w == len(selectors)-1
				cell = append(cell, m)
			}
		}
		return cell
	})

	p := pictureOf(d, "selection-regret", analysis.Setup{Condition: s.Condition},
		"share of the oracle on "+strings.Join(matrices, ", "), b)
	p.Matrices = matrices
	p.Keys = lists.Of(known, func(w int) canvas.Key {
		return canvas.Key{Text: selectors[w].Name, Look: selectors[w].look, Dot: true}
	})
	p.Subtitle += someOf(len(matrices), of, "matrices, those on which the rule loses most")
	return p
}

const meanOfAll = "geometric mean"

// shareOn is the share of a selector on a matrix, or the mean of all; NaN if it is not known.
func (g *regret) shareOn(matrix string, selector int) float64 {
	if matrix == meanOfAll {
		return stat.GeometricMeanOf(g.shares(selector)) // NaN unless it is known on every matrix
	}
	for _, c := range g.cases {
		if c.Matrix == matrix {
			return selectors[selector].share(c)
		}
	}
	return math.NaN()
}

// knownSelectors returns the indexes of the selectors that have a share in some column.
func knownSelectors(list []regret) []int {
	return lists.Where(lists.Indices(len(selectors)), func(w int) bool {
		return slices.ContainsFunc(list, func(g regret) bool {
			return slices.ContainsFunc(g.shares(w), func(x float64) bool { return !math.IsNaN(x) })
		})
	})
}

// regretRows lists the matrices of all columns by row length, and the row lengths.
func regretRows(list []regret) (names []string, means map[string]float64) {
	means = map[string]float64{}
	for _, g := range list {
		for i, c := range g.cases {
			if _, seen := means[c.Matrix]; !seen {
				names, means[c.Matrix] = append(names, c.Matrix), g.rowMean[i]
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

// A regret holds what was chosen in one setup, by mean row length.
type regret struct {
	analysis.Setup
	cases   []rule.Case
	rowMean []float64
}

// regrets returns one regret for each setup that the rule was validated on.
func regrets(d *analysis.Data) (list []regret) {
	if d.Rule == nil {
		return nil
	}
	for _, s := range d.Rule.Models {
		g := regret{Setup: analysis.SetupOn(s.Device, s.Cache, s.Precision)}
		for _, p := range d.In(g.Setup) {
			at := slices.IndexFunc(s.Validation.Cases, func(c rule.Case) bool { return c.Matrix == p.Matrix })
			if at >= 0 && !s.Validation.Cases[at].Partial {
				g.cases = append(g.cases, s.Validation.Cases[at])
				g.rowMean = append(g.rowMean, byRowLength.value(&p.Rows[0]))
			}
		}
		if len(g.cases) > 1 {
			list = append(list, g)
		}
	}
	return list
}

// shares are those of a selector in all cases.
func (g *regret) shares(w int) []float64 { return lists.Of(g.cases, selectors[w].share) }
