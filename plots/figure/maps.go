// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/store"
)

// heatmapPage draws the sheet of a setup: a row for each matrix and a column for each kernel that was tried
// with several block and several grid sizes.
func heatmapPage(d *analysis.Data, s analysis.Setup) *canvas.Picture {
	tiles := map[heatSpot]*heatTile{}
	var panels []analysis.Panel // with tiles, and what they are made of
	for _, p := range d.In(s) {
		own := p
		own.Rows = nil
		for _, kernel := range p.Kernels() {
			if t, ok := heatTileOf(&p, kernel); ok {
				tiles[heatSpot{p.Matrix, kernel}] = &t
				own.Rows = append(own.Rows, p.ByKernel(kernel)...)
			}
		}
		if len(own.Rows) > 0 {
			panels = append(panels, own)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	h := &heatSheet{among(panels, mostSheetRows.here()), analysis.LeadersOf(panels, mostSheetColumns.here()), tiles}
	p := pictureOf(d, "block-grid-heatmap", s, fmt.Sprintf("a tile for each of %s on %s", strings.Join(h.kernels, ", "),
		analysis.MatrixNames(h.panels)), h)
	p.Matrices = lists.Distinct(h.panels, func(p analysis.Panel) string { return p.Matrix })
	p.Subtitle += someOf(len(h.panels), len(panels), "matrices") +
		someOf(len(h.kernels), len(analysis.KernelsOf(panels)), "kernels")
	return p
}

// A heatSpot is where a tile stands.
type heatSpot struct{ matrix, kernel string }

// A heatSheet has a row of tiles for each matrix.
type heatSheet struct {
	panels  []analysis.Panel
	kernels []string
	tiles   map[heatSpot]*heatTile
}

const (
	heatHead = vg.Length(42) // Room for the kernel, on two lines, and its sizes.
	heatFoot = vg.Length(20) // Room for what is best, below a tile.
	heatGap  = vg.Length(12) // between tiles side by side
	heatWide = vg.Length(220)
)

// heatScale is the room for the colour scale above all tiles and, in a column, the keys below it.
func heatScale() vg.Length { return canvas.Here[vg.Length](24, 44) }

// tall is the height of tiles, which have a line for each grid size if there are not many.
func (h *heatSheet) tall() vg.Length {
	grids := 0
	for _, t := range h.tiles {
		grids = max(grids, len(t.grids))
	}
	if len(h.panels) > 8 {
		return min(max(24, 11*vg.Length(grids)), 66)
	}
	return min(max(40, 11*vg.Length(grids)), 110)
}

// Height is that of the keys, the names of kernels and the tiles.
func (h *heatSheet) Height() vg.Length {
	return heatScale() + heatHead + vg.Length(len(h.panels))*(h.tall()+heatFoot)
}

// Draw draws the sheet.
func (h *heatSheet) Draw(c draw.Canvas) {
	heatKeys(c, "slowest", "fastest of the tile", true)

	name := canvas.At(canvas.Typeface(canvas.LabelSize, false, canvas.InkColor), text.XLeft, text.YCenter)
	bold := canvas.At(canvas.Typeface(canvas.TickSize, true, canvas.InkColor), text.XLeft, text.YTop)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YTop)
	left := 12 + lists.Most(h.panels, func(p analysis.Panel) vg.Length { return name.Width(p.Matrix) })
	left = min(left, 150, (c.Max.X-c.Min.X)*0.3)
	wide := min((c.Max.X-c.Min.X-left)/vg.Length(len(h.kernels)), heatWide+heatGap)
	top := c.Max.Y - heatScale()
	for i, kernel := range h.kernels {
		x := c.Min.X + left + vg.Length(i)*wide
		lines := canvas.Halves(bold, kernel, wide-heatGap/2)
		c.FillText(bold, vg.Point{X: x, Y: top}, strings.Join(lines, "\n"))
		c.FillText(soft, vg.Point{X: x, Y: top - 12*vg.Length(len(lines))}, canvas.Fit(soft, h.sizes(kernel), wide-heatGap/2))
	}
	for j := range h.panels {
		y := top - heatHead - vg.Length(j)*(h.tall()+heatFoot)
		c.FillText(name, vg.Point{X: c.Min.X, Y: y - h.tall()/2}, canvas.Fit(name, h.panels[j].Matrix, left-12))
		for i, kernel := range h.kernels {
			if t := h.tiles[heatSpot{h.panels[j].Matrix, kernel}]; t != nil {
				x := c.Min.X + left + vg.Length(i)*wide
				t.draw(c, vg.Rectangle{Min: vg.Point{X: x, Y: y - h.tall()}, Max: vg.Point{X: x + wide - heatGap, Y: y}})
			}
		}
	}
}

// sizes are the ranges of block and grid sizes of a kernel's tiles.
func (h *heatSheet) sizes(kernel string) string {
	var blocks, grids []int
	for at, t := range h.tiles {
		if at.kernel == kernel {
			blocks, grids = append(blocks, t.blocks...), append(grids, t.grids...)
		}
	}
	return fmt.Sprintf("%d–%d × %d–%d", slices.Min(blocks), slices.Max(blocks), slices.Min(grids), slices.Max(grids))
}

// tieColor is far from the colours of cells.
var tieColor = canvas.Hues[1]

// heatKeys explains the tones, from the meaning of the lightest to that of the darkest, and the marks. The fastest
// cell is marked where its value is not printed.
func heatKeys(c draw.Canvas, least, most string, marked bool) {
	x := canvas.DrawHeatScale(c, least, most)
	if canvas.Narrow() { // the marks below the tones
		c.Max.Y -= 17
		x = c.Min.X - 18
	}
	style := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YCenter)
	mid := c.Max.Y - 6.5
	x += 24
	if marked {
		bestLook.Mark(c, vg.Point{X: x, Y: mid}, bestRadius)
		c.FillText(style, vg.Point{X: x + 8, Y: mid + 1}, "or bold: fastest")
		x += 8 + style.Width("or bold: fastest") + 20
	}
	strokeTie(c, frameOf(vg.Rectangle{Min: vg.Point{X: x - 6, Y: mid - 4}, Max: vg.Point{X: x + 6, Y: mid + 4}}))
	c.FillText(style, vg.Point{X: x + 12, Y: mid + 1}, "can't be told from it")
}

var bestLook = canvas.Look{Color: canvas.Hues[5], Hollow: true}

const bestRadius = vg.Length(3)

func strokeTie(c draw.Canvas, line []vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: tieColor, Width: 1.5}, line)
}

// frameOf is the line around a box.
func frameOf(b vg.Rectangle) []vg.Point {
	return []vg.Point{b.Min, {X: b.Max.X, Y: b.Min.Y}, b.Max, {X: b.Min.X, Y: b.Max.Y}, b.Min}
}

// draw fills a box with the tile, and says below it what is best.
func (t *heatTile) draw(c draw.Canvas, box vg.Rectangle) {
	n := len(t.blocks)
	cell := vg.Point{X: box.Size().X / vg.Length(n), Y: box.Size().Y / vg.Length(len(t.grids))}
	t.fill(c, box.Min, cell)
	t.outlineTies(c, box.Min, cell)
	best := vg.Point{X: box.Min.X + cell.X*(vg.Length(t.best%n)+0.5), Y: box.Min.Y + cell.Y*(vg.Length(t.best/n)+0.5)}
	if !t.printed(cell) {
		bestLook.Mark(c, best, min(bestRadius, max(1.8, cell.X*0.4)))
	}
	canvas.Hover(c, best, func() string { return analysis.About(t.cells[t.best].Row) })
	soft := canvas.At(canvas.Typeface(canvas.TickSize-0.5, false, canvas.SoftColor), text.XLeft, text.YTop)
	c.FillText(soft, vg.Point{X: box.Min.X, Y: box.Min.Y - 3}, canvas.Fit(soft, fmt.Sprintf("%d × %d: %s",
		t.blocks[t.best%n], t.grids[t.best/n], valueOf(t.cells[t.best])), box.Size().X+heatGap/2))
}

// outlineTies strokes the borders between tied cells and others.
func (t *heatTile) outlineTies(c draw.Canvas, origin, cell vg.Point) {
	corner := func(x, y int) vg.Point { return cornerOf(origin, cell, x, y) }
	for y := range t.grids {
		for x := range t.blocks {
			if !t.tied(x, y) {
				continue
			}
			for _, side := range []struct{ dx, dy, x1, y1, x2, y2 int }{
				{-1, 0, 0, 0, 0, 1}, {1, 0, 1, 0, 1, 1}, {0, -1, 0, 0, 1, 0}, {0, 1, 0, 1, 1, 1},
			} {
				if !t.tied(x+side.dx, y+side.dy) {
					strokeTie(c, []vg.Point{corner(x+side.x1, y+side.y1), corner(x+side.x2, y+side.y2)})
				}
			}
		}
	}
}

// cornerOf is the lower left corner of a cell of this size.
func cornerOf(origin, cell vg.Point, x, y int) vg.Point {
	return vg.Point{X: origin.X + vg.Length(x)*cell.X, Y: origin.Y + vg.Length(y)*cell.Y}
}

// A heatTile is the throughput of one kernel on one matrix over the block and grid sizes that
// were tried. Further parameters are as in its fastest configuration.
type heatTile struct {
	blocks, grids []int // The columns, and the rows from below, in rising order.
	cells         []heatCell
	best          int // The index of the fastest cell.
}

// A heatCell is a configuration, or a gap.
type heatCell struct {
	*store.Row      // nil in a gap
	tied       bool // The cell is tied with the fastest of the tile.
}

// heatTileOf returns the tile of a kernel, false unless there are two sizes of both kinds.
func heatTileOf(p *analysis.Panel, kernel string) (heatTile, bool) {
	all := p.ByKernel(kernel)
	params := analysis.Fastest(all).Params
	var t heatTile
	var rows []store.Row
	var shown []*store.Row // in the panel, which stays anyhow
	for i := range all {
		r := &all[i]
		if r.Params == params && r.GFLOPS > 0 && !math.IsInf(r.GFLOPS, 0) && overBlock.size(r) > 0 &&
			overGrid.size(r) > 0 {
			rows, shown = append(rows, *r), append(shown, r)
			t.blocks, t.grids = append(t.blocks, r.Block), append(t.grids, r.Grid)
		}
	}
	t.blocks = slices.Compact(slices.Sorted(slices.Values(t.blocks)))
	t.grids = slices.Compact(slices.Sorted(slices.Values(t.grids)))
	if len(t.blocks) < 2 || len(t.grids) < 2 {
		return t, false
	}
	t.cells = make([]heatCell, len(t.blocks)*len(t.grids))
	tied := analysis.TieSet(rows)
	best := analysis.Fastest(rows)

	for i := range rows {
		r := &rows[i]
		x, _ := slices.BinarySearch(t.blocks, r.Block)
		y, _ := slices.BinarySearch(t.grids, r.Grid)
		at := y*len(t.blocks) + x
		t.cells[at] = heatCell{shown[i], tied[i]}
		if r == best {
			t.best = at
		}
	}

	return t, true
}

// tied reports whether the cell in this column and row is tied. There are no cells outside the
// tile.
func (t *heatTile) tied(x, y int) bool {
	return x >= 0 && y >= 0 && x < len(t.blocks) && y < len(t.grids) && t.cells[y*len(t.blocks)+x].tied
}

// step is the tone of a cell, from the slowest of the tile to its fastest.
func (t *heatTile) step(c heatCell) int {
	low := t.cells[t.best].GFLOPS
	for _, other := range t.cells {
		if other.Row != nil {
			low = min(low, other.GFLOPS)
		}
	}
	if top := t.cells[t.best].GFLOPS; low < top {
		return canvas.HeatStep((c.GFLOPS - low) / (top - low))
	}
	return canvas.HeatStep(1)
}

// mostPrinted is the most cells of a tile whose values are printed.
const mostPrinted = 60

// printed reports whether values have room in cells of this size.
func (t *heatTile) printed(cell vg.Point) bool {
	style := canvas.OnHeat(valueSize, true, 0)
	var widest vg.Length
	for _, c := range t.cells {
		if c.Row != nil {
			widest = max(widest, style.Width(valueOf(c)))
		}
	}
	return len(t.cells) <= mostPrinted && widest+2 <= cell.X && cell.Y >= valueSize+2
}

const valueSize = 9

// valueOf prints the throughput of a cell.
func valueOf(c heatCell) string { return term.Significant(c.GFLOPS, 3) }

// fill draws the cells, with their values if there is room.
func (t *heatTile) fill(c draw.Canvas, origin, cell vg.Point) {
	n, printed := len(t.blocks), t.printed(cell)
	for i, v := range t.cells {
		if v.Row == nil {
			continue
		}
		box, step := vg.Rectangle{Min: cornerOf(origin, cell, i%n, i/n), Max: cornerOf(origin, cell, i%n+1, i/n+1)}, t.step(v)
		canvas.FillHeat(c, box, step)
		if printed {
			c.FillText(canvas.OnHeat(valueSize, i == t.best, step), vg.Point{X: (box.Min.X + box.Max.X) / 2,
				Y: (box.Min.Y+box.Max.Y)/2 + 0.5}, valueOf(v))
		}
	}
}
