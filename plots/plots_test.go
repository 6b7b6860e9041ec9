// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/figure"
	"example.org/spmvtune/plots/page"
	"example.org/spmvtune/tuner/trial"
)

// written writes a report and returns its files by name.
func written(t *testing.T, d *analysis.Data, opt Options) (map[string][]byte, *Written) {
	t.Helper()
	dir := t.TempDir()
	w := testkit.Must(Write(t.Context(), d, dir, opt))
	content := map[string][]byte{}
	testkit.Succeed(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}))
	if len(content) != len(w.Files)+1 { // the record is none of them
		t.Errorf("the folder holds %d files, the result names %d", len(content), len(w.Files))
	}
	for _, name := range w.Files {
		testkit.Check(t, len(content[name]) != 0, "%s is missing or empty", name)
	}
	return content, w
}

func TestSameBytes(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:3]
	first, _ := written(t, synthetic.Ruled(s.Report()), Options{Version: "1"})

	// The store may give rows in any order.
	d := s.Report()
	rows := slices.Clone(d.Rows)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	slices.Reverse(d.Best)
	slices.Reverse(d.Matrices)
	again := analysis.New(rows, d.Best, d.Matrices, d.Devices)
	again.Patterns, again.Drifts = d.Patterns, d.Drifts
	second, _ := written(t, synthetic.Ruled(again), Options{Version: "1"})

	testkit.Require(t, len(first) >= 10, "%d files only", len(first))
	for name, content := range first {
		testkit.Check(t, bytes.Equal(content, second[name]), "%s differs", name)
	}
}

func TestEmptyDatabase(t *testing.T) {
	content, w := written(t, analysis.New(nil, nil, nil, nil), Options{})
	testkit.Equal(t, len(w.Warnings), 0, "warnings for figures that nobody asked for: %v", w.Warnings)
	var ids []string
	for i := range figure.All {
		ids = append(ids, figure.All[i].ID)
	}
	_, w = written(t, analysis.New(nil, nil, nil, nil), Options{Figures: ids})
	testkit.Equal(t, len(w.Warnings), len(figure.All), "warnings: %v", w.Warnings)
	for i, warning := range w.Warnings {
		if s := warning.Error(); !strings.Contains(s, figure.All[i].ID) || !strings.Contains(s, figure.All[i].Sweep) {
			t.Errorf("warning %q names no figure or sweep", s)
		}
	}
	testkit.Says(t, "the report", string(content["report.html"]), "No trial was verified", "No trial failed")
}

// TestLackingBaseline: trials are there, so what is missing is a kernel, and it
// is said once.
func TestLackingBaseline(t *testing.T) {
	testkit.Long(t, "draws for long")
	for device, want := range map[string]string{synthetic.Processor().Device: "add cpu_coo to",
		synthetic.Gpu(1, 32).Device: "add coo_atomic to"} {
		s := synthetic.Processor()
		if device != s.Device {
			s = synthetic.Gpu(1, 64)
		}
		s.Matrices, s.Kernels = s.Matrices[:1], s.Kernels[1:]
		content, w := written(t, synthetic.Unruled(s.Report()), Options{})
		if len(w.Warnings) != 1 || !strings.Contains(w.Warnings[0].Error(), want) ||
			strings.Contains(w.Warnings[0].Error(), "quickstart") {
			t.Errorf("%s: warnings %v, want one with %q", device, w.Warnings, want)
		}
		testkit.Equal(t, strings.Count(string(content["report.html"]), want), 2, "%s: times that the report says it, with the link to it", device)
	}
	s := synthetic.Processor()
	s.Matrices, s.Blocks, s.Grids = s.Matrices[:1], []int{64}, []int{1}
	_, w := written(t, synthetic.Unruled(s.Report()),
		Options{Figures: []string{"throughput-vs-block", "throughput-vs-grid"}})
	if len(w.Warnings) != 2 || !strings.Contains(w.Warnings[0].Error(), "several block sizes") ||
		!strings.Contains(w.Warnings[1].Error(), "three grid sizes") {
		t.Errorf("one size only: warnings %v", w.Warnings)
	}
}

// TestCitationsAreListed: what a figure cites can be looked up in the report.
func TestCitationsAreListed(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:1]
	content, _ := written(t, synthetic.Unruled(s.Report()), Options{})
	page := string(content["report.html"])
	for i := range figure.All {
		if drawn, _ := figure.All[i].Draw(s.Report()); len(drawn.Pictures) == 0 || figure.All[i].Only == "named" {
			continue
		}
		for _, part := range strings.Split(figure.All[i].Source, ", ") {
			if part == "" {
				continue // not in any paper
			}
			key, _, _ := strings.Cut(part, " ")
			testkit.Says(t, "the report, which has figure "+figure.All[i].ID, page, "<dt>"+key+"</dt>")
		}
	}
	testkit.Says(t, "the report", page, "Matteo Di Noia", "Merrill and Garland", `class="hint"`)
	testkit.Lacks(t, "the report, which cites no such paper and recommends nothing else", page, "Hiranandani", ">recommended<")
}

func TestUnknownFigure(t *testing.T) {
	_, err := Write(t.Context(), analysis.New(nil, nil, nil, nil), t.TempDir(), Options{Figures: []string{"nonsense"}})
	testkit.Fails(t, err, "throughput-vs-block")
}

// TestHostileNames feeds names and messages that mean something to HTML,
// Markdown, XML or a file system.
func TestHostileNames(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Processor()
	s.Matrices = []string{`<script>alert(1)</script>`, "a|b*c`d\\e", "../../etc/passwd", "nul\x00bell\x07\xff", `"q" & 'r'`, "a b", "a-b"}
	d := s.Report()
	d.Rows[0].Status, d.Rows[0].Message = "fault", `<img src=x onerror="alert(2)">`
	d = analysis.New(d.Rows, d.Best, d.Matrices, d.Devices)
	content, w := written(t, synthetic.Unruled(d), Options{title: "</title><b>"})

	page := string(content["report.html"])
	testkit.Lacks(t, "the report", page, "<script>alert", "<img", "</title><b>")
	testkit.Says(t, "the report", page, "&lt;img src=x")
	table := string(content["tables/best-configuration.md"])
	testkit.Check(t, !strings.Contains(strings.ReplaceAll(table, `\<`, ""), "<") && strings.Contains(table, `a\|b\*c\`+"`"+`d\\e`),
		"the table does not escape:\n%s", table)
	var pictures int
	for _, name := range w.Files {
		testkit.Check(t, !strings.Contains(strings.TrimSuffix(strings.TrimPrefix(name, "figures/"), ".svg"), ".."), "file %q", name)
		if !strings.HasSuffix(name, ".svg") {
			continue
		}
		if strings.HasPrefix(name, "figures/throughput-vs-block-cold-") {
			pictures++
		}
		for dec := xml.NewDecoder(bytes.NewReader(content[name])); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s is no XML: %v", name, err)
				break
			}
		}
	}
	// "a b" and "a-b" have the same slug and must not share a file.
	testkit.Equal(t, pictures, len(s.Matrices), "pictures of throughput on one matrix")
}

// TestMissingValues has trials without interval, throughput, roof or features.
func TestMissingValues(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:2]
	d := s.Report()
	nan := math.NaN()
	for i := range d.Rows {
		switch r := &d.Rows[i]; i % 4 {
		case 0:
			r.WithinLow, r.WithinHigh = nan, nan
		case 1:
			r.GBPS, r.RoofFraction = nan, nan
		case 2:
			r.Status, r.Median, r.WithinLow, r.WithinHigh, r.GFLOPS, r.GBPS, r.RoofFraction = "timeout", nan, nan, nan, nan, nan,
				nan
		}
	}
	for i := range d.Best {
		d.Best[i].GBPS, d.Best[i].RoofFraction, d.Best[i].WithinLow, d.Best[i].WithinHigh, d.Best[i].Margin = nan, nan, nan, nan,
			nan
	}
	content, _ := written(t, analysis.New(d.Rows, d.Best, nil, nil), Options{})
	for name, c := range content {
		packed := strings.HasSuffix(name, ".png") || strings.HasSuffix(name, ".pdf") // any three bytes may be in it
		testkit.Check(t, packed || !bytes.Contains(c, []byte("NaN")) || name == "report.html", "%s prints NaN", name)
	}
	testkit.Lacks(t, "the report", string(content["report.html"]), ">NaN")
	for _, want := range []string{term.Missing, "timeout"} {
		testkit.Says(t, "the report", string(content["report.html"]), want)
	}
}

func TestReportIsSelfContained(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Processor()
	s.Matrices = s.Matrices[:2]
	content, _ := written(t, synthetic.Ruled(s.Report()), Options{Version: "v9"})
	page := string(content["report.html"])
	testkit.Says(t, "the report", page, "v9", "cpu_sell", "Which kernel for which matrix", "Further pictures (2)",
		"var(--t1)", " verified trials", "Measured from 20")
	testkit.Lacks(t, "the report", page, "src=\"http", "href=\"http", "url(", "@import", "ZgotmplZ")
}

// TestReportStaysSmall: 103 matrices with 22 kernels, in both precisions and with both states of
// the caches, below 5 MB.
func TestReportStaysSmall(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Crowd(103, 64, 22)
	s.Grids, s.Precisions = []int{1, 16, 256}, []kernels.Precision{kernels.Float32, kernels.Float64}
	one := s.Report()
	rows := one.Rows
	for _, r := range one.Rows {
		r.Cache = trial.Warm
		rows = append(rows, r)
	}
	d := analysis.New(rows, one.Best, one.Matrices, one.Devices)
	d.Patterns, d.Launches, d.Drifts = one.Patterns, one.Launches, one.Drifts
	c := &page.Content{Report: synthetic.Unruled(d)}
	for i := range figure.All {
		if drawn, _ := figure.All[i].Draw(d); len(drawn.Pictures) > 0 {
			c.Figures = append(c.Figures, drawn)
		}
	}
	var b bytes.Buffer
	testkit.Succeed(t, c.Write(&b))
	testkit.Check(t, b.Len() <= 5_000_000, "the report has %d bytes", b.Len())
	t.Logf("%d bytes, %d trials", b.Len(), len(rows))
	if dir := os.Getenv("SPMVTUNE_SCREENS"); dir != "" {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "large.html"), b.Bytes(), 0o644))
	}
}

func TestMissedTargetIsSaid(t *testing.T) {
	d := synthetic.Coarse(map[trial.Stop]int{trial.StopBudget: 400, trial.StopSamples: 30, trial.StopTarget: 18})
	content, w := written(t, d, Options{Figures: []string{"speedup-over-baseline"}})
	const want = "430 of 448 trials of quick did not reach the target of 2%; their intervals are ±\u202f5.1% in the median"
	if len(w.Warnings) == 0 || !strings.HasPrefix(w.Warnings[0].Error(), want) ||
		!strings.Contains(w.Warnings[0].Error(), "trial_budget") {
		t.Errorf("warnings %v, want %q and what to raise", w.Warnings, want)
	}
	for name, texts := range map[string][]string{
		"report.html": {want, `<b>18 of 448</b> trials of quick reached the target of 2%`,
			"%</b> difference from which a configuration is called faster"},
		"tables/summary.md": {want, "## Precision", "reached the target"},
	} {
		testkit.Says(t, name, string(content[name]), texts...)
	}
}

// TestFewDetails: of hundreds of matrices, the overviews are all there, the pages of
// single ones are not, and the report says so.
func TestFewDetails(t *testing.T) {
	testkit.Long(t, "draws for long")
	s := synthetic.Processor()
	s.Matrices = nil
	for i := range figure.MostDetails + 5 {
		s.Matrices = append(s.Matrices, fmt.Sprintf("m%02d", i))
	}
	s.Kernels, s.Blocks, s.Grids = []string{"cpu_coo", "cpu_sell"}, []int{16, 64, 256}, []int{1}
	s.Precisions = s.Precisions[:1]
	content, _ := written(t, s.Report(), Options{Figures: []string{"throughput-vs-block"}})
	details := 0
	for name := range content {
		if strings.Contains(name, "cold-m") && strings.HasSuffix(name, ".svg") {
			details++
		}
	}
	testkit.Equal(t, details, figure.MostDetails, "pages of single matrices")
	testkit.Says(t, "the report", string(content["report.html"]), "5 further pages, one for each matrix, were not made")
}
