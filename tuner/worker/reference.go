package worker

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

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

// rowFloat32 sums a row in float64 with the values of A rounded to float32. A
// product of two float32 numbers is exact in float64, so only the summation
// rounds, 2²⁹ times finer than float32 does.
func rowFloat32(cols []int32, vals, x []float64) (y, low, sum float64) {
	for k, c := range cols {
		p := float64(float32(vals[k])) * x[c]
		y += p
		sum += math.Abs(p)
	}
	return y, 0, sum
}

// rowDoubleDouble sums a row in double-double arithmetic, about 106 bits: each
// product split exactly by a fused multiply-add, added by two-sum (Dekker 1971;
// Ogita, Rump and Oishi, Accurate sum and dot product, SIAM J. Sci. Comput.
// 26(6), 2005, algorithm 5.3).
func rowDoubleDouble(cols []int32, vals, x []float64) (y, low, sum float64) {
	for k, c := range cols {
		a, b := vals[k], x[c]
		p := a * b
		e := math.FMA(a, b, -p)
		s := y + p
		t := s - y
		low += (y - (s - t)) + (p - t) + e
		y = s
		sum += math.Abs(p)
	}

	return y, low, sum
}

// vector returns n values drawn uniformly from [−1, 1], the same for the same seed. None of
// them is 0, and each is exact in float32.
func vector(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	x := make([]float64, n)
	for i := range x {
		for x[i] == 0 {
			x[i] = float64(float32(2*r.Float64() - 1))
		}
	}
	return x
}
