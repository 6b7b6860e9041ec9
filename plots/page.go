package plots

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A page is one picture: a title, a subtitle, a legend and a body.
type page struct {
	Name     string // of its files, without ending
	Title    string
	Subtitle string              // what is fixed, what bands and dashes mean
	Alt      string              // what a reader who can't see it should know
	Detail   bool                // one matrix of an overview: folded away in the report
	matrices []string            // that it shows; nil: all that there are
	twins    string              // which are twins, in words; part of the subtitle
	kernels  []string            // that are named
	keys     []key               // of the legend; nil: the kernels
	height   vg.Length           // of the body
	body     func(c draw.Canvas) // draws into the area below the legend
	figure   *Figure             // whose page it is
	omitted  int                 // pages of other matrices that are not made
}

// save renders the page into figures/NAME.png, figures/NAME.svg and figures/NAME.pdf.
func (p *page) save(f *files) error {
	image, err := p.raster(pageDPI)
	if err != nil {
		return fmt.Errorf("drawing %s: %w", p.Name, err)
	}
	vector, err := p.vector()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", p.Name, err)
	}
	portable, err := p.portable()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", p.Name, err)
	}
	for ending, content := range map[string][]byte{".png": image, ".svg": vector, ".pdf": portable} {
		if err := f.write("figures/"+p.Name+ending, content); err != nil {
			return err
		}
	}
	return nil
}

// encode renders the page as "png", "svg" or "pdf".
func (p *page) encode(format string) ([]byte, error) {
	switch format {
	case "png":
		return p.raster(pageDPI)
	case "svg":
		return p.vector()
	case "pdf":
		return p.portable()
	}
	return nil, fmt.Errorf("drawing %s: unknown format %q: there are png, svg and pdf", p.Name, format)
}

// raster renders the page as PNG.
func (p *page) raster(dpi int) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(pageWidth, p.pageHeight()), vgimg.UseDPI(dpi))
	p.draw(draw.New(c))
	var b bytes.Buffer
	// The best compression takes twice the time and saves a thirtieth.
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c.Image())
	return b.Bytes(), err
}

// vector renders the page as SVG.
func (p *page) vector() ([]byte, error) {
	c := vgsvg.New(pageWidth, p.pageHeight())
	p.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// Characters that XML can't hold would spoil the file; a matrix may be called
	// anything.
	s := strings.Map(printable, strings.ToValidUTF8(b.String(), "\uFFFD"))
	// Where Liberation Sans isn't installed, faces with its metrics or close to
	// them keep labels where they were measured to be.
	s = strings.ReplaceAll(s, "font-family:Liberation Sans", "font-family:"+fontFamilies)
	// Pictures within it are PNG, and of pixels that are not to be smoothed.
	s = strings.ReplaceAll(s, `xlink:href="data:image/jpg;`, `style="image-rendering:pixelated" xlink:href="data:image/png;`)
	return []byte(s), nil
}

// wholePixels makes the page a little higher, so that its height is a whole number of
// pixels at pageDPI: pictures of pixels stay sharp.
func (p *page) wholePixels() {
	over := float64(p.pageHeight() / pixel)
	p.height += vg.Length(math.Ceil(over-1e-6)-over) * pixel
}

func printable(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
		return '\uFFFD'
	}
	return r
}

const fontFamilies = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

// Header measures: the baseline distances of title, subtitle and legend.
const (
	titleHeight    = vg.Length(20)
	subtitleHeight = vg.Length(14)
	headerGap      = vg.Length(8)
)

func (p *page) subtitle() []string {
	return wrap(typeface(labelSize, false, softColor), p.Subtitle, pageWidth-2*pageMargin)
}

func (p *page) legend() []key {
	if p.keys == nil {
		return keysOf(p.kernels, false)
	}
	return p.keys
}

func (p *page) titleLines() []string {
	return wrap(typeface(titleSize, true, inkColor), p.Title, pageWidth-2*pageMargin)
}

func (p *page) pageHeight() vg.Length {
	header := titleHeight*vg.Length(len(p.titleLines())) + subtitleHeight*vg.Length(len(p.subtitle())) + legendHeight(p.legend(), pageWidth-2*pageMargin) + headerGap
	return 2*pageMargin + header + p.height
}

func (p *page) draw(c draw.Canvas) {
	c.SetColor(paperColor)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, pageMargin, -pageMargin, pageMargin, -pageMargin)

	width := c.Max.X - c.Min.X
	y := c.Max.Y
	title := at(typeface(titleSize, true, inkColor), text.XLeft, text.YTop)
	for _, line := range p.titleLines() {
		c.FillText(title, vg.Point{X: c.Min.X, Y: y}, line)
		y -= titleHeight
	}
	sub := at(typeface(labelSize, false, softColor), text.XLeft, text.YTop)
	for _, line := range p.subtitle() {
		c.FillText(sub, vg.Point{X: c.Min.X, Y: y}, line)
		y -= subtitleHeight
	}
	drawLegend(c, p.legend(), y)
	y -= legendHeight(p.legend(), width) + headerGap
	c.Max.Y = y
	p.body(c)
}

// isBreak tells where a line may end: not at the narrow spaces within numbers.
func isBreak(r rune) bool { return unicode.IsSpace(r) && r != '\u202f' }

// wrap breaks s between words into lines at most width wide.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	var line string
	for _, word := range strings.FieldsFunc(s, isBreak) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = fit(style, longer, width)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
