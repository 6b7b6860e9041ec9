package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	return regretRow()*vg.Length(len(matrices)+1) + canvas.HeadingHeight + regretBottom
}

func regretPage(d *analysis.Data, list []regret) *canvas.Picture {
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
			term.ShareOfBest(rule), term.ShareOfBest(next), best)
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
	top := c.Max.Y - canvas.HeadingHeight
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
			c.FillText(soft, vg.Point{X: c.Min.X + left - 8, Y: y(i) + 1}, term.Significant(means[i], 3))
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

	for _, t := range canvas.Spaced(axis.Ticks, x, tick) {
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
					canvas.Arrow(c, at, -1, ways[w].look)
				} else {
					ways[w].look.Mark(c, at, 3.4)
				}
				canvas.Hover(c, at, func() string { return g.about(w, v, matrices[:n], i) })
			}
			learned = v // the rule is the last
		}
		if !math.IsNaN(learned) {
			c.FillText(bold, vg.Point{X: c.Max.X + 9, Y: y(i) + 1}, term.ShareOfBest(learned))
		}
	}
}

// about returns the tip of a mark: a way on the i-th of the matrices or, after them, on all.
func (g *regret) about(way int, share float64, matrices []string, i int) string {
	on := "geometric mean"
	if i < len(matrices) {
		on = matrices[i]
	}
	return fmt.Sprintf("%s, %s, %s: %s of the oracle", ways[way].Name, on, g.Precision, term.ShareOfBest(share))
}

// regretProfile shows what choosing costs on more matrices than a picture has rows for: on how
// many matrices a choice keeps at least a share of the oracle, as Dolan and Moré compare
// solvers (Math. Program. 91, 2002).
func regretProfile(d *analysis.Data, list []regret) *canvas.Picture {
	s := list[0].Setup
	matrices, _ := regretRows(list)
	known := knownWays(list)
	p := &canvas.Picture{
		Name: fileStem(d, "selection-regret", s.Device, string(s.Cache)),
		Subtitle: fmt.Sprintf("Each of %s is held out with its family. The choice made without it is compared with "+
			"its fastest measured configuration, the oracle. Lines: on how many matrices a choice keeps at least this "+
			"share; a line that stays high to the right is better. Hollow: the kernel is chosen, and its sizes are "+
			"tuned on the matrix.",
			term.GroupedCount(len(matrices), "matrix", "matrices")) + caveats(list),
		Alt: fmt.Sprintf("matrices over the share of the oracle that is kept, of %s",
			term.GroupedCount(len(matrices), "matrix", "matrices")),
		Matrices: matrices,
		Keys:     []canvas.Key{},
		Height:   canvas.PanelHeight(len(list)) + 60,
	}

	entitle(p, keptWords(list), "Choosing for a matrix not seen before, "+d.ConditionWords(s.Condition))
	for _, w := range known {
		p.Keys = append(p.Keys, canvas.Key{Text: ways[w].Name + onFewer(list, w), Look: ways[w].look})
	}
	charts := make([]canvas.Chart, len(list))
	for i := range list {
		g := &list[i]
		charts[i] = canvas.Chart{Heading: string(g.Precision), X: shareAxis(), Top: 100, Steps: 5, Markers: 7}
		for _, w := range known {
			if g.known(w) {
				charts[i].Lines = append(charts[i].Lines,
					canvas.Line{Look: ways[w].look, Points: kept(g.shares[w], charts[i].X.Min)})
				// the rule is the last
				charts[i].Note = fmt.Sprintf("%s: %s in the geometric mean", ways[w].Name,
					term.ShareOfBest(g.mean(w)))
			}
		}
	}

	p.Body = func(c draw.Canvas) {
		canvas.DrawCharts(c, charts, len(charts), "share of the oracle's throughput", "% of the matrices")
	}
	return p
}

// onFewer says how many matrices the line of a way is about, if not all. Its shares are not
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
		y := 100 * float64(above) / float64(len(sorted))
		return canvas.Point{X: x, Y: y, Low: y, High: y}
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
	analysis.Setup
	matrices []string // The matrices by mean row length.
	rowMean  []float64
	shares   [][]float64 // The shares by way and matrix.
	noise    string      // What shares of 100% hide, see rule.Selector.
	partial  int         // The number of other matrices, where not every kernel was tried.
}

// regrets returns one regret for each setup that the rule was validated on.
func regrets(d *analysis.Data) []regret {
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

func regretOf(d *analysis.Data, s *rule.Selector) regret {
	g := regret{Setup: analysis.SetupOn(s.Device, s.Cache, s.Precision), shares: make([][]float64, len(ways)),
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

// DrawTrees draws the tree of each setup that has a question. A single leaf is a sentence of
// the rule's text.
func DrawTrees(d *analysis.Data) []*canvas.Picture {
	if d.Rule == nil {
		return nil
	}
	var pages []*canvas.Picture
	for i := range d.Rule.Selectors {
		s := &d.Rule.Selectors[i]
		if s.Root == nil || s.Root.Leaf() {
			continue
		}
		t := newTree(s.Root)
		words := d.Words(analysis.SetupOn(s.Device, s.Cache, s.Precision))
		pages = append(pages, &canvas.Picture{
			Name:  fileStem(d, "rule", s.Device, string(s.Precision), string(s.Cache)),
			Title: "Which kernel for which matrix: " + words,
			Subtitle: "Read from left to right: take the upper branch if the matrix's feature is at most the " +
				"number. Leaves: the choice, and its share of the best measured speed on the matrices that it was " +
				"learned from.",
			Alt:    t.Words(),
			Height: vg.Length(len(t.leaves))*leafHeight + 6,
			Body:   t.draw,
		})
		if canvas.Narrow() {
			p := pages[len(pages)-1]
			p.Subtitle = strings.Replace(p.Subtitle, "Read from left to right: take the upper branch if",
				"Read from top to bottom: follow the first line if", 1)
			p.Height, p.Body = t.outlineHeight(), t.outline
		}
	}

	return pages
}

// A tree is a rule laid out: leaves from top to bottom, and each question half-way between its
// answers.
type tree struct {
	root   *treeNode
	leaves []*treeNode
	depth  int // The depth of the deepest leaf.
}

type treeNode struct {
	*rule.Node
	below, above *treeNode
	depth        int
	row          float64 // The position from the top, in leaves.
}

func newTree(root *rule.Node) *tree {
	t := &tree{}
	t.root = t.Place(root, 0)
	return t
}

func (t *tree) Place(n *rule.Node, depth int) *treeNode {
	p := &treeNode{Node: n, depth: depth}
	t.depth = max(t.depth, depth)
	if n.Leaf() {
		p.row = float64(len(t.leaves))
		t.leaves = append(t.leaves, p)
		return p
	}

	p.below, p.above = t.Place(n.Below, depth+1), t.Place(n.Above, depth+1)
	p.row = (p.below.row + p.above.row) / 2
	return p
}

const (
	leafHeight = vg.Length(36)
	leafWidth  = vg.Length(250) // Room for the words of leaves.
	treeStep   = vg.Length(150) // The most room between a question and its answers.
)

func (t *tree) draw(c draw.Canvas) {
	step := min(treeStep, (c.Max.X-c.Min.X-leafWidth)/vg.Length(t.depth))
	at := func(n *treeNode) vg.Point {
		depth := n.depth
		if n.Leaf() {
			depth = t.depth // Leaves stand beneath each other.
		}
		return vg.Point{X: c.Min.X + 6 + vg.Length(depth)*step, Y: c.Max.Y - leafHeight*vg.Length(n.row+0.5)}
	}
	t.branches(c, t.root, at, step)
}

// branches draws the answers to a question, and then the question over them.
func (t *tree) branches(c draw.Canvas, n *treeNode, point func(*treeNode) vg.Point, step vg.Length) {
	p := point(n)
	if n.Leaf() {
		drawLeaf(c, n.Node, p)
		return
	}

	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YBottom)
	number := threshold(n.Threshold)
	for i, child := range []*treeNode{n.below, n.above} {
		q := point(child)
		c.StrokeLines(draw.LineStyle{Color: canvas.LineColor, Width: 1.2},
			[]vg.Point{p, {X: p.X, Y: q.Y}, {X: q.X - 5, Y: q.Y}})
		sign := []string{"≤ ", "> "}[i]
		c.FillText(soft, vg.Point{X: p.X + 5, Y: q.Y + 1.5}, canvas.Fit(soft, sign+number, step-10))
		t.branches(c, child, point, step)
	}

	name := canvas.At(canvas.Typeface(canvas.TickSize, true, canvas.InkColor), text.XLeft, text.YCenter)
	c.SetColor(canvas.LineColor)
	dot := vg.Path{}
	dot.Move(vg.Point{X: p.X + 2.6, Y: p.Y})
	dot.Arc(p, 2.6, 0, 2*math.Pi)
	dot.Close()
	c.Fill(dot)
	first, rest := inTwo(name, n.Feature, step-12)
	if rest == "" {
		c.FillText(name, vg.Point{X: p.X + 7, Y: p.Y + 1}, canvas.Fit(name, first, step-12))
		return
	}

	const up, apart = 5, 4.8 // from the number below; half the distance of two lines
	c.FillText(name, vg.Point{X: p.X + 7, Y: p.Y + up + apart}, canvas.Fit(name, first, step-12))
	c.FillText(name, vg.Point{X: p.X + 7, Y: p.Y + up - apart}, canvas.Fit(name, rest, step-12))
}

// inTwo breaks a name that is too wide after an underscore, into parts of about the same
// length.
func inTwo(style text.Style, s string, width vg.Length) (first, rest string) {
	if style.Width(s) <= width {
		return s, ""
	}
	at := 0
	for i := range len(s) - 1 {
		if s[i] == '_' && max(i+1, len(s)-i-1) < max(at, len(s)-at) {
			at = i + 1
		}
	}

	if at == 0 {
		return s, ""
	}
	return s[:at], s[at:]
}

// drawLeaf draws a choice with the look of its kernel.
func drawLeaf(c draw.Canvas, n *rule.Node, p vg.Point) {
	look := canvas.LookOf(n.Choice.Kernel)
	mark := vg.Point{X: p.X + 2, Y: p.Y}
	look.Mark(c, mark, 4)
	canvas.Hover(c, mark, func() string { return leafWords(n) + ": " + strings.Join(n.Matrices, ", ") })
	name := canvas.At(canvas.Typeface(canvas.LabelSize, true, canvas.InkColor), text.XLeft, text.YBottom)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YTop)
	room := c.Max.X - p.X - 12
	c.FillText(name, vg.Point{X: p.X + 12, Y: p.Y - 1}, canvas.Fit(name, n.Choice.Kernel, room))
	c.FillText(soft, vg.Point{X: p.X + 12, Y: p.Y - 2.5}, canvas.Fit(soft, leafWords(n), room))
}

// leafWords gives the sizes of a choice and its share of the best speed.
func leafWords(n *rule.Node) string {
	var parts []string
	if n.Choice.Block > 0 {
		parts = append(parts, fmt.Sprintf("block %d", n.Choice.Block))
	}
	if n.Choice.Grid > 0 {
		parts = append(parts, fmt.Sprintf("grid %d", n.Choice.Grid))
	}
	if params := n.Choice.Params.String(); params != "" {
		parts = append(parts, params)
	}
	return strings.Join(append(parts, fmt.Sprintf("%.0f%% on %s", math.Floor(100*n.Fraction+1e-9),
		term.GroupedCount(len(n.Matrices), "matrix", "matrices"))), ", ")
}

// Words describes the tree for readers who can't see it: each leaf with the way to it.
func (t *tree) Words() string {
	var list []string
	var walk func(n *treeNode, way []string)
	walk = func(n *treeNode, way []string) {
		if n.Leaf() {
			list = append(list, strings.Join(way, " and ")+": "+n.Choice.Kernel+", "+leafWords(n.Node))
			return
		}
		number := threshold(n.Threshold)
		walk(n.below, append(way[:len(way):len(way)], n.Feature+" at most "+number))
		walk(n.above, append(way[:len(way):len(way)], n.Feature+" above "+number))
	}

	walk(t.root, nil)
	return strings.Join(list, "; ")
}

// threshold prints what a feature is compared with. Whole numbers are grouped, as sizes are
// elsewhere.
func threshold(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return term.Grouped(int(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// In a column of a paper a tree is an outline: an indented line for each answer and leaf.
const (
	outlineLine   = vg.Length(14)
	outlineIndent = vg.Length(12)
)

func (t *tree) outlineHeight() vg.Length {
	return outlineLine*vg.Length(4*len(t.leaves)-2) + 6 // a leaf has two lines, and each but the root is an answer
}

func (t *tree) outline(c draw.Canvas) {
	y := c.Max.Y - outlineLine/2
	var walk func(n *treeNode)
	line := func(depth int) vg.Point {
		p := vg.Point{X: c.Min.X + 3 + vg.Length(depth)*outlineIndent, Y: y}
		y -= outlineLine
		return p
	}
	plain := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.InkColor), text.XLeft, text.YCenter)
	bold := canvas.At(canvas.Typeface(canvas.TickSize, true, canvas.InkColor), text.XLeft, text.YCenter)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YCenter)

	walk = func(n *treeNode) {
		if n.Leaf() {
			p := line(2 * n.depth)
			canvas.LookOf(n.Choice.Kernel).Mark(c, vg.Point{X: p.X + 3, Y: p.Y}, 3.4)
			c.FillText(bold, vg.Point{X: p.X + 12, Y: p.Y + 1}, n.Choice.Kernel)
			p = line(2 * n.depth)
			c.FillText(soft, vg.Point{X: p.X + 12, Y: p.Y + 1}, canvas.Fit(soft, leafWords(n.Node), c.Max.X-p.X-12))
			return
		}
		for i, child := range []*treeNode{n.below, n.above} {
			p := line(2 * n.depth)
			c.FillText(plain, vg.Point{X: p.X, Y: p.Y + 1}, n.Feature+[]string{" ≤ ", " > "}[i]+threshold(n.Threshold))
			walk(child)
		}
	}
	walk(t.root)
}
