// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

func TestTicks(t *testing.T) {
	names := func(s Scale) string {
		var list []string
		for _, k := range s.Ticks {
			testkit.Check(t, k.Value >= s.Min && k.Value <= s.Max, "tick %v outside of %v to %v", k.Value, s.Min, s.Max)
			if k.Label != "" {
				list = append(list, k.Label)
			}
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		name, got, want string
	}{
		{"zero to 33", names(FromZero(33, 4)), "0 10 20 30"},
		{"no data", names(FromZero(0, 4)), "0.0 0.5 1.0"},
		{"no sizes, as of imported times that have no bytes", names(Sizes(nil)), ""},
		{"one size", names(Sizes([]int{256})), "256"},
		{"far", names(Sizes([]int{64, 65536})), "64 128 256 512 1Ki 2Ki 4Ki 8Ki 16Ki 32Ki 64Ki"},
		{"every warp", names(Sizes([]int{32, 64, 96, 128, 160, 192, 224, 256, 1024})), "32 64 128 256 512 1024"},
		{"ratios", names(Ratios(0.5, 9)), "0.5× 1× 2× 5×"},
		{"close ratios", names(Ratios(0.95, 1.3)), "1× 1.25×"},
		{"a decade and more", names(LogBetween(0.3, 30, 6)), "0.5 1 2 5 10 20"},
		{"many decades", names(LogBetween(0.05, 5e4, 4)), "0.1 1 10 100 1k 10k"},
	} {
		testkit.Equal(t, c.got, c.want, "%s", c.name)
	}
}

// named draws a name wherever one is drawn: in the title, the subtitle, the legend and a body that leaves it so
// much room.
func named(name string, room vg.Length) *Picture {
	style := At(Typeface(TickSize, false, SoftColor), text.XLeft, text.YTop)
	return &Picture{Title: name, Subtitle: name, Keys: KeysOf([]string{name}, false), Height: 100, Body: func(c draw.Canvas) {
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
		testkit.Check(t, short == "…" || style.Width(short) <= width, "%q is wider than %v", short, width)

		svg, _ := named(name, width).Web(&WebStyles{})
		in := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := in.Token()
			if err == io.EOF {
				return
			}
			testkit.Require(t, err == nil, "%v in %q", err, svg)
			if e, ok := token.(xml.StartElement); ok && !strings.Contains(" svg g path text tspan ", " "+e.Name.Local+" ") {
				t.Fatalf("an element %s in %q", e.Name.Local, svg)
			}
		}
	})
}

// Text that is set in another font keeps its length, which was measured, on the page and in files.
func TestTextKeepsItsLength(t *testing.T) {
	p := named("ecology1", 200)
	file := testkit.Must(p.Encode("svg"))
	web, _ := p.Web(&WebStyles{})
	for _, svg := range []string{string(file), web} {
		found := regexp.MustCompile(`x="(\d+)" y="\d+" textLength="(\d+)" lengthAdjust="spacingAndGlyphs"[^>]*>`).FindAllStringSubmatch(svg, -1)
		n := strings.Count(svg, "<text")
		testkit.Require(t, n != 0 && len(found) == n, "%d of %d texts have a length: %s", len(found), n, svg)
		for _, f := range found {
			x, _ := strconv.Atoi(f[1])
			length, _ := strconv.Atoi(f[2])
			testkit.Check(t, length != 0 && x+length <= Tenth*int(PageWidth),
				"%s ends at %d, the page at %v", f[0], x+length, Tenth*PageWidth)
		}
	}
}

// The other formats take any name, too.
func TestNamesInFormats(t *testing.T) {
	for _, name := range []string{"</text>&\x00\x1b\u202e\xff", "(\\)) Tj endstream", strings.Repeat("w", 4000)} {
		for _, format := range Formats {
			testkit.Must(named(name, 50).Encode(format))
		}
	}
}

// A PNG has the colours of a picture or, of one with many, those that are most frequent and, of others, near ones.
func TestIndexedColours(t *testing.T) {
	const side = 40
	for rare, far := range map[int]int{0: 0, 3: 3} {
		img := image.NewRGBA(image.Rect(0, 0, side, side))
		for i := range side * side {
			c := color.RGBA{uint8(i % 251), uint8(i % 251), uint8(i % 251), 0xFF}
			if i%9 == 0 {
				c.R ^= uint8(rare)
			}
			img.SetRGBA(i%side, i/side, c)
		}
		got := indexed(img)
		for i := range side * side {
			want, is := img.RGBAAt(i%side, i/side), color.RGBAModel.Convert(got.At(i%side, i/side)).(color.RGBA)
			for _, d := range []int{int(want.R) - int(is.R), int(want.G) - int(is.G), int(want.B) - int(is.B)} {
				testkit.Require(t, max(d, -d) <= far, "%v is drawn as %v", want, is)
			}
		}
	}
}

// Words on a cell are legible on paper and in the dark, and more is always darker on paper and
// lighter in the dark.
func TestHeat(t *testing.T) {
	darkInk := solid(0xE6E9ED)
	for step := range HeatSteps {
		tone := heat[step]
		light, dark := InkColor, darkInk
		if OnHeat(8, false, step).Color == PaperColor {
			light, dark = PaperColor, darkPaper
		}
		if c := contrast(tone.Light, light); c < 3 {
			t.Errorf("step %d: %.2f to 1 on paper", step, c)
		}
		if c := contrast(tone.Dark, dark); c < 3 {
			t.Errorf("step %d: %.2f to 1 in the dark", step, c)
		}
		if step == 0 {
			continue
		}
		last := heat[step-1]
		if luminance(linear(tone.Light)) >= luminance(linear(last.Light)) ||
			luminance(linear(tone.Dark)) <= luminance(linear(last.Dark)) {
			t.Errorf("step %d is not further than the one before", step)
		}
	}
	testkit.EqualLists(t, []int{HeatStep(0), HeatStep(1), HeatStep(-1), HeatStep(2)}, []int{0, HeatSteps - 1, 0, HeatSteps - 1}, "ends")
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Intel Xeon @ 2.10GHz": "intel-xeon-2.10ghz", "../../etc/passwd": "etc-passwd", "": "", "a__b": "a-b",
		".hidden.": "hidden", "a.b..c": "a.b.-c",
	} {
		testkit.Equal(t, Slug(in), want, "slug(%q)", in)
	}
}

// A file draws its letters itself: opened with another font it is the same picture, and all of it is inside.
func TestFilesNeedNoFont(t *testing.T) {
	const name = "csr_MWMWMWMWMWMW_ahead"
	file := string(testkit.Must(named(name, 300).Encode("svg")))
	testkit.Equal(t, strings.Count(file, "<use "), 4*len(name), "letters of title, subtitle, key and body")
	testkit.Says(t, "the file", file, "text{fill:none!important}")
	for _, id := range regexp.MustCompile(`href="#(\w+)"`).FindAllStringSubmatch(file, -1) {
		testkit.Says(t, "the file", file, `<path id="`+id[1]+`" d="M`)
	}

	rsvg, err := exec.LookPath("rsvg-convert")
	if err != nil {
		t.Skip("no rsvg-convert to look at a picture with: install librsvg2-bin")
	}
	draw := func(svg string) []byte {
		c := exec.CommandContext(t.Context(), rsvg, "-f", "png")
		c.Stdin = strings.NewReader(svg)
		return testkit.Must(c.Output())
	}
	other := draw(strings.ReplaceAll(file, fontFamilies, "DejaVu Sans"))
	testkit.Check(t, bytes.Equal(draw(file), other), "another font gives another picture")
	drawn := testkit.Must(png.Decode(bytes.NewReader(other)))
	edge := drawn.Bounds()
	for y := edge.Min.Y; y < edge.Max.Y; y++ {
		r, g, b, _ := drawn.At(edge.Max.X-2, y).RGBA()
		testkit.Require(t, r+g+b >= 0xFFFF, "something dark is drawn at the right edge, in line %d", y)
	}
}

// A name that would turn the direction of text is drawn with the sign made visible, on the page and in files.
func TestNothingTurnsText(t *testing.T) {
	p := named("a\u202eb", 400)
	web, _ := p.Web(&WebStyles{})
	file := testkit.Must(p.Encode("svg"))
	for _, s := range []string{web, string(file)} {
		testkit.Check(t, !strings.Contains(s, "\u202e") && strings.Contains(s, `a\u202eb`),
			"a sign that turns text is in a picture as it is")
	}
}

// darkPaper is what pictures stand on in the report's dark mode.
var darkPaper = color.RGBA{0x18, 0x1C, 0x20, 0xFF}

func linear(c color.RGBA) [3]float64 {
	var v [3]float64
	for i, x := range []uint8{c.R, c.G, c.B} {
		if v[i] = float64(x) / 255; v[i] <= 0.04045 {
			v[i] /= 12.92
		} else {
			v[i] = math.Pow((v[i]+0.055)/1.055, 2.4)
		}
	}
	return v
}

func luminance(v [3]float64) float64 { return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2] }

// contrast is that of WCAG 2.
func contrast(a, b color.RGBA) float64 {
	x, y := luminance(linear(a)), luminance(linear(b))
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// lab is the colour in CIELAB, in which distances are about those that readers see.
func lab(v [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > math.Pow(6.0/29, 3) {
			return math.Cbrt(t)
		}
		return t/(3*36.0/841) + 4.0/29
	}
	x := f((0.4125*v[0] + 0.3576*v[1] + 0.1804*v[2]) / 0.9505)
	y := f(luminance(v))
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9503*v[2]) / 1.0888)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// deuteranope is the colour as readers without green cones see it (Machado, Oliveira and
// Fernandes, IEEE TVCG 15(6), 2009).
func deuteranope(v [3]float64) [3]float64 {
	var seen [3]float64
	for i, row := range [3][3]float64{
		{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881},
	} {
		seen[i] = min(1, max(0, row[0]*v[0]+row[1]*v[1]+row[2]*v[2]))
	}
	return seen
}

// apart is how far the colours of two looks are apart, on paper or, if that is less, on a dark page.
func apart(x, y Look, as func([3]float64) [3]float64) float64 {
	p, q := x.Color.(Tone), y.Color.(Tone)
	return min(distance(p.Light, q.Light, as), distance(p.Dark, q.Dark, as))
}

// printed is how far they are apart in print without colours.
func printed(x, y Look) float64 { return distance(x.Color.(Tone).Light, y.Color.(Tone).Light, grey) }

func distance(a, b color.RGBA, as func([3]float64) [3]float64) float64 {
	x, y := lab(as(linear(a))), lab(as(linear(b)))
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

func unchanged(v [3]float64) [3]float64 { return v }

func grey(v [3]float64) [3]float64 { y := luminance(v); return [3]float64{y, y, y} }

func TestContrast(t *testing.T) {
	tones := map[string]Tone{}
	for kernel, look := range looks {
		tones[kernel] = look.Color.(Tone)
		for i := range 4 {
			tones[kernel+" variant "+string(rune('0'+i))] = Shade(kernel, i, 4).Color.(Tone)
		}
	}
	for i, hue := range Hues {
		tones["hue "+string(rune('0'+i))] = hue
	}
	for name, tone := range tones {
		paper, dark := contrast(tone.Light, PaperColor), contrast(tone.Dark, darkPaper)
		testkit.Check(t, paper >= 3, "%s: %.2f to 1 on paper", name, paper)
		testkit.Check(t, dark >= 3, "%s: %.2f to 1 on a dark page", name, dark)
	}
}

// Kernels that a shipped sweep compares have no colour twice; those that readers who see no
// green, or no colours, may confuse have different markers.
func TestKernelsDiffer(t *testing.T) {
	for name, kernels := range shipped(t) {
		if len(kernels) > 50 { // all of them: figures colour three
			continue
		}
		for i, a := range kernels {
			x := LookOf(a)
			for _, b := range kernels[:i] {
				y := LookOf(b)
				d := apart(x, y, unchanged)
				testkit.Check(t, d >= 6, "%s: the colours of %s and %s are %.1f apart, less than 6", name, a, b, d)
				if reflect.DeepEqual(x.Marker, y.Marker) && confused(x, y) {
					t.Errorf("%s: %s and %s have one marker, and colours that are %.1f apart without green, less than 15, or "+
						"%.1f in grey, less than 10", name, a, b, apart(x, y, deuteranope), printed(x, y))
				}
			}
		}
	}
}

// confused reports whether some readers see the same colour.
func confused(x, y Look) bool { return apart(x, y, deuteranope) < 15 || printed(x, y) < 10 }

// shipped returns the kernels of each shipped sweep.
func shipped(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("../../configs/*.toml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no sweeps: ", err)
	}
	of := map[string][]string{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".toml")
		sweep := testkit.Must(configs.Load(name))
		for _, space := range sweep.Kernels {
			for c := range space.Expand(8) {
				if !slices.Contains(of[name], c.Kernel) {
					of[name] = append(of[name], c.Kernel)
				}
			}
		}
	}
	return of
}

// Every kernel of the catalogue has a row of its own, and cuSPARSE's alone have no hue.
func TestKernelsHaveLooks(t *testing.T) {
	for _, k := range kernels.Catalogue {
		if _, known := looks[k.Name]; !known {
			t.Errorf("%s has no row in looks.txt: give it a colour of its family", k.Name)
			continue
		}
		c := LookOf(k.Name).Color.(Tone).Light
		testkit.Equal(t, c.R == c.G && c.G == c.B, k.Library(), "%s has the colour %v", k.Name, c)
	}
	rows := regexp.MustCompile(`(?m)^\w`).FindAllString(looksText, -1)
	testkit.Equal(t, len(rows), len(looks), "rows of kernels: one is there twice, or can't be read")
}

func TestHuesDifferInGrey(t *testing.T) {
	for i, hue := range Hues {
		next := Hues[(i+1)%len(Hues)]
		d := distance(hue.Light, next.Light, grey)
		testkit.Check(t, d >= 8, "colours %d and %d differ by %.1f in grey", i, (i+1)%len(Hues), d)
	}
}
