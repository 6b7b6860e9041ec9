// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/tuner/trial"
)

func made(t *testing.T, name string, args map[string]any) *sparse.CSR[float64] {
	t.Helper()
	return testkit.Must(generate.Build(t.Context(), name, args))
}

// Every shape has a page whose labels are apart, in every format.
func TestSpyShapes(t *testing.T) {
	testkit.Long(t, "draws for long")
	uniform := func(rows, cols int, length float64) *sparse.CSR[float64] {
		return made(t, "uniform", map[string]any{"rows": rows, "cols": cols, "row_nnz": length})
	}
	for name, a := range map[string]*sparse.CSR[float64]{
		"square": uniform(2000, 2000, 5), "one row": uniform(1, 30, 10), "one column": uniform(100_000, 1, 0.5),
		"wide": uniform(100, 30_000, 300), "tall": uniform(30_000, 2000, 3), "one entry": uniform(1, 1, 1),
		"no rows": uniform(0, 10, 0), "no columns": uniform(10, 0, 0), "nothing": uniform(0, 0, 0),
		"no entries": uniform(9, 9, 0),
		"giant row":  made(t, "giant_row", map[string]any{"rows": 1_000_000, "giant": 300_000}),
	} {
		for _, format := range []string{"png", "svg", "pdf"} {
			b, err := Spy(name, a, format)
			testkit.Check(t, err == nil && len(b) >= 500, "%s as %s: %d bytes, %v", name, format, len(b), err)
		}
		m := canvas.MosaicOf(a.Rows, a.Cols, spyPixels, spyPixels)
		checkLabels(t, spyPage(name, a.Rows, a.Cols, a.NNZ(), m, sparse.NewDensity(a, m.Height, m.Width)))
	}
}

// corner is a matrix with entries in its upper left quarter only.
func corner() *sparse.CSR[float64] {
	a := &sparse.CSR[float64]{Rows: 8, Cols: 8, RowPtr: []int32{0}}
	for i := range 8 {
		for j := range int32(4) {
			if i < 4 {
				a.ColIdx = append(a.ColIdx, j)
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.ColIdx)))
	}
	a.Val = make([]float64, len(a.ColIdx))
	return a
}

// checkCorner looks where corner is dark. The picture is a square in the left part of
// the page, below the title.
func checkCorner(t *testing.T, img image.Image) {
	t.Helper()
	w := float64(img.Bounds().Dx())
	left, side := float64(canvas.PageMargin+spyLeft)/float64(canvas.PageWidth)*w, float64(spyPixels)*w/1600
	top := float64(img.Bounds().Dy()) - float64(canvas.PageMargin+spyBottom)/float64(canvas.PageWidth)*w - side
	for _, at := range [][3]float64{{0.25, 0.25, 1}, {0.75, 0.25, 0}, {0.25, 0.75, 0}, {0.75, 0.75, 0}} {
		r, _, _, _ := img.At(int(left+at[0]*side), int(top+at[1]*side)).RGBA()
		testkit.Equal(t, r < 0x8000, at[2] == 1, "at %v, %v of the picture it is dark", at[0], at[1])
	}
}

// decoded is a picture of a matrix.
func decoded(t *testing.T, name string, a *sparse.CSR[float64]) image.Image {
	t.Helper()
	testkit.Long(t, "draws for long")
	b := testkit.Must(Spy(name, a, "png"))
	return testkit.Must(png.Decode(bytes.NewReader(b)))
}

func TestSpyOrigin(t *testing.T) { checkCorner(t, decoded(t, "corner", corner())) }

func TestSpyOriginInPDF(t *testing.T) {
	pdftoppm, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("no pdftoppm to look at a PDF with: install poppler-utils")
	}
	b := testkit.Must(Spy("corner", corner(), "pdf"))
	path := filepath.Join(t.TempDir(), "corner.pdf")
	testkit.Succeed(t, os.WriteFile(path, b, 0o666))
	out := testkit.Must(exec.CommandContext(t.Context(), pdftoppm, "-r", "72", "-png", path).Output())
	img := testkit.Must(png.Decode(bytes.NewReader(out)))
	checkCorner(t, img)
}

func TestPatternsOfOlderDatabase(t *testing.T) {
	s := synthetic.Processor()
	d := s.Report()
	delete(d.Patterns, "ecology1")
	pages, warnings := drawPatterns(d)
	testkit.EqualLists(t, []int{len(pages), len(warnings)}, []int{1, 1}, "pages and warnings")
	testkit.Check(t, !slices.Contains(textsOf(pages[0]), "ecology1"), "a matrix without a pattern is drawn")
}

// A row of pictures is as high as its highest: flat ones leave no blank space below them.
func TestFlatPatternsAreLow(t *testing.T) {
	d := synthetic.Processor().Report()
	height := map[bool]vg.Length{}
	for _, m := range d.Matrices {
		height[m.Name == "rectangular"] = patternsPage(d, []trial.Matrix{m}).Height
	}
	if square, flat := height[false], height[true]; flat == 0 || flat > square/2 {
		t.Errorf("a picture of a matrix 20 times as wide as high takes %g, of a square one %g", flat, square)
	}
}
