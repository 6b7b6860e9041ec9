// SPDX-License-Identifier: Apache-2.0

package show

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
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
		testkit.Check(t, device == "test" && matrix == "grid", "asked for %s on %s", matrix, device)
		return []Leader{{Config: kernels.Config{Kernel: "cpu_sell", Precision: kernels.Float32}, Seconds: 1e-3, GFLOPS: 2}}
	}
	event(p, tuner.Event{Started: &tuner.Started{Device: "test", Matrices: 1}})
	event(p, nextMatrix(0, 1000, 900))
	event(p, tuner.Event{Ahead: []tuner.Estimate{{Matrix: trial.Matrix{Name: "grid"}, Trials: 1000, Finished: 900, Time: time.Second}}})
	p.expectation.began = time.Now().Add(-10 * time.Second)
	event(p, good(2e-3))
	r := p.now.rate
	testkit.Check(t, math.Abs(r-0.1) <= 0.01 && p.now.done == 901 && p.now.total == 1000,
		"%d of %d trials, %g a second", p.now.done, p.now.total, r)
	left := p.now.left
	testkit.Check(t, left >= 900*time.Second && left <= 1100*time.Second, "%s left", left)
	testkit.Check(t, strings.HasSuffix(out.String(), "best so far cpu_sell 1.00 ms 2.00 GFLOP/s"),
		"the best of the run before is not shown: %q", out.String())
	event(p, good(0.5e-3))
	testkit.Check(t, strings.Contains(out.String(), "grid: best so far cpu_csr 500 µs 4.00 GFLOP/s"),
		"a better one is not shown: %q", out.String())
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
	testkit.Check(t, p.now.total == 2000 && p.now.done == 200,
		"%d of %d trials, want 200 of 2000", p.now.done, p.now.total)
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
	testkit.Check(t, strings.Count(text, "skipping bad: broken\n") == 1 &&
		strings.Contains(text, eraseLine+"skipping bad"), "the failure: %q", text)
	testkit.Check(t, strings.HasSuffix(text, eraseLine) && !strings.HasSuffix(text, eraseLine+eraseLine),
		"the end: %q", text)
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
		n := strings.Count(said, "\n")
		testkit.Check(t, n >= 11 && n <= 90 && strings.Contains(said, fmt.Sprintf("/%d  ", 500*matrices)),
			"%d matrices: %d lines\n%s", matrices, n, said)
	}
}

// A run of matrices of very different sizes: each trial of one takes as long as the model says times how slow the
// machine is, whatever the other matrices take. So do the repeat runs, which is foreseen by and by.
func TestTimeLeftWeighsMatrices(t *testing.T) {
	const slow = 2.5
	sizes := []float64{0.01, 1, 20} // seconds of a trial in the model
	const trials, repeats = 10, 4
	var list []tuner.Estimate
	for i, s := range sizes {
		again := time.Duration(repeats * s * float64(time.Second))
		list = append(list, tuner.Estimate{Matrix: trial.Matrix{Name: string(rune('a' + i))}, Trials: trials,
			Time: again + time.Duration(trials*s*float64(time.Second)), Repeating: again})
	}
	whole := slow * (trials + repeats) * (sizes[0] + sizes[1] + sizes[2])

	start := time.Now()
	now := start
	e := newExpectation(list, 1, []*progressMatrix{{matrix: "a", trials: trials}}, now)
	testkit.Equal(t, e.total(), 3*trials, "trials")
	for i, s := range sizes {
		name := list[i].Matrix.Name
		e.begin(name, trials, 0)
		for k := range trials + repeats {
			now = now.Add(time.Duration(slow * s * float64(time.Second)))
			if k < trials {
				e.result(name)
			}
			if k == trials-1 || k == trials+repeats-1 {
				e.repeat(name, k >= trials, now)
			}
			want := whole - now.Sub(start).Seconds()
			left, known := e.foresee(now)
			off := 0.15 / float64(i+1) * whole
			testkit.Check(t, known && math.Abs(left.Seconds()-want) <= off,
				"after %d jobs on %s: %v left, want %.1f s", k+1, name, left, want)
		}
	}
}

// What is over or measured before is not left, and a matrix that can't be used neither.
func TestTimeLeftOfARest(t *testing.T) {
	start := time.Now()
	list := []tuner.Estimate{
		{Matrix: trial.Matrix{Name: "half"}, Trials: 10, Finished: 5, Time: 5 * time.Second},
		{Matrix: trial.Matrix{Name: "done"}, Trials: 10, Finished: 10},
		{Matrix: trial.Matrix{Name: "bad"}, Trials: 10, Time: time.Hour},
		{Matrix: trial.Matrix{Name: "more"}, Trials: 10, Time: 10 * time.Second},
	}
	before := []*progressMatrix{{matrix: "zero", trials: 7, done: 7}, {matrix: "half", trials: 10, done: 5}}
	e := newExpectation(list, 1, before, start)
	testkit.Equal(t, e.total(), 47, "trials")
	now := start.Add(3 * time.Second)
	e.result("half")
	e.skip("bad")
	left, known := e.foresee(now)
	want := 3 * (4 + 10) * time.Second
	testkit.Check(t, known && (left-want).Abs() <= time.Millisecond, "%v left, want %v", left, want)
	testkit.Equal(t, e.total(), 37, "trials")

	// Twice as many trials as foreseen, once it is loaded.
	e.begin("done", 10, 10)
	e.begin("more", 20, 0)
	if left, _ := e.foresee(now); (left - 3*24*time.Second).Abs() > time.Millisecond {
		t.Errorf("%v left, want %v", left, 3*24*time.Second)
	}
}

// Two GPUs measure at the same time: a second of each is a second.
func TestTimeLeftOfSeveralDevices(t *testing.T) {
	start := time.Now()
	var list []tuner.Estimate
	for _, name := range []string{"a", "b", "c", "d"} {
		list = append(list, tuner.Estimate{Matrix: trial.Matrix{Name: name}, Trials: 10, Time: 10 * time.Second})
	}
	e := newExpectation(list, 2, []*progressMatrix{{matrix: "a", trials: 10}, {matrix: "b", trials: 10}}, start)
	now := start
	for range 10 {
		now = now.Add(time.Second)
		e.result("a")
		e.result("b")
	}
	e.begin("c", 10, 0)
	left, _ := e.foresee(now)
	testkit.Check(t, (left-10*time.Second).Abs() <= time.Millisecond, "%v left, want 10s", left)
}

// Nothing is known before the first trial.
func TestTimeLeftIsUnknownAtFirst(t *testing.T) {
	e := newExpectation(nil, 1, []*progressMatrix{{matrix: "a", trials: 1}}, time.Now())
	if left, known := e.foresee(time.Now()); known {
		t.Errorf("%v left", left)
	}
}

// A busy processor is in the progress once, with figures and with what helps.
func TestCrowded(t *testing.T) {
	busy := trial.HostUse{Cores: 20, Others: 6, Stolen: 1, Switches: 900, Own: 9, Load: 7.25}
	var log strings.Builder
	c := &tuner.Crowded{HostUse: busy, Launching: true}
	New(&log, &log).Observe(tuner.Event{Crowded: c})
	text := strings.Join(strings.Fields(log.String()), " ")
	testkit.Says(t, "the text", text, "processor is busy: other processes took 30% of its cores, the hypervisor took 5% (load 7.2)", "--exclusive",
		`launch = "graph"`)
	testkit.Equal(t, strings.Count(log.String(), "\n"), 1, "in a log, it has")
}

// What takes long is said once where there is no terminal, and what does not is not.
func TestLong(t *testing.T) {
	said := &firstText{said: make(chan struct{})}
	end := long(said, "loading big", time.Nanosecond, time.Nanosecond)
	<-said.said
	end()
	end()
	testkit.Equal(t, said.text.String(), "loading big\n", "what was said")

	var quiet strings.Builder
	long(&quiet, "loading small", time.Hour, time.Hour)()
	testkit.Check(t, quiet.Len() <= 0, "it says %q", quiet.String())
}

// On a terminal the seconds stay, whatever has no room.
func TestLongFits(t *testing.T) {
	for width, want := range map[int]string{80: "loading a big matrix  12s", 16: "loading a b  12s", 3: "  12s"} {
		testkit.Equal(t, lasting("loading a big matrix", 12*time.Second, width), want, "in %d columns", width)
	}
}

// firstText is a writer that tells of its first text.
type firstText struct {
	text strings.Builder
	once sync.Once
	said chan struct{}
}

func (s *firstText) Write(p []byte) (int, error) {
	defer s.once.Do(func() { close(s.said) })
	return s.text.Write(p)
}
