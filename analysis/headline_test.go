package analysis_test

import (
	"fmt"
	"slices"
	"spmvtune/analysis"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A shot is what a kernel takes on a matrix, in milliseconds.
type shot struct {
	matrix, kernel string
	ms             float64
}

// reportOf makes a report of trials with intervals of ±1%. The row mean of matrix "m12" is 12.
func reportOf(shots ...shot) *analysis.Data {
	var rows []store.Row
	var matrices []trial.Matrix
	seen := map[string]bool{}
	for _, s := range shots {
		rows = append(rows, synthetic.Timed(s.matrix, s.kernel, "", 64, s.ms))
		if !seen[s.matrix] {
			m := trial.Matrix{Name: s.matrix, Features: sparse.Features{Rows: 1000, RowMaxOverMean: 1, Nonzeros: 5000}}
			fmt.Sscanf(s.matrix, "m%g", &m.RowMean)
			matrices = append(matrices, m)
		}
		seen[s.matrix] = true
	}
	return analysis.New(rows, nil, matrices, nil)
}

// said returns the sentence about a topic, "" if there is none.
func said(t *testing.T, d *analysis.Data, about analysis.Topic) string {
	t.Helper()
	parts := analysis.Headline(d)
	if len(parts) > 1 {
		t.Fatalf("%d parts", len(parts))
	}
	for _, p := range parts {
		for _, s := range p.Sentences {
			if s.About == about {
				return s.Text
			}
		}
	}
	return ""
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("it says\n  %s\nwant\n  %s", got, want)
	}
}

// fourTimes is a report where csr_vector is four times the baseline on each of n matrices.
func fourTimes(n int) []shot {
	var list []shot
	for i := range n {
		m := fmt.Sprintf("m%d", 10*i+10)
		list = append(list, shot{m, "csr_vector", 1}, shot{m, "csr_scalar", 1.5}, shot{m, "coo_atomic", 4})
	}
	return list
}

func TestWinner(t *testing.T) {
	check(t, said(t, reportOf(fourTimes(4)...), analysis.AboutWinner), "csr_vector is best on 4 of 4 matrices; "+
		"4.00 times as fast as coo_atomic (3.97 to 4.03, geometric mean), and 1.50 times as fast as csr_scalar, "+
		"the next (1.49 to 1.51, "+
		"geometric mean).")

	wide := reportOf(fourTimes(4)...)
	for i := range wide.Rows {
		r := &wide.Rows[i]
		r.Another, r.Tied = trial.Interval{Low: r.Time / 2, High: r.Time * 2}, r.Kernel != "coo_atomic"
	}
	check(t, said(t, wide, analysis.AboutWinner), "csr_vector is named the best on 4 of 4 matrices, but nowhere alone: others are "+
		"tied with it; 4.0 times as fast as coo_atomic (2.5 to 6.5, geometric mean), and 1.5 times as fast as "+
		"csr_scalar, the next "+
		"(0.92 to 2.4, geometric mean: not told from 1).")

	check(t, said(t, reportOf(append(fourTimes(3), shot{"m10", "cusparse_csr_alg1", 2})...), analysis.AboutWinner),
		"csr_vector is best on 3 of 3 matrices; 2.00 times as fast as the fastest of cuSPARSE (1.97 to 2.03, on "+
			"one of them), "+
			"and 1.50 times as fast as csr_scalar, the next (1.49 to 1.51, geometric mean).")
}

// Beside a winner whose output is not verified stands the best of those that are verified.
func TestVerifiedWinner(t *testing.T) {
	shots := fourTimes(4)
	check(t, said(t, reportOf(append(shots, shot{"m10", "mine (not verified)", 9})...), analysis.AboutUnverified), "")
	d := reportOf(append(shots, shot{"m10", "mine (not verified)", 0.1})...)
	for i := range d.Rows {
		d.Rows[i].Tied = d.Rows[i].Kernel == "mine (not verified)"
	}
	check(t, said(t, d, analysis.AboutUnverified), "The output of mine (not verified) is not verified; rules never choose it. "+
		"Without such kernels: csr_vector is best on 4 of 4 matrices; 4.00 times as fast as coo_atomic (3.97 to "+
		"4.03, geometric "+
		"mean), and 1.50 times as fast as csr_scalar, the next (1.49 to 1.51, geometric mean).")

	var about []analysis.Topic
	for _, s := range analysis.Headline(d)[0].Sentences {
		about = append(about, s.About)
	}
	if i := slices.Index(about, analysis.AboutExceptions); i < 0 || i > slices.Index(about, analysis.AboutUnverified) {
		t.Errorf("the sentences are about %q: what is faster than the winner has to follow it", about)
	}

	shots = append(shots, shot{"m10", "mine (not verified)", 0.1}, shot{"m20", "yours (not verified)", 0.1})
	if got := said(t, reportOf(shots...), analysis.AboutUnverified); !strings.HasPrefix(got, "The output of mine (not verified), "+
		"yours (not verified) is not verified; rules never choose them. ") {
		t.Errorf("of two it says %q", got)
	}
}

// Without a kernel that wins on half of the places, none is called the winner.
func TestNoWinner(t *testing.T) {
	var shots []shot
	for i, best := range []string{"csr_vector", "csr_scalar", "csr_light", "csr_vector", "csr_vector", "csr_adaptive",
		"csr_merge", "csr_hybrid"} {
		m := fmt.Sprintf("m%d", i+1)
		for _, k := range []string{"csr_vector", "csr_scalar", "csr_light", "csr_adaptive", "csr_merge", "csr_hybrid",
			"cusparse_csr_alg1"} {
			ms := 2.0
			if k == best {
				ms = 1
			}
			shots = append(shots, shot{m, k, ms})
		}
	}
	d := reportOf(shots...)
	got := said(t, d, analysis.AboutWinner)
	if !strings.HasPrefix(got, "No kernel is best on half of 8 matrices: csr_vector on 3; ") ||
		!strings.Contains(got, "; 2 other kernels on 2. ") ||
		!strings.HasSuffix(got, "The best of each is 2.00 times as fast as the fastest of cuSPARSE (1.99 to 2.01, "+
			"geometric mean).") {
		t.Errorf("it says %q", got)
	}
	check(t, said(t, d, analysis.AboutExceptions), "")
}

func TestExceptions(t *testing.T) {
	shots := fourTimes(4)
	shots[1].ms = 0.5 // csr_scalar on m10
	check(t, said(t, reportOf(shots...), analysis.AboutExceptions), "Faster than it: csr_scalar on m10 (2.00 times, 1.97 to 2.03).")

	shots[1].ms = 0.995 // which another run may not find
	check(t, said(t, reportOf(shots...), analysis.AboutExceptions), "")

	// Repeat runs told it here, and another run may find otherwise.
	shots[1].ms = 0.5
	d := reportOf(shots...)
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Another = trial.Interval{Low: r.Time / 4, High: r.Time * 4}
		r.Tied = r.Kernel == "csr_scalar" && r.Matrix == "m10" || r.Kernel == "csr_vector" && r.Matrix != "m10"
	}
	check(t, said(t, d, analysis.AboutExceptions), "")

	shots = fourTimes(7)
	for i := range 3 {
		shots[3*i+1].ms = 0.5 // m10, m20 and m30, the shortest rows
	}
	check(t, said(t, reportOf(shots...), analysis.AboutExceptions), "Faster than it: csr_scalar on 3, where rows have less than 35 "+
		"nonzeros on average (2.00 times, 1.98 to 2.02).")
	shots[1].ms, shots[3*5+1].ms = 2, 0.5 // m20, m30 and m60: no feature tells them
	check(t, said(t, reportOf(shots...), analysis.AboutExceptions),
		"Faster than it: csr_scalar on m20, m30, m60 (2.00 times, 1.98 to 2.02).")
}

// A matrix at all of its precisions is named alone.
func TestPrecisions(t *testing.T) {
	shots := fourTimes(3)
	shots[1].ms = 0.5
	d := reportOf(shots...)
	rows := d.Rows
	for _, r := range d.Rows {
		if r.Precision = kernels.Float32; r.Matrix != "m30" {
			rows = append(rows, r)
		}
	}
	d = analysis.New(rows, nil, d.Matrices, nil)
	if got := said(t, d, analysis.AboutWinner); !strings.HasPrefix(got, "csr_vector is best on 3 of 5 cases (3 matrices in "+
		"float32 or float64); ") {
		t.Errorf("it says %q", got)
	}
	if got := said(t, d, analysis.AboutExceptions); !strings.HasPrefix(got, "Faster than it: csr_scalar on m10 (") {
		t.Errorf("it says %q", got)
	}
}

func TestSingle(t *testing.T) {
	shots := fourTimes(2)
	shots[0].ms = 3
	check(t, said(t, reportOf(shots...), analysis.AboutSingle), "One kernel for all: of those measured everywhere, csr_scalar, tuned "+
		"on each matrix, keeps most: 82% of the best speed in the geometric mean, and 67% at worst, on m20.")
	check(t, said(t, reportOf(fourTimes(1)...), analysis.AboutSingle), "")

	// A kernel that is the best where it was measured is none for all.
	shots = append(fourTimes(3), shot{"m10", "csr_light", 0.9}, shot{"m20", "csr_light", 0.9})
	check(t, said(t, reportOf(shots...), analysis.AboutSingle),
		"One kernel for all: of those measured everywhere, csr_vector, tuned on each matrix, keeps most: 93% of the best "+
			"speed in the geometric mean, and 90% at worst, on m10.")
}

func TestTies(t *testing.T) {
	d := reportOf(fourTimes(3)...)
	check(t, said(t, d, analysis.AboutTies), "")
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Tied = r.Kernel == "csr_vector" || r.Matrix == "m10" || r.Matrix == "m20" && r.Kernel == "csr_scalar"
	}
	check(t, said(t, d, analysis.AboutTies), "On 1 of 3 matrices no kernel can be told from any other. On 1 of 3 matrices "+
		"others are tied with the best: m20 (csr_vector = csr_scalar).")

	d = reportOf(fourTimes(6)...)
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Tied = r.Kernel == "csr_vector" || r.Kernel == "csr_scalar" && r.Matrix != "m10" ||
			r.Kernel == "coo_atomic" && r.Matrix == "m10"
	}
	check(t, said(t, d, analysis.AboutTies), "On 6 of 6 matrices others are tied with the best, most often csr_scalar = "+
		"csr_vector (5).")
}

func TestRepeats(t *testing.T) {
	d := reportOf(fourTimes(3)...)
	check(t, said(t, d, analysis.AboutRepeats), "No trial was repeated, so how far another run may be off is not known. Within this "+
		"one, differences below 1.4% on a single matrix are not called wins.")
	for i := range d.Rows {
		d.Rows[i].Factor = 1.01
		if d.Rows[i].Matrix == "m30" {
			d.Rows[i].Factor = 1.43
		}
	}
	if got := said(t, d, analysis.AboutRepeats); !strings.HasPrefix(got, "Repeating a trial usually moves it by at most "+
		"±\u202f1%, at "+
		"worst by ±\u202f43%, on m30: on a single matrix, differences below ") {
		t.Errorf("it says %q", got)
	}
	check(t, said(t, reportOf(shot{"m1", "csr_vector", 1}), analysis.AboutRepeats), "")
}

// Of the ways to choose for a new matrix, the one that takes the least is named among the best.
func TestRule(t *testing.T) {
	judged := func(c rule.Case, n int) string {
		d := reportOf(fourTimes(3)...)
		d.Rule = &rule.Rule{}
		for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			config := kernels.Config{Kernel: "csr_scalar", Precision: precision, Block: 64}
			s := rule.Selector{Device: "d", Cache: trial.Cold, Precision: precision, Single: config,
				SingleKernel: "csr_vector"}
			if precision == kernels.Float64 {
				s.SingleKernel = "csr_light"
			}
			for range n / 2 {
				c.Matrix = "m1"
				if s.Validation.Cases = append(s.Validation.Cases, c); c.Partial {
					s.Validation.Partial++
				}
			}
			d.Rule.Selectors = append(d.Rule.Selectors, s)
		}
		return said(t, d, analysis.AboutRule)
	}
	check(t, judged(rule.Case{Fraction: 0.5, SingleKernel: 0.94, SingleConfig: 0.5}, 8), "For a new matrix, "+
		"tune csr_vector (float32) or csr_light (float64) (try its blocks, grids and parameters). One kernel "+
		"tuned on each "+
		"keeps 94% of the best speed (94% at worst, on m1, chosen without that matrix), against 50% for one "+
		"configuration for "+
		"all, 50% for the rule, which is not worth using here. These are geometric means of 8 matrices, where a "+
		"tie with the "+
		"best counts as 100%. Each choice was made without the matrix that it is judged on, and need not be the one named "+
		"here. Where nothing can be tried on a matrix, take csr_scalar block 64.")
	for _, tt := range []struct {
		is         rule.Case
		first, end string
	}{
		{rule.Case{Fraction: 0.95, SingleKernel: 0.955, SingleConfig: 0.8, CuSPARSE: 0.9}, "ask the rule", "The " +
			"one configuration for all is csr_scalar block 64."},
		{rule.Case{Fraction: 0.95, SingleKernel: 0.955, SingleConfig: 0.944}, "tune csr_vector", "block 64."},
		{rule.Case{Fraction: 0.85, SingleKernel: 0.9, SingleConfig: 0.8}, "tune csr_vector", "ask the rule " +
			"(spmvtune select A.mtx). The one " +
			"configuration for all is csr_scalar block 64."},
		{rule.Case{Fraction: 0.5, SingleKernel: 0.8, SingleConfig: 0.7, CuSPARSE: 0.9}, "try cuSPARSE", "block 64."},
		{rule.Case{Fraction: 0.9, SingleKernel: 0.9, SingleConfig: 0.9, CuSPARSE: 0.9}, "take csr_scalar block " +
			"64. One configuration", "named here."},
	} {
		text := judged(tt.is, 8)
		if !strings.HasPrefix(text, "For a new matrix, "+tt.first) || !strings.HasSuffix(text, tt.end) {
			t.Errorf("of %+v it says %q", tt.is, text)
		}
	}
	check(t, judged(rule.Case{Fraction: 0.95, SingleKernel: 0.9, SingleConfig: 0.8}, 2), "")
	check(t, judged(rule.Case{Fraction: 0.95, SingleKernel: 0.9, SingleConfig: 0.8, Partial: true}, 8), "For a "+
		"new matrix, "+
		"no kernel or rule is advised: on 8 matrices some of the kernels were not tried, and what was not tried can't be "+
		"judged. Measure the new matrix itself (spmvtune help config).")
	check(t, said(t, reportOf(fourTimes(3)...), analysis.AboutRule), "")
}

// Of one kernel, or of nothing, nothing is said.
func TestSilence(t *testing.T) {
	if parts := analysis.Headline(reportOf(shot{"m1", "csr_vector", 1}, shot{"m2", "csr_vector", 1})); len(parts) > 0 {
		t.Errorf("of one kernel it says %+v", parts)
	}
	if parts := analysis.Headline(analysis.New(nil, nil, nil, nil)); parts != nil {
		t.Errorf("of nothing it says %+v", parts)
	}
}

// Two devices have a part each, and a terminal has headings for them.
func TestParts(t *testing.T) {
	d := reportOf(fourTimes(2)...)
	rows := d.Rows
	for _, r := range d.Rows {
		r.Device = "another"
		rows = append(rows, r)
	}
	parts := analysis.Headline(analysis.New(rows, nil, d.Matrices, nil))
	lines := analysis.HeadlineLines(parts)
	if len(parts) != 2 || parts[0].Device != "another" || lines[0] != "cold cache, another:" {
		t.Errorf("%+v, lines %q", parts, lines)
	}
	if lines := analysis.HeadlineLines(parts[:1]); strings.HasSuffix(lines[0], ":") {
		t.Errorf("one part has a heading: %q", lines)
	}
}

// The headline says where the processor was busy, and nothing of a quiet one.
func TestBusy(t *testing.T) {
	d := reportOf(shot{"m1", "cpu_csr", 1}, shot{"m1", "cpu_sell", 2}, shot{"m2", "cpu_csr", 1}, shot{"m2", "cpu_sell", 2})
	check(t, said(t, d, analysis.AboutBusy), "")
	for i := range d.Rows {
		others := map[string]float64{"m1": 0.1, "m2": 1.5}[d.Rows[i].Matrix]
		d.Rows[i].Sweep = d.Rows[i].Kernel // a matrix of two sweeps is one matrix
		d.Rows[i].Host = trial.HostUse{Cores: 4, Others: others, Own: 2, Load: 3}
	}
	check(t, said(t, d, analysis.AboutBusy), "The processor was busy on 1 of 2 matrices, at worst on m2: other processes took 38% of "+
		"its cores (load 3.0). "+trial.HostRemedy(false)+".")
}
