package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

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
func heatTileOf(p *data.Panel, kernel string) (heatTile, bool) {
	all := p.ByKernel(kernel)
	params := data.Fastest(all).Params
	var rows []store.Row

	var shown []*store.Row // in the panel, which stays anyhow
	for i := range all {
		r := &all[i]
		if r.Params == params && r.GFLOPS > 0 && !math.IsInf(r.GFLOPS, 0) && overBlock.size(r) > 0 &&
			overGrid.size(r) > 0 {
			rows, shown = append(rows, *r), append(shown, r)
		}
	}

	l := chart.Line{Kernel: kernel, Params: params}
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
	tied := data.TieSet(rows)
	best := data.Fastest(rows)

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
func valueOf(c heatCell) string { return number.Significant(c.GFLOPS, 3) }

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
