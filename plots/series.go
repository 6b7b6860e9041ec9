package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/store"
)

// A dimension is one of the two sizes that a kernel is tuned over.
type dimension struct {
	name, other string // "block", "grid"
	size, fixed func(*store.Row) int
	meaning     func(*kernels.Kernel) string // of this size; "" where the kernel has no such choice
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

// choice is the size v of r, 0 if its kernel can't choose it: the grid of
// coo_atomic follows from the block, so it is not a dimension.
func choice(r *store.Row, v int, meaning func(*kernels.Kernel) string) int {
	if i, known := catalogueIndex(r.Kernel); known && meaning(&kernels.Catalogue[i]) == "" {
		return 0
	}
	return v
}

// A line is one kernel's throughput over a dimension, everything else fixed at
// the kernel's best configuration on that matrix.
type line struct {
	Kernel string
	Look   look
	Fixed  int    // the other size, 0 if the kernel has no choice
	Params string // further parameters
	Points []point

	published []hollow
}

// A point is a throughput with its 95% interval. Low and High are equal
// to Y where no interval was measured.
type point struct {
	X            float64 // 0: the kernel has no choice along this dimension
	Y, Low, High float64
	row          *store.Row // that it shows; nil: a mean
}

// flat reports whether the kernel has no choice along the dimension.
func (l *line) flat() bool { return len(l.Points) == 1 && l.Points[0].X == 0 }

// unusual gives the further parameters that are not at the catalogue's defaults.
func (l *line) unusual() string {
	k, _ := kernels.Lookup(l.Kernel)
	var list []string
	for _, setting := range strings.Fields(l.Params) {
		name, value, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(k.Params, func(p kernels.Param) bool { return p.Name == name && p.Default == value }) {
			list = append(list, setting)
		}
	}
	return strings.Join(list, " ")
}

// lines makes a panel's lines in the catalogue's order.
func (dim dimension) lines(p *panel, u unit) []line {
	var lines []line
	for _, kernel := range kernelsOf([]panel{*p}) {
		rows := p.byKernel(kernel)
		best := fastest(rows)
		l := line{Kernel: kernel, Look: lookOf(kernel), Fixed: dim.fixed(best), Params: best.Params.String()}
		for i := range rows {
			r := &rows[i]
			if v := u.of(r); dim.fixed(r) == l.Fixed && r.Params.String() == l.Params && v > 0 && !math.IsInf(v, 0) {
				l.Points = append(l.Points, throughput(r, float64(dim.size(r)), v))
			}
		}
		// A size measured twice, as with a grid that the kernel ignores, counts
		// at its best.
		slices.SortStableFunc(l.Points, func(a, b point) int {
			return cmp.Or(cmp.Compare(a.X, b.X), -cmp.Compare(a.Y, b.Y))
		})
		l.Points = slices.CompactFunc(l.Points, func(a, b point) bool { return a.X == b.X })
		if len(l.Points) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

// throughput turns the interval of a time into that of the rate v.
func throughput(r *store.Row, x, v float64) point {
	p := point{X: x, Y: v, Low: v, High: v, row: r}
	if r.High >= r.Median {
		p.Low = v * r.Median / r.High
	}
	if r.Low > 0 && r.Low <= r.Median {
		p.High = v * r.Median / r.Low
	}
	return p
}

// cite adds what papers published to lines of kernels: beside those without a size, or
// at the size that the paper says was the best.
func (dim dimension) cite(lines []line, u unit, c *citations) {
	for i := range lines {
		l := &lines[i]
		l.published = c.beside(u, l.Points[0].row, func(p *publication) (float64, bool) {
			if l.flat() {
				return 0, true
			}
			return float64(p.block), dim.name == overBlock.name && p.block > 0
		})
	}
}

// fixedSizes lists the values at which the other size is fixed in some lines.
func fixedSizes(lines []line) []int {
	var sizes []int
	for _, l := range lines {
		if l.Fixed > 0 && !l.flat() {
			sizes = append(sizes, l.Fixed)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// fixedWords names what is fixed in some lines: "grid 2", or for kernels that
// differ "grid 1 or 2". More values say nothing in a heading, and
// their ends would read as a range that was swept.
func (dim dimension) fixedWords(lines []line) string {
	sizes := fixedSizes(lines)
	switch len(sizes) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s %d", dim.other, sizes[0])
	case 2:
		return fmt.Sprintf("%s %d or %d", dim.other, sizes[0], sizes[1])
	}
	return "each at its own " + dim.other
}

// axisLabel says what the dimension means to the kernels drawn.
func (dim dimension) axisLabel(names []string) string {
	var meanings []string
	for _, name := range names {
		i, known := catalogueIndex(name)
		if !known {
			continue
		}
		m, _, _ := strings.Cut(dim.meaning(&kernels.Catalogue[i]), ";") // the rest explains
		// "C, rows per chunk" adds nothing to "rows per chunk" on an axis.
		if m != "" && !slices.ContainsFunc(meanings, func(s string) bool { return strings.Contains(m, s) }) {
			meanings = append(meanings, m)
		}
	}
	if len(meanings) == 0 {
		return dim.name
	}
	return dim.name + " size: " + strings.Join(meanings, " / ")
}
