package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/rule"
)

// DrawTrees draws the tree of each setup that has a question, as an outline: a line for each answer and,
// indented below it, the next question's answers or the choice. A single leaf is a sentence of the rule's text.
func DrawTrees(d *analysis.Data) []*canvas.Picture {
	if d.Rule == nil {
		return nil
	}
	var pages []*canvas.Picture
	for i := range d.Rule.Models {
		s := &d.Rule.Models[i]
		if s.Root == nil || s.Root.Leaf() {
			continue
		}
		lines := outline(s.Root, 0, "")
		p := &canvas.Picture{
			Name:  fileStem(d, "rule", s.Device, string(s.Precision), string(s.Cache)),
			Title: "Which kernel for which matrix: " + d.Words(analysis.SetupOn(s.Device, s.Cache, s.Precision)),
			Subtitle: "Read from top to bottom: follow the first line if the matrix's feature is at most the " +
				"number. Leaves: the choice, and its share of the best measured speed on the matrices that it was " +
				"learned from.",
			Height: outlineLine*vg.Length(len(lines)) + 6,
			Body:   func(c draw.Canvas) { drawOutline(c, lines) },
		}
		var leaves []string
		for _, l := range lines {
			if l.leaf != nil {
				leaves = append(leaves, l.way+": "+l.leaf.Choice.Kernel+", "+leafWords(l.leaf))
			}
		}
		p.Alt = strings.Join(leaves, "; ")
		pages = append(pages, p)
	}
	return pages
}

const (
	outlineLine   = vg.Length(14)
	outlineIndent = vg.Length(12)
)

// An outlineEntry is an answer, or what is below one: the kernel of a leaf, or its words.
type outlineEntry struct {
	depth int
	text  string
	leaf  *rule.Node // Of a choice, else nil.
	way   string     // The answers that lead there, in words.
}

// outline lists the lines of a tree; way are the answers that lead to it.
func outline(n *rule.Node, depth int, way string) []outlineEntry {
	if n.Leaf() {
		return []outlineEntry{{depth, n.Choice.Kernel, n, way}, {depth, leafWords(n), nil, way}}
	}
	number := threshold(n.Threshold)
	and := ""
	if way != "" {
		and = " and "
	}
	list := append([]outlineEntry{{depth: depth, text: n.Feature + " ≤ " + number}},
		outline(n.Below, depth+2, way+and+n.Feature+" at most "+number)...)
	list = append(list, outlineEntry{depth: depth, text: n.Feature + " > " + number})
	return append(list, outline(n.Above, depth+2, way+and+n.Feature+" above "+number)...)
}

func drawOutline(c draw.Canvas, lines []outlineEntry) {
	for i, l := range lines {
		style := canvas.At(canvas.Typeface(canvas.TickSize, l.leaf != nil, canvas.InkColor), text.XLeft, text.YCenter)
		p := vg.Point{X: c.Min.X + 3 + vg.Length(l.depth)*outlineIndent, Y: c.Max.Y - outlineLine*(vg.Length(i)+0.5)}
		if l.leaf != nil {
			mark := vg.Point{X: p.X + 3, Y: p.Y}
			canvas.LookOf(l.text).Mark(c, mark, 3.4)
			canvas.Hover(c, mark, func() string { return leafWords(l.leaf) + ": " + strings.Join(l.leaf.Matrices, ", ") })
		}
		if l.way != "" {
			p.X += 12
		}
		c.FillText(style, vg.Point{X: p.X, Y: p.Y + 1}, canvas.Fit(style, l.text, c.Max.X-p.X))
	}
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

// threshold prints what a feature is compared with. Whole numbers are grouped, as sizes are
// elsewhere.
func threshold(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return term.Grouped(int(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
