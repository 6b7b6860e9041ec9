package worker

import (
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// inWindows returns the reference for a kernel of error scope "block": the same y, with the
// bound of each row taken over all scan windows that the row touches. Such a kernel gets a
// row as the difference of two prefixes, each with the rounding errors of its whole window.
// A window is a number of consecutive nonzeros, aligned at its multiples.
func (ref *reference) inWindows(p *kernels.Problem, prec kernels.Precision, window int) *reference {
	a := p.A
	sums := make([]float64, (a.NNZ()+window-1)/window)
	var g errgroup.Group
	parts := runtime.GOMAXPROCS(0)

	for w := range parts {
		lo, hi := len(sums)*w/parts, len(sums)*(w+1)/parts
		g.Go(func() error {
			for i := lo; i < hi; i++ {
				from, to := i*window, min((i+1)*window, a.NNZ())
				for k := from; k < to; k++ {
					v := a.Val[k]
					if prec == kernels.Float32 {
						v = float64(float32(v))
					}
					sums[i] += math.Abs(v * p.X[a.ColIdx[k]])
				}
			}
			return nil
		})
	}

	g.Wait() // no part fails

	out := &reference{hi: ref.hi, lo: ref.lo, bound: make([]float64, a.Rows)}
	u, eta := prec.Roundoff(), smallestNormal(prec)
	for w := range parts {
		g.Go(func() error {
			out.boundRows(a, sums, window, u, eta, a.Rows*w/parts, a.Rows*(w+1)/parts)
			return nil
		})
	}

	g.Wait() // no part fails
	return out
}

// boundRows bounds rows [from, to) by the sums of the windows.
func (ref *reference) boundRows(a *sparse.CSR[float64], sums []float64, window int, u, eta float64, from, to int) {
	for i := from; i < to; i++ {
		first, end := int(a.RowPtr[i]), int(a.RowPtr[i+1])
		if first == end {
			continue // nothing is added to an empty row, nor subtracted from it
		}
		sum, n := 0.0, float64(end-first)
		lo, hi := first/window, (end-1)/window
		for _, s := range sums[lo : hi+1] {
			sum += s
		}
		entries := float64(min((hi+1)*window, a.NNZ()) - lo*window)
		ref.bound[i] = u*(8*math.Sqrt(n)+8)*sum + entries*eta
	}
}
