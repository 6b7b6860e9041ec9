package plots

import (
	"math"
	"slices"

	"spmvtune/rule"
	"spmvtune/tuner/stat"
)

// A way is a way to choose a configuration for a matrix that was not seen before, as it
// is drawn.
type way struct {
	rule.Way
	look look
}

// ways are drawn in this order, the rule last, above the others. Their colours are
// of the palette, their markers hollow where a kernel is tuned on the matrix itself.
var ways = []way{
	{rule.SingleConfig, look{Color: softColor, Marker: markers[5]}},
	{rule.SingleKernel, look{Color: hues[4], Marker: markers[1], Hollow: true}},
	{rule.CuSPARSE, look{Color: hues[3], Marker: markers[3], Hollow: true}},
	{rule.COOFinal, look{Color: hues[1], Marker: markers[2], Hollow: true}},
	{rule.CSRFive, look{Color: hues[2], Marker: markers[4], Hollow: true}},
	{rule.Learned, look{Color: hues[5]}},
}

// share is the throughput of what it chose in a case, as a fraction of the oracle's;
// NaN where that isn't known.
func (w *way) share(c rule.Case) float64 {
	if x := w.Of(c); x > 0 {
		return x
	}
	return math.NaN()
}

// A regret holds the shares of one setup.
type regret struct {
	setup
	matrices []string // by mean row length
	rowMean  []float64
	shares   [][]float64 // by way and matrix
}

// regrets gives one for each setup that the rule was validated on.
func (d *data) regrets() []regret {
	if d.rule == nil {
		return nil
	}
	var list []regret
	for i := range d.rule.Selectors {
		s := &d.rule.Selectors[i]
		if g := d.regretOf(s); len(g.matrices) > 1 {
			list = append(list, g)
		}
	}
	return list
}

func (d *data) regretOf(s *rule.Selector) regret {
	g := regret{setup: setup{s.Device, string(s.Cache), s.Precision}, shares: make([][]float64, len(ways))}
	panels := d.of(g.setup)
	for i := range panels {
		p := &panels[i]
		at := slices.IndexFunc(s.Validation.Cases, func(c rule.Case) bool { return c.Matrix == p.Matrix })
		if at < 0 {
			continue
		}
		g.matrices = append(g.matrices, p.Matrix)
		g.rowMean = append(g.rowMean, byRowLength.value(&p.rows[0]))
		for w := range ways {
			g.shares[w] = append(g.shares[w], ways[w].share(s.Validation.Cases[at]))
		}
	}
	return g
}

// mean is the geometric mean of a way, NaN unless it is known of every matrix: a
// mean over other matrices can't be compared.
func (g *regret) mean(w int) float64 {
	return stat.GeometricMeanOf(g.shares[w])
}

// known reports whether the way has a share of any matrix.
func (g *regret) known(w int) bool { return g.count(w) > 0 }

// count is of how many matrices the way has a share.
func (g *regret) count(w int) int {
	n := 0
	for _, x := range g.shares[w] {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}
