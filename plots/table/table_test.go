// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/compare"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// nasty is a table of what each form gives a meaning.
func nasty() Sheet {
	t := Table{Title: "50% of a_b & {c}", Columns: Columns("matrix", ">time (ms)")}
	for _, name := range []string{`a\b`, "x_1 & 2", "50%", "$5", "#", "{", "}}", "~^", "a|b", "naïve ± µ",
		"two\nlines", `"quoted", twice`, "[2pt] x", "*", "=1+2", "\x1b[31m\u202e", "*/ \\end{document}"} {
		t.Rows = append(t.Rows, []Cell{Text(name), keyed("1.23 ± 0.04", 1.2345)})
	}
	t.Rows = append(t.Rows, []Cell{Text("none"), missing})
	t.Rows[0][1].Bold = true
	return Sheet{Stem: "nasty", Title: "A title & more", Notes: []string{"first\nsecond"}, Tables: []Table{t, t}}
}

// TestLaTeX: what is written is ASCII, its braces and environments match, no character
// with a meaning is left of a text, and each row has as many cells as the header.
func TestLaTeX(t *testing.T) {
	s := nasty()
	text := string(s.Booktabs(240, ""))
	depth, escaped := 0, false
	for _, r := range text {
		switch {
		case r > 0x7e || r < ' ' && r != '\n':
			t.Errorf("%q is not ASCII", r)
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '{':
			depth++
		case r == '}':
			if depth--; depth < 0 {
				t.Fatalf("a brace closes that was not opened:\n%s", text)
			}
		}
	}
	testkit.Equal(t, depth, 0, "braces that are left open")
	for _, name := range []string{"table", "tabular"} {
		b, e := strings.Count(text, `\begin{`+name+`}`), strings.Count(text, `\end{`+name+`}`)
		testkit.Check(t, b == 2 && e == 2, "%s begins %d times and ends %d times", name, b, e)
	}
	rows := 0
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\\\\\n") {
			testkit.Check(t, !strings.HasPrefix(line, "%") || strings.Count(line, "\n") == 1, "a comment goes on: %q", line)
			continue
		}
		rows++
		plain := strings.NewReplacer(`\\`, "", `\&`, "", `\%`, "", `\$`, "", `\#`, "", `\_`, "", `\{`, "", `\}`,
			"").Replace(line)
		testkit.Equal(t, strings.Count(plain, "&"), 1, "separators of cells in %s", line)
		testkit.Check(t, !strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "*"), "an option of the row before: %s", line)
		testkit.Check(t, !strings.ContainsAny(plain, "%#_^~") && strings.Count(plain, "$")%2 == 0,
			"a character with a meaning: %s", line)
	}
	testkit.Equal(t, rows, 2*(1+len(s.Tables[0].Rows)), "rows")
	testkit.Equal(t, strings.Count(text, `\textbf{1.23 $\pm$ 0.04}`), 2, "bold cells")
}

// TestCSV: names come back as they were, unless a spreadsheet would compute or a terminal obey them, and numbers with
// all digits.
func TestCSV(t *testing.T) {
	s := nasty()
	lines := testkit.Must(csv.NewReader(strings.NewReader(string(s.CSV()))).ReadAll())
	testkit.Equal(t, len(lines), 1+2*len(s.Tables[0].Rows), "lines")
	for i, row := range s.Tables[0].Rows {
		want := "1.2345"
		if row[1].Text == term.Missing {
			want = ""
		}
		name := row[0].Text
		switch name {
		case "=1+2":
			name = "'" + name
		case "\x1b[31m\u202e":
			name = `\u001b[31m\u202e`
		}
		if l := lines[i+1]; l[0] != s.Tables[0].Title || l[1] != name || l[2] != want {
			t.Errorf("line %q of %q", l, row[0].Text)
		}
	}
}

// What needs no escape is written as it is: the file is also read in a terminal. Columns stand below each other.
func TestMarkdown(t *testing.T) {
	table := Table{Title: "t", Columns: Columns("name", ">n"), Rows: [][]Cell{{Text("a"), count(123)}, {Text("long"), count(5)}}}
	table.Rows[1][1].Bold = true
	sheet := Sheet{Title: "s", Tables: []Table{table}}
	const want = "# s\n\n## t\n\n| name |     n |\n|:---- | -----:|\n| a    |   123 |\n| long | **5** |\n"
	testkit.Equal(t, string(sheet.Markdown()), want, "the table")
	for text, want := range map[string]string{
		`Algorithm 3's "best"`:  `Algorithm 3's "best"`,
		`coo_atomic, > 100 × x`: `coo_atomic, > 100 × x`,
		`a|b*c`:                 `a\|b\*c`,
		`<b>&lt;`:               `\<b>\&lt;`,
		"two\nlines":            "two lines",
		"\x1b[31m\u202e":        ` \[31m\u202e`,
	} {
		testkit.Equal(t, markdownText(text), want, "%q becomes", text)
	}
}

// Kernels that are tied with the named one are counted, and a mean that may be 1 is a tie.
func TestKernelsTable(t *testing.T) {
	rows := []store.Row{
		synthetic.Timed("a", "coo_atomic", "", 64, 2), synthetic.Timed("a", "csr_scalar", "", 64, 1),
		synthetic.Timed("a", "csr_vector", "", 64, 1.005), synthetic.Timed("a", "csr_merge", "", 64, 2.01),
		synthetic.Timed("b", "coo_atomic", "", 64, 2), synthetic.Timed("b", "csr_scalar", "", 64, 1),
		synthetic.Timed("b", "csr_vector", "", 64, 4), synthetic.Timed("b", "csr_merge", "", 64, 1.98),
	}
	rows[1].Tied, rows[2].Tied, rows[5].Tied = true, true, true
	d := analysis.New(rows, []store.Best{{Row: rows[1], TieSize: 2}, {Row: rows[5], TieSize: 1}}, nil, nil)
	var got []string
	for _, row := range winsTable(d).Rows {
		got = append(got, row[0].Text+" "+row[1].Text+" "+row[2].Text+" "+row[3].Text)
	}
	const want = "csr_scalar 2 of 2 0 2.00, csr_merge 0 of 2 0 1.003 (tied), coo_atomic 0 of 2 0 –, " +
		"csr_vector 0 of 2 1 0.998 (tied)"
	testkit.Equal(t, strings.Join(got, ", "), want, "cells")
}

// What changed since another database is counted, and slower ones come first; the mean is
// of times, and is told as how many times as fast.
func TestAgainstTable(t *testing.T) {
	pair := func(kernel string, v compare.Verdict, ratio float64) compare.Pair {
		return compare.Pair{A: &store.Good{}, B: &store.Good{}, Verdict: v, Matrix: "m", Precision: kernels.Float32,
			Cache:  "warm",
			Kernel: kernel, Ratio: stat.Ratio{Value: ratio, Low: 0.9 * ratio, High: 1.25 * ratio}}
	}
	r := &compare.Result{Matrices: 1, Mean: stat.Ratio{Value: 0.8, Low: 0.5, High: 1.25},
		Pairs: []compare.Pair{pair("a", compare.Faster, 0.5), pair("b", compare.Same, 1),
			pair("c", compare.Slower, 2), pair("d", compare.Unsure, 3)}}
	s := AgainstSheet(r, "before.db")
	var listed []string
	for _, row := range s.Tables[0].Rows {
		listed = append(listed, row[0].Text+" "+row[4].Text+" "+row[7].Text+" "+row[8].Text)
	}
	testkit.Equal(t, strings.Join(listed, "; "), "unsure d 0.33× 0.267 to 0.370; slower c 0.50× 0.400 to 0.556; "+
		"faster a 2.0× 1.60 to 2.22", "changes")
	testkit.Equal(t, between(math.NaN(), math.NaN()), "–", "without an interval it")
	testkit.Says(t, "the notes", strings.Join(s.Notes, " "), "have 4 pairs",
		"1 became faster, 1 slower, and 1 show no difference", "1 can't be judged", "1.25 times as fast (95% interval: 0.800 to 2.00)", "over 1 common matrix.")
	r.Mean = stat.Ratio{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	testkit.Lacks(t, "without a mean", AgainstSheet(r, "before.db").Notes[0], "times as fast")
}

// Only where cuSPARSE was measured is there a column for it, and rows fit their columns.
func TestLibraryColumn(t *testing.T) {
	for _, kernel := range []string{"csr_scalar", "cusparse_csr_alg1"} {
		row, other := synthetic.Row("csr_vector", 64, 8, 1), synthetic.Row(kernel, 64, 8, 2)
		d := analysis.New([]store.Row{row, other}, []store.Best{{Row: row}}, nil, nil)
		table := BestTables(d)[0]
		at := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == "× cuSPARSE" })
		if (at >= 0) != (kernel != "csr_scalar") || len(table.Columns) != len(table.Rows[0]) {
			t.Errorf("beside %s: %+v in %+v", kernel, table.Rows[0], table.Columns)
		}
	}
}

// The CSV file has where another run finds each number, and the LaTeX file that of the time.
func TestBestIntervals(t *testing.T) {
	row, base := synthetic.Row("csr_vector", 64, 8, 1), synthetic.Row("coo_atomic", 64, 8, 2)
	row.GFLOPS = 5
	for _, r := range []*store.Row{&row, &base} {
		r.Another = trial.Interval{Low: 0.9 * r.Time, High: 1.2 * r.Time}
	}
	d := analysis.New([]store.Row{row, base}, []store.Best{{Row: row}}, nil,
		[]store.Device{{Label: row.Device, Device: kernels.Device{Backend: "cuda"}}})
	s := Sheet{Stem: "best-configuration", Title: "Best", Tables: BestTables(d)}
	lines := testkit.Must(csv.NewReader(bytes.NewReader(s.CSV())).ReadAll())
	testkit.Equal(t, len(lines), 2, "lines")
	value := func(column string) float64 {
		t.Helper()
		at := slices.Index(lines[0], column)
		if at < 0 {
			t.Fatalf("no column %q in %q", column, lines[0])
		}
		v, err := strconv.ParseFloat(lines[1][at], 64)
		testkit.Check(t, err == nil, "%s: %v", column, err)
		return v
	}

	for _, name := range []string{"time (ms)", "GFLOP/s", "GB/s", "× coo_atomic"} {
		if low, v, high := value(name+" low"), value(name), value(name+" high"); !(low < v && v < high) {
			t.Errorf("%s is %g, from %g to %g", name, v, low, high)
		}
	}
	testkit.Near(t, value("time (ms) low")/value("time (ms)"), 0.9, 1e-9, "the lower end of the time")
	testkit.Near(t, value("GFLOP/s low")/value("GFLOP/s"), 1/1.2, 1e-9, "the lower end of the rate")
	latex := string(s.Booktabs(240, ""))
	testkit.Check(t, !strings.Contains(latex, "& tied ") && strings.Contains(latex, "$-$"),
		"the column of ties, or no interval, in\n%s", latex)
}
