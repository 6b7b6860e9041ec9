package canvas

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// named draws a name wherever one is drawn: in the title, the subtitle, the legend and a body that leaves it so
// much room.
func named(name string, room vg.Length) *Picture {
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YTop)
	return &Picture{Title: name, Subtitle: name, Kernels: []string{name}, Height: 100, Body: func(c draw.Canvas) {
		c.FillText(style, c.Min, Fit(style, name, room))
	}}
}

// Whatever a matrix or a kernel is called, it keeps to its room, and a picture for the page is XML whose
// texts are texts.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"cpu_csr", "", "</text><script>", "a&amp;\x00\x1b", "\u202eabc", "\xff\xfe", "é\u0301\u0301",
		strings.Repeat("long ", 40), strings.Repeat("w", 200)} {
		f.Add(name, uint16(50))
	}
	f.Fuzz(func(t *testing.T, name string, room uint16) {
		if utf8.RuneCountInString(name) > 1000 {
			return
		}
		style, width := Typeface(TickSize, false, SoftColor), vg.Length(room)
		short := Fit(style, name, width)
		if short != "…" && style.Width(short) > width {
			t.Errorf("%q is wider than %v", short, width)
		}

		svg, _ := named(name, width).Web(&WebStyles{})
		in := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := in.Token()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatalf("%v in %q", err, svg)
			}
			if e, ok := token.(xml.StartElement); ok && !strings.Contains(" svg g path text tspan ", " "+e.Name.Local+" ") {
				t.Fatalf("an element %s in %q", e.Name.Local, svg)
			}
		}
	})
}

// The other formats take any name, too.
func TestNamesInFormats(t *testing.T) {
	for _, name := range []string{"</text>&\x00\x1b\u202e\xff", "(\\)) Tj endstream", strings.Repeat("w", 4000)} {
		for _, format := range Formats {
			if _, err := named(name, 50).Encode(format); err != nil {
				t.Errorf("%.20q as %s: %v", name, format, err)
			}
		}
	}
}
