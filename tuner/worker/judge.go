package worker

import (
	"fmt"
	"math"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// verify computes the product once and compares it with ref. A result outside the bound
// makes r wrong. It returns how long the product took in seconds, launching included.
func (w *server) verify(p kernels.Product, ref *reference, r *trial.Result, e *Effort) (took float64, err error) {
	defer spend(&e.Verify, time.Now())
	if err := p.Poison(); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := p.Multiply(nil); err != nil {
		return 0, err
	}
	took = time.Since(start).Seconds()
	if err := p.Result(w.y); err != nil {
		return 0, err
	}
	w.judge(ref, r, "")
	return took, nil
}

// probe computes the product of each probe of ref, and compares it with that.
func (w *server) probe(p kernels.Product, ref *reference, r *trial.Result, e *Effort) error {
	defer spend(&e.Verify, time.Now())
	for i := range ref.probes {
		one := &ref.probes[i]
		if err := kernels.Compute(p, one.x, w.y); err != nil {
			return err
		}
		if worst, at := one.check(w.y); worst > 1 {
			row := one.rows[at]
			wrong(r, worst, row, fmt.Sprintf("with a sparse x, row %d (from 0) is %g, should be %g ± %.3g",
				row, w.y[row], one.hi[at], one.bound[at]))
			return nil
		}
	}
	return nil
}

// verifyTimed compares what the last sample left behind with ref. A kernel that works
// once only, because of what a product leaves behind, would have been timed doing
// something else.
func (w *server) verifyTimed(p kernels.Product, ref *reference, r *trial.Result, e *Effort) error {
	defer spend(&e.Verify, time.Now())
	if err := p.Result(w.y); err != nil {
		return err
	}
	w.judge(ref, r, "after the samples: ")
	return nil
}

// judge compares the y at hand with ref.
func (w *server) judge(ref *reference, r *trial.Result, when string) {
	worst, row := ref.check(w.y)
	if worst > 1 {
		wrong(r, worst, row, fmt.Sprintf("%srow %d (from 0) is %g, should be %g ± %.3g",
			when, row, w.y[row], ref.hi[row], ref.bound[row]))
	} else if worst >= r.MaxError {
		r.MaxError, r.WorstRow = worst, row
	}
}

func wrong(r *trial.Result, worst float64, row int, message string) {
	r.Status, r.Message = trial.Wrong, message
	r.MaxError, r.WorstRow = min(worst, math.MaxFloat64), row
}
