// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
)

// A second report makes a damaged picture again, and removes what it no longer makes unless someone has changed it.
func TestSecondReport(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(matrices int) *Written {
		t.Helper()
		s := synthetic.Processor()
		s.Matrices = s.Matrices[:matrices]
		return testkit.Must(Write(t.Context(), s.Report(), dir, Options{}))
	}

	first := write(3)
	damaged := path("figures/matrix-patterns.svg")
	before := testkit.Must(os.ReadFile(damaged))
	testkit.Succeed(t, os.WriteFile(damaged, []byte("<svg>"), 0o666))
	testkit.EqualLists(t, write(3).Files, first.Files, "files of the second report")
	testkit.Equal(t, string(testkit.Must(os.ReadFile(damaged))), string(before), "a damaged picture")

	gone, edited, own := "figures/throughput-vs-block-cold-power-law.png",
		"figures/throughput-vs-block-cold-power-law.svg", "figures/mine.png"
	for _, name := range []string{edited, own} {
		testkit.Succeed(t, os.WriteFile(path(name), []byte("of a user"), 0o666))
	}
	write(2)
	testkit.Fails(t, testkit.Err(os.Stat(path(gone))), "", "of the report before: %s", gone)
	for _, name := range []string{edited, own} {
		testkit.Equal(t, string(testkit.Must(os.ReadFile(path(name)))), "of a user", "%s", name)
	}
}

// A report on some figures leaves the others, and one of figures alone the tables and the page.
func TestReportOnOneFigureKeepsOthers(t *testing.T) {
	for _, alone := range []bool{false, true} {
		dir, d := t.TempDir(), synthetic.Processor()
		d.Matrices = d.Matrices[:2]
		for _, opt := range []Options{{title: "all"}, {title: "one", Figures: []string{"matrix-patterns"}, alone: alone},
			{title: "all", Figures: []string{"drift"}, alone: alone}} {
			testkit.Must(Write(t.Context(), d.Report(), dir, opt))
			for _, name := range []string{"figures/gflops-vs-row-length-float32-cold.png", "tables/summary.md"} {
				testkit.Must(os.Stat(filepath.Join(dir, name)))
			}
			page := testkit.Must(os.ReadFile(filepath.Join(dir, "report.html")))
			testkit.Equal(t, strings.Contains(string(page), "<h1>all</h1>"), alone || opt.title == "all", "alone %t: the page is that of all figures", alone)
		}
	}
}

// A record that names files elsewhere, in the report's folder or out of it, removes none of them.
func TestRecordStaysInItsFolder(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report")
	testkit.Succeed(t, os.MkdirAll(filepath.Join(report, "figures"), 0o777))
	f := folderIn(report)
	names := []string{"../mine.txt", "figures/../../mine.txt", "figures/../mine.txt", "mine.txt"}
	for _, name := range names {
		testkit.Succeed(t, os.WriteFile(filepath.Join(report, filepath.FromSlash(name)), []byte("x"), 0o666))
		f.made[name] = entry{1, crc32.ChecksumIEEE([]byte("x"))}
	}
	testkit.Succeed(t, f.finish(Options{}))
	testkit.Succeed(t, folderIn(report).finish(Options{}))
	for _, name := range names {
		testkit.Must(os.Stat(filepath.Join(report, filepath.FromSlash(name))))
	}
}
