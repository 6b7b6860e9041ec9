package canvas

import "gonum.org/v1/plot/vg"

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

// Titled reports whether pictures have titles.
func Titled() bool { return !bare }
