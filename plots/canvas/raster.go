package canvas

import (
	"bytes"
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"

	"git.sr.ht/~sbinet/gg"
	imagefont "golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

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
