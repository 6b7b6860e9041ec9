package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/tuner/trial"
)

// written writes a report and returns its files by name.
func written(t *testing.T, d *data, r *rule.Rule, opt Options) (map[string][]byte, *Written) {
	t.Helper()
	dir := t.TempDir()
	w, err := write(t.Context(), d, r, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(content) != len(w.Files) {
		t.Errorf("the folder holds %d files, the result names %d", len(content), len(w.Files))
	}
	for _, name := range w.Files {
		if len(content[name]) == 0 {
			t.Errorf("%s is missing or empty", name)
		}
	}
	return content, w
}

func TestSameBytes(t *testing.T) {
	draws(t)
	s := processor()
	s.matrices = s.matrices[:3]
	first, _ := written(t, s.data(), sampleRule(), Options{Version: "1"})

	// The store may give rows in any order.
	d := s.data()
	rows := slices.Clone(d.rows)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	slices.Reverse(d.best)
	slices.Reverse(d.matrices)
	again := newData(rows, d.best, d.matrices, d.devices)
	again.patterns, again.drifts, again.searched = d.patterns, d.drifts, d.searched
	second, _ := written(t, again, sampleRule(), Options{Version: "1"})

	if len(first) < 10 {
		t.Fatalf("%d files only", len(first))
	}
	for name, content := range first {
		if !bytes.Equal(content, second[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestEmptyDatabase(t *testing.T) {
	content, w := written(t, newData(nil, nil, nil, nil), nil, Options{})
	if len(w.Warnings) != 0 {
		t.Errorf("warnings for figures that nobody asked for: %v", w.Warnings)
	}
	var ids []string
	for i := range Figures {
		ids = append(ids, Figures[i].ID)
		if row := "<td>" + Figures[i].ID + "</td><td>run " + Figures[i].Sweep + "</td>"; !strings.Contains(string(content["report.html"]), row) {
			t.Errorf("the report does not say what produces %s", Figures[i].ID)
		}
	}
	_, w = written(t, newData(nil, nil, nil, nil), nil, Options{Figures: ids})
	if len(w.Warnings) != len(Figures) {
		t.Errorf("warnings: %v", w.Warnings)
	}
	for i, warning := range w.Warnings {
		if s := warning.Error(); !strings.Contains(s, Figures[i].ID) || !strings.Contains(s, Figures[i].Sweep) {
			t.Errorf("warning %q names no figure or sweep", s)
		}
	}
	for _, want := range []string{"No figure has data", "No rule was learned", "No trial failed"} {
		if !strings.Contains(string(content["report.html"]), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

// TestLackingBaseline: trials are there, so what is missing is a kernel, and it
// is said once.
func TestLackingBaseline(t *testing.T) {
	draws(t)
	for device, want := range map[string]string{processor().device: "add cpu_coo to", gpu(1, 32).device: "add coo_atomic to"} {
		s := processor()
		if device != s.device {
			s = gpu(1, 64)
		}
		s.matrices, s.kernels = s.matrices[:1], s.kernels[1:]
		content, w := written(t, s.data(), nil, Options{})
		if len(w.Warnings) != 1 || !strings.Contains(w.Warnings[0].Error(), want) || strings.Contains(w.Warnings[0].Error(), "quickstart") {
			t.Errorf("%s: warnings %v, want one with %q", device, w.Warnings, want)
		}
		if n := strings.Count(string(content["report.html"]), want); n != 1 {
			t.Errorf("%s: the report says it %d times", device, n)
		}
	}
	s := processor()
	s.matrices, s.blocks, s.grids = s.matrices[:1], []int{64}, []int{1}
	_, w := written(t, s.data(), nil, Options{Figures: []string{"throughput-vs-block", "throughput-vs-grid"}})
	if len(w.Warnings) != 2 || !strings.Contains(w.Warnings[0].Error(), "several block sizes") || !strings.Contains(w.Warnings[1].Error(), "several grid sizes") {
		t.Errorf("one size only: warnings %v", w.Warnings)
	}
}

// TestSameWordsForTies: the tables count as the view best does, and both say
// which configuration a speed-up is of.
func TestSameWordsForTies(t *testing.T) {
	s := processor()
	s.matrices, s.precisions = s.matrices[:1], s.precisions[:1]
	d := s.data()
	d.best[0].TieSize = 28
	content, _ := written(t, d, nil, Options{Figures: []string{"speedup-over-baseline"}})
	table := string(content["tables/best-configuration.md"])
	if !strings.Contains(table, "| tied |") || !strings.Contains(table, "|   28 |") || !strings.Contains(table, "the listed one included") {
		t.Errorf("the table does not count the listed configuration:\n%s", table)
	}
	pages, _ := drawSpeedup(d)
	if !strings.Contains(pages[0].Subtitle, "Fastest configuration of each kernel") || !strings.Contains(table, "takes the fastest configuration of each kernel") {
		t.Errorf("figure and table don't say that they differ: %q", pages[0].Subtitle)
	}
}

// TestCitationsAreListed: what a figure cites can be looked up in the report.
func TestCitationsAreListed(t *testing.T) {
	draws(t)
	s := processor()
	s.matrices = s.matrices[:1]
	content, _ := written(t, s.data(), nil, Options{})
	page := string(content["report.html"])
	for i := range Figures {
		if pages, _ := Figures[i].draw(s.data()); len(pages) == 0 {
			continue
		}
		for _, part := range strings.Split(Figures[i].Source, ", ") {
			if part == "" {
				continue // not in any paper
			}
			key, _, _ := strings.Cut(part, " ")
			if !strings.Contains(page, "<dt>"+key+"</dt>") {
				t.Errorf("figure %s cites %s, which the report does not list", Figures[i].ID, key)
			}
		}
	}
	for _, want := range []string{"Matteo Di Noia", "Merrill and Garland", `class="hint"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page, "Hiranandani") {
		t.Error("the report lists a paper that nothing in it cites")
	}
}

func TestUnknownFigure(t *testing.T) {
	_, err := write(t.Context(), newData(nil, nil, nil, nil), nil, t.TempDir(), Options{Figures: []string{"nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "throughput-vs-block") {
		t.Errorf("error %v names no figure that there is", err)
	}
}

// TestHostileNames feeds names and messages that mean something to HTML,
// Markdown, XML or a file system.
func TestHostileNames(t *testing.T) {
	draws(t)
	s := processor()
	s.matrices = []string{`<script>alert(1)</script>`, "a|b*c`d\\e", "../../etc/passwd", "nul\x00bell\x07\xff", `"q" & 'r'`, "a b", "a-b"}
	d := s.data()
	d.rows[0].Status, d.rows[0].Message = "fault", `<img src=x onerror="alert(2)">`
	d = newData(d.rows, d.best, d.matrices, d.devices)
	content, w := written(t, d, nil, Options{Title: "</title><b>"})

	page := string(content["report.html"])
	for _, bad := range []string{"<script>alert", "<img", "</title><b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the report holds %q as it is", bad)
		}
	}
	if !strings.Contains(page, "&lt;img src=x") {
		t.Error("the report lacks the escaped message")
	}
	table := string(content["tables/best-configuration.md"])
	if strings.Contains(strings.ReplaceAll(table, `\<`, ""), "<") || !strings.Contains(table, `a\|b\*c\`+"`"+`d\\e`) {
		t.Errorf("the table does not escape:\n%s", table)
	}
	var pictures int
	for _, name := range w.Files {
		if strings.Contains(strings.TrimSuffix(strings.TrimPrefix(name, "figures/"), ".svg"), "..") {
			t.Errorf("file %q", name)
		}
		if !strings.HasSuffix(name, ".svg") {
			continue
		}
		if strings.HasPrefix(name, "figures/throughput-") {
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
	if want := 2 * (4 + len(s.matrices)); pictures != want {
		t.Errorf("%d pictures of throughput, want %d", pictures, want)
	}
}

// TestMissingValues has trials without interval, throughput, roof or features.
func TestMissingValues(t *testing.T) {
	draws(t)
	s := processor()
	s.matrices = s.matrices[:2]
	d := s.data()
	nan := math.NaN()
	for i := range d.rows {
		switch r := &d.rows[i]; i % 4 {
		case 0:
			r.Low, r.High = nan, nan
		case 1:
			r.GBPS, r.RoofFraction = nan, nan
		case 2:
			r.Status, r.Median, r.Low, r.High, r.GFLOPS, r.GBPS, r.RoofFraction = trial.Timeout, nan, nan, nan, nan, nan, nan
		}
	}
	for i := range d.best {
		d.best[i].GBPS, d.best[i].RoofFraction, d.best[i].Low, d.best[i].High, d.best[i].Margin = nan, nan, nan, nan, nan
	}
	content, _ := written(t, newData(d.rows, d.best, nil, nil), nil, Options{})
	for name, c := range content {
		if !strings.HasSuffix(name, ".png") && bytes.Contains(c, []byte("NaN")) && name != "report.html" {
			t.Errorf("%s prints NaN", name)
		}
	}
	if bytes.Contains(content["report.html"], []byte(">NaN")) {
		t.Error("the report prints NaN")
	}
	for _, want := range []string{missing, "timeout"} {
		if !bytes.Contains(content["report.html"], []byte(want)) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

func TestReportIsSelfContained(t *testing.T) {
	draws(t)
	s := processor()
	s.matrices = s.matrices[:2]
	content, _ := written(t, s.data(), sampleRule(), Options{Version: "v9"})
	page := string(content["report.html"])
	for _, want := range []string{"v9", "cpu_sell", "Which kernel for which matrix", "One by one (2)", "var(--k1)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, bad := range []string{"src=\"http", "href=\"http", "url(", "@import", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the report holds %q", bad)
		}
	}
}

// TestReportStaysSmall: 30 matrices with 30 kernels below 10 MB.
func TestReportStaysSmall(t *testing.T) {
	draws(t)
	s := crowd(30, 512, 30)
	s.grids = []int{1, 16, 256}
	d := s.data()
	var pages []*page
	for i := range Figures {
		drawn, _ := Figures[i].draw(d)
		for _, p := range drawn {
			p.figure = &Figures[i]
		}
		pages = append(pages, drawn...)
	}
	var b bytes.Buffer
	if err := writeHTML(&b, d, nil, pages, nil, bestTables(d), nil, Options{}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 10_000_000 {
		t.Errorf("the report has %d bytes", b.Len())
	}
	t.Logf("%d bytes", b.Len())
}

func sampleRule() *rule.Rule {
	leaf := func(kernel string) *rule.Node {
		return &rule.Node{Choice: &kernels.Config{Kernel: kernel, Block: 64, Grid: 2}, Matrices: []string{"ecology1"}, Fraction: 0.98}
	}
	return &rule.Rule{Version: rule.Version, Sweep: "synthetic", Selectors: []rule.Selector{{
		Device: processor().device, Precision: kernels.Float32, Cache: "cold", Configs: 12,
		Root:         &rule.Node{Feature: "row_mean", Threshold: 8, Below: leaf("cpu_sell"), Above: leaf("cpu_csr_merge")},
		Single:       kernels.Config{Kernel: "cpu_sell", Block: 64, Grid: 2},
		SingleKernel: "cpu_sell",
		Validation: rule.Validation{Matrices: 1, Mean: 0.97, Worst: 0.97, WorstMatrix: "ecology1", Within5: 1, SingleConfig: 0.8, SingleKernel: 0.9,
			Cases: []rule.Case{{Matrix: "ecology1", Choice: kernels.Config{Kernel: "cpu_sell", Block: 64, Grid: 2}, Evidence: rule.Measured, Fraction: 0.97, SingleConfig: 0.8, SingleKernel: 0.9}}},
	}}}
}
