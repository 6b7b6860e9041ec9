package figure

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
)

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
