package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
	"spmvtune/tuner/stat"
)

// drawHeatmaps draws a picture for each matrix and setup, with a tile for each kernel that was
// tried with several block and several grid sizes.
func drawHeatmaps(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for i := range d.Panels {
		p := &d.Panels[i]
		var tiles []heatTile
		for _, kernel := range analysis.KernelsOf(d.Panels[i : i+1]) {
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

func heatPage(d *analysis.Data, p *analysis.Panel, tiles []heatTile) *canvas.Picture {
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
	note := fmt.Sprintf(at, term.Significant(t.cells[t.best].GFLOPS, 3), t.blocks[t.best%n],
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
				Y: box.Min.Y + cell.Y*(vg.Length(i/n)+0.5)}, func() string { return analysis.About(row) })
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

// A heatTile is the throughput of one kernel on one matrix over the block and grid sizes that
// were tried. Further parameters are as in its fastest configuration.
type heatTile struct {
	kernel        string
	params        string // The parameters that are not the catalogue's defaults.
	blocks, grids []int  // The columns, and the rows from below, in rising order.
	cells         []heatCell
	best          int // The index of the fastest cell.
}

// A heatCell is a configuration, or a gap.
type heatCell struct {
	measured bool
	GFLOPS   float64
	tied     bool // The cell is tied with the fastest of the tile.
	row      *store.Row
}

// heatTileOf returns the tile of a kernel, false unless there are two sizes of both kinds.
func heatTileOf(p *analysis.Panel, kernel string) (heatTile, bool) {
	all := p.ByKernel(kernel)
	params := analysis.Fastest(all).Params
	var rows []store.Row

	var shown []*store.Row // in the panel, which stays anyhow
	for i := range all {
		r := &all[i]
		if r.Params == params && r.GFLOPS > 0 && !math.IsInf(r.GFLOPS, 0) && overBlock.size(r) > 0 &&
			overGrid.size(r) > 0 {
			rows, shown = append(rows, *r), append(shown, r)
		}
	}

	l := canvas.Line{Kernel: kernel, Params: params}
	t := heatTile{kernel: kernel, params: l.Unusual()}
	for i := range rows {
		t.blocks, t.grids = append(t.blocks, rows[i].Block), append(t.grids, rows[i].Grid)
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
		t.cells[at] = heatCell{true, r.GFLOPS, tied[i], shown[i]}
		if r == best {
			t.best = at
		}
	}

	return t, true
}

// thinned leaves out columns where there are more than most: it keeps every second, third, …, and
// among them the fastest.
func (t *heatTile) thinned(most int) heatTile {
	n := len(t.blocks)
	every := (n + most - 1) / max(most, 1)
	if every <= 1 {
		return *t
	}
	thin := heatTile{kernel: t.kernel, params: t.params, grids: t.grids}
	for y := range t.grids {
		for x := t.best % n % every; x < n; x += every {
			if y == 0 {
				thin.blocks = append(thin.blocks, t.blocks[x])
			}
			if y*n+x == t.best {
				thin.best = len(thin.cells)
			}
			thin.cells = append(thin.cells, t.cells[y*n+x])
		}
	}
	return thin
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
		if other.measured {
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
		if c.measured {
			widest = max(widest, style.Width(valueOf(c)))
		}
	}
	return len(t.cells) <= mostPrinted && widest+2 <= cell.X && cell.Y >= valueSize+2
}

const valueSize = 9

// valueOf prints the throughput of a cell.
func valueOf(c heatCell) string { return term.Significant(c.GFLOPS, 3) }

// fill draws the cells, with their values if there is room: runs of one tone together.
func (t *heatTile) fill(c draw.Canvas, origin, cell vg.Point) {
	n := len(t.blocks)
	corner := func(x, y int) vg.Point {
		return vg.Point{X: origin.X + vg.Length(x)*cell.X, Y: origin.Y + vg.Length(y)*cell.Y}
	}
	for y := range t.grids {
		row := t.cells[y*n:][:n]
		for x := 0; x < n; {
			end := x + 1
			if !row[x].measured {
				x = end
				continue
			}
			step := t.step(row[x])
			for end < n && row[end].measured && t.step(row[end]) == step {
				end++
			}
			canvas.FillHeat(c, vg.Rectangle{Min: corner(x, y), Max: corner(end, y+1)}, step)
			x = end
		}
	}
	if !t.printed(cell) {
		return
	}
	for i, v := range t.cells {
		if v.measured {
			at := corner(i%n, i/n)
			c.FillText(canvas.OnHeat(valueSize, i == t.best, t.step(v)), vg.Point{X: at.X + cell.X/2,
				Y: at.Y + cell.Y/2 + 0.5}, valueOf(v))
		}
	}
}

// A winnerMap shows how near each kernel comes to the best: matrices by row length or, of many, their
// classes, and kernels by falling geometric mean.
type winnerMap struct {
	contest *analysis.Contest
	kernels []int // The standings that are drawn.
	rows    []winnerRow
}

// A winnerRow is a matrix or a class of matrices, or the geometric mean of all.
type winnerRow struct {
	name, note string
	mean       bool
	places     []int // The places of the contest that it is the mean of.
}

// drawWinners draws a map for each setup in which kernels compete.
func drawWinners(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, s := range d.Setups() {
		if c := d.NewContest(d.In(s)); len(c.Contenders) > 1 {
			pages = append(pages, winnerMapOf(d, c).page(d, s))
		}
	}
	return pages, nil
}

const (
	winnerCell  = vg.Length(16.5) // The least width of a cell, which has room for "100".
	winnerPitch = vg.Length(15)   // The height of a row.
)

func winnerMapOf(d *analysis.Data, c *analysis.Contest) *winnerMap {
	m := &winnerMap{contest: c}
	for i := range c.Places {
		mean := rowLengthOf(d, c.Places[i].Matrix)
		row := winnerRow{name: c.Places[i].Matrix, note: term.Significant(mean, 3), places: []int{i}}
		if len(c.Places) > mostMatrices.here() {
			row = winnerRow{name: analysis.RowClass(mean), mean: true, places: []int{i}}
			if n := len(m.rows); n > 0 && m.rows[n-1].name == row.name {
				m.rows[n-1].places = append(m.rows[n-1].places, i)
				continue
			}
		}
		m.rows = append(m.rows, row)
	}
	all := winnerRow{name: "geometric mean", mean: true}
	for i := range c.Places {
		all.places = append(all.places, i)
	}
	m.rows = append([]winnerRow{all}, m.rows...)
	for i := range m.rows {
		if r := &m.rows[i]; r.mean {
			r.note = "of " + term.Grouped(len(r.places))
		}
	}

	// The kernels that are named somewhere come first where there is no room for all.
	room := int((canvas.PageWidth - 2*canvas.PageMargin - m.left()) / winnerCell)
	for k := range c.Contenders {
		m.kernels = append(m.kernels, k)
	}
	slices.SortStableFunc(m.kernels, func(a, b int) int {
		return -cmp.Compare(min(1, c.Contenders[a].Named), min(1, c.Contenders[b].Named))
	})
	m.kernels = m.kernels[:min(room, len(m.kernels))]
	slices.Sort(m.kernels)
	return m
}

// left is the room for the names of the rows.
func (m *winnerMap) left() vg.Length {
	name := canvas.Typeface(canvas.LabelSize, true, canvas.InkColor)
	soft := canvas.Typeface(canvas.TickSize, false, canvas.SoftColor)
	var names, notes vg.Length
	for _, r := range m.rows {
		names, notes = max(names, name.Width(r.name)), max(notes, soft.Width(r.note))
	}
	if canvas.Narrow() {
		return min(names, 96) + 6
	}
	return min(names, 190) + notes + 16
}

// head is the room for the turned names of kernels.
func (m *winnerMap) head() vg.Length {
	style := canvas.Typeface(canvas.TickSize, false, canvas.InkColor)
	var most vg.Length
	for _, k := range m.kernels {
		most = max(most, style.Width(m.contest.Contenders[k].Kernel))
	}
	return most + 8
}

func (m *winnerMap) page(d *analysis.Data, s analysis.Setup) *canvas.Picture {
	c := m.contest
	p := &canvas.Picture{
		Name: fileStem(d, "winner-map", s.Device, string(s.Precision), string(s.Cache)),
		Subtitle: "A kernel's speed in its fastest configuration, in percent of the best on the matrix. Bold: named " +
			"the best. Kernels by geometric mean, matrices by rising mean row length",
		Alt:    fmt.Sprintf("shares of the best speed of %d kernels on %s", len(m.kernels), analysis.MatrixNames(c.Places)),
		Keys:   []canvas.Key{},
		Height: heatScale() + m.head() + winnerPitch*vg.Length(len(m.rows)),
		Body:   m.draw,
	}
	if !canvas.Narrow() {
		p.Subtitle += ", which stands beside them"
	}
	p.Subtitle += "."
	if len(c.Places) > mostMatrices.here() {
		p.Subtitle += " Classes of row lengths: geometric means."
	}
	if left := len(c.Contenders) - len(m.kernels); left > 0 {
		p.Subtitle += fmt.Sprintf(" %d further kernels are in the table of winners.", left)
	}

	lead := slices.MaxFunc(c.Contenders, func(a, b analysis.Contender) int { return cmp.Compare(a.Named, b.Named) })
	where := term.GroupedCount(len(c.Places), "matrix", "matrices")
	says := fmt.Sprintf("%s is named the best on %d of %s", lead.Kernel, lead.Named, where)
	if 2*lead.Named < len(c.Places) {
		says = fmt.Sprintf("No kernel is named the best on half of %s; %s on %d", where, lead.Kernel, lead.Named)
	}
	if lead.Tied > 0 {
		says += fmt.Sprintf(", and tied on %d more", lead.Tied)
	}
	entitle(p, says, "Winner map, "+d.Words(s))
	return p
}

func (m *winnerMap) draw(c draw.Canvas) {
	right := canvas.DrawHeatScale(c, "0", "100% of the best speed")
	keys := c
	if canvas.Narrow() {
		keys.Max.Y -= 17
		right = c.Min.X - 18
	}
	heatKeys(keys, right, false)
	c.Max.Y -= heatScale()

	left := m.left()
	cell := min((c.Max.X-c.Min.X-left)/vg.Length(len(m.kernels)), 40)
	name := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.InkColor), text.XLeft, text.YCenter)
	name.Rotation = canvas.QuarterTurn
	top := c.Max.Y - m.head()
	for i, k := range m.kernels {
		c.FillText(name, vg.Point{X: c.Min.X + left + cell*(vg.Length(i)+0.5), Y: top + 4}, m.contest.Contenders[k].Kernel)
	}

	for i := range m.rows {
		r := &m.rows[i]
		y := top - winnerPitch*vg.Length(i)
		mid := y - winnerPitch/2
		label := canvas.At(canvas.Typeface(canvas.LabelSize, i == 0, canvas.InkColor), text.XLeft, text.YCenter)
		note := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XRight, text.YCenter)
		room := left - 6
		if !canvas.Narrow() {
			c.FillText(note, vg.Point{X: c.Min.X + left - 6, Y: mid + 1}, r.note)
			room -= note.Width(r.note) + 6
		}
		c.FillText(label, vg.Point{X: c.Min.X, Y: mid + 1}, canvas.Fit(label, r.name, room))
		for j, k := range m.kernels {
			x := c.Min.X + left + cell*vg.Length(j)
			m.cell(c, &m.contest.Contenders[k], r, vg.Rectangle{Min: vg.Point{X: x, Y: y - winnerPitch},
				Max: vg.Point{X: x + cell, Y: y}})
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: canvas.LineColor, Width: 1}, c.Min.X, top-winnerPitch,
		c.Min.X+left+cell*vg.Length(len(m.kernels)), top-winnerPitch)
}

// cell draws a kernel on a matrix, or its geometric mean over several.
func (m *winnerMap) cell(c draw.Canvas, s *analysis.Contender, r *winnerRow, box vg.Rectangle) {
	var mean stat.GeometricMean
	for _, i := range r.places {
		if e := &s.Entries[i]; e.Row != nil {
			mean.Add(e.Share)
		}
	}
	if mean.Count() == 0 {
		return
	}
	share, best := mean.Value(), false
	step := canvas.HeatStep(share)
	canvas.FillHeat(c, box, step)
	if e := &s.Entries[r.places[0]]; !r.mean {
		best = e.Named
		if e.Tied && !best {
			strokeTie(c, []vg.Point{{X: box.Min.X + 1.2, Y: box.Min.Y + 1.2}, {X: box.Max.X - 1.2, Y: box.Min.Y + 1.2},
				{X: box.Max.X - 1.2, Y: box.Max.Y - 1.2}, {X: box.Min.X + 1.2, Y: box.Max.Y - 1.2},
				{X: box.Min.X + 1.2, Y: box.Min.Y + 1.2}})
		}
	}
	c.FillText(canvas.OnHeat(valueSize, best, step), vg.Point{X: (box.Min.X + box.Max.X) / 2,
		Y: (box.Min.Y+box.Max.Y)/2 + 0.5}, term.OfBest(share))
}
