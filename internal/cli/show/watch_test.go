package show

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
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
	for _, want := range []string{"demo: A title\n", "4/80", "matrix-0  4/40  float32    warm   cpu_csr", "1.00 ms",
		"10.0",
		"float64    warm   cpu_sell", "matrix-1  0/40\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("missing %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "cpu_coo") {
		t.Errorf("a slower one is shown:\n%s", page)
	}
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
		if len(lines) > height-1 {
			t.Errorf("%d x %d: %d lines", width, height, len(lines))
		}
		for _, line := range lines {
			if text.StringWidth(line) > width {
				t.Errorf("%d x %d: %q", width, height, line)
			}
		}
		if !strings.Contains(page, "matrix-29") || strings.Contains(page, "rows above") != (height < 40) {
			t.Errorf("%d x %d:\n%s", width, height, page)
		}
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
	if page := lastPage(out.String()); !strings.Contains(page, "skipping bad4: broken") || strings.Contains(page, "bad1") {
		t.Errorf("while it runs:\n%s", page)
	}
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
	if p.watch != nil {
		t.Error("it redraws a file")
	}
}
