package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/sparse"
	"spmvtune/store"
)

// A patternGrid says how large the patterns of a picture are.
type patternGrid struct {
	columns int
	pixels  int // The pixels of a picture's longer side.
}

// patternGridFor chooses the grid for n matrices. All bins of a thumbnail have the same number
// of pixels.
func patternGridFor(n int) patternGrid {
	switch {
	case canvas.Narrow():
		return patternGrid{2, 2 * sparse.ThumbnailSide}
	case n <= 2:
		return patternGrid{2, 4 * sparse.ThumbnailSide}
	case n <= 6:
		return patternGrid{3, 3 * sparse.ThumbnailSide}
	}
	return patternGrid{5, 2 * sparse.ThumbnailSide}
}

// imported begins the source of a matrix of which numbers came alone: it has no pattern.
const imported = "imported from "

// drawPatterns draws where the entries of each matrix lie, by mean row length, and names the
// matrices whose pattern is not known.
func drawPatterns(d *data.Report) ([]*canvas.Picture, []error) {
	var known []store.Matrix
	var missing []string
	for _, m := range d.Matrices {
		if shows(d.Patterns[m.Hash], m) {
			known = append(known, m)
		} else if !strings.HasPrefix(m.Source, imported) {
			missing = append(missing, m.Name)
		}
	}

	var warnings []error
	if len(missing) > 0 {
		warnings = append(warnings, fmt.Errorf("figure matrix-patterns lacks %s, which an older version did not "+
			"record: run the sweep again; it measures nothing twice", data.Enumerate(missing)))
	}

	var list []*canvas.Picture
	pages := (len(known) + mostPatterns.here() - 1) / mostPatterns.here()
	for n := range pages {
		p := patternsPage(d, known[n*mostPatterns.here():min(len(known), (n+1)*mostPatterns.here())])
		if pages > 1 {
			p.Name += fmt.Sprintf("-%d", n+1)
			p.Title += fmt.Sprintf(" (%d of %d)", n+1, pages)
		}
		list = append(list, p)
	}

	return list, warnings
}

// shows reports whether d may be a thumbnail of m, by its size.
func shows(d *sparse.Density, m store.Matrix) bool {
	height, width := min(m.Rows, sparse.ThumbnailSide), min(m.Cols, sparse.ThumbnailSide)
	if height == 0 || width == 0 {
		height, width = 0, 0
	}
	return d != nil && d.Height == height && d.Width == width
}

// Measures of the pictures' page, in points.
const (
	patternText  = vg.Length(58) // Room for four lines above a picture.
	patternPad   = vg.Length(14) // Room below a picture.
	patternScale = vg.Length(22) // Room for the colour scale above all pictures.
)

func patternsPage(d *data.Report, matrices []store.Matrix) *canvas.Picture {
	grid := patternGridFor(len(matrices))
	names := make([]string, len(matrices))
	tops := []vg.Length{patternScale} // of the rows of pictures, which are as high as the highest, and the end

	stretched := false
	for i, m := range matrices {
		names[i] = m.Name
		layout := canvas.MosaicOf(m.Rows, m.Cols, sparse.ThumbnailSide, grid.pixels)
		stretched = stretched || layout.Stretched
		if i%grid.columns == 0 {
			tops = append(tops, 0)
		}
		row := len(tops) - 1
		tops[row] = max(tops[row], tops[row-1]+patternText+layout.Size().Y+patternPad)
	}

	p := &canvas.Picture{
		Name:  "matrix-patterns",
		Title: "Where the nonzeros are",
		Subtitle: "Rows from top to bottom, columns from left to right, counted in bins. Each picture has its own " +
			"scale of colours, up to its fullest bin; bins without entries are white." +
			" Matrices by rising mean row length.",
		Alt: fmt.Sprintf("A spy plot of each of %s: %s", term.GroupedCount(len(matrices), "matrix", "matrices"),
			strings.Join(names, ", ")),
		Height: tops[len(tops)-1],
	}

	if stretched {
		p.Subtitle += fmt.Sprintf(" Matrices narrower than 1 to %d are not to scale.", canvas.Narrowest)
	}
	p.WholePixels()
	p.Body = func(c draw.Canvas) {
		canvas.DrawWideScale(c, "1 entry", "most entries in a bin of the picture, on a logarithmic scale")
		wide := (c.Max.X - c.Min.X) / vg.Length(grid.columns)
		for i, m := range matrices {
			at := vg.Point{X: c.Min.X + vg.Length(i%grid.columns)*wide,
				Y: c.Max.Y - tops[i/grid.columns]}
			drawPattern(c, m, d.Patterns[m.Hash], grid.pixels, at, wide-12)
		}
	}

	return p
}

// drawPattern draws one matrix below and to the right of a point, with name and sizes above.
func drawPattern(c draw.Canvas, m store.Matrix, d *sparse.Density, pixels int, corner vg.Point, width vg.Length) {
	name := canvas.At(canvas.Typeface(canvas.LabelSize, true, canvas.InkColor), text.XLeft, text.YTop)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YTop)
	layout := canvas.MosaicOf(m.Rows, m.Cols, sparse.ThumbnailSide, pixels)
	d = d.Shrink(layout.Height, layout.Width)
	c.FillText(name, corner, canvas.Fit(name, m.Name, width))
	lines := []string{term.Grouped(m.Rows) + " × " + term.Grouped(m.Cols),
		term.GroupedCount(m.Nonzeros, "nonzero", "nonzeros")}
	if d.Most > 1 {
		lines = append(lines, "up to "+term.Grouped(twoDigits(d.Most))+" in a bin")
	}

	for i, line := range lines {
		c.FillText(soft, vg.Point{X: corner.X, Y: corner.Y - 14 - 12*vg.Length(i)}, canvas.Fit(soft, line, width))
	}
	layout.Draw(c, d, vg.Point{X: corner.X + canvas.Pixel, Y: corner.Y - patternText + 5})
}

// twoDigits rounds a count, because a thumbnail's counts are rounded.
func twoDigits(n uint32) int {
	unit := 1
	for int(n)/unit >= 100 {
		unit *= 10
	}
	return (int(n) + unit/2) / unit * unit
}
