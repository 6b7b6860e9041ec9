// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/plots/canvas"
)

func TestPaperWidth(t *testing.T) {
	for name, want := range map[string]float64{"acm": 240.25, "ieee": 251.06, "8.5cm": 240.94, "85mm": 240.94,
		"3.5in": 252, "252pt": 251.06} {
		testkit.Near(t, float64(testkit.Must(PaperWidth(name))), want, 0.01, "%s", name)
	}
	for _, name := range []string{"", "acn", "8.5", "cm", "1cm", "99cm", "NaNcm", "-9cm"} {
		testkit.Fails(t, testkit.Err(PaperWidth(name)), "", "%s", name)
	}
}

// A paper's figures are as wide as its column, in type of 7 to 8 points, without the title, which
// is in the caption with the facts. What LaTeX would interpret in a name is escaped.
func TestPaper(t *testing.T) {
	dir := t.TempDir()
	s := synthetic.Processor()
	s.Matrices = append(s.Matrices[:2], "50%_of #1 & {x}")
	d := s.Report()
	d.Devices[0].Driver = "go1.26.8 amd64 v1, cores: 2"
	w := testkit.Must(Write(t.Context(), d, dir, Options{Paper: 240}))
	testkit.Equal(t, canvas.PageWidth, 10*vg.Inch, "the report's own page is changed")
	read := func(name string) string {
		t.Helper()
		b := testkit.Must(os.ReadFile(filepath.Join(dir, PaperDir, filepath.FromSlash(name))))
		return string(b)
	}

	figures := 0
	for _, name := range w.Files {
		stem, svg := strings.CutSuffix(name, ".svg")
		if !svg {
			continue
		}
		figures++
		drawn, caption := read(name), read(stem+".tex")
		testkit.Says(t, name, drawn, `width="240pt"`)
		testkit.Check(t, strings.HasPrefix(read(stem+".pdf"), "%PDF"), "%s is no PDF", stem)
		for _, size := range regexp.MustCompile(`font-size:([0-9.]+)px`).FindAllStringSubmatch(drawn, -1) {
			if v := size[1]; v != "90" && v != "95" && v != "100" && v != "105" { // tenths of points × 0.77
				t.Errorf("%s has type of %s tenths of points", name, v)
			}
		}
		testkit.Succeed(t, xml.Unmarshal([]byte(drawn), new(struct{})))
		testkit.Says(t, "the caption of "+name, caption, "\\caption{", "\\label{fig:"+filepath.Base(stem)+"}",
			"verified trials · 2025-01-02", "go1.26.8 amd64 v1")
		_, seen, _ := strings.Cut(caption, "\\caption{")
		seen, _, _ = strings.Cut(seen, "}\n\\label")
		testkit.Check(t, len(seen) < 190 && strings.Count(seen, "Xeon") < 2, "more than two lines, or the device twice: %s", seen)
		text := read(stem + "-text.tex")
		testkit.Says(t, "the text of "+name, text, "includegraphics{"+filepath.Base(stem)+"-plain}", "xcolor")
		testkit.Equal(t, strings.Count(text, "\\makebox"), strings.Count(drawn, "<text "), "texts of %s", name)
		high, _ := strconv.ParseFloat(regexp.MustCompile(`height="([0-9.]+)pt"`).FindStringSubmatch(drawn)[1], 64)
		testkit.Check(t, high <= 0.45*11*72, "%s is %g points high", name, high)
	}
	testkit.Check(t, figures >= 10, "%d figures", figures)

	best := read("tables/best-configuration.tex")
	testkit.Check(t, !strings.Contains(best, "resizebox") && !strings.Contains(read("tables/summary.tex"), "status"),
		"a table is squeezed, or counts trials by status")
	testkit.Says(t, "the table", best, "\\toprule", "\\bottomrule", "50\\%\\_of \\#1 \\& \\{x\\}", "\\label{tab:")
}
