// SPDX-License-Identifier: Apache-2.0

// Package canvas draws pictures: a page with its title and legend, axes, colours and markers,
// bars in rows and columns, panels of lines and clouds of dots, and the file formats. It knows how kernels
// look and what a trial says of itself, and chooses nothing: what is drawn is a value that it is given.
package canvas

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
)

// A Picture is a title, a subtitle, a legend and a body.
type Picture struct {
	Name     string // The name of the files, without extension.
	Title    string // What it shows, and of which matrix and precision.
	Where    string // The caches and the device, as far as it is about one: a paper says them once.
	Subtitle string // What is fixed, and what bands and dashes mean.
	Alt      string // A description for readers who can't see the picture.
	// About is the device, precision and state of the caches that the picture is about, as far as it is about one.
	About analysis.Setup
	// Detail says that the picture is about one matrix of an overview. The report folds it
	// away.
	Detail bool
	// Matrices are the matrices that the picture shows; nil means all.
	Matrices []string
	// Keys is the legend.
	Keys []Key
	// Height is the height of the body, and Body draws it, below the legend.
	Height vg.Length
	Body   func(c draw.Canvas)
	// Bars is the body if it is nothing else.
	Bars *Bars
}

// Formats are the file formats of a picture.
var Formats = []string{"png", "svg", "pdf"}

// PaperFormats are the file formats of a picture for a paper.
var PaperFormats = []string{"pdf", "svg"}

// Encode renders the picture in one of the formats.
func (p *Picture) Encode(format string) ([]byte, error) {
	switch format {
	case "png":
		return p.packed()
	case "svg":
		return p.vector(), nil
	case "pdf":
		return p.portable(true)
	}
	return nil, fmt.Errorf("drawing %s: unknown format %q: there are png, svg and pdf", p.Name, format)
}

// Caption adds a note to the subtitle, which may then take another line.
func (p *Picture) Caption(note string) {
	if note == "" {
		return
	}
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

// Header measures: the baseline distances of title, subtitle and legend.
const (
	titleHeight    = vg.Length(20)
	subtitleHeight = vg.Length(14)
	headerGap      = vg.Length(8)
)

// above breaks a text above the body into lines, of which a paper has none.
func above(style text.Style, s string) []string {
	if bare {
		return nil
	}
	return wrap(style, s, PageWidth-2*PageMargin)
}

func (p *Picture) subtitle() []string {
	return above(Typeface(LabelSize, false, SoftColor), p.Subtitle)
}

func (p *Picture) titleLines() []string {
	return above(Typeface(titleSize, true, InkColor), p.Heading())
}

// Heading is the title, and where it was measured.
func (p *Picture) Heading() string { return strings.TrimSuffix(p.Title+", "+p.Where, ", ") }

func (p *Picture) PageHeight() vg.Length {
	header := titleHeight*vg.Length(len(p.titleLines())) + subtitleHeight*vg.Length(len(p.subtitle())) +
		legendHeight(p.Keys, PageWidth-2*PageMargin)
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

	drawLegend(c, p.Keys, y)
	y -= legendHeight(p.Keys, width)
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

// The page that pictures are laid out for, in points of the layout. ForPaper changes it.
var (
	// PageWidth is the report's: a browser or a two-column paper shows it at half to full size,
	// and the smallest type is chosen to be legible at half size.
	PageWidth = 10 * vg.Inch
	// PageMargin is the room around a picture.
	PageMargin = vg.Length(14)
	// scale is the size of the files' points in points of the layout.
	scale = vg.Length(1)
	// bare pictures have neither title nor subtitle.
	bare bool
)

// tallest is the height of a picture in a paper: 0.45 of that of a letter page.
const tallest = 0.45 * 11 * vg.Inch

// Fitted returns the picture or, where it would be too high in a paper, one for each column of its bars, as dots where
// they would still be too high.
func (p *Picture) Fitted() []*Picture {
	tall := func(p *Picture) bool { return bare && p.Bars != nil && scale*p.PageHeight() > tallest }
	if !tall(p) {
		return []*Picture{p}
	}
	columns := []*Bars{p.Bars}
	if p.Bars.stacked() {
		columns = p.Bars.apart()
	}
	var parts []*Picture
	for _, b := range columns {
		part := *p
		part.Bars, part.Height, part.Body = b, b.Height(), b.Draw
		if len(columns) > 1 {
			part.Name, part.Title = p.Name+"-"+Slug(b.Columns[0]), p.Title+", "+b.Columns[0]
		}
		if tall(&part) {
			b.Dots = true
			part.Height, part.Keys = b.Height(), slices.Clone(p.Keys)
			for i := range part.Keys {
				part.Keys[i].Dot, part.Keys[i].Bar = true, false
			}
		}
		parts = append(parts, &part)
	}
	return parts
}

// paperScale makes the layout's type, of 9 to 10.5 points, 7 to 8 points in a paper.
const paperScale = 0.77

// ForPaper lays out pictures for a column of this width: text is of 7 to 8 points, and what titles
// say is left to captions. The function that it returns lays out pictures for the report again.
// Nothing may be drawn meanwhile.
func ForPaper(width vg.Length) (restore func()) {
	w, m, s, b := PageWidth, PageMargin, scale, bare
	PageWidth, PageMargin, scale, bare = width/paperScale, 4, paperScale, true
	return func() { PageWidth, PageMargin, scale, bare = w, m, s, b }
}

// Narrow reports whether the page has no room for wide panels side by side.
func Narrow() bool { return PageWidth < 6*vg.Inch }

// InPaper reports whether pictures are laid out for a paper.
func InPaper() bool { return bare }

// Here is the first of two on the report's page, and the second in a column of a paper.
func Here[T any](page, column T) T {
	if Narrow() {
		return column
	}
	return page
}

// A Key is an entry of a legend.
type Key struct {
	Text string
	Look Look
	Dot  bool // The key is a marker without a line.
	Bar  bool // The key is a bar with a marker at its end.
}

// KeysOf returns the keys of kernels.
func KeysOf(names []string, dot bool) []Key {
	return lists.Of(names, func(name string) Key { return Key{Text: name, Look: LookOf(name), Dot: dot} })
}

// The legend stands above the panels, where it can't cover data: keys in as
// many columns as fit, filled row by row.
// legendRow is the distance of lines.
func legendRow() vg.Length { return Here[vg.Length](16, 13) }

// legendRoom returns the width of a line with its marker, and the room between columns.
func legendRoom() (swatch, gap vg.Length) { return Here[vg.Length](28, 18), Here[vg.Length](16, 6) }

// legendLayout returns how many columns of the same width fit, of those that the keys need for their rows, and the width.
func legendLayout(keys []Key, width vg.Length) (columns int, wide vg.Length) {
	style := Typeface(legendSize, false, InkColor)
	swatch, gap := legendRoom()
	wide = swatch + lists.Most(keys, func(k Key) vg.Length { return style.Width(k.Text) }) + gap
	most := max(1, int((width+gap)/wide))
	rows := (len(keys) + most - 1) / most
	return (len(keys) + rows - 1) / rows, wide
}

func legendHeight(keys []Key, width vg.Length) vg.Length {
	if len(keys) == 0 {
		return 0
	}
	n, _ := legendLayout(keys, width)
	return legendRow()*vg.Length((len(keys)+n-1)/n) + 4
}

// drawLegend draws the keys. The first row's top is at y.
func drawLegend(c draw.Canvas, keys []Key, y vg.Length) {
	if len(keys) == 0 {
		return
	}
	columns, wide := legendLayout(keys, c.Max.X-c.Min.X)
	style := At(Typeface(legendSize, false, InkColor), text.XLeft, text.YCenter)
	swatch, _ := legendRoom()

	for i, k := range keys {
		x := c.Min.X + wide*vg.Length(i%columns)
		mid := y - legendRow()*(vg.Length(i/columns)+0.5) - 2
		l := k.Look
		at := x + swatch/2 - 3
		switch {
		case k.Bar:
			at = x + swatch - 9
			c.StrokeLine2(draw.LineStyle{Color: l.Color, Width: 3}, x, mid, at, mid)
		case !k.Dot:
			c.StrokeLine2(l.Line(1.8), x, mid, x+swatch-6, mid)
		}
		l.Mark(c, vg.Point{X: at, Y: mid}, 3.6)
		// Text is centred on its line box, markers on the small letters.
		c.FillText(style, vg.Point{X: x + swatch, Y: mid + 1}, Fit(style, k.Text, c.Max.X-x-swatch))
	}
}

// Slug turns words into a part of a file name: lower-case letters, digits, dots and single
// hyphens.
func Slug(words ...string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.Join(words, " ")) {
		inWord := b.Len() > 0 && !strings.HasSuffix(b.String(), "-")
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.' && inWord && !strings.HasSuffix(b.String(), "."):
			b.WriteRune(r)
		case inWord:
			b.WriteByte('-')
		}
	}

	s := strings.TrimRight(b.String(), "-.")
	const longest = 120 // file systems allow 255 bytes, with suffixes and a temporary name
	return s[:min(len(s), longest)]
}
