// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"errors"
	"fmt"
	"runtime"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// A Bench verifies and measures products in this process, as trials are, on a matrix that its backend has loaded.
type Bench struct{ w server }

// NewProblem is the product of a, with the x that a seed gives.
func NewProblem(a *sparse.CSR[float64], seed uint64) *kernels.Problem {
	return &kernels.Problem{A: a, X: vector(a.Cols, seed)}
}

// NewBench returns a bench for the problem that b has loaded.
func NewBench(b kernels.Backend, p *kernels.Problem, f sparse.Features) *Bench {
	return &Bench{server{backend: b, ready: ready{problem: p, matrix: trial.Matrix{Features: f}}, y: make([]float64, p.A.Rows),
		references: map[scope]*reference{}}}
}

// Measure measures a configuration, which is given up if it is far slower than best, in seconds; 0: there is none yet.
func (b *Bench) Measure(c kernels.Config, p configs.Protocol, best float64) trial.Result {
	req := TrialRequest{Trial: trial.Trial{Config: c, Cache: trial.Warm}, Protocol: p, Best: best}
	return *b.w.trial(req).Result
}

// Check computes products of p, of which the host compares each row. It is an error if no reference can be made.
func (b *Bench) Check(p kernels.Product, c kernels.Config) (r trial.Result, err error) {
	r = trial.Result{Trial: trial.Trial{Config: c}, Status: trial.OK}
	ref, err := b.w.reference(scope{c.Precision, p.Info().Window})
	if err != nil {
		return r, fmt.Errorf("the product can't be compared: %w", err)
	}
	whole, took := resultOnly{p, b.w.y}, TimeBreakdown{}
	if _, err = b.w.first(whole, false, &took); err == nil {
		err = b.w.verify(whole, ref, &r, "", &took)
	}
	if err == nil && r.Status == trial.OK {
		err = b.w.probe(whole, ref, &r, &took)
	}
	return r, err
}

// A resultOnly is a product of which only the whole result can be had.
type resultOnly struct {
	kernels.Product
	y []float64
}

func (p resultOnly) Rows(rows []int, y []float64) error {
	if err := p.Result(p.y); err != nil {
		return err
	}
	for k, i := range rows {
		y[k] = p.y[i]
	}
	return nil
}

// Counted is implemented by backends that tell a profiler, which follows the process, what to
// count.
type Counted interface {
	// Profile begins or ends what is counted. If cold, caches shall be empty when it begins.
	Profile(on, cold bool) error
}

// Count computes n products of each trial on a device of this model in this process, for a profiler.
// Only they are counted. A product is verified before, and what they leave behind afterwards. The
// trials are of one matrix. own are the kernels among them that a sweep defines, and compiled is the
// folder of what is compiled of them.
func Count(open func(configs.Device) (kernels.Backend, error), model kernels.Device, spec configs.Matrix,
	trials []trial.Trial, n int, own []kernels.Custom, compiled string) error {
	runtime.LockOSThread() // a device's context belongs to its thread
	w := &server{open: open}
	defer w.close()
	var rep Reply
	request := OpenRequest{Device: configs.Device{Backend: model.Backend}, Custom: own, Compiled: compiled}
	if err := w.openDevice(request, &rep); err != nil {
		return err
	}
	if rep.Device.Name != model.Name {
		return fmt.Errorf("the trial was measured on %s, and this is %s", model.Name, rep.Device.Name)
	}
	if err := w.load(LoadRequest{Matrix: spec, Seed: configs.DefaultProtocol.Seed}, &rep); err != nil {
		return err
	}
	for _, t := range trials {
		if w.matrix.Hash != t.Matrix {
			return fmt.Errorf("%s is not the matrix that was measured: its content differs", spec.Name)
		}
		if err := w.count(t, n); err != nil {
			return fmt.Errorf("%s: %w", t.Config, err)
		}
	}
	return nil
}

// count computes n products of a trial between two that are verified.
func (w *server) count(t trial.Trial, n int) error {
	p, err := w.backend.Prepare(t.Config, kernels.Options{})
	if err != nil {
		return err
	}
	ref, err := w.reference(scope{t.Precision, p.Info().Window})
	if err != nil {
		return err
	}
	r := &trial.Result{Trial: t, Status: trial.OK}
	w.checks.begin(r, true)
	if _, err := w.first(p, false, &TimeBreakdown{}); err != nil {
		return err
	}
	if err := w.verify(p, ref, r, "", &TimeBreakdown{}); err != nil || r.Status != trial.OK {
		return errors.Join(err, wrongness(r))
	}
	if err := w.counted(p, t.Cache, n); err != nil {
		return err
	}
	err = w.verify(p, ref, r, "after the samples: ", &TimeBreakdown{})
	return errors.Join(err, wrongness(r))
}

// counted computes n products of p that are counted.
func (w *server) counted(p kernels.Product, cache trial.Cache, n int) error {
	if err := p.Poison(); err != nil {
		return err
	}
	if err := p.Multiply(nil); err != nil { // fills the caches that the poison went through
		return err
	}
	marks, counts := w.backend.(Counted)
	if !counts {
		return fmt.Errorf("no profiler counts what %s does", w.backend.Device().Name)
	}
	if err := marks.Profile(true, cache == trial.Cold); err != nil {
		return err
	}
	for range n {
		if err := p.Multiply(nil); err != nil {
			return err
		}
	}
	return marks.Profile(false, false)
}

// wrongness is the error of a product that is wrong.
func wrongness(r *trial.Result) error {
	if r.Status == trial.OK {
		return nil
	}
	return fmt.Errorf("the product is wrong: %s", r.Message)
}
