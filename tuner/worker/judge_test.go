// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// A judging product's y is compared by itself, in its own way.
type judging struct {
	kernels.Product
	y       []float64
	find    func(worst float64, row int) (float64, int, error) // from what is true
	results int                                                // how often y was asked for
	ref     *reference
}

func (p *judging) Poison() error            { return nil }
func (p *judging) Multiply([]float64) error { return nil }

func (p *judging) Result(y []float64) error {
	p.results++
	copy(y, p.y)
	return nil
}

func (p *judging) Rows(rows []int, y []float64) error {
	for k, i := range rows {
		y[k] = p.y[i]
	}
	return nil
}

func (p *judging) Judge(r kernels.Reference) (float64, int, error) {
	ref := &reference{hi: r.Hi, lo: r.Lo, bound: r.Bound}
	worst, row := ref.check(p.y)
	return p.find(worst, row)
}

// judgingTrial verifies a trial of 400 rows whose y the device compares as find says.
func judgingTrial(t *testing.T, w *server, config string, spoil func(y []float64),
	find func(float64, int) (float64, int, error)) (*judging, *trial.Result, error) {
	t.Helper()
	p := hubs(90, make([]int, 400)...)
	for i := range p.A.RowPtr {
		p.A.RowPtr[i] = int32(3 * i)
	}
	for k := range 1200 {
		p.A.ColIdx, p.A.Val = append(p.A.ColIdx, int32(30*(k%3)+k%29)), append(p.A.Val, float64(k%7)+0.3)
	}
	ref := testkit.Must(newReference(p, kernels.Float32))
	w.y = make([]float64, p.A.Rows)
	j := &judging{ref: ref, y: multiply(p, kernels.Float32, p.X, -1, nil), find: find}
	if spoil != nil {
		spoil(j.y)
	}
	r := &trial.Result{Status: trial.OK}
	r.ID, r.Kernel, r.Precision = config, "csr_scalar", kernels.Float32
	w.checks.begin(r, false)
	testkit.Must(w.first(j, false, &TimeBreakdown{}))
	return j, r, w.verify(j, ref, r, "", &TimeBreakdown{})
}

// The first trial of a precision is compared here, too, and then one of 32; the error of all is the same.
func TestDeviceCompares(t *testing.T) {
	honest := func(worst float64, row int) (float64, int, error) { return worst, row, nil }
	w, here := &server{}, 0
	var first *trial.Result
	const trials = 640
	for i := range trials {
		p, r, err := judgingTrial(t, w, fmt.Sprint(i), nil, honest)
		testkit.Require(t, err == nil && r.Status == trial.OK, "%s: %v", r.Status, err)
		if i == 0 {
			first = r
		}
		testkit.Check(t, r.MaxError == first.MaxError && r.WorstRow == first.WorstRow && first.MaxError != 0,
			"an error of %g in row %d, and here of %g in row %d", r.MaxError, r.WorstRow, first.MaxError, first.WorstRow)
		if here += p.results; i == 0 && here != 1 {
			t.Error("the first trial was not compared here")
		}
		before := p.results
		if err := w.verify(p, p.ref, r, "", &TimeBreakdown{}); err != nil || p.results != before {
			t.Errorf("compared here a second time in a trial (%v)", err)
		}
	}
	w.checks.seen = []kernels.Precision{kernels.Float32}
	for _, asked := range []bool{false, true} {
		full := 0
		for i := range trials {
			r := &trial.Result{}
			r.ID, r.Precision = fmt.Sprint(i), kernels.Float32
			if w.checks.begin(r, asked); w.checks.full {
				full++
			}
		}
		testkit.Equal(t, full == trials, asked, "all rows are compared here, in %d of %d trials", full, trials)
	}
	testkit.Check(t, here >= trials/everyCheck/2 && here <= 2*trials/everyCheck,
		"%d of %d trials were compared here", here, trials)
}

// slow is a device with one product, which takes long; it notes what is asked of that.
type slow struct {
	kernels.Backend
	judging
	asked  []string
	loaded bool
}

func (s *slow) Device() kernels.Device { return kernels.Device{} }

func (s *slow) Prepare(kernels.Config, kernels.Options) (kernels.Product, error) { return s, nil }

func (s *slow) Multiply([]float64) error {
	s.asked = append(s.asked, "multiply")
	time.Sleep(2 * time.Millisecond)
	return nil
}

func (s *slow) Info() kernels.ProductInfo {
	return kernels.ProductInfo{Multiplied: 2e-3, Loading: time.Millisecond, Loaded: s.loaded}
}

func (s *slow) Sample(dst []float64, _ int, _ bool) error {
	s.asked, dst[0] = append(s.asked, "sample"), 1
	return nil
}

func (s *slow) Judge(r kernels.Reference) (float64, int, error) {
	s.asked = append(s.asked, "judge")
	return s.judging.Judge(r)
}

// The single samples of a hopeless trial find the caches as a product left them: the device reads no reference
// before. It does read it after them. A cold sample of a kernel that is loaded is the only product.
func TestHopelessAreComparedLast(t *testing.T) {
	p := hubs(90, 3, 40, 5)
	for _, tt := range []struct {
		wrong, loaded bool
		cache         trial.Cache
		asked         []string
	}{
		{false, false, trial.Cold, []string{"multiply", "sample", "judge"}},
		{true, false, trial.Cold, []string{"multiply", "sample", "judge"}},
		{false, true, trial.Warm, []string{"multiply", "sample", "judge"}},
		{false, true, trial.Cold, []string{"sample", "judge"}},
		{true, true, trial.Cold, []string{"sample", "judge"}},
	} {
		ref := testkit.Must(newReference(p, kernels.Float32))
		s := &slow{judging: judging{ref: ref, y: multiply(p, kernels.Float32, p.X, -1, nil),
			find: func(worst float64, row int) (float64, int, error) { return worst, row, nil }}, loaded: tt.loaded}
		if tt.wrong {
			s.y[1] = math.NaN()
		}
		w := &server{backend: s, ready: ready{problem: p}, y: make([]float64, 3), references: map[scope]*reference{}}
		req := TrialRequest{Best: 1e-3, Protocol: configs.Protocol{Slow: 1}}
		r := &trial.Result{Status: trial.OK}
		r.ID, r.Kernel, r.Precision, r.Cache = "trial", "csr_scalar", kernels.Float32, tt.cache
		err := w.measure(req, r, &TimeBreakdown{})
		testkit.Check(t, err == nil && slices.Equal(s.asked, tt.asked) && (r.Status == trial.Wrong) == tt.wrong,
			"%+v: %s after %q: %v", tt, r.Status, s.asked, err)
	}
}

// What loading code took is no part of a trial's time, by which searches are bounded.
func TestTrialWithoutLoading(t *testing.T) {
	p := hubs(90, 3, 40, 5)
	s := &slow{judging: judging{ref: testkit.Must(newReference(p, kernels.Float32)),
		y:    multiply(p, kernels.Float32, p.X, -1, nil),
		find: func(worst float64, row int) (float64, int, error) { return worst, row, nil }}}
	w := &server{backend: s, ready: ready{problem: p}, y: make([]float64, 3), references: map[scope]*reference{}}
	req := TrialRequest{Best: 1e-3, Protocol: configs.Protocol{Slow: 1}}
	req.Trial.Kernel, req.Trial.Precision = "csr_scalar", kernels.Float32
	start := time.Now()
	rep := w.trial(req)
	took := time.Since(start).Seconds()
	testkit.Check(t, rep.Result.Status == trial.OK && rep.Result.Seconds <= took-1e-3,
		"%s after %g s, of which it counts %g", rep.Result.Message, took, rep.Result.Seconds)
}

// Whatever the device says of y, a wrong one is wrong, in the words of this process, and a right one is not. A
// device that says something else of it is at fault.
func TestDeviceIsNotBelieved(t *testing.T) {
	lost := func(y []float64) { y[123] = math.NaN() }
	honest := func(worst float64, row int) (float64, int, error) { return worst, row, nil }
	for _, test := range []struct {
		name   string
		spoil  func(y []float64)
		find   func(worst float64, row int) (float64, int, error)
		status trial.Status
		fault  string
	}{
		{"right", nil, honest, trial.OK, ""},
		{"a row is wrong", lost, honest, trial.Wrong, ""},
		{"no reference there", nil, func(float64, int) (float64, int, error) {
			return 0, 0, fmt.Errorf("no room: %w", kernels.ErrNoJudge)
		}, trial.OK, ""},
		{"no reference there, and a row is wrong", lost, func(float64, int) (float64, int, error) {
			return 0, 0, fmt.Errorf("no room: %w", kernels.ErrNoJudge)
		}, trial.Wrong, ""},
		{"blind", nil, func(float64, int) (float64, int, error) { return 0, 0, errors.New("blind") }, trial.OK, "blind"},
		{"sees no error", nil, func(float64, int) (float64, int, error) { return 0, 0, nil }, trial.OK, "can't be trusted"},
		{"sees a smaller error", nil, func(worst float64, row int) (float64, int, error) {
			return worst / 2, row, nil
		}, trial.OK, "can't be trusted"},
		{"sees a larger error", nil, func(worst float64, row int) (float64, int, error) {
			return 2 * worst, row, nil
		}, trial.OK, "can't be trusted"},
		{"sees it elsewhere", nil, func(worst float64, row int) (float64, int, error) {
			return worst, row - 1, nil
		}, trial.OK, "can't be trusted"},
		{"takes a right y for wrong", nil, func(worst float64, row int) (float64, int, error) {
			return math.Inf(1), row, nil
		}, trial.OK, "can't be trusted"},
		{"does not see a NaN", lost, func(float64, int) (float64, int, error) {
			return 0.1, 5, nil
		}, trial.OK, "can't be trusted"},
	} {
		w := &server{}
		if _, _, err := judgingTrial(t, w, "first", nil, honest); err != nil {
			t.Fatal(err)
		}
		for id := range 3 { // not all of these are compared here
			_, r, err := judgingTrial(t, w, fmt.Sprint(test.name, id), test.spoil, test.find)
			if test.fault == "" && (err != nil || r.Status != test.status) {
				t.Errorf("%s: %s (%v), want %s", test.name, r.Status, err, test.status)
			}
			if test.fault != "" {
				testkit.Fails(t, err, test.fault, "%s", test.name)
			}
			if r.Status == trial.Wrong && !strings.HasPrefix(r.Message, "row 123 (from 0) is NaN, should be ") {
				t.Errorf("%s: %q", test.name, r.Message)
			}
		}
	}
}
