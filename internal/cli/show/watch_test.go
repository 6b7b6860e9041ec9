// SPDX-License-Identifier: Apache-2.0

package show

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// watching is p with a table on a terminal of this size.
func watching(out *strings.Builder, width, height int) *Progress {
	p := onTerminal(out)
	p.watch = &watch{w: out, size: func() (int, int) { return width, height }, title: "demo: A title", stop: func() {}}
	return p
}

// lastPage is what the terminal shows: the last page that was drawn, without what moves the cursor.
func lastPage(out string) string {
	page := out[strings.LastIndex(out, "\x1b[H")+len("\x1b[H"):]
	return strings.NewReplacer("\x1b[K", "", "\x1b[J", "").Replace(page)
}

func result(matrix string, precision kernels.Precision, kernel string, median float64) tuner.Event {
	return tuner.Event{Result: &trial.Result{Status: trial.OK, Median: median, BytesMin: 1e7, Trial: trial.Trial{
		Matrix: matrix, Cache: trial.Warm, Config: kernels.Config{Kernel: kernel, Precision: precision, Block: 64}}}}
}

func planned(index int) tuner.Event {
	e := nextMatrix(index, 40, 0)
	e.Matrix.Matrix.Name = fmt.Sprintf("matrix-%d", index)
	e.Matrix.Matrix.Hash = e.Matrix.Matrix.Name
	return e
}

// The table has a row for each precision of a matrix, with the fastest configuration so far.
func TestWatchShowsTheBest(t *testing.T) {
	var out strings.Builder
	p := watching(&out, 120, 24)
	event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 2}})
	event(p, planned(0))
	for _, e := range []tuner.Event{
		result("matrix-0", kernels.Float32, "cpu_coo", 2e-3), result("matrix-0", kernels.Float32, "cpu_csr", 1e-3),
		result("matrix-0", kernels.Float32, "cpu_sell", 3e-3), result("matrix-0", kernels.Float64, "cpu_sell", 4e-3),
	} {
		event(p, e)
	}
	event(p, planned(1))
	page := lastPage(out.String())
	testkit.Says(t, "the page", page, "demo: A title\n", "4/80", "matrix-0  4/40  float32    warm   cpu_csr", "1.00 ms",
		"10.0", "float64    warm   cpu_sell", "matrix-1  0/40\n")
	testkit.Check(t, !strings.Contains(page, "cpu_coo"), "a slower one is shown:\n%s", page)
}

// However small the terminal is, the page fits, and what is measured now is on it.
func TestWatchFitsTheTerminal(t *testing.T) {
	for _, size := range [][2]int{{120, 24}, {80, 24}, {60, 12}, {40, 8}, {200, 100}} {
		width, height := size[0], size[1]
		var out strings.Builder
		p := watching(&out, width, height)
		event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 30}})
		for i := range 30 {
			event(p, planned(i))
			event(p, result(fmt.Sprintf("matrix-%d", i), kernels.Float32, "cpu_csr_with_a_long_name", 1e-3))
		}
		page := lastPage(out.String())
		lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
		testkit.Check(t, len(lines) <= height-1, "%d x %d: %d lines", width, height, len(lines))
		for _, line := range lines {
			testkit.Check(t, text.StringWidth(line) <= width, "%d x %d: %q", width, height, line)
		}
		testkit.Check(t, strings.Contains(page, "matrix-29") && strings.Contains(page, "rows above") == (height < 40),
			"%d x %d:\n%s", width, height, page)
	}
}

// Messages stand below the table, and stay when it has gone.
func TestWatchKeepsMessages(t *testing.T) {
	var out strings.Builder
	p := watching(&out, 80, 24)
	event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 2}})
	event(p, planned(0))
	for i := range mostNotes + 2 {
		event(p, tuner.Event{Failure: &tuner.Failure{Matrix: fmt.Sprint("bad", i), Err: errors.New("broken")}})
	}
	event(p, result("matrix-0", kernels.Float32, "cpu_csr", 1e-3))
	page := lastPage(out.String())
	testkit.Check(t, strings.Contains(page, "skipping bad4: broken") && !strings.Contains(page, "bad1"),
		"while it runs:\n%s", page)
	out.Reset()
	p.Clear()
	want := "demo: A title\ndevice: 0 × test, 2 matrices\nskipping bad0: broken\nskipping bad1: broken\n" +
		"skipping bad2: broken\nskipping bad3: broken\nskipping bad4: broken\n"
	testkit.Equal(t, lastPage(out.String()), want, "in the end")
	p.Clear() // a second time says nothing
	testkit.Equal(t, strings.Count(out.String(), "demo"), 1, "said twice: %q", out.String())
}

// Where there is no terminal, the plain line remains.
func TestWatchNeedsATerminal(t *testing.T) {
	var out strings.Builder
	p := New(&out, &out)
	p.Watch("demo")
	testkit.Equal(t, p.watch, nil, "it redraws a file")
}

// A run says how far it is from its start on, and in the end how it ended.
func TestKeepLive(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan bool)
	end := KeepLive(dir, func() LiveState {
		asked <- true
		return LiveState{Sweep: "demo", Done: 3, Total: 7}
	})
	<-asked // the state at the start is being written
	go func() { <-asked }()
	end(EndedInterrupted)
	end(EndedMeasured) // the first one counts
	s := ReadLive(dir)
	testkit.Check(t, s != nil && s.Sweep == "demo" && s.Done == 3 && s.Total == 7 && s.Ended == EndedInterrupted &&
		!s.At.IsZero(), "it says %+v", s)
	left, _ := filepath.Glob(filepath.Join(dir, LiveFile+".*"))
	testkit.Check(t, len(left) == 0, "it leaves %q", left)
}

// What can't be read counts as nothing.
func TestReadNothing(t *testing.T) {
	dir := t.TempDir()
	testkit.Equal(t, ReadLive(dir), nil, "of an empty folder")
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, LiveFile), []byte(`{"done": "many"`), 0o666))
	testkit.Equal(t, ReadLive(dir), nil, "of a damaged file")
}

func leader(kernel string, block, grid int, params kernels.Params, seconds, gflops float64) Leader {
	return Leader{Config: kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: block, Grid: grid, Params: params},
		Cache: trial.Warm, Seconds: seconds, GFLOPS: gflops}
}

// A line of progress is one line, whatever the width, and says the more the
// wider it is, until there is room for a bar.
func TestStatusFitsTheTerminal(t *testing.T) {
	for _, s := range []progressLine{
		{done: 36, total: 448, rate: 14.2, left: 27 * time.Second, foreseen: true, matrices: 8, progressMatrix: progressMatrix{
			matrix: "ecology1", best: leader("cpu_sell", 4, 2, "sigma=1024", 2.17e-3, 4.61)}},
		{done: 123456, total: 9999999, rate: 0.034, left: 333 * time.Hour, foreseen: true, matrices: 105, progressMatrix: progressMatrix{
			index: 98, matrix: strings.Repeat("a-long-name-", 9),
			best: leader("coo_segscan_warp_chunk_unroll", 1024, 1056, "unroll=4", 91e-9, 1234)}},
		{done: 0, total: 1, matrices: 1, progressMatrix: progressMatrix{matrix: "a"}},
	} {
		before := 0
		for width := 40; width <= 200; width++ {
			line := s.draw(width)
			if n := text.StringWidth(line); n > width || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("%d columns of %d: %q", n, width, line)
			}
			if n := strings.Count(line, " "); width < 100 && n < before {
				t.Errorf("less is said in %d columns than in %d: %q", width, width-1, line)
			} else {
				before = n
			}
		}
	}
}

// First the configuration is left out, then its time, then the matrix.
func TestStatusLeavesOut(t *testing.T) {
	s := progressLine{done: 36, total: 448, rate: 14.2, left: 27 * time.Second, foreseen: true, matrices: 8, progressMatrix: progressMatrix{
		matrix: "ecology1", best: leader("cpu_sell", 4, 0, "", 2.17e-3, 4.61)}}
	for _, tt := range []struct {
		width int
		want  string
	}{
		{200, "██░░░░░░░░░░░░░░░░░░░░░░░░░░░░  36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell float64 block 4 2.17 ms 4.61 GFLOP/s"},
		{120, "█░░░░░░░░░░░░░░  36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell float64 block 4 2.17 ms 4.61 GFLOP/s"},
		{90, "36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell 2.17 ms 4.61 GFLOP/s"},
		{80, "36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell 4.61 GFLOP/s"},
		{70, "36/448  8%  14/s  27s left  [1/8] best so far cpu_sell 4.61 GFLOP/s"},
		{60, "36/448  8%  14/s  27s left  [1/8] ecology1"},
		{40, "36/448  8%  14/s  27s left  [1/8]"},
		{30, "36/448  8%  14/s  27s left"},
		{20, "36/448  8%"},
		{5, "36/44"},
	} {
		testkit.Equal(t, s.draw(tt.width), tt.want, "%d columns", tt.width)
	}
}

// The winners say how far another run may be off, and nothing where that is not known. Times have the digits that
// another run would confirm.
func TestBestSaysHowFarAnotherRunMayBeOff(t *testing.T) {
	for _, tt := range []struct {
		by     float64 // how far another run may be off
		factor float64 // 0 if that is not known
		time   string
		off    string
	}{
		{1.05, 1.05, " 6.3 ms ", "±5%"}, {1.005, 1.005, " 6.35 ms ", "±0.5%"}, {1.0005, 1.0005, " 6.346 ms ", "±0.05%"},
		{1.05, 0, " 6.3 ms ", ""},
	} {
		const seconds = 6.3457e-3
		row := store.Row{Time: seconds, Another: trial.Interval{Low: seconds / tt.by, High: seconds * tt.by}, Factor: tt.factor}
		var text strings.Builder
		Best(&text, []store.Best{{Row: row}})
		if got := text.String(); !strings.Contains(got, tt.time) || !strings.Contains(got, tt.off) || tt.off == "" &&
			strings.Contains(got, "±") {
			t.Errorf("by %v, with the factor %v, missing %q or %q:\n%s", tt.by, tt.factor, tt.time, tt.off, got)
		}
	}
}
