package worker

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"golang.org/x/sync/errgroup"

	"runtime"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// Verifications is about how many products a trial takes besides its samples to be compared
// with the reference: one, and one for a probe. Some matrices need none, or several.
const Verifications = 2

// A reference is the exact product of a problem in one precision, as far as twice that
// precision can tell, with the error bound of each row.
//
// Row i of a result ŷ passes if
//
//	|ŷᵢ − yᵢ| ≤ u·(8·√nᵢ + 8)·Sᵢ + nᵢ·η,   Sᵢ = Σⱼ |aᵢⱼ||xⱼ|,
//
// where nᵢ is the number of entries of the row, u the unit roundoff, and η the smallest
// normal number, which allows for underflow: float32 atomics of GPUs flush subnormal
// numbers to zero. The order of summation never matters within that bound. A lost or
// doubled entry of average size does in float32 in rows of up to about 16,000 entries.
// Probes take care of longer rows.
type reference struct {
	hi, lo []float64 // y = hi + lo; lo is nil where float64 is exact enough
	bound  []float64
	probes []probe // for what the product with this reference can't tell
}

// smallestNormal returns the smallest positive number with all bits of precision.
func smallestNormal(p kernels.Precision) float64 {
	if p == kernels.Float32 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// errOverflow says that the product of a matrix does not fit a precision.
var errOverflow = errors.New("does not fit")

// newReference computes the reference of A·x in precision p: in float64 for
// float32, with A rounded to float32 first as the kernels see it, and in
// double-double arithmetic for float64.
func newReference(p *kernels.Problem, prec kernels.Precision) (*reference, error) {
	a := p.A
	ref := &reference{hi: make([]float64, a.Rows), bound: make([]float64, a.Rows)}
	row := rowFloat32
	largest := math.MaxFloat32
	if prec == kernels.Float64 {
		ref.lo = make([]float64, a.Rows)
		row, largest = rowDoubleDouble, math.MaxFloat64
	}

	u, eta := prec.Roundoff(), smallestNormal(prec)
	var g errgroup.Group
	parts := runtime.GOMAXPROCS(0)

	for w := range parts {
		// Rows are shared out by their entries, so that one long row does not stall a part.
		lo, hi := splitRows(a, w, parts), splitRows(a, w+1, parts)
		g.Go(func() error {
			for i := lo; i < hi; i++ {
				cols, vals := a.Row(i)
				y, yLow, sum := row(cols, vals, p.X)
				if !(sum <= largest/2) {
					return fmt.Errorf("row %d: the sum of magnitudes %.3g %w %s", i, sum, errOverflow, prec)
				}
				ref.hi[i] = y
				if ref.lo != nil {
					ref.lo[i] = yLow
				}
				n := float64(len(cols))
				ref.bound[i] = u*(8*math.Sqrt(n)+8)*sum + n*eta
			}
			return nil
		})
	}

	return ref, g.Wait()
}

// splitRows returns the first row of part w of parts, which have about as many entries
// each.
func splitRows(a *sparse.CSR[float64], w, parts int) int {
	if w >= parts {
		return a.Rows
	}

	target := int64(a.NNZ()) * int64(w) / int64(parts)
	lo, hi := 0, a.Rows
	for lo < hi {
		mid := (lo + hi) / 2
		if int64(a.RowPtr[mid]) < target {
			lo = mid + 1
		} else {
			hi = mid
		}
	}

	if w == 0 {
		return 0
	}
	return lo
}

// check compares y with the reference. It returns the worst error as a fraction of its
// row's bound, and that row; worst > 1 means that y is wrong. A NaN counts as infinite, and
// so does an error where the bound is 0.
func (ref *reference) check(y []float64) (worst float64, row int) {
	parts := runtime.GOMAXPROCS(0)
	worsts, rows := make([]float64, parts), make([]int, parts)

	var g errgroup.Group
	for w := range parts {
		lo, hi := len(y)*w/parts, len(y)*(w+1)/parts
		g.Go(func() error {
			worsts[w], rows[w] = ref.checkRows(y, lo, hi)
			return nil
		})
	}

	g.Wait() // no part fails

	for w, q := range worsts {
		if q > worst {
			worst, row = q, rows[w]
		}
	}

	return worst, row
}

// checkRows is check for rows [lo, hi).
func (ref *reference) checkRows(y []float64, lo, hi int) (worst float64, row int) {
	for i := lo; i < hi; i++ {
		d := y[i] - ref.hi[i]
		if ref.lo != nil {
			d -= ref.lo[i]
		}
		d = math.Abs(d)
		if d <= ref.bound[i]*worst { // also 0 ≤ 0
			continue
		}
		q := d / ref.bound[i]
		if math.IsNaN(q) || math.IsInf(q, 1) { // nothing is worse
			return math.Inf(1), i
		}
		if q > worst {
			worst, row = q, i
		}
	}

	return worst, row
}

// A scope is what the error bound of a reference depends on.
type scope struct {
	precision kernels.Precision
	window    int // 0: a row's own entries
}

// reference returns the reference of a scope. It is computed when first needed.
func (w *server) reference(s scope) (*reference, error) {
	if err := w.overflows[s.precision]; err != nil {
		return nil, err
	}
	if ref := w.references[s]; ref != nil {
		return ref, nil
	}

	var ref *reference
	if s.window == 0 {
		var err error
		if ref, err = newReference(w.problem, s.precision); err != nil {
			w.overflows[s.precision] = err
			return nil, err
		}
	} else {
		rows, err := w.reference(scope{precision: s.precision})
		if err != nil {
			return nil, err
		}
		// Each block size has windows of its own; only the last ones are kept.
		maps.DeleteFunc(w.references, func(old scope, _ *reference) bool { return old.window != 0 })
		ref = rows.inWindows(w.problem, s.precision, s.window)
	}

	ref.probes = newProbes(w.problem, s.precision, s.window, ref)
	w.references[s] = ref
	return ref, nil
}
