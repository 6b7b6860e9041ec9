package show

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// onTerminal shows progress on a terminal of 80 columns, every event.
func onTerminal(out *strings.Builder) *Progress {
	p := New(out, out)
	p.line.size = func() (width, height int) { return 80, 24 }
	return p
}

// event gives p an event that is shown at once.
func event(p *Progress, e tuner.Event) {
	p.printed = time.Time{}
	p.Observe(e)
}

func nextMatrix(index, trials, finished int) tuner.Event {
	return tuner.Event{Matrix: &tuner.MatrixPlanned{
		Matrix: trial.Matrix{Name: "grid", Features: sparse.Features{Nonzeros: 1e6}},
		Index:  index, Trials: trials, Finished: finished,
	}}
}

func good(median float64) tuner.Event {
	return tuner.Event{Result: &trial.Result{Status: trial.OK, Median: median,
		Trial: trial.Trial{Config: kernels.Config{Kernel: "cpu_csr", Precision: kernels.Float64}}}}
}

// The rate is that of this run, however much was measured before; the best of a
// matrix is that of all runs.
func TestProgressGoesOn(t *testing.T) {
	var out strings.Builder
	p := onTerminal(&out)
	p.Known = func(device, matrix string) []Leader {
		if device != "test" || matrix != "grid" {
			t.Errorf("asked for %s on %s", matrix, device)
		}
		return []Leader{{Config: kernels.Config{Kernel: "cpu_sell", Precision: kernels.Float32}, Seconds: 1e-3,
			GFLOPS: 2}}
	}
	event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 1}})
	event(p, nextMatrix(0, 1000, 900))
	event(p, tuner.Event{Ahead: []tuner.Estimate{{Matrix: trial.Matrix{Name: "grid"}, Trials: 1000, Finished: 900, Time: time.Second}}})
	p.expectation.began = time.Now().Add(-10 * time.Second)
	event(p, good(2e-3))
	if r := p.now.rate; math.Abs(r-0.1) > 0.01 || p.now.done != 901 || p.now.total != 1000 {
		t.Errorf("%d of %d trials, %g a second", p.now.done, p.now.total, r)
	}
	if left := p.now.left; left < 900*time.Second || left > 1100*time.Second {
		t.Errorf("%s left", left)
	}
	if !strings.HasSuffix(out.String(), "best so far cpu_sell 1.00 ms 2.00 GFLOP/s") {
		t.Errorf("the best of the run before is not shown: %q", out.String())
	}
	event(p, good(0.5e-3))
	if !strings.Contains(out.String(), "grid: best so far cpu_csr 500 µs 4.00 GFLOP/s") {
		t.Errorf("a better one is not shown: %q", out.String())
	}
}

// The trials of a matrix that a lost GPU leaves to another one count once.
func TestProgressCountsAMatrixOnce(t *testing.T) {
	var out strings.Builder
	p := onTerminal(&out)
	event(p, tuner.Event{Started: &tuner.Started{Device: "test", Devices: 2, Matrices: 2}})
	event(p, nextMatrix(0, 1000, 100))
	event(p, nextMatrix(1, 1000, 100))
	again := nextMatrix(1, 1000, 100)
	again.Matrix.Again = true
	event(p, again)
	if p.now.total != 2000 || p.now.done != 200 {
		t.Errorf("%d of %d trials, want 200 of 2000", p.now.done, p.now.total)
	}
}

// The first trials foresee nothing: the time left comes with 5% of this run's trials and five
// seconds, or after a minute.
func TestTimeLeftIsNotForeseenAtOnce(t *testing.T) {
	for _, tt := range []struct {
		since           time.Duration
		finished, trial int
		want            bool
	}{{6 * time.Second, 0, 4, false}, {6 * time.Second, 50, 2, false}, {time.Second, 0, 50, false},
		{6 * time.Second, 0, 5, true}, {6 * time.Second, 50, 3, true}, {2 * time.Minute, 0, 1, true}} {
		var out strings.Builder
		p := onTerminal(&out)
		event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 1}})
		event(p, nextMatrix(0, 100, tt.finished))
		event(p, tuner.Event{Ahead: []tuner.Estimate{{Matrix: trial.Matrix{Name: "grid"}, Trials: 100, Finished: tt.finished,
			Time: time.Minute}}})
		p.expectation.began = time.Now().Add(-tt.since)
		p.expectation.list[0].measured = tt.trial - 1
		p.measured, p.now.done = tt.trial-1, tt.finished+tt.trial-1
		out.Reset()
		event(p, good(1e-3))
		testkit.Equal(t, strings.Contains(out.String(), " left"), tt.want, "%+v: %q", tt, out.String())
	}
}

// Other lines do not mix with the one that is drawn, and are said once.
func TestProgressMakesWay(t *testing.T) {
	var out strings.Builder
	p := onTerminal(&out)
	event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 2}})
	event(p, nextMatrix(0, 10, 0))
	failure := tuner.Event{Failure: &tuner.Failure{Matrix: "bad", Err: errors.New("broken")}}
	event(p, failure)
	event(p, failure)
	event(p, good(1e-3))
	p.Clear()
	p.Clear()
	text := out.String()
	if strings.Count(text, "skipping bad: broken\n") != 1 || !strings.Contains(text, eraseLine+"skipping bad") {
		t.Errorf("the failure: %q", text)
	}
	if !strings.HasSuffix(text, eraseLine) || strings.HasSuffix(text, eraseLine+eraseLine) {
		t.Errorf("the end: %q", text)
	}
	testkit.Equal(t, strings.Count(text, "\n"), 2, "it scrolls: %q", text)
}

// The log of a day has some dozens of lines, however many matrices and trials it has. A matrix that a lost GPU leaves
// to another one counts once.
func TestLinesGetRarer(t *testing.T) {
	for _, matrices := range []int{1, 20, 1000} {
		var out strings.Builder
		p := New(&out, &out)
		p.Every = time.Minute
		p.Observe(tuner.Event{Started: &tuner.Started{Device: "chip", Devices: 1, Matrices: matrices}})
		for m := range matrices {
			matrix := trial.Matrix{Name: "m", Hash: strconv.Itoa(m)}
			p.Observe(tuner.Event{Matrix: &tuner.MatrixPlanned{Index: m, Trials: 500, Matrix: matrix}})
			p.Observe(tuner.Event{Matrix: &tuner.MatrixPlanned{Index: m, Trials: 500, Matrix: matrix, Again: true}})
			for range 500 {
				p.printed = p.printed.Add(-24 * time.Hour / time.Duration(500*matrices)) // as if a day passed
				p.Observe(tuner.Event{Result: &trial.Result{Trial: trial.Trial{Matrix: matrix.Hash}}})
			}
		}
		said := out.String()
		if n := strings.Count(said, "\n"); n < 11 || n > 90 || !strings.Contains(said, fmt.Sprintf("/%d  ", 500*matrices)) {
			t.Errorf("%d matrices: %d lines\n%s", matrices, n, said)
		}
	}
}
