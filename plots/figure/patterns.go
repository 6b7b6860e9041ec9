// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// patternGrid chooses the grid for n matrices, and how many pixels the longer side of a pattern has. All bins of a
// thumbnail have the same number of pixels.
func patternGrid(n int) (columns, pixels int) {
	switch {
	case canvas.Narrow():
		return 3, sparse.ThumbnailSide
	case n <= 6:
		return 3, 3 * sparse.ThumbnailSide
	}
	return 5, 2 * sparse.ThumbnailSide
}

// imported begins the source of a matrix of which numbers came alone: it has no pattern.
const imported = "imported from "

// drawPatterns draws where the entries of each matrix lie, by mean row length, and names the
// matrices whose pattern is not known.
func drawPatterns(d *analysis.Data) ([]*canvas.Picture, []error) {
	var known []trial.Matrix
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
			"record: run the sweep again; it measures nothing twice", analysis.Enumerate(missing)))
	}

	if len(known) == 0 {
		return nil, warnings
	}
	p := patternsPage(d, among(known, mostPatterns.here()))
	p.Subtitle += someOf(min(len(known), mostPatterns.here()), len(known), "matrices")
	return []*canvas.Picture{p}, warnings
}

// shows reports whether d may be a thumbnail of m, by its size.
func shows(d *sparse.Density, m trial.Matrix) bool {
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

func patternsPage(d *analysis.Data, matrices []trial.Matrix) *canvas.Picture {
	columns, pixels := patternGrid(len(matrices))
	names := make([]string, len(matrices))
	tops := []vg.Length{patternScale} // of the rows of pictures, which are as high as the highest, and the end

	stretched := false
	for i, m := range matrices {
		names[i] = m.Name
		layout := canvas.MosaicOf(m.Rows, m.Cols, sparse.ThumbnailSide, pixels)
		stretched = stretched || layout.Stretched
		if i%columns == 0 {
			tops = append(tops, 0)
		}
		row := len(tops) - 1
		tops[row] = max(tops[row], tops[row-1]+patternText+layout.Size().Y+patternPad)
	}

	p := &canvas.Picture{Name: "matrix-patterns", Title: "Where the nonzeros are", Subtitle: wordsOf("matrix-patterns").Says,
		Alt: fmt.Sprintf("A spy plot of each of %s: %s", term.Matrices(len(matrices)),
			strings.Join(names, ", ")), Height: tops[len(tops)-1]}
	if stretched {
		p.Subtitle += fmt.Sprintf(" Narrower than 1 to %d: not to scale.", canvas.Narrowest)
	}
	p.WholePixels()
	p.Body = func(c draw.Canvas) {
		canvas.DrawDensityScale(c, "1 entry", canvas.Here("most entries in a bin of the picture, on a logarithmic scale",
			"most in a bin, logarithmic"))
		wide := (c.Max.X - c.Min.X) / vg.Length(columns)
		for i, m := range matrices {
			at := vg.Point{X: c.Min.X + vg.Length(i%columns)*wide,
				Y: c.Max.Y - tops[i/columns]}
			drawPattern(c, m, d.Patterns[m.Hash], pixels, at, wide-12)
		}
	}

	return p
}

// drawPattern draws one matrix below and to the right of a point, with name and sizes above.
func drawPattern(c draw.Canvas, m trial.Matrix, d *sparse.Density, pixels int, corner vg.Point, width vg.Length) {
	name := canvas.At(canvas.Typeface(canvas.LabelSize, true, canvas.InkColor), text.XLeft, text.YTop)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XLeft, text.YTop)
	layout := canvas.MosaicOf(m.Rows, m.Cols, sparse.ThumbnailSide, pixels)
	d = d.Shrink(layout.Height, layout.Width)
	c.FillText(name, corner, canvas.Fit(name, m.Name, width))
	count := canvas.Here(term.Grouped, func(n int) string { return canvas.Short(float64(n)) })
	lines := []string{count(m.Rows) + " × " + count(m.Cols), count(m.Nonzeros) + " nonzeros"}
	if d.Most > 1 {
		lines = append(lines, "up to "+count(twoDigits(d.Most))+" in a bin")
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

// spyPixels is the length of a spy plot's longer side, and the most bins along it.
const spyPixels = 1280

// Spy draws where the entries of a lie, with the origin at the top left: the number of entries
// in each bin, on a logarithmic scale of colour. In a full picture bins are single pixels; in
// an empty one they are up to four pixels wide, so that single entries stay visible. A bin is
// never smaller than a row or a column. The aspect ratio is that of the matrix, unless it is
// narrower than 1 to 16. The format is one of canvas.Formats. Spy reads row offsets and
// columns at most three times, on all cores.
func Spy[V sparse.Float](name string, a *sparse.CSR[V], format string) ([]byte, error) {
	var m canvas.Mosaic
	var d *sparse.Density
	const enough = 20 // A picture is full enough if one bin in 20 is filled.

	for coarse := 1; coarse <= 4; coarse *= 2 {
		m = canvas.MosaicOf(a.Rows, a.Cols, spyPixels/coarse, spyPixels)
		d = sparse.NewDensity(a, m.Height, m.Width)
		if filled := lists.Where(d.Count, func(n uint32) bool { return n > 0 }); len(filled) >= len(d.Count)/enough {
			break
		}
	}

	p := spyPage(name, a.Rows, a.Cols, a.NNZ(), m, d)
	p.WholePixels()
	return p.Encode(format)
}

// Measures of a spy plot, in points.
const (
	spyLeft   = vg.Length(62) // row numbers, and what they are
	spyBottom = vg.Length(38)
)

func spyPage(name string, rows, cols, nnz int, m canvas.Mosaic, d *sparse.Density) *canvas.Picture {
	p := &canvas.Picture{
		Name: name,
		Title: fmt.Sprintf("%s: %s × %s, %s", name, term.Grouped(rows), term.Grouped(cols),
			term.Count(nnz, "nonzero", "nonzeros")),
		Subtitle: binWords(rows, cols, m, d),
		Height:   patternScale + max(m.Size().Y, 60) + spyBottom,
	}

	p.Body = func(c draw.Canvas) {
		if d.Most > 1 {
			canvas.DrawDensityScale(c, "1 entry", term.Grouped(int(d.Most))+" in a bin, on a logarithmic scale")
		}
		box := m.Draw(c, d, vg.Point{X: c.Min.X + spyLeft, Y: c.Max.Y - patternScale})
		spyAxis(c, box, rows, "row", func(at, out vg.Length) vg.Point {
			return vg.Point{X: box.Min.X - out, Y: box.Max.Y - at}
		})
		spyAxis(c, box, cols, "column", func(at, out vg.Length) vg.Point {
			return vg.Point{X: box.Min.X + at, Y: box.Min.Y - out}
		})
	}

	return p
}

// binWords says what a bin is.
func binWords(rows, cols int, m canvas.Mosaic, d *sparse.Density) string {
	words := ""
	switch {
	case len(d.Count) == 0 || d.Most == 0:
		words = "No entries."
	case m.Height == rows && m.Width == cols:
		words = "Each square is an entry."
	default:
		words = fmt.Sprintf("Colour: entries in a bin of %s by %s; bins without any are white.",
			extent(rows, m.Height, "row"), extent(cols, m.Width, "column"))
	}

	if m.Stretched {
		words += " Not to scale: the matrix is narrower."
	}
	return words
}

// extent says how many rows or columns a bin has.
func extent(n, bins int, what string) string {
	if n%bins == 0 {
		return term.Count(n/bins, what, what+"s")
	}
	return term.Significant(float64(n)/float64(bins), 3) + " " + what + "s"
}

// roundNumbers returns round numbers from 0 to n that are a few dozen pixels apart.
func roundNumbers(n int, length vg.Length) []int {
	if n == 0 {
		return nil
	}
	most := max(1, int(length/70))
	step := max(1, int(canvas.NiceStep(float64(n), most)))

	var list []int
	for at := 0; at <= n; at += step {
		list = append(list, at)
	}
	return list
}

// spyAxis numbers the rows of a picture on its left, or its columns below it. place is the point so far from the
// upper left corner along the axis, and so far outside of the picture.
func spyAxis(c draw.Canvas, box vg.Rectangle, n int, what string, place func(at, out vg.Length) vg.Point) {
	tick := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XRight, text.YCenter)
	label := canvas.At(canvas.Typeface(canvas.LabelSize, false, canvas.SoftColor), text.XCenter, text.YTop)
	length, room := box.Size().Y, spyLeft
	if what == "column" {
		tick, label.YAlign = canvas.At(tick, text.XCenter, text.YTop), text.YBottom
		length, room = box.Size().X, spyBottom
	} else {
		label.Rotation = canvas.QuarterTurn
	}
	for _, v := range roundNumbers(n, length) {
		at := length * vg.Length(v) / vg.Length(n)
		c.StrokeLines(draw.LineStyle{Color: canvas.LineColor, Width: 0.8},
			[]vg.Point{place(at, canvas.TickLength+canvas.Pixel), place(at, canvas.Pixel)})
		c.FillText(tick, place(at, canvas.TickLength+3), canvas.Short(float64(v)))
	}
	if what == "column" || label.Width(what) < length {
		c.FillText(label, place(length/2, room), what)
	}
}
