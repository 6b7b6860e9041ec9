package plots

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		v, low, high float64
		want         string
	}{
		{1.23456, 1.2300, 1.2395, "1.235 ± 0.005"},
		{1.23456, 1.2230, 1.2466, "1.235 ± 0.012"},
		{123.456, 121.3, 125.8, "123 ± 2"},
		{123.456, 110, 137.5, "123 ± 14"},
		{12345, 12110, 12570, "12300 ± 200"},
		{0.00012345, 0.0001205, 0.0001265, "0.000123 ± 0.000003"},
		{1.2, 0.5, 2.0, "1.2 ± 0.8"},
		{0.61, 0.58, 1.7, "0.61 −0.03 +1.09"},
		{1.2, 1.2, 25, "1.2 −0.0 +23.8"},
		{9.996, 9.996, 9.996, "10.00"},
		{1.5, math.NaN(), math.NaN(), "1.50"},
		{math.NaN(), 1, 2, missing},
		{math.Inf(1), 1, 2, missing},
	} {
		if got := interval(c.v, c.low, c.high); got != c.want {
			t.Errorf("interval(%v, %v, %v) = %q, want %q", c.v, c.low, c.high, got, c.want)
		}
	}
	if got := rounded(3.3, 40); got != "3.3" {
		t.Errorf("a value below its uncertainty is printed as %s", got)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", 4996000: "4\u202f996\u202f000", -1234: "-1\u202f234"} {
		if got := term.Grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	names := func(s scale) string {
		var list []string
		for _, k := range s.ticks {
			if k.Value < s.min || k.Value > s.max {
				t.Errorf("tick %v outside of %v to %v", k.Value, s.min, s.max)
			}
			if k.Label != "" {
				list = append(list, k.Label)
			}
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		name, got, want string
	}{
		{"zero to 33", names(fromZero(33, 4)), "0 10 20 30"},
		{"zero to 0.7", names(fromZero(0.7, 4)), "0.0 0.2 0.4 0.6"},
		{"zero to 3000", names(fromZero(3000, 4)), "0 1000 2000 3000"},
		{"no data", names(fromZero(0, 4)), "0.0 0.5 1.0"},
		{"two workers", names(sizes([]int{2, 1, 2}, 6)), "1 2"},
		{"one size", names(sizes([]int{256}, 6)), "256"},
		{"powers of two", names(sizes([]int{32, 64, 128, 256, 512, 1024}, 6)), "32 64 128 256 512 1024"},
		{"thinned", names(sizes([]int{1, 4096}, 5)), "1 8 64 512 4096"},
		{"far", names(sizes([]int{64, 65536}, 6)), "64 256 1Ki 4Ki 16Ki 64Ki"},
		{"every warp", names(sizes([]int{32, 64, 96, 128, 160, 192, 224, 256, 1024}, 5)), "32 128 512"},
		{"ratios", names(ratios(0.5, 9)), "0.5× 1× 2× 5× 10×"},
		{"close ratios", names(ratios(0.95, 1.3)), "1× 1.25×"},
		{"a decade and more", names(logBetween(0.3, 30, 6)), "0.5 1 2 5 10 20"},
		{"many decades", names(logBetween(0.05, 5e4, 6)), "0.1 1 10 100 1000 10000"},
		{"within a decade", names(logBetween(0.12, 0.26, 6)), "0.15 0.20 0.25"},
		{"far ratios", names(ratios(0.01, 900)), "0.01× 0.1× 1× 10× 100× 1000×"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

// TestLooks: every kernel of the catalogue differs from every other in colour
// or marker, and neighbours differ in grey.
func TestLooks(t *testing.T) {
	seen := map[string]string{}
	for _, name := range kernels.Names() {
		l := lookOf(name)
		key := fmt.Sprint(l.Color, l.Marker)
		if other, taken := seen[key]; taken {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[key] = name
	}
	grey := func(c color.RGBA) float64 { return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) }
	for i := range hues {
		if d := math.Abs(grey(hues[i]) - grey(hues[(i+1)%len(hues)])); d < 20 {
			t.Errorf("colours %d and %d differ by %.0f of 255 in grey", i, i+1, d)
		}
	}
}

// TestStyleSheetFollowsTheme: the report recolours SVGs by name, so each colour
// of the theme needs its name in the light, the dark and the printed sheet.
func TestStyleSheetFollowsTheme(t *testing.T) {
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	check := func(name string, c color.RGBA) {
		t.Helper()
		if n := strings.Count(reportCSS, "--"+name+": "); n != 3 {
			t.Errorf("--%s is set %d times, want 3", name, n)
		}
		if n := strings.Count(reportCSS, "--"+name+": "+hex(c)+";"); n != 2 {
			t.Errorf("--%s is %s in %d of the light sheets, want 2", name, hex(c), n)
		}
	}
	for name, c := range greys {
		check(name, c)
	}
	for i, c := range hues {
		check(fmt.Sprintf("k%d", i), c)
	}
}

// row is a good trial for tests of selection.
func row(kernel string, block, grid int, ms float64) store.Row {
	r := store.Row{Device: "d", Matrix: "m", Rows: 10, NNZ: 50, GBPS: 1 / ms, RoofFraction: 0.1 / ms}
	r.Result = timedResult(kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: block, Grid: grid}, ms, 0.9, 1.25)
	return r
}

// timedResult is a good result; its interval goes from low to high times its time.
func timedResult(c kernels.Config, ms, low, high float64) trial.Result {
	return trial.Result{Trial: trial.Trial{Config: c, Cache: trial.Cold}, Status: trial.OK,
		Median: ms / 1e3, Low: ms * low / 1e3, High: ms * high / 1e3}
}

func TestLinesFixTheOtherSize(t *testing.T) {
	d := newData([]store.Row{
		row("cpu_csr_rows", 64, 1, 5), row("cpu_csr_rows", 256, 1, 4),
		row("cpu_csr_rows", 64, 2, 3), row("cpu_csr_rows", 256, 2, 2), row("cpu_csr_rows", 256, 2, 2.5),
		row("cpu_csr", 0, 0, 8),
		row("coo_atomic", 128, 40, 7), row("coo_atomic", 256, 20, 6), // the grid follows from the block
	}, nil, nil, nil)
	lines := overBlock.lines(&d.panels[0], gbps)
	got := map[string]string{}
	for _, l := range lines {
		for _, p := range l.Points {
			got[l.Kernel] += fmt.Sprintf("%g:%.3f ", p.X, p.Y)
		}
		got[l.Kernel] += fmt.Sprintf("at %d", l.Fixed)
	}
	for kernel, want := range map[string]string{
		"cpu_csr_rows": "64:0.333 256:0.400 at 2", // the latest measurement of a configuration counts
		"cpu_csr":      "0:0.125 at 0",
		"coo_atomic":   "128:0.143 256:0.167 at 0",
	} {
		if got[kernel] != want {
			t.Errorf("%s: %q, want %q", kernel, got[kernel], want)
		}
	}
	p := lines[0].Points[0]
	if math.Abs(p.Low-0.125/1.25) > 1e-12 || math.Abs(p.High-0.125/0.9) > 1e-12 {
		t.Errorf("band %v to %v of %v", p.Low, p.High, p.Y)
	}
}

func TestGains(t *testing.T) {
	d := newData([]store.Row{row("cpu_coo", 0, 0, 8), row("cpu_csr", 0, 0, 2), row("cpu_csr_rows", 64, 1, 9), row("cpu_csr_rows", 64, 2, 4)}, nil, nil, nil)
	if base := d.baselineOf("d"); base != "cpu_coo" {
		t.Fatalf("baseline %q", base)
	}
	var got []string
	for _, g := range d.panels[0].gains("cpu_coo") {
		got = append(got, fmt.Sprintf("%s %g", g.Row.Kernel, g.Ratio))
		if !(g.Low < g.Ratio && g.Ratio < g.High) {
			t.Errorf("%s: %v is not within %v to %v", g.Row.Kernel, g.Ratio, g.Low, g.High)
		}
	}
	if s := strings.Join(got, ", "); s != "cpu_csr 4, cpu_csr_rows 2" {
		t.Errorf("gains %s", s)
	}

	d = newData(append(d.rows, row("coo_atomic", 128, 1, 1)), nil, nil, nil)
	if base := d.baselineOf("d"); base != "coo_atomic" {
		t.Errorf("baseline %q where coo_atomic was measured", base)
	}
	d = newData([]store.Row{row("cpu_csr", 0, 0, 2)}, nil, nil, nil)
	if pages, warnings := drawSpeedup(d); len(pages) != 0 || len(warnings) != 1 {
		t.Errorf("without a baseline: %d pages, warnings %v", len(pages), warnings)
	}
}

func TestFilesAppearWhole(t *testing.T) {
	f := &files{dir: t.TempDir()}
	for _, content := range []string{"first", "second"} {
		if err := f.write("x.md", []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries (%v): temporary files are left", len(entries), err)
	}
	if got, _ := os.ReadFile(filepath.Join(f.dir, "x.md")); string(got) != "second" {
		t.Errorf("content %q", got)
	}
	if info, err := os.Stat(filepath.Join(f.dir, "x.md")); err != nil || info.Mode().Perm()&0o044 != 0o044 {
		t.Errorf("others can't read the file: %v, %v", info.Mode(), err)
	}
	if err := f.write("nowhere/x.md", nil); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v names no file", err)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Intel Xeon @ 2.10GHz": "intel-xeon-2.10ghz", "../../etc/passwd": "etc-passwd", "": "", "a__b": "a-b", ".hidden.": "hidden", "a.b..c": "a.b.-c",
	} {
		if got := slug(in); got != want {
			t.Errorf("slug(%q) = %q, want %q", in, got, want)
		}
	}
}
