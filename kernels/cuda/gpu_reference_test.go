//go:build cuda

package cuda

import (
	"math"

	"spmvtune/kernels"
)

// A gpuReference is a product computed here, row by row, with what bounds the
// error of each row.
type gpuReference struct {
	m      *structure
	exact  bool // integer data: any order of summation gives hi
	hi, lo []float64
	prefix []float64 // sums of |a||x| up to each nonzero
}

// newGPUReference multiplies in double-double arithmetic, after rounding A to
// float32 where the precision does. x is exact in float32.
func newGPUReference(m *structure, x []float64, p kernels.Precision, exact bool) *gpuReference {
	r := &gpuReference{m, exact, make([]float64, m.Rows), make([]float64, m.Rows), make([]float64, m.NNZ()+1)}
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			a, b := m.Val[k], x[m.ColIdx[k]]
			if p == kernels.Float32 {
				a = float64(float32(a))
			}
			product := a * b
			sum := r.hi[i] + product
			z := sum - r.hi[i]

			r.lo[i] += r.hi[i] - (sum - z) + (product - z) + math.FMA(a, b, -product)
			r.hi[i] = sum
			r.prefix[k+1] = r.prefix[k] + math.Abs(product)
		}
	}

	return r
}

// worst compares y. It returns the largest error as a fraction of what its row
// may have, and that row; above 1 means wrong. window is ProductInfo.Window.
func (r *gpuReference) worst(y []float64, p kernels.Precision, window int) (worst float64, row int) {
	u := p.Roundoff()
	for i, got := range y {
		d := math.Abs(got - r.hi[i] - r.lo[i])
		if d == 0 {
			continue
		}
		lo, hi := int(r.m.RowPtr[i]), int(r.m.RowPtr[i+1])
		n := float64(hi - lo)
		if window > 0 && hi > lo {
			lo, hi = lo/window*window, min(ceilDiv(hi, window)*window, r.m.NNZ())
		}

		// The sum of magnitudes is itself rounded; a unit of its end keeps it an
		// upper bound.
		s := r.prefix[hi] - r.prefix[lo] + r.prefix[hi]*0x1p-50
		bound := u * (8*math.Sqrt(n) + 8) * s
		if math.IsNaN(d) || r.exact || bound == 0 {
			return math.Inf(1), i
		}

		if d/bound > worst {
			worst, row = d/bound, i
		}
	}

	return worst, row
}
