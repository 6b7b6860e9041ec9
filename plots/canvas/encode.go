package canvas

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"image"
	"image/color"
	imagedraw "image/draw"
	"io"
	"math"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"git.sr.ht/~sbinet/gg"
	imagefont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
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

// portable renders the picture as PDF.
func (p *Picture) portable() ([]byte, error) {
	timeless()
	c := vgpdf.New(scale*PageWidth, scale*p.PageHeight())
	c.Scale(float64(scale), float64(scale))
	p.Draw(draw.NewCanvas(outlined{c, map[int]bool{}}, PageWidth, p.PageHeight()))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// outlined draws text as the outlines of its letters. gonum's PDF has no bold face and none of
// the characters beyond Windows-1252, such as ₂ and narrow spaces.
type outlined struct {
	vg.Canvas
	widths map[int]bool // The widths of the images so far, in pixels.
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
	var buf sfnt.Buffer
	// In units of the font, scaled here: the sizes of sfnt are rounded to 1/64.
	em := units.Int26_6(f.Face.UnitsPerEm())
	scale := f.Font.Size / vg.Length(em)
	point := func(p units.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}

	for _, r := range s {
		glyph, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue // a damaged font: the face is embedded
		}
		outline, err := f.Face.LoadGlyph(&buf, glyph, em, nil)
		if err != nil {
			continue
		}
		var path vg.Path
		for _, part := range outline {
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
			c.Fill(path)
		}
		if advance, err := f.Face.GlyphAdvance(&buf, glyph, em, 0); err == nil {
			at.X += vg.Length(advance) * scale
		}
	}
}

// encodePNG writes an opaque image as PNG. It stores each row as its difference from the row
// above, which suits drawings: most rows repeat the one above. To try every filter on every row,
// as image/png does, takes three times as long and saves little.
func encodePNG(w io.Writer, img *image.RGBA) error {
	size := img.Bounds().Size()
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	header = append(header, 8, 2, 0, 0, 0) // 8 bits of red, green and blue

	if _, err := io.WriteString(w, "\x89PNG\r\n\x1a\n"); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", header); err != nil {
		return err
	}
	pixels := bufio.NewWriterSize(chunks{w}, 1<<16)
	if err := writeRows(pixels, img); err != nil {
		return err
	}
	if err := pixels.Flush(); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// writeRows compresses the rows of an image.
func writeRows(w io.Writer, img *image.RGBA) error {
	const up = 2 // The filter that subtracts the row above.
	z, err := zlib.NewWriterLevel(w, zlib.BestSpeed)
	if err != nil {
		return err
	}
	size := img.Bounds().Size()
	above, line := make([]byte, 4*size.X), make([]byte, 1+3*size.X)
	line[0] = up

	for y := range size.Y {
		row := img.Pix[y*img.Stride:][:4*size.X]
		for from, to := 0, 1; from < len(row); from, to = from+4, to+3 {
			a, b, out := row[from:from+3:from+3], above[from:from+3:from+3], line[to:to+3:to+3]
			out[0], out[1], out[2] = a[0]-b[0], a[1]-b[1], a[2]-b[2]
		}
		above = row
		if _, err := z.Write(line); err != nil {
			return err
		}
	}

	return z.Close()
}

// chunks writes data as chunks of pixels.
type chunks struct{ w io.Writer }

func (c chunks) Write(p []byte) (int, error) { return len(p), writeChunk(c.w, "IDAT", p) }

// writeChunk writes a chunk with its length and checksum.
func writeChunk(w io.Writer, kind string, content []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	_, err := w.Write(b)
	return err
}

// A raster draws pixels. It draws as vgimg does, but puts upright letters, images and the paper
// where they belong without resampling them, which takes most of vgimg's time.
type raster struct {
	*vgimg.Canvas
	ctx    *gg.Context
	img    *image.RGBA
	over   vg.Length     // What the image is higher than the picture, which letters are measured from.
	colors []color.Color // The stack of colours.
	faces  map[font.Font]imagefont.Face
}

// Raster renders the picture as PNG.
func (p *Picture) Raster(dpi int) ([]byte, error) {
	height := p.PageHeight()
	pixels := func(l vg.Length) int { return int(l.Dots(float64(dpi)) + 0.5) }
	c := newRaster(image.NewRGBA(image.Rect(0, 0, pixels(PageWidth), pixels(height))), dpi)
	_, high := c.Size()
	c.over = high - height
	p.Draw(draw.NewCanvas(c, PageWidth, height))
	var b bytes.Buffer
	err := encodePNG(&b, c.img)
	return b.Bytes(), err
}

func newRaster(img *image.RGBA, dpi int) *raster {
	ctx := gg.NewContextForRGBA(img)
	ctx.SetLineCapButt()
	ctx.InvertY()
	return &raster{Canvas: vgimg.NewWith(vgimg.UseImageWithContext(img, ctx), vgimg.UseDPI(dpi)), ctx: ctx, img: img,
		colors: []color.Color{color.Black}, faces: map[font.Font]imagefont.Face{}}
}

func (c *raster) SetColor(k color.Color) {
	c.colors[len(c.colors)-1] = k
	c.Canvas.SetColor(k)
}

func (c *raster) Push() {
	c.colors = append(c.colors, c.colors[len(c.colors)-1])
	c.Canvas.Push()
}

func (c *raster) Pop() {
	c.colors = c.colors[:len(c.colors)-1]
	c.Canvas.Pop()
}

// at returns where a point lies in the image.
func (c *raster) at(p vg.Point) (x, y float64) {
	return c.ctx.TransformPoint(p.X.Dots(c.DPI()), p.Y.Dots(c.DPI()))
}

// upright reports whether nothing is turned or scaled.
func (c *raster) upright() bool {
	x0, y0 := c.ctx.TransformPoint(0, 0)
	x1, y1 := c.ctx.TransformPoint(1, 1)
	x2, y2 := c.ctx.TransformPoint(1, 0)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	return near(x1-x0, 1) && near(y1-y0, -1) && near(x2-x0, 1) && near(y2, y0)
}

// Fill fills a path. A rectangle over all pixels, the paper, is not rasterized.
func (c *raster) Fill(path vg.Path) {
	if c.covered(path) {
		imagedraw.Draw(c.img, c.img.Bounds(), image.NewUniform(c.colors[len(c.colors)-1]), image.Point{}, imagedraw.Over)
		return
	}
	c.Canvas.Fill(path)
}

// covered reports whether a path is a rectangle that holds the whole image.
func (c *raster) covered(path vg.Path) bool {
	if len(path) != 5 || path[4].Type != vg.CloseComp {
		return false
	}
	size := c.img.Bounds().Max
	corners := map[[2]bool]bool{}
	for _, part := range path[:4] {
		x, y := c.at(part.Pos)
		right, below := x >= float64(size.X), y >= float64(size.Y)
		if part.Type == vg.ArcComp || part.Type == vg.CurveComp || !right && x > 0 || !below && y > 0 {
			return false
		}
		corners[[2]bool{right, below}] = true
	}
	return len(corners) == 4
}

// DrawImage draws an image. One that fits the pixels is copied.
func (c *raster) DrawImage(box vg.Rectangle, img image.Image) {
	left, top := c.at(vg.Point{X: box.Min.X, Y: box.Max.Y})
	right, bottom := c.at(vg.Point{X: box.Max.X, Y: box.Min.Y})
	whole := func(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-6 }
	at := image.Pt(int(math.Round(left)), int(math.Round(top)))
	size := image.Pt(int(math.Round(right)), int(math.Round(bottom))).Sub(at)

	if !whole(left) || !whole(top) || size != img.Bounds().Size() || !c.upright() {
		c.Canvas.DrawImage(box, img)
		return
	}
	imagedraw.Draw(c.img, image.Rectangle{Min: at, Max: at.Add(size)}, img, img.Bounds().Min, imagedraw.Over)
}

// FillString writes upright text by the masks of its letters.
func (c *raster) FillString(f font.Face, at vg.Point, s string) {
	at.Y += c.over
	if f.Font.Size == 0 || !c.upright() {
		c.Canvas.FillString(f, at, s)
		return
	}
	face := c.faces[f.Font]
	if face == nil {
		face = f.FontFace(c.DPI())
		c.faces[f.Font] = face
	}

	x, y := c.at(at)
	d := imagefont.Drawer{Dst: c.img, Src: image.NewUniform(c.colors[len(c.colors)-1]), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(math.Round(x * 64)), Y: fixed.Int26_6(math.Round(y * 64))}}
	d.DrawString(s)
}

// Digest is a hash of all strokes, letters and images of the picture, and of its size. Pictures
// with the same digest have the same files.
func (p *Picture) Digest() string {
	c := &digest{Hash: sha256.New(), height: p.PageHeight()}
	c.lengths(PageWidth, c.height)
	p.Draw(draw.NewCanvas(c, PageWidth, c.height))
	return fmt.Sprintf("%x", c.Sum(nil)[:16])
}

// A digest is a canvas that hashes what is drawn on it.
type digest struct {
	hash.Hash
	height vg.Length
	buf    []byte
}

// numbers hashes a name and numbers.
func (c *digest) numbers(kind byte, list ...float64) {
	c.buf = append(c.buf[:0], kind, byte(len(list)))
	for _, v := range list {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, math.Float64bits(v))
	}
	c.Write(c.buf)
}

func (c *digest) lengths(list ...vg.Length) {
	for _, v := range list {
		c.numbers('l', float64(v))
	}
}

func (c *digest) text(s string) {
	c.numbers('t', float64(len(s)))
	c.Write([]byte(s))
}

func (c *digest) color(k color.Color) {
	r, g, b, a := k.RGBA()
	c.numbers('c', float64(r), float64(g), float64(b), float64(a))
}

func (c *digest) Size() (w, h vg.Length)   { return PageWidth, c.height }
func (c *digest) SetLineWidth(w vg.Length) { c.numbers('w', float64(w)) }
func (c *digest) SetColor(k color.Color)   { c.color(k) }
func (c *digest) Rotate(angle float64)     { c.numbers('r', angle) }
func (c *digest) Translate(p vg.Point)     { c.numbers('m', float64(p.X), float64(p.Y)) }
func (c *digest) Scale(x, y float64)       { c.numbers('s', x, y) }
func (c *digest) Push()                    { c.numbers('<') }
func (c *digest) Pop()                     { c.numbers('>') }
func (c *digest) Stroke(path vg.Path)      { c.numbers('S'); c.path(path) }
func (c *digest) Fill(path vg.Path)        { c.numbers('F'); c.path(path) }

func (c *digest) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.numbers('d', float64(len(dashes)), float64(offset))
	c.lengths(dashes...)
}

func (c *digest) path(path vg.Path) {
	c.numbers('p', float64(len(path)))
	for _, part := range path {
		c.numbers('q', float64(part.Type), float64(part.Pos.X), float64(part.Pos.Y), float64(part.Radius), part.Start,
			part.Angle, float64(len(part.Control)))
		for _, q := range part.Control {
			c.lengths(q.X, q.Y)
		}
	}
}

func (c *digest) FillString(f font.Face, at vg.Point, s string) {
	c.numbers('f', float64(f.Font.Size), float64(f.Font.Weight), float64(f.Font.Style), float64(at.X), float64(at.Y))
	c.text(f.Name())
	c.text(s)
}

func (c *digest) DrawImage(box vg.Rectangle, img image.Image) {
	size := img.Bounds().Size()
	c.lengths(box.Min.X, box.Min.Y, box.Max.X, box.Max.Y)
	c.numbers('i', float64(size.X), float64(size.Y))
	if of, ok := img.(*image.Paletted); ok {
		for _, k := range of.Palette {
			c.color(k)
		}
		for y := range size.Y {
			c.Write(of.Pix[y*of.Stride:][:size.X])
		}
		return
	}
	for y := range size.Y {
		for x := range size.X {
			c.color(img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y))
		}
	}
}
