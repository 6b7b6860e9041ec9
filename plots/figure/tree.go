package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/rule"
)

// DrawTrees draws the tree of each setup that has a question. A single leaf is a sentence of
// the rule's text.
func DrawTrees(d *data.Report) []*canvas.Picture {
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
		words := d.Words(data.SetupOn(s.Device, s.Cache, s.Precision))
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
