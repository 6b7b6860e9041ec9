// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// first computes the product once into a poisoned y. It returns how long that took in seconds: as a cold sample, or
// launching included.
func (w *server) first(p kernels.Product, sampled bool, e *TimeBreakdown) (took float64, err error) {
	defer Spend(&e.Check, time.Now())
	if err := p.Poison(); err != nil {
		return 0, err
	}
	if sampled {
		one := make([]float64, 1)
		err := p.Sample(one, 1, true)
		return one[0], err
	}
	start := time.Now()
	err = p.Multiply(nil)
	return time.Since(start).Seconds(), err
}

// probe computes the product of each probe of ref, and compares it with that.
func (w *server) probe(p kernels.Product, ref *reference, r *trial.Result, e *TimeBreakdown) error {
	defer Spend(&e.Check, time.Now())
	for _, one := range ref.probes {
		y := make([]float64, len(one.rows))
		if err := kernels.Compute(p, one.x, y, one.rows...); err != nil {
			return err
		}
		if worst, at := one.check(y); worst > 1 {
			row := one.rows[at]
			wrong(r, worst, row, fmt.Sprintf("with a sparse x, row %d (from 0) is %g, should be %g ± %.3g",
				row, y[at], one.hi[at], one.bound[at]))
			return nil
		}
	}
	return nil
}

// checks say which comparisons are done by this process as well as by a device that compares itself.
type checks struct {
	seen   []kernels.Precision // on the matrix that is loaded
	full   bool                // this trial's
	random *rand.Rand          // of this trial
	trials uint64
}

// Of comparisons by a device, this process does a random one of everyCheck again, and samples the
// rows of each.
const (
	everyCheck  = 32
	sampledRows = 1024
)

// begin decides for a trial: compared here, too, are one that is asked to be, and the first of a precision, which shows
// that the device's comparison works in this process and on this matrix: it knows no kernel.
func (c *checks) begin(r *trial.Result, asked bool) {
	seed := fnv.New64a()
	seed.Write([]byte(r.ID))
	c.trials++
	c.random = rand.New(rand.NewPCG(seed.Sum64(), c.trials))
	seen := slices.Contains(c.seen, r.Precision)
	if c.full = asked || !seen || c.random.IntN(everyCheck) == 0; !seen {
		c.seen = append(c.seen, r.Precision)
	}
}

// verify compares what p left behind with ref: on the device, if it can, and here, if it is this trial's
// turn or if the device finds an error. Both must then find the same. A result outside the bound makes r wrong.
func (w *server) verify(p kernels.Product, ref *reference, r *trial.Result, when string, e *TimeBreakdown) error {
	defer Spend(&e.Verify, time.Now())
	var there finding
	compared := false
	if j, is := p.(kernels.Judge); is && len(ref.hi) > 0 {
		var err error
		if there, err = w.checks.onDevice(j, ref); err != nil && !errors.Is(err, kernels.ErrNoJudge) {
			return err
		}
		compared = err == nil
	}
	if compared && there.worst <= 1 && !w.checks.full {
		there.note(r)
		return nil
	}

	if err := p.Result(w.y); err != nil {
		return err
	}
	w.checks.full = w.isCustom(r.Kernel) // once in a trial of others
	if here := w.judge(ref, r, when); compared && here != there {
		return fmt.Errorf("the device finds row %d off by %g of its bound, and this program row %d by %g: "+
			"its comparison can't be trusted", there.row, there.worst, here.row, here.worst)
	}
	return nil
}

// A finding is the largest error of a row, as a fraction of its bound, and the first row that has it.
type finding struct {
	worst float64
	row   int
}

// note notes the error of a right product.
func (f finding) note(r *trial.Result) {
	if f.worst >= r.MaxError {
		r.MaxError, r.WorstRow = f.worst, f.row
	}
}

// onDevice lets the device compare, and judges some rows of y here: random ones must not be worse than the worst,
// and that must be as bad as it is said to be.
func (c *checks) onDevice(j kernels.Judge, ref *reference) (f finding, err error) {
	f.worst, f.row, err = j.Judge(kernels.Reference{Hi: ref.hi, Lo: ref.lo, Bound: ref.bound})
	if err != nil {
		return f, err
	}

	rows := []int{f.row}
	for range sampledRows {
		rows = append(rows, c.random.IntN(len(ref.hi)))
	}
	y := make([]float64, len(rows))
	if err := j.Rows(rows, y); err != nil {
		return f, err
	}
	for k, row := range rows {
		q := ref.quotient(row, y[k])
		if q > f.worst || k == 0 && q != f.worst {
			return f, fmt.Errorf("the device finds row %d off by %g of its bound, which is the worst, and this program "+
				"row %d by %g: its comparison can't be trusted", f.row, f.worst, row, q)
		}
	}
	return f, nil
}

// judge compares the y at hand with ref.
func (w *server) judge(ref *reference, r *trial.Result, when string) finding {
	var f finding
	if f.worst, f.row = ref.check(w.y); f.worst > 1 {
		wrong(r, f.worst, f.row, fmt.Sprintf("%srow %d (from 0) is %g, should be %g ± %.3g",
			when, f.row, w.y[f.row], ref.hi[f.row], ref.bound[f.row]))
	} else {
		f.note(r)
	}
	return f
}

func wrong(r *trial.Result, worst float64, row int, message string) {
	r.Status, r.Message = trial.Wrong, message
	r.MaxError, r.WorstRow = min(worst, math.MaxFloat64), row
}

// A probe is a further product, of an x of its own, that is compared in some rows only:
// in those where the first product can't tell whether entries are left out.
//
// There are two kinds of such rows. In a few rows the products happen to cancel, so that
// y is within its own error bound of 0. A long row is the other kind: with n entries the
// bound grows as n^1.5, and the sum of random products as √n. For these, most elements
// of x are 0, which add no error, and a row meets between 600 and 2400 others:
// as many as it takes for 1% of its entries to contain some of them with a probability
// above 0.99.
const (
	fewestHits = 600 // elements of x other than 0 in the shortest rows of a probe
	levelRatio = 4   // between the longest and the shortest rows of a probe
	mostTries  = 8   // for rows that cancel again
	fewHidden  = 3   // rows in a first try, of which another may have none
)

// longRow is the length from which a row needs a probe: there the bound of a product
// without zeros, u·8·√n·n/2, exceeds 1/80 of the standard deviation √(n/300) of what 1%
// of the entries give, so that these pass with a probability of 0.01.
func longRow(p kernels.Precision) int {
	return int(math.Sqrt(1.0/300) / 80 / (4 * p.Roundoff()))
}

// newProbes makes the probes that ref needs, for a kernel that sums in windows, see
// inWindows, or does not (0).
func newProbes(p *kernels.Problem, prec kernels.Precision, window int, ref *reference) []*reference {
	levels := map[int][]int{}
	var hidden []int
	for _, i := range doubtful(p.A, prec, ref) {
		if n := entries(p.A, i); n >= longRow(prec) {
			level := int(math.Log(float64(n)/float64(longRow(prec))) / math.Log(levelRatio))
			levels[level] = append(levels[level], i)
		} else {
			hidden = append(hidden, i)
		}
	}

	var probes []*reference
	for level, rows := range levels {
		shortest := float64(longRow(prec)) * math.Pow(levelRatio, float64(level))
		probes = append(probes, ref.probesOf(p, prec, window, rows, sparsity{share: fewestHits / shortest, seed: uint64(level)})...)
	}

	slices.SortFunc(probes, func(a, b *reference) int { return a.rows[0] - b.rows[0] })
	return append(probes, ref.probesOf(p, prec, window, hidden, sparsity{share: 1, seed: math.MaxUint64})...)
}

// doubtful returns the rows that need a probe, in order: long ones, and those that cancel.
func doubtful(a *sparse.CSR[float64], prec kernels.Precision, ref *reference) []int {
	parts := make([][]int, (a.Rows+piece-1)/piece)
	long := longRow(prec)
	each(len(parts), func(k int) {
		for i := k * piece; i < min((k+1)*piece, a.Rows); i++ {
			if n := entries(a, i); n >= long || n > 0 && ref.cancels(i) {
				parts[k] = append(parts[k], i)
			}
		}
	})
	return slices.Concat(parts...)
}

// cancels reports whether the reference's row k is within its bound of 0, or nearly so.
func (ref *reference) cancels(k int) bool { return math.Abs(ref.hi[k]) <= 2*ref.bound[k] }

// probesOf makes probes whose x is as sparse as of says, until no row
// cancels in all of them. The references of a precision share each x.
func (ref *reference) probesOf(p *kernels.Problem, prec kernels.Precision, window int, rows []int, of sparsity) []*reference {
	var probes []*reference
	for ; len(rows) > 0 && of.try < mostTries; of.try++ {
		one, hidden := ref.try(p, prec, window, rows, of)
		// Another x may hide none of the rows, and spare each trial a product.
		other, hides := of, hidden
		for 0 < len(hides) && len(hidden) <= fewHidden && other.try+1 < mostTries {
			other.try++
			sole, again := ref.try(p, prec, window, rows, other)
			if len(again) == 0 {
				return append(probes, sole)
			}
			if slices.Equal(again, hides) { // they may be 0
				break
			}
			hides = again
		}
		if len(hidden) == len(rows) { // values of 0: nothing can be told of them
			break
		}
		probes = append(probes, one)
		rows = hidden
	}

	return probes
}

// try makes one probe, and says which of its rows cancel again.
func (ref *reference) try(p *kernels.Problem, prec kernels.Precision, window int, rows []int, of sparsity) (
	one *reference, hidden []int,
) {
	if ref.sparse[of] == nil {
		ref.sparse[of] = sparseVector(p.A.Cols, of)
	}
	one = newProbe(p, prec, window, rows, ref.sparse[of])
	for k, i := range rows {
		if one.cancels(k) {
			hidden = append(hidden, i)
		}
	}
	return one, hidden
}

// A sparsity says which elements of an x are other than 0: a share of them, which seed and try choose.
type sparsity struct {
	share     float64
	seed, try uint64
}

// sparseVector returns n values, of which a share is other than 0: their magnitudes are
// between 0.5 and 1, and each is exact in float32.
func sparseVector(n int, of sparsity) []float64 {
	x := make([]float64, n)
	each((n+piece-1)/piece, func(nth int) {
		r := rand.New(rand.NewPCG(of.seed, mostTries*uint64(nth)+of.try))
		part := x[nth*piece : min((nth+1)*piece, n)]
		for i := range part {
			if v := r.Uint64(); float64(v>>11)*0x1p-53 < of.share {
				part[i] = 0.5 + float64(v&1023)/2048
				if v&1024 != 0 {
					part[i] = -part[i]
				}
			}
		}
	})
	return x
}

// newProbe computes the reference of A·x in some rows.
func newProbe(p *kernels.Problem, prec kernels.Precision, window int, rows []int, x []float64) *reference {
	n := len(rows)
	one := &reference{x: x, rows: rows, hi: make([]float64, n), lo: make([]float64, n), bound: make([]float64, n)}
	var sums []float64 // of windows
	if window > 0 {
		asked := make([]bool, p.A.NNZ()/window+1)
		for _, i := range rows {
			for from, to := touched(p.A, i, window); from < to; from++ {
				asked[from] = true
			}
		}
		sums = magnitudes(p, x, prec, window, asked)
	}
	each(n, func(k int) {
		cols, vals := p.A.Row(rows[k])
		sum := sumRow(prec, cols, vals, x)
		one.hi[k], one.lo[k] = sum.y, sum.low
		if one.bound[k] = errorBound(prec, sum.hits, len(cols), sum.magnitudes); window > 0 {
			one.bound[k] = windowBound(p.A, prec, rows[k], sum.hits, window, sums)
		}
	})
	return one
}
