// Package canvas has what every picture is made of: pages with title and legend, axes,
// colours, markers, and the file formats. It knows the looks of kernels, but no trials.
package canvas

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture is a title, a subtitle, a legend and a body.
type Picture struct {
	Name     string // The name of the files, without extension.
	Title    string
	Subtitle string // What is fixed, and what bands and dashes mean.
	Alt      string // A description for readers who can't see the picture.
	// Detail says that the picture is about one matrix of an overview. The report folds it
	// away.
	Detail bool
	// Matrices are the matrices that the picture shows; nil means all.
	Matrices []string
	// Note is the part of the subtitle that names twins.
	Note string
	// Kernels are the kernels that are named. Keys is the legend; nil means the kernels.
	Kernels []string
	Keys    []Key
	// Height is the height of the body, and Body draws it, below the legend.
	Height vg.Length
	Body   func(c draw.Canvas)
}

// Formats are the file formats of a picture.
var Formats = []string{"png", "svg", "pdf"}

// PaperFormats are the file formats of a picture for a paper.
var PaperFormats = []string{"pdf", "svg"}

// Encode renders the picture in one of the formats.
func (p *Picture) Encode(format string) ([]byte, error) {
	switch format {
	case "png":
		return p.Raster(pageDPI)
	case "svg":
		return p.vector()
	case "pdf":
		return p.portable()
	}
	return nil, fmt.Errorf("drawing %s: unknown format %q: there are png, svg and pdf", p.Name, format)
}

// vector renders the picture as SVG.
func (p *Picture) vector() ([]byte, error) {
	c := vgsvg.New(scale*PageWidth, scale*p.PageHeight())
	c.Scale(float64(scale), float64(scale))
	p.Draw(draw.NewCanvas(c, PageWidth, p.PageHeight()))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// Characters that XML can't hold would spoil the file; a matrix may be called
	// anything.
	s := strings.Map(Printable, strings.ToValidUTF8(b.String(), "\uFFFD"))
	// Where Liberation Sans isn't installed, faces with its metrics or close to
	// them keep labels where they were measured to be.
	s = strings.ReplaceAll(s, "font-family:Liberation Sans", "font-family:"+fontFamilies)
	// Pictures within it are PNG, and of pixels that are not to be smoothed.
	s = strings.ReplaceAll(s, `xlink:href="data:image/jpg;`,
		`style="image-rendering:pixelated" xlink:href="data:image/png;`)
	return []byte(s), nil
}

// Caption adds a note to the subtitle, which may then take another line.
func (p *Picture) Caption(note string) {
	if note == "" {
		return
	}
	p.Note = note
	p.Subtitle = strings.TrimSpace(p.Subtitle + " " + note)
	p.WholePixels()
}

// WholePixels makes the picture a little higher, so that its height is a whole number of
// pixels at pageDPI and images in it stay sharp.
func (p *Picture) WholePixels() {
	over := float64(p.PageHeight() / Pixel)
	p.Height += vg.Length(math.Ceil(over-1e-6)-over) * Pixel
}

func Printable(r rune) rune {
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

func (p *Picture) subtitle() []string {
	if bare {
		return nil
	}
	return wrap(Typeface(LabelSize, false, SoftColor), p.Subtitle, PageWidth-2*PageMargin)
}

func (p *Picture) legend() []Key {
	if p.Keys == nil {
		return KeysOf(p.Kernels, false)
	}
	return p.Keys
}

func (p *Picture) titleLines() []string {
	if bare {
		return nil
	}
	return wrap(Typeface(titleSize, true, InkColor), p.Title, PageWidth-2*PageMargin)
}

func (p *Picture) PageHeight() vg.Length {
	header := titleHeight*vg.Length(len(p.titleLines())) + subtitleHeight*vg.Length(len(p.subtitle())) +
		legendHeight(p.legend(), PageWidth-2*PageMargin)
	if header > 0 || !bare {
		header += headerGap
	}
	return 2*PageMargin + header + p.Height
}

func (p *Picture) Draw(c draw.Canvas) {
	c.SetColor(PaperColor)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, PageMargin, -PageMargin, PageMargin, -PageMargin)

	width := c.Max.X - c.Min.X
	y := c.Max.Y
	title := At(Typeface(titleSize, true, InkColor), text.XLeft, text.YTop)

	for _, line := range p.titleLines() {
		c.FillText(title, vg.Point{X: c.Min.X, Y: y}, line)
		y -= titleHeight
	}

	sub := At(Typeface(LabelSize, false, SoftColor), text.XLeft, text.YTop)
	for _, line := range p.subtitle() {
		c.FillText(sub, vg.Point{X: c.Min.X, Y: y}, line)
		y -= subtitleHeight
	}

	drawLegend(c, p.legend(), y)
	y -= legendHeight(p.legend(), width)
	if y < c.Max.Y || !bare {
		y -= headerGap
	}
	c.Max.Y = y
	p.Body(c)
}

// isBreak reports whether a line may end here, which it may not at the narrow spaces in
// numbers.
func isBreak(r rune) bool { return unicode.IsSpace(r) && r != '\u202f' }

// wrap breaks s between words into lines that are at most width wide.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	var line string
	for _, word := range strings.FieldsFunc(s, isBreak) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = Fit(style, longer, width)
	}

	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
