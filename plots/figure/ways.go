package figure

import (
	"fmt"
	"math"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/rule"
	"spmvtune/tuner/stat"
)

// A way is a way to choose a configuration for an unseen matrix, with its look.
type way struct {
	rule.Way
	look canvas.Look
}

// ways are in the order in which they are drawn; the rule comes last, above the others.
// Markers are hollow where a kernel is tuned on the matrix itself.
var ways = []way{
	{rule.SingleConfig, canvas.Look{Color: canvas.SoftColor, Marker: canvas.Markers[5]}},
	{rule.SingleKernel, canvas.Look{Color: canvas.Hues[4], Marker: canvas.Markers[1], Hollow: true}},
	{rule.CuSPARSE, canvas.Look{Color: canvas.Hues[3], Marker: canvas.Markers[3], Hollow: true}},
	{rule.COOFinal, canvas.Look{Color: canvas.Hues[1], Marker: canvas.Markers[2], Hollow: true}},
	{rule.CSRFive, canvas.Look{Color: canvas.Hues[2], Marker: canvas.Markers[4], Hollow: true}},
	{rule.Learned, canvas.Look{Color: canvas.Hues[5]}},
}

// share returns the throughput of what the way chose in a case, as a fraction of the oracle's;
// NaN if it is not known.
func (w *way) share(c rule.Case) float64 {
	if x := w.Of(c); x > 0 {
		return x
	}
	return math.NaN()
}

// A regret holds the shares of one setup.
type regret struct {
	data.Setup
	matrices []string // The matrices by mean row length.
	rowMean  []float64
	shares   [][]float64 // The shares by way and matrix.
	noise    string      // What shares of 100% hide, see rule.Selector.
	partial  int         // The number of other matrices, where not every kernel was tried.
}

// regrets returns one regret for each setup that the rule was validated on.
func regrets(d *data.Report) []regret {
	if d.Rule == nil {
		return nil
	}
	var list []regret
	for i := range d.Rule.Selectors {
		s := &d.Rule.Selectors[i]
		if g := regretOf(d, s); len(g.matrices) > 1 {
			list = append(list, g)
		}
	}

	return list
}

func regretOf(d *data.Report, s *rule.Selector) regret {
	g := regret{Setup: data.SetupOn(s.Device, s.Cache, s.Precision), shares: make([][]float64, len(ways)),
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
		for w := range ways {
			g.shares[w] = append(g.shares[w], ways[w].share(s.Validation.Cases[at]))
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

// mean returns the geometric mean of a way, NaN unless the way is known on every matrix: a
// mean over other matrices is not comparable.
func (g *regret) mean(w int) float64 {
	return stat.GeometricMeanOf(g.shares[w])
}

// known reports whether the way has a share on any matrix.
func (g *regret) known(w int) bool { return g.count(w) > 0 }

// count returns on how many matrices the way has a share.
func (g *regret) count(w int) int {
	n := 0
	for _, x := range g.shares[w] {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}
