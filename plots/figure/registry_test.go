// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// The pictures of the gallery are there, and there is none that it does not show.
func TestGallery(t *testing.T) {
	const docs = "../../docs"
	text := testkit.Must(os.ReadFile(filepath.Join(docs, "gallery.md")))
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\((gallery/[^)]*)\)`).FindAllSubmatch(text, -1) {
		shown[filepath.FromSlash(string(m[1]))] = true
	}
	pictures := testkit.Must(filepath.Glob(filepath.Join(docs, "gallery", "*")))
	for _, path := range pictures {
		name := testkit.Must(filepath.Rel(docs, path))
		testkit.Check(t, shown[name], "%s is not shown", name)
		delete(shown, name)
	}
	for name := range shown {
		t.Errorf("%s is shown and not there", name)
	}
}

// goldenDPI keeps the files small; shapes, colours and labels still show.
const goldenDPI = 50

// goldenData is the database of which a figure's image is kept.
func goldenData(figure string) *analysis.Data {
	switch figure {
	case "gpu-vs-cpu":
		return synthetic.Both()
	case "prefix-sum-variants", "chunk-and-unroll":
		return synthetic.Scans().Report()
	case "run-to-run":
		d := goldenData("")
		for i := range d.Rows {
			d.Rows[i].Factor = 1.01 + 0.3*synthetic.Wave(len(d.Rows[i].Matrix))
		}
		return d
	case "gflops-vs-rows":
		d := goldenData("")
		for i := range d.Rows { // in panels too
			d.Rows[i].Rows /= len(d.Rows[i].Matrix)
		}
		return d
	case "throughput-vs-grid":
		return synthetic.Gpu(4, 64).Report()
	case "average-improvement", "occupancy":
		return synthetic.Crowd(4, 64, 20).Report()
	case "warp-efficiency", "load-efficiency":
		return synthetic.Profiled(synthetic.Gpu(4, 64).Report())
	case "bandwidth-by-kernel", "version-improvement", "launch-bounds":
		return synthetic.Bins().Report()
	}
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:4]
	return s.Report()
}

func TestGolden(t *testing.T) {
	testkit.Long(t, "draws for long")
	for i := range All {
		f := &All[i]
		t.Run(f.ID, func(t *testing.T) {
			pages, warnings := drawings[f.ID](goldenData(f.ID))
			testkit.Require(t, len(pages) != 0 && len(warnings) == 0, "%d pages, warnings %v", len(pages), warnings)
			var drawn bytes.Buffer
			testkit.Succeed(t, png.Encode(&drawn, pages[0].Raster(goldenDPI)))
			got := drawn.Bytes()
			path := filepath.Join("testdata", f.ID+".png")
			want, err := os.ReadFile(path)
			testkit.Require(t, err == nil || *cmpimg.GenerateTestData, "%v: -regen draws it", err)
			// Other processors round differently, at the edges of glyphs only.
			if same, err := cmpimg.EqualApprox("png", got, want, 0.02); err == nil && same {
				return
			}
			if !*cmpimg.GenerateTestData { // -regen
				path = filepath.Join(t.TempDir(), f.ID+".png")
				t.Errorf("differs from the image in testdata: look at both; if the new one is right, run the test with -regen")
			}
			testkit.Succeed(t, os.WriteFile(path, got, 0o644))
		})
	}
}

// A label is a line of text on a page.
type label struct {
	text string
	vg.Rectangle
}

// labelsOf draws a picture and returns where text goes: lines that are upright or a quarter turned, from their
// baseline to the height of capitals.
func labelsOf(p *canvas.Picture) (list []label) {
	c, angle := new(recorder.Canvas), []float64{0}
	p.Draw(draw.NewCanvas(c, canvas.PageWidth, p.PageHeight()))
	for _, action := range c.Actions {
		now := len(angle) - 1
		switch a := action.(type) {
		case *recorder.Push:
			angle = append(angle, angle[now])
		case *recorder.Pop:
			angle = angle[:now]
		case *recorder.Rotate:
			angle[now] += a.Angle
		case *recorder.FillString:
			face := font.DefaultCache.Lookup(a.Font, a.Size)
			w, h := face.Width(a.String), face.Extents().Ascent*0.75
			box := vg.Rectangle{Min: a.Point, Max: vg.Point{X: a.Point.X + w, Y: a.Point.Y + h}}
			if math.Abs(angle[now]-canvas.QuarterTurn) < 1e-9 {
				box = vg.Rectangle{Min: vg.Point{X: -a.Point.Y - h, Y: a.Point.X}, Max: vg.Point{X: -a.Point.Y, Y: a.Point.X + w}}
			}
			list = append(list, label{a.String, box})
		}
	}
	return list
}

// TestLabelsApart draws every page of databases of all sizes, for the report and for a column of a
// paper, and checks that no two labels overlap and none leaves the page.
func TestLabelsApart(t *testing.T) {
	testkit.Long(t, "draws for long")
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
	for name, d := range map[string]*analysis.Data{
		"processor": synthetic.Processor().Report(), "one": one.Report(), "30x11": synthetic.Gpu(30, 256).Report(),
		"1024": synthetic.Gpu(3, 1024).Report(), "long": long.Report(),
		"wide": wide.Report(), "41": many.Report(), "40 kernels": named.Report(), "every block": every.Report(),
		"bins": synthetic.Bins().Report(), "41 bins": manyBins.Report(), "scans": synthetic.Scans().Report(),
		"long scans": namedScans.Report(), "both": synthetic.Both(), "profiled": synthetic.Profiled(named.Report()),
		"repeated": goldenData("run-to-run"), "rows": goldenData("gflops-vs-rows"),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range All {
				pages, _ := drawings[All[i].ID](d)
				for _, p := range pages {
					drawn[All[i].ID] = true
					checkLabels(t, p)
				}
			}
		})
	}
	for i := range All {
		testkit.Check(t, drawn[All[i].ID], "%s: no database has a page", All[i].ID)
	}
}

// textsOf lists what is written on a page.
func textsOf(p *canvas.Picture) (texts []string) {
	for _, b := range labelsOf(p) {
		texts = append(texts, b.text)
	}
	return texts
}

func checkLabels(t *testing.T, p *canvas.Picture) {
	t.Helper()
	boxes, area := labelsOf(p), vg.Point{X: canvas.PageWidth, Y: p.PageHeight()}
	all := textsOf(p)
	if canvas.PageWidth == 10*vg.Inch && !strings.HasPrefix(strings.Join(all, " "), p.Title) {
		t.Errorf("%s: the title %q is cut: %q", p.Name, p.Title, all[:2])
	}
	testkit.Check(t, len(boxes) >= 4, "%s: %d labels only", p.Name, len(boxes))
	for i, a := range boxes {
		testkit.Check(t, a.Min.X >= 0 && a.Min.Y >= 0 && a.Max.X <= area.X && a.Max.Y <= area.Y,
			"%s: %q leaves the page: %v", p.Name, a.text, a.Rectangle)
		for _, b := range boxes[:i] {
			if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
				t.Errorf("%s: %q and %q overlap: %v, %v", p.Name, a.text, b.text, a.Rectangle, b.Rectangle)
			}
		}
	}
}

// TestSweepsGiveFigures: the sweep that a figure names as producing its data does.
func TestSweepsGiveFigures(t *testing.T) {
	made := map[string]*analysis.Data{}
	for i := range All {
		f := &All[i]
		if made[f.Sweep] == nil {
			made[f.Sweep] = swept(t, f.Sweep)
		}
		pages, _ := drawings[f.ID](made[f.Sweep])
		testkit.Check(t, len(pages) != 0, "%s: `run %s` gives no page", f.ID, f.Sweep)
	}
}

// swept is what a shipped sweep would leave of three matrices, on a processor and,
// if it has kernels for one, a GPU, where it was profiled.
func swept(t *testing.T, name string) *analysis.Data {
	t.Helper()
	sweep := testkit.Must(configs.Load(name))
	devices := []store.Device{
		{Label: "Testcore", Device: kernels.Device{Backend: "cpu", Name: "Testcore", Units: 2},
			Roof: kernels.Roof{Read: 40}},
		{Label: "Testcard", Device: kernels.Device{Backend: "cuda", Name: "Testcard", Units: 8},
			Roof: kernels.Roof{Read: 400}},
	}
	var rows []store.Row
	var matrices []trial.Matrix
	patterns := map[string]*sparse.Density{}
	for mi, m := range []string{"short", "middle", "long"} {
		n, mean := 1_000_000*(1+mi), 3+20*mi
		matrices = append(matrices, trial.Matrix{Name: m, Hash: m,
			Features: sparse.Features{Rows: n, Cols: n, Nonzeros: mean * n, RowMean: float64(mean)}})
		patterns[m] = synthetic.Pattern(mi)
		for _, space := range sweep.Kernels {
			for _, dev := range devices {
				for c := range space.Expand(dev.Units) {
					k, _ := kernels.Lookup(c.Kernel)
					if k.Backend != dev.Backend {
						continue
					}
					ms := 1 + synthetic.Wave(len(rows)+mi)
					r := store.Row{
						Sweep: name, Device: dev.Label, Matrix: m, Rows: n, Cols: n, NNZ: mean * n, Format: k.Format,
						Result: synthetic.Result(c, ms, 0.99, 1.01), Taken: 20,
						GFLOPS: 2e-6 * float64(mean*n) / ms, GBPS: 12e-6 * float64(mean*n) / ms, RoofFraction: 0.5,
					}
					r.Factor, r.Prepare = 1.03, 1e-3*float64(len(k.Format))
					r.Cache, r.At = trial.Cache(sweep.Protocol.Cache), synthetic.Someday
					rows = append(rows, synthetic.Estimated(r))
				}
			}
		}
	}
	d := analysis.New(rows, nil, matrices, devices)
	d.Patterns, d.Launches = patterns, synthetic.LaunchesOf(d)
	synthetic.Profiled(d)
	d.Rule = synthetic.Validated(d)
	d.Sweeps = []store.Sweep{{Name: name, Settings: sweep.Settings()}}
	for i := range matrices {
		for _, dev := range devices {
			n := 0
			for j := range rows {
				if rows[j].Device == dev.Label && rows[j].Matrix == matrices[i].Name {
					n++
				}
			}
			if sweep.Protocol.Sentinel > 0 && n > sweep.Protocol.Sentinel {
				d.Drifts = append(d.Drifts, synthetic.Drift(dev.Label, matrices[i].Name, i))
			}
		}
	}
	return d
}
