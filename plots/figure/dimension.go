// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
)

// A dimension is one of the two sizes that a kernel is tuned over.
type dimension struct {
	name, other string // "block", "grid"
	size, fixed func(*store.Row) int
	meaning     func(*kernels.Kernel) string // The meaning of this size; "" if the kernel has no such choice.
	// only keeps kernels to which the size means this, and those without a choice; "" keeps all.
	only string
}

var (
	overBlock = dimension{
		name: "block", other: "grid",
		size:    func(r *store.Row) int { return choice(r, r.Block, blockMeaning) },
		fixed:   func(r *store.Row) int { return choice(r, r.Grid, gridMeaning) },
		meaning: blockMeaning,
	}
	overGrid = dimension{
		name: "grid", other: "block",
		size:    func(r *store.Row) int { return choice(r, r.Grid, gridMeaning) },
		fixed:   func(r *store.Row) int { return choice(r, r.Block, blockMeaning) },
		meaning: gridMeaning,
	}
)

func blockMeaning(k *kernels.Kernel) string { return k.Block }
func gridMeaning(k *kernels.Kernel) string  { return k.Grid }

// choice returns the size v of r, 0 if its kernel can't choose it. The grid of coo_atomic
// follows from the block, for example, so it is not a dimension.
func choice(r *store.Row, v int, meaning func(*kernels.Kernel) string) int {
	if k, known := kernels.Lookup(r.Kernel); known && meaning(&k) == "" {
		return 0
	}
	return v
}

// lines returns a panel's lines in the catalogue's order.
func (dim dimension) lines(p *analysis.Panel, u analysis.Unit) []canvas.Line {
	var lines []canvas.Line
	for _, kernel := range p.Kernels() {
		if unit := dim.unitOf(kernel); dim.only != "" && unit != "" && unit != dim.only {
			continue
		}
		rows := p.ByKernel(kernel)
		best := dim.base(rows)
		l := canvas.Line{Kernel: kernel, Look: canvas.LookOf(kernel), Fixed: dim.fixed(best), Params: best.Params}
		for i := range rows {
			r := &rows[i]
			if v := u.Of(r); dim.fixed(r) == l.Fixed && r.Params == l.Params && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, canvas.Throughput(r, float64(dim.size(r)), v))
			}
		}
		// A size measured twice, as with a grid that the kernel ignores, counts
		// at its best.
		slices.SortStableFunc(l.Points, func(a, b canvas.Point) int {
			return cmp.Or(cmp.Compare(a.X, b.X), -cmp.Compare(a.Y, b.Y))
		})
		l.Points = slices.CompactFunc(l.Points, func(a, b canvas.Point) bool { return a.X == b.X })
		if len(l.Points) > 0 {
			lines = append(lines, l)
		}
	}

	return lines
}

// base returns the fastest of a kernel's trials whose other choices were tried with the most sizes, or
// with more than half as many: one at a grid that was tried with one block is no line over blocks.
func (dim dimension) base(rows []store.Row) *store.Row {
	type choices struct {
		fixed  int
		params kernels.Params
	}
	of := func(r *store.Row) choices { return choices{dim.fixed(r), r.Params} }
	sizes, most := map[choices]int{}, 0
	for i := range rows {
		at := of(&rows[i])
		sizes[at]++
		most = max(most, sizes[at])
	}
	var best *store.Row
	for i := range rows {
		if r := &rows[i]; 2*sizes[of(r)] > most && (best == nil || r.Time < best.Time) {
			best = r
		}
	}
	return best
}

// cite adds published values to the lines: at the size that the paper calls the best, or
// beside lines without a size.
func (dim dimension) cite(lines []canvas.Line, u analysis.Unit, c *citations) {
	for i := range lines {
		l := &lines[i]
		l.Published = c.beside(u, l.Points[0].Row, func(p *analysis.Publication) (float64, bool) {
			if l.Flat() {
				return 0, true
			}
			return float64(p.Block), dim.name == overBlock.name && p.Block > 0
		})
	}
}

// unitOf is what the size means to a kernel, "" if it has no choice. A user's own kernel has one of
// its own meaning.
func (dim dimension) unitOf(kernel string) string {
	k, known := kernels.Lookup(kernel)
	if !known {
		return dim.name
	}
	m := strings.TrimPrefix(dim.meaning(&k), "C, ")   // SELL's rows per chunk
	for _, rest := range []string{";", ",", " of "} { // which explains
		m, _, _ = strings.Cut(m, rest)
	}
	return m
}
