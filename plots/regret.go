package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawRegret draws a page for each device and cache state: matrices from top to
// bottom, a column per precision; of many matrices how they are distributed.
func drawRegret(d *data) ([]*page, []error) {
	var pages []*page
	all := d.regrets()
	for _, place := range d.places() {
		var list []regret
		for _, g := range all {
			if g.Device == place[0] && g.Cache == place[1] {
				list = append(list, g)
			}
		}
		if matrices, _ := regretRows(list); len(matrices) > mostMatrices {
			pages = append(pages, regretProfile(d, list))
		} else if len(list) > 0 {
			pages = append(pages, regretPage(d, list))
		}
	}
	return pages, nil
}

const (
	regretRow    = vg.Length(26)
	regretBottom = vg.Length(38) // ticks and axis label
)

func regretPage(d *data, list []regret) *page {
	s := list[0].setup
	p := &page{
		Name:  d.fileStem("selection-regret", s.Device, s.Cache),
		Title: "Choosing for a matrix not seen before: " + d.place(s.Device, s.Cache),
		Subtitle: "Each matrix is left out with its family, and what is chosen without it is compared with the fastest that was measured on it, the oracle. " +
			"Hollow: the kernel is chosen, and its sizes are tuned on the matrix itself. Number: the learned tree. Matrices by rising mean row length.",
		Alt:  "share of the oracle on " + strings.Join(list[0].matrices, ", "),
		keys: []key{},
	}
	p.matrices, _ = regretRows(list)
	for _, w := range knownWays(list) {
		p.keys = append(p.keys, key{text: ways[w].Name, look: ways[w].look, dot: true})
	}
	for i := range list {
		p.height = max(p.height, regretRow*vg.Length(len(list[i].matrices)+1)+headingHeight+regretBottom)
	}
	if slices.ContainsFunc(list, func(g regret) bool { return g.cut() }) {
		p.Subtitle += fmt.Sprintf(" At the left edge: below %.0f%%.", 100*lowestShare)
	}
	p.body = func(c draw.Canvas) { drawRegrets(c, list) }
	return p
}

// knownWays are the indices of the ways that have a share in some column.
func knownWays(list []regret) []int {
	var known []int
	for w := range ways {
		if slices.ContainsFunc(list, func(g regret) bool { return g.known(w) }) {
			known = append(known, w)
		}
	}
	return known
}

func drawRegrets(c draw.Canvas, list []regret) {
	name := typeface(labelSize, false, inkColor)
	matrices, means := regretRows(list)
	left := name.Width("geometric mean")
	for _, m := range matrices {
		left = max(left, name.Width(m))
	}
	left = min(left, 190) + 52
	top := c.Max.Y - headingHeight
	y := func(i int) vg.Length { return top - regretRow*(vg.Length(i)+0.5) }
	soft := at(typeface(tickSize, false, softColor), text.XRight, text.YCenter)
	for i := range len(matrices) + 1 {
		if i%2 == 0 {
			c.SetColor(bandColor)
			c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y(i) - regretRow/2}, Max: vg.Point{X: c.Max.X, Y: y(i) + regretRow/2}}.Path())
		}
		if i < len(matrices) {
			c.FillText(at(name, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + 3, Y: y(i) + 1}, fit(name, matrices[i], left-52))
			c.FillText(soft, vg.Point{X: c.Min.X + left - 8, Y: y(i) + 1}, significant(means[i], 3))
		}
	}
	bold := at(typeface(labelSize, true, inkColor), text.XLeft, text.YCenter)
	c.FillText(bold, vg.Point{X: c.Min.X + 3, Y: y(len(matrices)) + 1}, "geometric mean")
	c.StrokeLine2(draw.LineStyle{Color: lineColor, Width: 0.8}, c.Min.X, y(len(matrices))+regretRow/2, c.Max.X, y(len(matrices))+regretRow/2)

	width := (c.Max.X - c.Min.X - left) / vg.Length(len(list))
	for k := range list {
		column := c
		column.Min.X = c.Min.X + left + vg.Length(k)*width + 10
		column.Max.X = column.Min.X + width - 52
		list[k].column(column, matrices, y, list)
	}
	label := at(typeface(labelSize, false, softColor), text.XCenter, text.YBottom)
	c.FillText(label, vg.Point{X: (c.Min.X + left + c.Max.X) / 2, Y: c.Min.Y}, "share of the oracle's throughput (log axis)")
}

// regretRows are the matrices of all columns, by row length, and that.
func regretRows(list []regret) (names []string, means []float64) {
	for _, g := range list {
		for i, m := range g.matrices {
			if slices.Contains(names, m) {
				continue
			}
			at, _ := slices.BinarySearch(means, g.rowMean[i])
			for at < len(means) && means[at] == g.rowMean[i] {
				at++
			}
			names, means = slices.Insert(names, at, m), slices.Insert(means, at, g.rowMean[i])
		}
	}
	return names, means
}

// lowestShare is where the axis ends at the latest: what is below is drawn there,
// as the worst of a bad way would press everything else together.
const lowestShare = 0.05

// cut reports whether a share is below that.
func (g *regret) cut() bool {
	for _, way := range g.shares {
		if slices.ContainsFunc(way, func(x float64) bool { return x < lowestShare }) {
			return true
		}
	}
	return false
}

// shareAxis is the axis of some columns.
func shareAxis(list []regret) scale {
	low := 0.8
	for _, g := range list {
		for _, way := range g.shares {
			for _, x := range way {
				if x < low {
					low = max(x, lowestShare)
				}
			}
		}
	}
	s := scale{min: low / 1.05, max: 1.0, norm: plot.LogScale{}}
	marks := []float64{0.05, 0.1, 0.2, 0.5, 1}
	if low > 0.45 {
		marks = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1}
	}
	for _, v := range marks {
		if v >= s.min {
			s.ticks = append(s.ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f%%", 100*v)})
		}
	}
	return s
}

func (g *regret) column(c draw.Canvas, matrices []string, y func(int) vg.Length, list []regret) {
	axis := shareAxis(list)
	x := func(v float64) vg.Length {
		return c.Min.X + (c.Max.X-c.Min.X)*vg.Length(axis.norm.Normalize(axis.min, axis.max, max(v, axis.min)))
	}
	n := len(matrices)
	c.FillText(at(typeface(labelSize, true, inkColor), text.XLeft, text.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, string(g.Precision))
	tick := at(typeface(tickSize, false, softColor), text.XCenter, text.YTop)
	bottom := y(n) - regretRow/2
	for _, t := range axis.ticks {
		style := draw.LineStyle{Color: gridColor, Width: 0.7}
		if t.Value == 1 {
			style = draw.LineStyle{Color: lineColor, Width: 1.2}
		}
		c.StrokeLine2(style, x(t.Value), bottom, x(t.Value), y(0)+regretRow/2)
		c.FillText(tick, vg.Point{X: x(t.Value), Y: bottom - 4}, t.Label)
	}
	number := at(typeface(tickSize, true, inkColor), text.XLeft, text.YCenter)
	drawn := knownWays(list)
	pitch := (regretRow - 6) / vg.Length(len(drawn)) // marks at the same share stay visible
	for i := range n + 1 {
		var learned float64
		for slot, w := range drawn {
			v := g.mean(w)
			if i < n {
				at := slices.Index(g.matrices, matrices[i])
				if at < 0 {
					learned = math.NaN()
					continue
				}
				v = g.shares[w][at]
			}
			if !math.IsNaN(v) {
				at := vg.Point{X: x(v), Y: y(i) + pitch*(vg.Length(len(drawn)-1)/2-vg.Length(slot))}
				ways[w].look.mark(c, at, 3.4)
				hover(c, at, func() string { return g.about(w, v, matrices[:n], i) })
			}
			learned = v // the rule is the last
		}
		if !math.IsNaN(learned) {
			c.FillText(number, vg.Point{X: c.Max.X + 9, Y: y(i) + 1}, shareOfBest(learned))
		}
	}
}

// about says what a mark is: a way on the i-th of the matrices or, after them, on all.
func (g *regret) about(way int, share float64, matrices []string, i int) string {
	on := "geometric mean"
	if i < len(matrices) {
		on = matrices[i]
	}
	return fmt.Sprintf("%s, %s, %s: %s of the oracle", ways[way].Name, on, g.Precision, shareOfBest(share))
}

// shareOfBest prints a share with a decimal, as the rule's text does: what loses a little
// is not 100%.
func shareOfBest(v float64) string {
	if v >= 1-1e-12 {
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", min(100*v, 99.9))
}
