// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	units "golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// timeless removes from PDF files what would differ each time: the time of writing and the
// order of a map.
var timeless = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// Size is the size of the picture's files.
func (p *Picture) Size() (width, height vg.Length) { return scale * PageWidth, scale * p.PageHeight() }

// Lettered renders the picture as PDF without its text, and returns that.
func (p *Picture) Lettered() ([]byte, []Text, error) {
	pdf, err := p.portable(false)
	return pdf, p.web(&WebStyles{}).texts, err
}

// portable renders the picture as PDF.
func (p *Picture) portable(lettered bool) ([]byte, error) {
	timeless()
	c := vgpdf.New(scale*PageWidth, scale*p.PageHeight())
	c.Scale(float64(scale), float64(scale))
	p.Draw(draw.NewCanvas(outlined{c, map[int]bool{}, lettered}, PageWidth, p.PageHeight()))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// outlined draws text as the outlines of its letters. gonum's PDF has no bold face and none of
// the characters beyond Windows-1252, such as ₂ and narrow spaces.
type outlined struct {
	vg.Canvas
	widths map[int]bool // The widths of the images so far, in pixels.
	text   bool         // Text is drawn.
}

// DrawImage flips the image, because gonum's PDF draws it upside down. It also gives each
// image a unique width by transparent columns on its right: fpdf writes images by rising
// width, and those of equal width in the order of a map.
func (c outlined) DrawImage(box vg.Rectangle, img image.Image) {
	size := img.Bounds().Size()
	width := size.X
	for c.widths[width] {
		width++
	}
	c.widths[width] = true
	if width > size.X {
		wider := image.NewNRGBA(image.Rect(0, 0, width, size.Y))
		imagedraw.Draw(wider, wider.Bounds(), img, img.Bounds().Min, imagedraw.Src)
		box.Max.X = box.Min.X + box.Size().X*vg.Length(width)/vg.Length(size.X)
		img = wider
	}

	c.Push()
	c.Translate(vg.Point{Y: box.Min.Y + box.Max.Y})
	c.Scale(1, -1)
	c.Canvas.DrawImage(box, img)
	c.Pop()
}

func (c outlined) FillString(f font.Face, at vg.Point, s string) {
	if !c.text {
		return
	}
	c.Push()
	c.Translate(at)
	scale := f.Font.Size / vg.Length(f.Face.UnitsPerEm())
	c.Scale(float64(scale), float64(scale))
	for _, r := range s {
		path, advance := outline(f, r)
		if len(path) > 0 {
			c.Fill(path)
		}
		c.Translate(vg.Point{X: advance})
	}
	c.Pop()
}

// outline returns the outline of a letter and the distance to the next one, in units of the font: the sizes of sfnt are
// rounded to 1/64.
func outline(f font.Face, r rune) (path vg.Path, advance vg.Length) {
	var buf sfnt.Buffer
	em := units.Int26_6(f.Face.UnitsPerEm())
	glyph, err := f.Face.GlyphIndex(&buf, r)
	if err != nil {
		return nil, 0 // a damaged font: the face is embedded
	}
	parts, err := f.Face.LoadGlyph(&buf, glyph, em, nil)
	if err != nil {
		return nil, 0
	}
	point := func(p units.Point26_6) vg.Point { return vg.Point{X: vg.Length(p.X), Y: -vg.Length(p.Y)} }
	for _, part := range parts {
		switch part.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(point(part.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(point(part.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(part.Args[0]), point(part.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(part.Args[0]), point(part.Args[1]), point(part.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	if wide, err := f.Face.GlyphAdvance(&buf, glyph, em, 0); err == nil {
		advance = vg.Length(wide)
	}
	return path, advance
}

// Raster draws the picture in pixels.
func (p *Picture) Raster(dpi int) *image.RGBA {
	// A whole number of pixels, so that letters stand where they are drawn: vgimg measures them from the top.
	pixel := vg.Inch / vg.Length(dpi)
	height := vg.Length(math.Ceil(float64(p.PageHeight()/pixel)-1e-6)) * pixel
	c := sharp{vgimg.NewWith(vgimg.UseWH(PageWidth, height), vgimg.UseDPI(dpi))}
	p.Draw(draw.NewCanvas(c, PageWidth, height))
	return c.Image().(*image.RGBA)
}

// packed renders the picture as PNG.
func (p *Picture) packed() ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, indexed(p.Raster(pageDPI)))
	return b.Bytes(), err
}

// sharp copies an image pixel by pixel if it has the size of its box. vgimg would resample it.
type sharp struct{ *vgimg.Canvas }

func (c sharp) DrawImage(box vg.Rectangle, img image.Image) {
	dots := func(v vg.Length) int { return int(math.Round(v.Dots(c.DPI()))) }
	bottom := c.Image().Bounds().Dy()
	at := image.Rect(dots(box.Min.X), bottom-dots(box.Max.Y), dots(box.Max.X), bottom-dots(box.Min.Y))
	if at.Size() != img.Bounds().Size() {
		c.Canvas.DrawImage(box, img)
		return
	}
	imagedraw.Draw(c.Image(), at, img, img.Bounds().Min, imagedraw.Src)
}

// indexed has the 256 most frequent colours of an image and, for each other one, the nearest of them. PNG packs this
// in a tenth of the time that true colours take, for which it tries five filters on each line.
func indexed(img *image.RGBA) *image.Paletted {
	of := func(i int) uint32 { return binary.BigEndian.Uint32(img.Pix[4*i:]) }
	out := image.NewPaletted(img.Rect, nil)
	counts := map[uint32]int{}
	for i, from := 1, 0; i <= len(out.Pix); i++ { // from run to run: most neighbours are equal
		if i == len(out.Pix) || of(i) != of(from) {
			counts[of(from)] += i - from
			from = i
		}
	}
	numbers := map[uint32]uint8{}
	for _, v := range slices.SortedFunc(maps.Keys(counts), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		c := color.RGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}
		if len(out.Palette) < 256 {
			out.Palette = append(out.Palette, c)
		}
		numbers[v] = uint8(out.Palette.Index(c))
	}
	for i := range out.Pix {
		if i > 0 && of(i) == of(i-1) {
			out.Pix[i] = out.Pix[i-1]
		} else {
			out.Pix[i] = numbers[of(i)]
		}
	}
	return out
}
