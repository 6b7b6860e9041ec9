package canvas

import (
	"image/color"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
)

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

func apart(a, b color.RGBA, as func([3]float64) [3]float64) float64 {
	x, y := lab(as(linear(a))), lab(as(linear(b)))
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

func unchanged(v [3]float64) [3]float64 { return v }

func grey(v [3]float64) [3]float64 { y := luminance(v); return [3]float64{y, y, y} }

func TestContrast(t *testing.T) {
	tones := map[string]Tone{}
	for _, row := range kernelLooks {
		tones[row.kernel] = row.color
		for i := range 4 {
			tones[row.kernel+" variant "+string(rune('0'+i))] = Shade(row.kernel, i, 4).Color.(Tone)
		}
	}
	for i, hue := range Hues {
		tones["hue "+string(rune('0'+i))] = hue
	}
	for name, tone := range tones {
		if c := contrast(tone.Light, PaperColor); c < 3 {
			t.Errorf("%s: %.2f to 1 on paper", name, c)
		}
		if c := contrast(tone.Dark, darkPaper); c < 3 {
			t.Errorf("%s: %.2f to 1 on a dark page", name, c)
		}
	}
}

// Kernels that a shipped sweep compares have no colour twice; those that readers who see no
// green, or no colours, may confuse have different markers.
func TestKernelsDiffer(t *testing.T) {
	for name, kernels := range shipped(t) {
		for i, a := range kernels {
			x := LookOf(a)
			p := x.Color.(Tone)
			for _, b := range kernels[:i] {
				y := LookOf(b)
				q := y.Color.(Tone)
				if d := min(apart(p.Light, q.Light, unchanged), apart(p.Dark, q.Dark, unchanged)); d < 6 {
					t.Errorf("%s: the colours of %s and %s are %.1f apart", name, a, b, d)
				}
				if !reflect.DeepEqual(x.Marker, y.Marker) {
					continue
				}
				if d := min(apart(p.Light, q.Light, deuteranope), apart(p.Dark, q.Dark, deuteranope)); d < 15 {
					t.Errorf("%s: %s and %s have one marker and are %.1f apart without green", name, a, b, d)
				}
				if d := apart(p.Light, q.Light, grey); d < 10 {
					t.Errorf("%s: %s and %s have one marker and are %.1f apart in grey", name, a, b, d)
				}
			}
		}
	}
}

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
		sweep, err := configs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
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
		if _, known := looksOfKernels[k.Name]; !known {
			t.Errorf("%s has no row in kernelLooks: give it a colour of its family", k.Name)
			continue
		}
		c := LookOf(k.Name).Color.(Tone).Light
		if hueless := c.R == c.G && c.G == c.B; hueless != k.Library() {
			t.Errorf("%s has the colour %v", k.Name, c)
		}
	}
	if len(looksOfKernels) != len(kernelLooks) {
		t.Error("a kernel has two rows")
	}
}

func TestHuesDifferInGrey(t *testing.T) {
	for i, hue := range Hues {
		next := Hues[(i+1)%len(Hues)]
		if d := apart(hue.Light, next.Light, grey); d < 8 {
			t.Errorf("colours %d and %d differ by %.1f in grey", i, (i+1)%len(Hues), d)
		}
	}
}
