package figure

import (
	"os"
	"path/filepath"
	"testing"

	"spmvtune/internal/testing/long"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"

	"gonum.org/v1/plot/cmpimg"
)

// goldenDPI keeps the files small; shapes, colours and labels still show.
const goldenDPI = 50

// goldenData is the database of which a figure's image is kept.
func goldenData(figure string) *data.Report {
	switch figure {
	case "winner-features":
		return featuredReport(12, byLength)
	case "gpu-vs-cpu", "best-by-device":
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

// draws leaves a test out of those that -short runs, as the race detector does: it draws
// for seconds, by the code that TestReport goes through from many goroutines.
func draws(t *testing.T) {
	t.Helper()
	long.Test(t, "draws for long")
}

func TestGolden(t *testing.T) {
	draws(t)
	for i := range All {
		f := &All[i]
		t.Run(f.ID, func(t *testing.T) {
			pages, warnings := f.draw(goldenData(f.ID))
			if len(pages) == 0 || len(warnings) > 0 {
				t.Fatalf("%d pages, warnings %v", len(pages), warnings)
			}
			got, err := pages[0].Raster(goldenDPI)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", f.ID+".png")
			want, err := os.ReadFile(path)
			if err != nil && !*cmpimg.GenerateTestData {
				t.Fatal(err)
			}
			// Other processors round differently, at the edges of glyphs only.
			if same, err := cmpimg.EqualApprox("png", got, want, 0.02); err == nil && same {
				return
			}
			if !*cmpimg.GenerateTestData { // -regen
				path = filepath.Join(t.TempDir(), f.ID+".png")
				t.Errorf("differs from the image in testdata: look at both; if the new one is right, run the test with -regen")
			}
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Error(err)
			}
		})
	}
}
