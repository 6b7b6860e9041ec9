package figure

import (
	"image"
	"math"
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
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

// lightest is the share of the fastest cell's throughput below which all cells have the
// lightest shade. The shades above are for the sizes that tuning is about.
const lightest = 0.5

// image draws each cell with this many pixels. The fastest cell is darkest; a gap is white.
func (t *heatTile) image(across, down int) image.Image {
	n := len(t.blocks)
	img := image.NewPaletted(image.Rect(0, 0, n*across, len(t.grids)*down), canvas.DensityPalette)
	top := t.cells[t.best].GFLOPS

	for y := range img.Rect.Dy() {
		row := t.cells[(len(t.grids)-1-y/down)*n:][:n]
		for x := range img.Rect.Dx() {
			if c := row[x/across]; c.measured {
				share := max(0, (min(c.GFLOPS/top, 1)-lightest)/(1-lightest))
				img.Pix[y*img.Stride+x] = uint8(1 + math.Round(share*float64(len(canvas.DensityPalette)-2)))
			}
		}
	}

	return img
}
