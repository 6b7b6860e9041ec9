// SPDX-License-Identifier: Apache-2.0

package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// A shot is what a kernel takes on a matrix, in milliseconds.
type shot struct {
	matrix, kernel string
	ms             float64
}

// reportOf makes a report of trials with intervals of ±1%, measured again.
func reportOf(shots ...shot) *analysis.Data {
	var rows []store.Row
	for _, s := range shots {
		r := synthetic.Timed(s.matrix, s.kernel, "", 64, s.ms)
		r.Factor = 1.01
		rows = append(rows, r)
	}
	return analysis.New(rows, nil, nil, nil)
}

// fourTimes is a report where csr_vector is four times the baseline on each of n matrices.
func fourTimes(n int, more ...shot) []shot {
	var list []shot
	for i := range n {
		m := fmt.Sprintf("m%d", i+1)
		list = append(list, shot{m, "csr_vector", 1}, shot{m, "csr_scalar", 1.5}, shot{m, "coo_atomic", 4})
	}
	return append(list, more...)
}

// scattered makes all intervals this wide.
func scattered(d *analysis.Data, by float64) *analysis.Data {
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Another, r.Factor = trial.Interval{Low: r.Time / by, High: r.Time * by}, by
	}
	return d
}

// changed replaces times of a report by kernel and matrix.
func changed(shots []shot, to ...shot) []shot {
	for _, s := range to {
		for i := range shots {
			if shots[i].matrix == s.matrix && shots[i].kernel == s.kernel {
				shots[i].ms = s.ms
			}
		}
	}
	return shots
}

// The four sentences: who wins, the exception, a launch, and a warning of noise.
func TestHeadline(t *testing.T) {
	const wins = "csr_vector is fastest here, 1.50 times as fast as csr_scalar, the next, and 4.00 times as fast as coo_atomic. " +
		"It is fastest on 4 of 4 matrices, clearly."
	const start = "Start with csr_vector block 64 grid 8"
	equal := changed(fourTimes(4), shot{"m1", "csr_scalar", 0.9}, shot{"m2", "csr_scalar", 1.01}, shot{"m3", "csr_scalar", 1.01},
		shot{"m4", "csr_scalar", 1.25})
	for _, tt := range []struct {
		name string
		of   *analysis.Data
		want []string
	}{
		{"one wins", reportOf(fourTimes(4)...), []string{wins, start}},
		{"equal in the mean", scattered(reportOf(equal...), 1.2), []string{
			"csr_vector and csr_scalar are equally fast here, 4.0 times as fast as coo_atomic. csr_vector is fastest on 3 of 4 " +
				"matrices, clearly on 1; the mean difference of 3.5% is within noise.", start, "Noisy run: repeats differ by up to 20%."}},
		{"not decided", scattered(reportOf(fourTimes(3)...), 1.45), []string{
			"csr_vector is fastest here, 1.5 times as fast as csr_scalar, the next, and 4.0 times as fast as coo_atomic. It is " +
				"fastest on 3 of 3 matrices, clearly.", start, "Noisy run: repeats differ by up to 45%."}},
		{"nothing can be told", scattered(reportOf(changed(fourTimes(4), shot{"m1", "csr_scalar", 1.2},
			shot{"m2", "csr_scalar", 1.2}, shot{"m3", "csr_scalar", 1.2}, shot{"m4", "csr_scalar", 1.2})...), 3), []string{
			"Measure on a quieter machine: the fastest can't be told within a factor of 3.0 here. The reason: repeats differ by " +
				"up to 3.0×."}},
		{"a difference that another run turns around", scattered(reportOf(changed(fourTimes(4), shot{"m1", "csr_scalar", 1.2},
			shot{"m2", "csr_scalar", 1.2}, shot{"m3", "csr_scalar", 1.2}, shot{"m4", "csr_scalar", 1.2})...), 1.35), []string{
			"csr_vector and csr_scalar can't be told apart here, 4.0 times as fast as coo_atomic. csr_vector is fastest on 4 of 4 " +
				"matrices, clearly on none; the mean difference of 20% is within noise.", start,
			"Noisy run: repeats differ by up to 35%."}},
		// csr_scalar is the fastest more often, and csr_vector in the mean.
		{"the mean counts", reportOf(changed(fourTimes(3), shot{"m1", "csr_scalar", 0.9}, shot{"m2", "csr_scalar", 0.9})...),
			[]string{"csr_vector is the best single choice, 1.07 times as fast as csr_scalar, the next, and 4.00 times as fast as coo_atomic. " +
				"It is fastest on 1 of 3 matrices, clearly.", "Except: m1 (csr_scalar, 1.11 times as fast), m2 (csr_scalar, 1.11).", start}},
		// One whose output is not verified is neither the winner nor advised.
		{"not verified", reportOf(fourTimes(4, shot{"m1", "mine (not verified)", 0.1}, shot{"m2", "mine (not verified)", 0.1},
			shot{"m3", "mine (not verified)", 0.1})...), []string{wins,
			"Except: m1 (mine (not verified), 10.0 times as fast), m2 (mine (not verified), 10.0), m3 (mine (not verified), 10.0).", start}},
		{"two matrices", reportOf(changed(fourTimes(2), shot{"m2", "csr_scalar", 0.5})...), []string{
			"Fastest: csr_scalar on m2; csr_vector on m1.", "Start with csr_scalar block 64 grid 8"}},
		{"one matrix", reportOf(fourTimes(1)...), []string{"csr_vector is fastest on m1, 1.50 times as fast as csr_scalar, " +
			"the next, and 4.00 times as fast as coo_atomic.", start}},
		{"each alone", reportOf(shot{"m1", "csr_vector", 1}, shot{"m2", "csr_scalar", 1}), []string{
			"No two kernels were measured on one matrix: csr_scalar on m2; csr_vector on m1."}},
		{"one kernel", reportOf(shot{"m1", "csr_vector", 1}, shot{"m2", "csr_vector", 1}), nil},
		{"nothing", analysis.New(nil, nil, nil, nil), nil},
	} {
		got := analysis.HeadlineLines(analysis.Headline(tt.of))
		testkit.Equal(t, strings.Join(got, "\n"), strings.Join(tt.want, "\n"), "%s", tt.name)
		testkit.Check(t, len(strings.Fields(strings.Join(got, " "))) <= 60, "%s: more than 60 words", tt.name)
	}
}

// Kernels are compared where both were measured, and nothing that is said contradicts the rest.
func TestHeadlineComparesFairly(t *testing.T) {
	on := func(kernel string, ms float64, matrices ...int) (list []shot) {
		for _, m := range matrices {
			list = append(list, shot{fmt.Sprintf("m%d", m), kernel, ms})
		}
		return list
	}
	of := func(lists ...[]shot) *analysis.Data { return reportOf(slices.Concat(lists...)...) }
	for _, tt := range []struct {
		name string
		of   *analysis.Data
		want []string
	}{
		{"measured on other matrices", of(on("csr_vector", 1, 1, 2, 3), on("csr_scalar", 2, 1, 2, 3),
			on("csr_light", 1, 4, 5, 6), on("coo_atomic", 5, 4, 5, 6)),
			[]string{"Fastest: csr_vector on m1, m2, m3; csr_light on m4, m5, m6."}},
		{"on few places, and faster there", of(on("csr_vector", 1, 1, 2, 3, 4, 5, 6, 7), on("csr_scalar", 2, 1, 2, 3, 4, 5, 6, 7),
			on("csr_light", 0.5, 1, 2, 3)), []string{"csr_vector is fastest here, 2.00 times as",
			"Except: where csr_light was measured (3 matrices, 2.00 times as fast)."}},
		{"an exception that is not verified", of(fourTimes(4), on("mine (not verified)", 0.1, 1, 2), on("csr_light", 0.5, 1)),
			[]string{"Except: m1 (csr_light, 2.00 times as fast)."}},
		{"equal in the mean only", scattered(reportOf(changed(fourTimes(4), shot{"m1", "csr_scalar", 0.5}, shot{"m2", "csr_scalar", 2},
			shot{"m3", "csr_scalar", 1.01}, shot{"m4", "csr_scalar", 1.01})...), 1.1), []string{
			"csr_vector and csr_scalar are equally fast here, 4.0 times as fast as coo_atomic. csr_vector is fastest on 3 of 4",
			"Except: m1 (csr_scalar, 2.0 times as fast)."}},
		{"second everywhere", of(fourTimes(4), on("csr_light", 0.5, 1), on("csr_warp_list", 0.5, 2), on("coo_warp", 0.5, 3),
			on("csr_adaptive", 0.5, 4)), []string{"csr_vector is the best single choice, 1.50 times as fast as csr_scalar, the next",
			"On each matrix another kernel is faster."}},
		{"the baseline is the next", of(on("csr_vector", 1, 1, 2, 3), on("coo_atomic", 2, 1, 2, 3), on("csr_scalar", 3, 1, 2, 3)),
			[]string{"csr_vector is fastest here, 2.00 times as fast as coo_atomic, the next. It"}},
		{"one winner, not decided", scattered(of(on("csr_vector", 1, 1), on("csr_scalar", 1.2, 1)), 1.3),
			[]string{"Fastest: csr_vector or csr_scalar on m1. Start"}},
	} {
		got := strings.Join(analysis.HeadlineLines(analysis.Headline(tt.of)), " ")
		for _, want := range tt.want {
			testkit.Check(t, strings.Contains(got, want) && len(strings.Fields(got)) <= 60,
				"%s: it says\n  %s\nwithout\n  %s", tt.name, got, want)
		}
		testkit.Check(t, !strings.HasPrefix(got, "Fastest:") || !strings.Contains(got, "Except"),
			"%s: exceptions from no winner: %s", tt.name, got)
	}
}

// A place where kernels are tied is not decided, of few matrices.
func TestHeadlineOfTies(t *testing.T) {
	d := reportOf(changed(fourTimes(2), shot{"m2", "csr_scalar", 0.5})...)
	for i := range d.Rows {
		d.Rows[i].Tied = d.Rows[i].Kernel == "csr_scalar" || d.Rows[i].Matrix == "m1"
	}
	const want = "Fastest: csr_scalar on m2; csr_vector, csr_scalar or coo_atomic on m1."
	testkit.Equal(t, analysis.HeadlineLines(analysis.Headline(d))[0], want, "first line")
}

// Two devices have a part each, and a terminal has headings for them.
func TestParts(t *testing.T) {
	d := reportOf(fourTimes(2)...)
	rows := d.Rows
	for _, r := range d.Rows {
		r.Device = "another"
		rows = append(rows, r)
	}
	parts := analysis.Headline(analysis.New(rows, nil, nil, nil))
	lines := analysis.HeadlineLines(parts)
	testkit.EqualLists(t, []any{len(parts), parts[0].Device, lines[0]}, []any{2, "another", "cold cache, another:"}, "parts")
	if lines := analysis.HeadlineLines(parts[:1]); strings.HasSuffix(lines[0], ":") {
		t.Errorf("one part has a heading: %q", lines)
	}
}

// The headline warns of a busy processor and of what was not repeated, and says nothing of a quiet one.
func TestHeadlineOfBusyProcessors(t *testing.T) {
	d := reportOf(shot{"m1", "cpu_csr", 1}, shot{"m1", "cpu_sell", 2})
	last := func() string {
		lines := analysis.HeadlineLines(analysis.Headline(d))
		return lines[len(lines)-1]
	}
	testkit.Says(t, "of a quiet one", last(), "Start with")
	for i := range d.Rows {
		d.Rows[i].Factor = 0
	}
	testkit.Says(t, "without repeats", last(), "Too little was repeated:")
	for i := range d.Rows {
		d.Rows[i].Host = trial.HostUse{Cores: 4, Others: 1.5, Own: 2, Load: 3}
	}
	testkit.Equal(t, last(), "Noisy run: other programs used the processor.", "of a busy run")
}

// A headline has sixty words at most, whatever the names: it goes without the exception, and then without counts.
func TestHeadlineIsShort(t *testing.T) {
	for _, scatter := range []float64{1.01, 1.2, 1.45, 3} {
		for _, n := range []int{1, 2, 3, 12} {
			var shots []shot
			for i := range n {
				for k, kernel := range []string{"csr_vector", "csr_scalar", "coo_atomic", "a kernel of my own", "another of my own"} {
					shots = append(shots, shot{fmt.Sprintf("a long name of many words %d", i), kernel, 1 + float64((i+k)%5)})
				}
			}
			for _, d := range []*analysis.Data{reportOf(shots...), scattered(reportOf(shots...), scatter)} {
				text := strings.Join(analysis.HeadlineLines(analysis.Headline(d)), " ")
				words := len(strings.Fields(text))
				testkit.Check(t, words > 0 && words <= 60, "%d matrices, times off by %g: %d words: %s", n, scatter, words, text)
			}
		}
	}
}

// One thing is left out after the other, as names get longer.
func TestHeadlineLeavesOut(t *testing.T) {
	parts := []string{", 2 precisions)", ", m2 ", "Except:", "It is fastest on 4"}
	for gone, words := range []int{2, 3, 4, 7, 16} {
		var rows []store.Row
		for i := range 5 {
			name := fmt.Sprintf("m%d", i+1) + strings.Repeat(" long", words)
			ms := map[bool]float64{true: 0.8, false: 4}[i < 3]
			for _, r := range reportOf(shot{name, "mine" + strings.Repeat(" long", words), 1}, shot{name, "csr_scalar", ms}).Rows {
				rows = append(rows, r)
				r.Precision = kernels.Float32
				rows = append(rows, r)
			}
		}
		text := strings.Join(analysis.HeadlineLines(analysis.Headline(analysis.New(rows, nil, nil, nil))), " ")
		for i, part := range parts {
			testkit.Equal(t, strings.Contains(text, part), i >= gone, "%q, of names of %d words: %s", part, words, text)
		}
	}
}
