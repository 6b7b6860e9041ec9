package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

// drawHeatmaps draws a picture for each matrix and setup, with a tile for each kernel that was
// tried with several block and several grid sizes.
func drawHeatmaps(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for i := range d.Panels {
		p := &d.Panels[i]
		var tiles []heatTile
		for _, kernel := range data.KernelsOf(d.Panels[i : i+1]) {
			if t, ok := heatTileOf(p, kernel); ok {
				tiles = append(tiles, t)
			}
		}
		if len(tiles) > 0 {
			pages = append(pages, heatPage(d, p, tiles))
		}
	}

	for i := range pages {
		pages[i].Detail = i > 0 // The first shows what the others are like.
	}
	return pages, nil
}

// A heatLayout holds the sizes of the tiles of a picture.
type heatLayout struct {
	columns    int
	top        vg.Length // The height of kernel, throughput and parameters.
	wide, tall vg.Length // The size of a tile's data.
}

const (
	heatLeft   = vg.Length(40) // Room for labels of grid sizes.
	heatTop    = vg.Length(29) // Room for kernel and throughput.
	heatParams = vg.Length(12) // Room for further parameters.
	heatBottom = vg.Length(26) // Room for labels of block sizes.
	heatFoot   = vg.Length(8)  // Room for the axis label below the last labels.
	heatSide   = vg.Length(18)
)

// heatScale is the room for the colour scale above all tiles and, in a column, the keys below it.
func heatScale() vg.Length {
	if canvas.Narrow() {
		return 44
	}
	return 24
}

// heatLayoutFor leaves room for the most columns of cells that a tile has.
func heatLayoutFor(tiles []heatTile) heatLayout {
	var blocks, grids int
	for i := range tiles {
		blocks, grids = max(blocks, len(tiles[i].blocks)), max(grids, len(tiles[i].grids))
	}
	columns := 4

	switch {
	case blocks > 64:
		columns = 1
	case blocks > 16:
		columns = 2
	}

	columns = min(columns, max(2, len(tiles)))
	if canvas.Narrow() {
		columns = min(columns, 2)
	}
	if blocks > 64 {
		columns = 1
	}
	width := (canvas.PageWidth-2*canvas.PageMargin-heatSide)/vg.Length(columns) - heatLeft - 12
	top := heatTop
	if slices.ContainsFunc(tiles, func(t heatTile) bool { return t.params != "" }) {
		top += heatParams
	}
	least := vg.Length(64)
	if canvas.Narrow() {
		least = 34
	}
	return heatLayout{columns, top, width, min(max(least, 13*vg.Length(grids)), 150)}
}

// cell is the size of a tile's cells, in whole pixels.
func (l heatLayout) cell(t *heatTile) vg.Point {
	across, down := int(l.wide/canvas.Pixel)/len(t.blocks), int(l.tall/canvas.Pixel)/len(t.grids)
	return vg.Point{X: vg.Length(max(1, across)) * canvas.Pixel, Y: vg.Length(max(1, down)) * canvas.Pixel}
}

func heatPage(d *data.Report, p *data.Panel, tiles []heatTile) *canvas.Picture {
	layout := heatLayoutFor(tiles)
	for i := range tiles {
		tiles[i] = tiles[i].thinned(int(layout.wide / canvas.Pixel))
	}
	rows := (len(tiles) + layout.columns - 1) / layout.columns
	pg := &canvas.Picture{
		Name: fileStem(d, "block-grid-heatmap", p.Device, string(p.Precision), string(p.Cache), p.Matrix),
		Subtitle: "A tile per kernel, with the other parameters of its fastest configuration. Each tile has its " +
			"own colour scale, from its slowest to its fastest. " + heatNumbers(tiles, layout) +
			"Empty: not measured, or no result.",
		Alt:      fmt.Sprintf("%s, a tile per kernel: %s", p.Matrix, strings.Join(tileNames(tiles), ", ")),
		Matrices: []string{p.Matrix},
		Height:   heatScale() + vg.Length(rows)*(layout.top+layout.tall+heatBottom) + heatFoot,
	}

	entitle(pg, sizesWords(p.Matrix, tiles), "Throughput over block and grid size, "+d.Words(p.Setup()))
	pg.WholePixels()
	pg.Body = func(c draw.Canvas) {
		right := canvas.DrawHeatScale(c, "slowest", "fastest of the tile")
		keys := c
		if canvas.Narrow() {
			keys.Max.Y -= 17
			right = c.Min.X - 18
		}
		heatKeys(keys, right, slices.ContainsFunc(tiles, func(t heatTile) bool { return !t.printed(layout.cell(&t)) }))
		label := canvas.Typeface(canvas.LabelSize, false, canvas.SoftColor)
		names := tileNames(tiles)
		c.FillText(canvas.At(label, text.XCenter, text.YBottom),
			vg.Point{X: (c.Min.X + heatSide + c.Max.X) / 2, Y: c.Min.Y},
			canvas.Fit(label, overBlock.axisLabel(names), c.Max.X-c.Min.X-heatSide))
		up := canvas.At(label, text.XCenter, text.YTop)
		up.Rotation = canvas.QuarterTurn
		height := c.Max.Y - heatScale() - c.Min.Y - heatFoot
		c.FillText(up, vg.Point{X: c.Min.X, Y: c.Min.Y + heatFoot + height/2},
			canvas.Fit(label, overGrid.axisLabel(names), height))
		wide := (c.Max.X - c.Min.X - heatSide) / vg.Length(layout.columns)
		for i := range tiles {
			tiles[i].draw(c, layout, vg.Point{
				X: c.Min.X + heatSide + vg.Length(i%layout.columns)*wide,
				Y: c.Max.Y - heatScale() - vg.Length(i/layout.columns)*(layout.top+layout.tall+heatBottom),
			})
		}
	}

	return pg
}

// heatNumbers explains the numbers in cells, where there is room for them.
func heatNumbers(tiles []heatTile, layout heatLayout) string {
	if slices.ContainsFunc(tiles, func(t heatTile) bool { return t.printed(layout.cell(&t)) }) {
		return "Numbers: GFLOP/s, the fastest bold. "
	}
	return ""
}

// sizesWords states where the fastest kernel of some tiles is at its best, and how many sizes will do.
func sizesWords(matrix string, tiles []heatTile) string {
	t := slices.MaxFunc(tiles, func(a, b heatTile) int {
		return cmp.Compare(a.cells[a.best].GFLOPS, b.cells[b.best].GFLOPS)
	})
	tied, of := 0, 0
	for _, c := range t.cells {
		if c.measured {
			of++
		}
		if c.tied {
			tied++
		}
	}
	n := len(t.blocks)
	text := fmt.Sprintf("%s: %s is best at %d × %d", matrix, t.kernel, t.blocks[t.best%n], t.grids[t.best/n])
	if tied < 2 {
		return text + fmt.Sprintf(", and no other of %d sizes is tied", of)
	}
	return text + fmt.Sprintf("; %d of its %d sizes are tied", tied, of)
}

func tileNames(tiles []heatTile) []string {
	names := make([]string, len(tiles))
	for i := range tiles {
		names[i] = tiles[i].kernel
	}
	return names
}

// tieColor is far from the colours of cells.
var tieColor = canvas.Hues[1]

// heatKeys explains the marks to the right of x. The fastest cell is marked where its value is not
// printed.
func heatKeys(c draw.Canvas, x vg.Length, marked bool) {
	style := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YCenter)
	mid := c.Max.Y - 6.5
	x += 24
	if marked {
		bestLook.Mark(c, vg.Point{X: x, Y: mid}, bestRadius)
		c.FillText(style, vg.Point{X: x + 8, Y: mid + 1}, "fastest")
		x += 8 + style.Width("fastest") + 20
	}
	strokeTie(c, []vg.Point{{X: x - 6, Y: mid - 4}, {X: x + 6, Y: mid - 4}, {X: x + 6, Y: mid + 4},
		{X: x - 6, Y: mid + 4}, {X: x - 6, Y: mid - 4}})
	c.FillText(style, vg.Point{X: x + 12, Y: mid + 1}, "can't be told from it")
}

var bestLook = canvas.Look{Color: canvas.Hues[5], Hollow: true}

const bestRadius = vg.Length(3)

func strokeTie(c draw.Canvas, line []vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: tieColor, Width: 1.5}, line)
}

// draw puts the tile below and to the right of a point.
func (t *heatTile) draw(c draw.Canvas, layout heatLayout, corner vg.Point) {
	name := canvas.Typeface(canvas.LabelSize, true, canvas.InkColor)
	soft := canvas.Typeface(canvas.TickSize, false, canvas.SoftColor)
	left := vg.Point{X: corner.X + heatLeft, Y: corner.Y}
	c.FillText(canvas.At(name, text.XLeft, text.YTop), left, canvas.Fit(name, t.kernel, layout.wide))
	n := len(t.blocks)
	at := "%s GFLOP/s at %d × %d"
	if canvas.Narrow() {
		at = "%s at %d × %d"
	}
	note := fmt.Sprintf(at, number.Significant(t.cells[t.best].GFLOPS, 3), t.blocks[t.best%n],
		t.grids[t.best/n])

	for i, line := range []string{note, t.params} {
		c.FillText(canvas.At(soft, text.XLeft, text.YTop), vg.Point{X: left.X, Y: left.Y - 13 - 12*vg.Length(i)},
			canvas.Fit(soft, line, layout.wide+10))
	}

	cell := layout.cell(t)
	box := canvas.Frame(c, vg.Point{X: left.X, Y: left.Y - layout.top},
		vg.Point{X: cell.X * vg.Length(n), Y: cell.Y * vg.Length(len(t.grids))})
	t.fill(c, box.Min, cell)
	t.outlineTies(c, box.Min, cell)

	for i := range t.cells {
		if row := t.cells[i].row; row != nil {
			canvas.Hover(c, vg.Point{X: box.Min.X + cell.X*(vg.Length(i%n)+0.5),
				Y: box.Min.Y + cell.Y*(vg.Length(i/n)+0.5)}, func() string { return data.About(row) })
		}
	}

	if !t.printed(cell) {
		bestLook.Mark(c, vg.Point{
			X: box.Min.X + cell.X*(vg.Length(t.best%n)+0.5), Y: box.Min.Y + cell.Y*(vg.Length(t.best/n)+0.5),
		}, min(bestRadius, max(1.8, cell.X*0.4)))
	}

	below := canvas.At(soft, text.XCenter, text.YTop)
	for i := range labelsApart(t.blocks, cell.X,
		func(v int) vg.Length { return soft.Width(sizeAmong(t.blocks, v)) + 5 }) {
		c.FillText(below, vg.Point{X: box.Min.X + cell.X*(vg.Length(i)+0.5), Y: box.Min.Y - 3},
			sizeAmong(t.blocks, t.blocks[i]))
	}

	beside := canvas.At(soft, text.XRight, text.YCenter)
	for i := range labelsApart(t.grids, cell.Y, func(int) vg.Length { return canvas.TickSize }) {
		c.FillText(beside, vg.Point{X: box.Min.X - 4, Y: box.Min.Y + cell.Y*(vg.Length(i)+0.5) + 1},
			sizeAmong(t.grids, t.grids[i]))
	}
}

func sizeAmong(sizes []int, v int) string { return canvas.SizeLabel(v, slices.Max(sizes)) }

// outlineTies strokes the borders between tied cells and others.
func (t *heatTile) outlineTies(c draw.Canvas, origin, cell vg.Point) {
	corner := func(x, y int) vg.Point {
		return vg.Point{X: origin.X + vg.Length(x)*cell.X, Y: origin.Y + vg.Length(y)*cell.Y}
	}
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

// labelsApart yields the indexes of the sizes that are labelled at this pitch: every n-th, so
// that of multiples of 32 the multiples of 64 or 128 are.
func labelsApart(sizes []int, pitch vg.Length, room func(int) vg.Length) func(yield func(int) bool) {
	var widest vg.Length
	for _, v := range sizes {
		widest = max(widest, room(v))
	}
	every := 1

	for pitch*vg.Length(every) < widest {
		every++
	}
	return func(yield func(int) bool) {
		for i := every - 1; i < len(sizes); i += every {
			if !yield(i) {
				return
			}
		}
	}
}
