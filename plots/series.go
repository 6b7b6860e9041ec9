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
	Fixed  int    // the other size, 0 if the kernel has no choice
	Params string // further parameters
	Points []point
}

// A point is a throughput in GB/s with its 95% interval. Low and High are equal
// to Y where no interval was measured.
type point struct {
	X            int // 0: the kernel has no choice along this dimension
	Y, Low, High float64
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
func (dim dimension) lines(p *panel) []line {
	var lines []line
	for _, kernel := range kernelsOf([]panel{*p}) {
		rows := p.byKernel(kernel)
		best := fastest(rows)
		l := line{Kernel: kernel, Fixed: dim.fixed(best), Params: best.Params}
		for i := range rows {
			r := &rows[i]
			if dim.fixed(r) == l.Fixed && r.Params == l.Params && r.GBPS > 0 && !math.IsInf(r.GBPS, 0) {
				l.Points = append(l.Points, throughput(r, dim.size(r)))
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

// throughput turns the interval of a time into that of a rate.
func throughput(r *store.Row, x int) point {
	p := point{X: x, Y: r.GBPS, Low: r.GBPS, High: r.GBPS}
	if r.HighMS >= r.MedianMS {
		p.Low = r.GBPS * r.MedianMS / r.HighMS
	}
	if r.LowMS > 0 && r.LowMS <= r.MedianMS {
		p.High = r.GBPS * r.MedianMS / r.LowMS
	}
	return p
}

// fixedWords names what is fixed in some lines: "grid 2" or "grid 1 to 2".
func (dim dimension) fixedWords(lines []line) string {
	var low, high int
	for _, l := range lines {
		if l.Fixed > 0 && !l.flat() {
			if low == 0 || l.Fixed < low {
				low = l.Fixed
			}
			high = max(high, l.Fixed)
		}
	}
	switch {
	case high == 0:
		return ""
	case low == high:
		return fmt.Sprintf("%s %d", dim.other, low)
	}
	return fmt.Sprintf("%s %d–%d", dim.other, low, high)
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
