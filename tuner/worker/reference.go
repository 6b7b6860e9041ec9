// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
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
	x      []float64 // that of a probe; nil: the problem's
	rows   []int     // those that are compared; nil: all
	hi, lo []float64 // y = hi + lo of these; lo is nil where float64 is exact enough
	bound  []float64
	probes []*reference           // for what the product with this reference can't tell
	sparse map[sparsity][]float64 // each x of a probe; all references of a precision share it
	// overflow is why there is none, and nothing else is set.
	overflow error
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

// errorBound is the bound above for a row with entries, of which some meet elements of x that are not 0.
func errorBound(p kernels.Precision, hits, entries int, sum float64) float64 {
	return p.Roundoff()*(8*math.Sqrt(float64(hits))+8)*sum + float64(entries)*smallestNormal(p)
}

// share calls f for parts of n things, on all processors: for many more parts than these, because some take longer.
func share(n int, f func(lo, hi int) error) error {
	parts := runtime.GOMAXPROCS(0)
	size := n/(64*parts) + 1
	var next atomic.Int64
	var g errgroup.Group
	for range parts { // this thread, which waits, is woken once
		g.Go(func() error {
			for {
				lo := int(next.Add(int64(size))) - size
				if lo >= n {
					return nil
				}
				if err := f(lo, min(lo+size, n)); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// each calls f for 0 to n−1, on all processors.
func each(n int, f func(int)) {
	share(n, func(lo, hi int) error { // no part fails
		for i := lo; i < hi; i++ {
			f(i)
		}
		return nil
	})
}

// newReference computes the reference of A·x in precision p: in float64 for
// float32, with A rounded to float32 first as the kernels see it, and in
// double-double arithmetic for float64.
func newReference(p *kernels.Problem, prec kernels.Precision) (*reference, error) {
	a := p.A
	ref := &reference{hi: make([]float64, a.Rows), bound: make([]float64, a.Rows), sparse: map[sparsity][]float64{}}
	largest := math.MaxFloat32
	if prec == kernels.Float64 {
		ref.lo = make([]float64, a.Rows)
		largest = math.MaxFloat64
	}
	return ref, share(a.Rows, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			sum := sumRow(prec, cols, vals, p.X)
			if !(sum.magnitudes <= largest/2) {
				return fmt.Errorf("row %d: the sum of magnitudes %.3g %w %s", i, sum.magnitudes, errOverflow, prec)
			}
			ref.hi[i] = sum.y
			if ref.lo != nil {
				ref.lo[i] = sum.low
			}
			ref.bound[i] = errorBound(prec, len(cols), len(cols), sum.magnitudes)
		}
		return nil
	})
}

// check compares y, which has only the reference's rows, with the reference. It returns the worst error as a fraction of
// its row's bound, and the first of the reference's rows that has it; worst > 1 means that y is wrong.
func (ref *reference) check(y []float64) (worst float64, at int) {
	var mu sync.Mutex
	share(len(ref.hi), func(lo, hi int) error { // no part fails
		q, k := ref.checkRows(y, lo, hi)
		mu.Lock()
		defer mu.Unlock()
		if q > worst || q == worst && k < at {
			worst, at = q, k
		}
		return nil
	})
	return worst, at
}

// checkRows is check for rows [lo, hi).
func (ref *reference) checkRows(y []float64, lo, hi int) (worst float64, at int) {
	for k := lo; k < hi; k++ {
		if q := ref.quotient(k, y[k]); q > worst {
			worst, at = q, k
		}
	}
	return worst, at
}

// quotient is the error of y in the reference's row k as a fraction of its bound. A NaN counts as infinite, and
// so does an error where the bound is 0. The device finds the same, bit for bit (kernels.Judge).
func (ref *reference) quotient(k int, y float64) float64 {
	d := y - ref.hi[k]
	if ref.lo != nil {
		d -= ref.lo[k]
	}
	if d == 0 {
		return 0
	}
	q := math.Abs(d) / ref.bound[k]
	if math.IsNaN(q) {
		return math.Inf(1)
	}
	return q
}

// A scope is what the error bound of a reference depends on.
type scope struct {
	precision kernels.Precision
	window    int // 0: a row's own entries
}

// reference returns the reference of a scope. It is computed when first needed.
func (w *server) reference(s scope) (*reference, error) {
	if ref := w.references[s]; ref != nil {
		return ref, ref.overflow
	}

	var ref *reference
	if s.window == 0 {
		var err error
		if ref, err = newReference(w.problem, s.precision); err != nil {
			w.references[s] = &reference{overflow: err}
			return nil, err
		}
	} else {
		rows, err := w.reference(scope{precision: s.precision})
		if err != nil {
			return nil, err
		}
		ref = rows.inWindows(w.problem, s.precision, s.window)
	}

	ref.probes = newProbes(w.problem, s.precision, s.window, ref)
	w.makeRoom(ref)
	w.references[s] = ref
	return ref, nil
}

// mostReferences is how many bytes of references in windows are kept. Each block size has windows of its own.
var mostReferences int64 = 4 << 30

// KeepReferences says how many bytes of references this process may keep, in place of 4 GiB, if that is known (not 0).
func KeepReferences(bytes int64) { mostReferences = cmp.Or(bytes, mostReferences) }

// makeRoom drops the references in windows if they outgrow the limit with ref.
func (w *server) makeRoom(ref *reference) {
	bytes := ref.bytes()
	for s, kept := range w.references {
		if s.window != 0 {
			bytes += kept.bytes()
		}
	}
	if bytes > mostReferences {
		maps.DeleteFunc(w.references, func(old scope, _ *reference) bool { return old.window != 0 })
	}
}

// bytes is what the bounds and the probes of ref take, but for what is shared.
func (ref *reference) bytes() int64 {
	n := int64(len(ref.bound))
	for _, one := range ref.probes {
		n += 4 * int64(len(one.rows))
	}
	return 8 * n
}

// inWindows returns the reference for a kernel of error scope "block": the same y, with the
// bound of each row taken over all scan windows that the row touches. Such a kernel gets a
// row as the difference of two prefixes, each with the rounding errors of its whole window.
// A window is a number of consecutive nonzeros, aligned at its multiples.
func (ref *reference) inWindows(p *kernels.Problem, prec kernels.Precision, window int) *reference {
	a := p.A
	sums := magnitudes(p, p.X, prec, window, nil)
	out := &reference{hi: ref.hi, lo: ref.lo, bound: make([]float64, a.Rows), sparse: ref.sparse}
	each(a.Rows, func(i int) {
		if n := entries(a, i); n > 0 { // nothing is added to an empty row, nor subtracted from it
			out.bound[i] = windowBound(a, prec, i, n, window, sums)
		}
	})
	return out
}

// entries is how many row i has.
func entries(a *sparse.CSR[float64], i int) int { return int(a.RowPtr[i+1] - a.RowPtr[i]) }

// touched are the windows that row i touches, of which it has entries: [from, to).
func touched(a *sparse.CSR[float64], i, window int) (from, to int) {
	return int(a.RowPtr[i]) / window, (int(a.RowPtr[i+1])-1)/window + 1
}

// windowBound is the bound of row i with so many hits, where sums are the magnitudes of each window.
func windowBound(a *sparse.CSR[float64], prec kernels.Precision, i, hits, window int, sums []float64) float64 {
	from, to := touched(a, i, window)
	return errorBound(prec, hits, min(to*window, a.NNZ())-from*window, floats.Sum(sums[from:to]))
}

// magnitudes returns Σ |aᵢⱼ||xⱼ| over each n consecutive nonzeros, or, of all windows of n, those in which asked is set.
func magnitudes(p *kernels.Problem, x []float64, prec kernels.Precision, n int, asked []bool) []float64 {
	sums := make([]float64, (p.A.NNZ()+n-1)/n)
	each(len(sums), func(k int) {
		if from, end := k*n, min((k+1)*n, p.A.NNZ()); asked == nil || asked[k] {
			sums[k] = sumRow(prec, p.A.ColIdx[from:end], p.A.Val[from:end], x).magnitudes
		}
	})
	return sums
}

// A rowSum is the sum y + low of a row's products.
type rowSum struct {
	y, low     float64
	magnitudes float64
	hits       int // entries that meet elements of x other than 0
}

// piece is how many rows, or entries of one, a processor takes at a time.
const piece = 1 << 16

// sumRow sums a row of a precision; a long one in pieces, on all processors.
func sumRow(prec kernels.Precision, cols []int32, vals, x []float64) rowSum {
	of := rowFloat32
	if prec == kernels.Float64 {
		of = rowDoubleDouble
	}
	if len(cols) <= piece {
		return of(cols, vals, x)
	}

	pieces := make([]rowSum, (len(cols)+piece-1)/piece)
	each(len(pieces), func(k int) {
		from, end := k*piece, min((k+1)*piece, len(cols))
		pieces[k] = of(cols[from:end], vals[from:end], x)
	})
	var all rowSum
	for _, s := range pieces {
		y, low := twoSum(all.y, s.y)
		all = rowSum{y, all.low + low + s.low, all.magnitudes + s.magnitudes, all.hits + s.hits}
	}
	return all
}

// twoSum returns a + b, and what rounding takes from it.
func twoSum(a, b float64) (s, low float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}

// rowFloat32 sums a row in float64 with the values of A rounded to float32. A
// product of two float32 numbers is exact in float64, so only the summation
// rounds, 2²⁹ times finer than float32 does.
func rowFloat32(cols []int32, vals, x []float64) rowSum {
	y, magnitudes, hits := 0.0, 0.0, 0
	for k, c := range cols {
		b := x[c]
		p := float64(float32(vals[k])) * b
		y += p
		magnitudes += math.Abs(p)
		if b != 0 {
			hits++
		}
	}
	return rowSum{y, 0, magnitudes, hits}
}

// rowDoubleDouble sums a row in double-double arithmetic, about 106 bits: each
// product split exactly by a fused multiply-add, added by two-sum (Dekker 1971;
// Ogita, Rump and Oishi, Accurate sum and dot product, SIAM J. Sci. Comput.
// 26(6), 2005, algorithm 5.3).
func rowDoubleDouble(cols []int32, vals, x []float64) rowSum {
	y, low, magnitudes, hits := 0.0, 0.0, 0.0, 0
	for k, c := range cols {
		a, b := vals[k], x[c]
		p := a * b
		s, e := twoSum(y, p)
		low += e + math.FMA(a, b, -p)
		y = s
		magnitudes += math.Abs(p)
		if b != 0 {
			hits++
		}
	}
	return rowSum{y, low, magnitudes, hits}
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
