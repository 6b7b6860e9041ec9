package show

import (
	"math"
	"testing"
	"time"

	"spmvtune/internal/testing/testkit"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

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
		e.begin(name, trials, 0, now)
		for k := range trials + repeats {
			now = now.Add(time.Duration(slow * s * float64(time.Second)))
			if k < trials {
				e.result(name, now)
			}
			want := whole - now.Sub(start).Seconds()
			left, known := e.foresee(now)
			if off := 0.15 / float64(i+1) * whole; !known || math.Abs(left.Seconds()-want) > off {
				t.Errorf("after %d jobs on %s: %v left, want %.1f s", k+1, name, left, want)
			}
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
	e.result("half", now)
	e.skip("bad")
	left, known := e.foresee(now)
	if want := 3 * (4 + 10) * time.Second; !known || (left-want).Abs() > time.Millisecond {
		t.Errorf("%v left, want %v", left, want)
	}
	testkit.Equal(t, e.total(), 37, "trials")

	// Twice as many trials as foreseen, once it is loaded.
	e.begin("done", 10, 10, now)
	e.begin("more", 20, 0, now)
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
		e.result("a", now)
		e.result("b", now)
	}
	e.begin("c", 10, 0, now)
	if left, _ := e.foresee(now); (left - 10*time.Second).Abs() > time.Millisecond {
		t.Errorf("%v left, want 10s", left)
	}
	if e.find("b").end == e.find("a").end {
		t.Error("one device has begun another matrix")
	}
}

// Nothing is known before the first trial.
func TestTimeLeftIsUnknownAtFirst(t *testing.T) {
	e := newExpectation(nil, 1, []*progressMatrix{{matrix: "a", trials: 1}}, time.Now())
	if left, known := e.foresee(time.Now()); known {
		t.Errorf("%v left", left)
	}
}
