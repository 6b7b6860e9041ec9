package plots

import (
	"math"
	"slices"
	"strings"

	"spmvtune/rule"
	"spmvtune/store"
)

// A way is a way to choose a configuration for a matrix that was not seen before.
type way struct {
	name string
	look look
	// share is the throughput of what it chooses for a matrix as a fraction of the
	// oracle's, the best that was measured; NaN where that isn't known.
	share func(p *panel, c *rule.Case) float64
}

// ways are drawn in this order, the rule last, above the others. Their colours are
// of the palette, their markers hollow where a kernel is tuned on the matrix itself.
var ways = []way{
	{"best single configuration", look{Color: softColor, Marker: markers[5]}, func(_ *panel, c *rule.Case) float64 { return c.SingleConfig }},
	{"best single kernel, tuned for the matrix", look{Color: hues[4], Marker: markers[1], Hollow: true}, func(_ *panel, c *rule.Case) float64 { return c.SingleKernel }},
	{"fastest of cuSPARSE", look{Color: hues[3], Marker: markers[3]}, func(p *panel, _ *rule.Case) float64 { return p.shareOf("cusparse_") }},
	{"rule of coo-spmv-final, tuned", look{Color: hues[1], Marker: markers[2], Hollow: true}, paperRule{100, "coo_segscan_warp_chunk", "coo_segscan_block"}.share},
	{"rule of csr-five-algorithms, tuned", look{Color: hues[2], Marker: markers[4], Hollow: true}, paperRule{18, "csr_pcsr", "csr_light"}.share},
	{"learned rule", look{Color: hues[5]}, func(_ *panel, c *rule.Case) float64 { return c.Fraction }},
}

// A paperRule is what a paper recommends: a kernel for matrices with rows of fewer
// nonzeros on average, and one for the others. coo-spmv-final, Table VI, finds
// "ps 32 warp jump_block" best on short rows and "ps 1024 warp equals" on rows from
// about 100; csr-five-algorithms, Sec. VI, has LightSpMV excel from 18 and PCSR
// among the best below. Neither says which block and grid size, so that the
// kernel counts in its fastest configuration on the matrix.
type paperRule struct {
	from        float64
	short, long string
}

func (r paperRule) share(p *panel, _ *rule.Case) float64 {
	kernel := r.short
	if byRowLength.value(&p.rows[0]) >= r.from {
		kernel = r.long
	}
	return p.shareOf(kernel)
}

// shareOf is the throughput of the fastest kernel whose name begins so, as a
// fraction of the fastest of all; NaN if there is none.
func (p *panel) shareOf(prefix string) float64 {
	var rows []store.Row
	for i := range p.rows {
		if strings.HasPrefix(p.rows[i].Kernel, prefix) {
			rows = append(rows, p.rows[i])
		}
	}
	if len(rows) == 0 {
		return math.NaN()
	}
	return fastest(p.rows).MedianMS / fastest(rows).MedianMS
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
	g := regret{setup: setup{s.Device, s.Cache, s.Precision}, shares: make([][]float64, len(ways))}
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
			g.shares[w] = append(g.shares[w], ways[w].share(p, &s.Validation.Cases[at]))
		}
	}
	return g
}

// mean is the geometric mean of a way, NaN unless it is known of every matrix: a
// mean over other matrices can't be compared.
func (g *regret) mean(w int) float64 {
	logs := 0.0
	for _, x := range g.shares[w] {
		logs += math.Log(x)
	}
	return math.Exp(logs / float64(len(g.shares[w])))
}

// known reports whether the way has a share of any matrix.
func (g *regret) known(w int) bool {
	return slices.ContainsFunc(g.shares[w], func(x float64) bool { return !math.IsNaN(x) })
}
