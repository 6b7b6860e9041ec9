package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

// drawRegret draws a picture for each condition: matrices from top to bottom, a column per
// precision. Of many matrices it draws the distribution.
func drawRegret(d *data.Report) ([]*canvas.Picture, []error) {
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

const (
	regretBottom = vg.Length(38) // ticks and axis label
	regretGap    = vg.Length(10) // between columns below each other
)

// regretRow is the height of a matrix.
func regretRow() vg.Length {
	if canvas.Narrow() {
		return 20
	}
	return 26
}

// regretHeight is the height of all columns or, where they stand below each other, of one.
func regretHeight(list []regret) vg.Length {
	matrices, _ := regretRows(list)
	return regretRow()*vg.Length(len(matrices)+1) + chart.HeadingHeight + regretBottom
}

func regretPage(d *data.Report, list []regret) *canvas.Picture {
	s := list[0].Setup
	p := &canvas.Picture{
		Name: fileStem(d, "selection-regret", s.Device, string(s.Cache)),
		Subtitle: "Each matrix is held out with its family. The choice made without it is compared with its " +
			"fastest measured configuration, the oracle. Hollow: the kernel is chosen, and its sizes are tuned on " +
			"the matrix. Number: the learned tree. Matrices by rising mean row length.",
		Alt:  "share of the oracle on " + strings.Join(list[0].matrices, ", "),
		Keys: []canvas.Key{},
	}

	p.Matrices, _ = regretRows(list)
	for _, w := range knownWays(list) {
		p.Keys = append(p.Keys, canvas.Key{Text: ways[w].Name, Look: ways[w].look, Dot: true})
	}
	p.Height = regretHeight(list)
	if canvas.Narrow() {
		p.Height = p.Height*vg.Length(len(list)) + regretGap*vg.Length(len(list)-1)
	}
	if slices.ContainsFunc(list, func(g regret) bool { return g.cut() }) {
		p.Subtitle += fmt.Sprintf(" Arrows at the left edge: below %.0f%%.", 100*lowestShare)
	}
	p.Subtitle += caveats(list)
	entitle(p, keptWords(list), "Choosing for a matrix not seen before, "+d.ConditionWords(s.Condition))
	p.Body = func(c draw.Canvas) { drawRegrets(c, list) }
	return p
}

// keptWords states what share of the best speed the ways keep in the geometric mean, of those that
// are known on all matrices: the rule's and the next best, in the first precision with both.
func keptWords(list []regret) string {
	for i := range list {
		g := &list[i]
		rule, next, best := g.mean(len(ways)-1), 0.0, ""
		for w := range ways[:len(ways)-1] {
			if m := g.mean(w); m > next {
				next, best = m, ways[w].Name
			}
		}
		if math.IsNaN(rule) || best == "" {
			continue
		}
		return fmt.Sprintf("%s: the learned rule keeps %s of the best speed, against %s (%s)", g.Precision,
			number.ShareOfBest(rule), number.ShareOfBest(next), best)
	}
	return ""
}

// knownWays returns the indexes of the ways that have a share in some column.
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
	if canvas.Narrow() && len(list) > 1 { // below each other
		height := regretHeight(list)
		for i := range list {
			of := c
			of.Max.Y = c.Max.Y - vg.Length(i)*(height+regretGap)
			of.Min.Y = of.Max.Y - height
			drawRegrets(of, list[i:i+1])
		}
		return
	}

	name := canvas.Typeface(canvas.LabelSize, false, canvas.InkColor)
	matrices, means := regretRows(list)
	left := name.Width("geometric mean")

	for _, m := range matrices {
		left = max(left, name.Width(m))
	}
	left = min(left, 190) + 52
	if canvas.Narrow() {
		left = min(left, 150)
	}
	top := c.Max.Y - chart.HeadingHeight
	y := func(i int) vg.Length { return top - regretRow()*(vg.Length(i)+0.5) }
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XRight, text.YCenter)

	for i := range len(matrices) + 1 {
		if i%2 == 0 {
			c.SetColor(canvas.BandColor)
			c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y(i) - regretRow()/2},
				Max: vg.Point{X: c.Max.X, Y: y(i) + regretRow()/2}}.Path())
		}
		if i < len(matrices) {
			c.FillText(canvas.At(name, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + 3, Y: y(i) + 1},
				canvas.Fit(name, matrices[i], left-52))
			c.FillText(soft, vg.Point{X: c.Min.X + left - 8, Y: y(i) + 1}, number.Significant(means[i], 3))
		}
	}

	bold := canvas.At(canvas.Typeface(canvas.LabelSize, true, canvas.InkColor), text.XLeft, text.YCenter)
	c.FillText(bold, vg.Point{X: c.Min.X + 3, Y: y(len(matrices)) + 1}, "geometric mean")
	c.StrokeLine2(draw.LineStyle{Color: canvas.LineColor, Width: 0.8}, c.Min.X, y(len(matrices))+regretRow()/2, c.Max.X,
		y(len(matrices))+regretRow()/2)

	width := (c.Max.X - c.Min.X - left) / vg.Length(len(list))
	for k := range list {
		column := c
		column.Min.X = c.Min.X + left + vg.Length(k)*width + 10
		column.Max.X = column.Min.X + width - 52
		list[k].column(column, matrices, y, list)
	}

	label := canvas.At(canvas.Typeface(canvas.LabelSize, false, canvas.SoftColor), text.XCenter, text.YBottom)
	what := "share of the oracle's throughput"
	c.FillText(label, vg.Point{X: min((c.Min.X+left+c.Max.X)/2, c.Max.X-label.Width(what)/2), Y: c.Min.Y}, what)
}

// regretRows returns the matrices of all columns and their row lengths, by row length.
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

// lowestShare is the left end of the axis. The worst of a bad way would press everything else
// together.
const lowestShare = 0.4

// cut reports whether a share is below lowestShare.
func (g *regret) cut() bool {
	for _, way := range g.shares {
		if slices.ContainsFunc(way, func(x float64) bool { return x < lowestShare }) {
			return true
		}
	}
	return false
}

// shareAxis is linear from lowestShare to all.
func shareAxis() canvas.Scale {
	s := canvas.Scale{Min: lowestShare, Max: 1, Norm: plot.LinearScale{}}
	for percent := 40; percent <= 100; percent += 10 {
		s.Ticks = append(s.Ticks, plot.Tick{Value: float64(percent) / 100, Label: fmt.Sprintf("%d%%", percent)})
	}
	return s
}

func (g *regret) column(c draw.Canvas, matrices []string, y func(int) vg.Length, list []regret) {
	axis := shareAxis()
	x := func(v float64) vg.Length {
		return c.Min.X + (c.Max.X-c.Min.X)*vg.Length(axis.Norm.Normalize(axis.Min, axis.Max, max(v, axis.Min)))
	}
	n := len(matrices)
	c.FillText(canvas.At(canvas.Typeface(canvas.LabelSize, true, canvas.InkColor), text.XLeft, text.YTop),
		vg.Point{X: c.Min.X, Y: c.Max.Y}, string(g.Precision))
	tick := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XCenter, text.YTop)
	bottom := y(n) - regretRow()/2

	for _, t := range chart.Spaced(axis.Ticks, x, tick) {
		style := draw.LineStyle{Color: canvas.GridColor, Width: 0.7}
		if t.Value == 1 {
			style = draw.LineStyle{Color: canvas.LineColor, Width: 1.2}
		}
		c.StrokeLine2(style, x(t.Value), bottom, x(t.Value), y(0)+regretRow()/2)
		c.FillText(tick, vg.Point{X: x(t.Value), Y: bottom - 4}, t.Label)
	}

	bold := canvas.At(canvas.Typeface(canvas.TickSize, true, canvas.InkColor), text.XLeft, text.YCenter)
	drawn := knownWays(list)
	pitch := (regretRow() - 6) / vg.Length(len(drawn)) // marks at the same share stay visible

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
				if v < axis.Min {
					chart.Arrow(c, at, -1, ways[w].look)
				} else {
					ways[w].look.Mark(c, at, 3.4)
				}
				canvas.Hover(c, at, func() string { return g.about(w, v, matrices[:n], i) })
			}
			learned = v // the rule is the last
		}
		if !math.IsNaN(learned) {
			c.FillText(bold, vg.Point{X: c.Max.X + 9, Y: y(i) + 1}, number.ShareOfBest(learned))
		}
	}
}

// about returns the tip of a mark: a way on the i-th of the matrices or, after them, on all.
func (g *regret) about(way int, share float64, matrices []string, i int) string {
	on := "geometric mean"
	if i < len(matrices) {
		on = matrices[i]
	}
	return fmt.Sprintf("%s, %s, %s: %s of the oracle", ways[way].Name, on, g.Precision, number.ShareOfBest(share))
}
