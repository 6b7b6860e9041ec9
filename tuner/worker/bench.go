package worker

import (
	"fmt"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner/trial"
)

// A Bench verifies and measures products in this process, as trials are, on a matrix that its backend has loaded.
type Bench struct{ w server }

// NewProblem is the product of a, with the x that a seed gives.
func NewProblem(a *sparse.CSR[float64], seed uint64) *kernels.Problem {
	return &kernels.Problem{A: a, X: vector(a.Cols, seed)}
}

// NewBench returns a bench for the problem that b has loaded.
func NewBench(b kernels.Backend, p *kernels.Problem, f sparse.Features) *Bench {
	return &Bench{server{backend: b, problem: p, y: make([]float64, p.A.Rows), matrix: trial.Matrix{Features: f},
		references: map[scope]*reference{}, overflows: map[kernels.Precision]error{}}}
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
