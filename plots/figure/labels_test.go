package figure

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// labels is a canvas that only notes where text goes.
type labels struct {
	vg.Canvas
	angle []float64
	boxes []label
}

type label struct {
	text string
	vg.Rectangle
}

func (l *labels) SetLineWidth(vg.Length)              {}
func (l *labels) SetLineDash([]vg.Length, vg.Length)  {}
func (l *labels) SetColor(color.Color)                {}
func (l *labels) Translate(vg.Point)                  {}
func (l *labels) Scale(_, _ float64)                  {}
func (l *labels) Stroke(vg.Path)                      {}
func (l *labels) Fill(vg.Path)                        {}
func (l *labels) DrawImage(vg.Rectangle, image.Image) {}
func (l *labels) Push()                               { l.angle = append(l.angle, l.angle[len(l.angle)-1]) }
func (l *labels) Pop()                                { l.angle = l.angle[:len(l.angle)-1] }
func (l *labels) Rotate(a float64)                    { l.angle[len(l.angle)-1] += a }
func (l *labels) FillString(f font.Face, p vg.Point, s string) {
	// A line of text that is upright or a quarter turned, from its baseline to
	// the height of its capitals.
	w, h := f.Width(s), f.Extents().Ascent*0.75
	box := vg.Rectangle{Min: p, Max: vg.Point{X: p.X + w, Y: p.Y + h}}
	if math.Abs(l.angle[len(l.angle)-1]-canvas.QuarterTurn) < 1e-9 {
		box = vg.Rectangle{Min: vg.Point{X: -p.Y - h, Y: p.X}, Max: vg.Point{X: -p.Y, Y: p.X + w}}
	}
	l.boxes = append(l.boxes, label{s, box})
}

// TestLabelsApart draws every page of databases of all sizes, for the report and for a column of a
// paper, and checks that no two labels overlap and none leaves the page.
func TestLabelsApart(t *testing.T) {
	draws(t)
	t.Run("report", checkLabelsOfAll)
	for name, width := range map[string]vg.Length{"7 cm": 7 * vg.Centimeter, "8.5 cm": 8.5 * vg.Centimeter,
		"16 cm": 16 * vg.Centimeter} {
		t.Run(name, func(t *testing.T) {
			defer canvas.ForPaper(width)()
			checkLabelsOfAll(t)
		})
	}
}

func checkLabelsOfAll(t *testing.T) {
	long := synthetic.Processor()
	long.Matrices = []string{"he131-GTFS_VBB_EndeApr_Dez2016.zip_train+metro+tram+bus", "he184-atco_enc3_opt2_05_21",
		"matrix_ACTIVSg200_AC_renumbered_add9_01", "ldpc-10GBPS-ETHERNET_1723_2048", "m"}
	wide := synthetic.Gpu(3, 1024)
	wide.Grids = []int{1, 7, 100, 1000, 1 << 20}
	one := synthetic.Processor()
	one.Matrices, one.Precisions = one.Matrices[:1], []kernels.Precision{kernels.Float64}
	many := synthetic.Gpu(41, 64)
	named := synthetic.Crowd(5, 256, 40)
	named.Device = "NVIDIA GeForce RTX 4090 Laptop GPU (cuda driver 570.86.10, compute mode exclusive process, " +
		"persistence on)"
	named.Matrices = long.Matrices
	every := synthetic.Gpu(2, 0)
	every.Kernels = every.Kernels[:5]
	for b := 1; b <= 1024; b++ {
		every.Blocks = append(every.Blocks, b)
	}
	drawn := map[string]bool{}
	manyBins, namedScans := synthetic.Bins(), synthetic.Scans()
	manyBins.Matrices = many.Matrices
	namedScans.Matrices, namedScans.Device = long.Matrices, named.Device
	for name, d := range map[string]*data.Report{
		"processor": synthetic.Processor().Report(), "one": one.Report(), "30x11": synthetic.Gpu(30, 256).Report(),
		"1024": synthetic.Gpu(3, 1024).Report(), "long": long.Report(),
		"wide": wide.Report(), "41": many.Report(), "40 kernels": named.Report(), "every block": every.Report(),
		"bins": synthetic.Bins().Report(), "41 bins": manyBins.Report(), "scans": synthetic.Scans().Report(),
		"long scans": namedScans.Report(), "both": synthetic.Both(), "profiled": synthetic.Profiled(named.Report()),
		"repeated": goldenData("run-to-run"), "rows": goldenData("gflops-vs-rows"),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range All {
				pages, _ := All[i].draw(d)
				for _, p := range pages {
					drawn[All[i].ID] = true
					checkLabels(t, p)
				}
			}
		})
	}
	for i := range All {
		if !drawn[All[i].ID] {
			t.Errorf("%s: no database has a page", All[i].ID)
		}
	}
}

// textsOf lists what is written on a page.
func textsOf(p *canvas.Picture) []string {
	c := &labels{angle: []float64{0}}
	p.Draw(draw.NewCanvas(c, canvas.PageWidth, p.PageHeight()))
	var texts []string
	for _, b := range c.boxes {
		texts = append(texts, b.text)
	}
	return texts
}

func checkLabels(t *testing.T, p *canvas.Picture) {
	t.Helper()
	c := &labels{angle: []float64{0}}
	area := draw.NewCanvas(c, canvas.PageWidth, p.PageHeight())
	p.Draw(area)
	var all []string
	for _, b := range c.boxes {
		all = append(all, b.text)
	}
	if canvas.Titled() && !strings.HasPrefix(strings.Join(all, " "), p.Title) {
		t.Errorf("%s: the title %q is cut: %q", p.Name, p.Title, all[:2])
	}
	if len(c.boxes) < 4 {
		t.Errorf("%s: %d labels only", p.Name, len(c.boxes))
	}
	for i, a := range c.boxes {
		if a.Min.X < 0 || a.Min.Y < 0 || a.Max.X > area.Max.X || a.Max.Y > area.Max.Y {
			t.Errorf("%s: %q leaves the page: %v", p.Name, a.text, a.Rectangle)
		}
		for _, b := range c.boxes[:i] {
			if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
				t.Errorf("%s: %q and %q overlap: %v, %v", p.Name, a.text, b.text, a.Rectangle, b.Rectangle)
			}
		}
	}
}
