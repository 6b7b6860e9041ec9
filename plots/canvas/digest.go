package canvas

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
