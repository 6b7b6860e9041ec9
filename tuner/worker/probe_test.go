package worker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/internal/testing/long"
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// hubs returns a problem with rows of these lengths, of values between 0.5 and 1 or their
// negatives.
func hubs(cols int, lengths ...int) *kernels.Problem {
	r := rand.New(rand.NewPCG(7, 11))
	a := &sparse.CSR[float64]{Rows: len(lengths), Cols: cols, RowPtr: []int32{0}}
	for _, n := range lengths {
		for k := range n {
			a.ColIdx = append(a.ColIdx, int32(cols*k/n))
			v := 0.5 + r.Float64()/2
			if r.IntN(2) == 0 {
				v = -v
			}
			a.Val = append(a.Val, v)
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.ColIdx)))
	}
	return &kernels.Problem{A: a, X: vector(cols, 3)}
}

// multiply computes y as a kernel in precision prec does that adds one product after the
// other and leaves out entries of a row.
func multiply(p *kernels.Problem, prec kernels.Precision, x []float64, row int, left func(k int) bool) []float64 {
	y := make([]float64, p.A.Rows)
	for i := range y {
		cols, vals := p.A.Row(i)
		var single float32
		for k, c := range cols {
			if i == row && left(k) {
				continue
			}
			single += float32(vals[k]) * float32(x[c])
			y[i] += vals[k] * x[c]
		}
		if prec == kernels.Float32 {
			y[i] = float64(single)
		}
	}
	return y
}

// found reports whether one of the products that verify a trial shows what is left out.
func found(p *kernels.Problem, prec kernels.Precision, ref *reference, row int, left func(k int) bool) bool {
	if worst, _ := ref.check(multiply(p, prec, p.X, row, left)); worst > 1 {
		return true
	}
	for i := range ref.probes {
		if worst, _ := ref.probes[i].check(multiply(p, prec, ref.probes[i].x, row, left)); worst > 1 {
			return true
		}
	}
	return false
}

// A row of any length that is left out is found, and so is 1% of one in 99 of 100 cases,
// whether they lie side by side or anywhere; a kernel that leaves out nothing passes.
func TestProbesFindWhatIsLeftOut(t *testing.T) {
	lengths, turns := []int{1, 40, 3000, 5000, 30_000, 400_000}, 60
	if long.Asked() {
		lengths = append(lengths, 8_000_000, 40_000_000)
	}
	for _, prec := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, n := range lengths {
			p := hubs(n, 3, n, 5)
			ref, err := newReference(p, prec)
			if err != nil {
				t.Fatal(err)
			}
			for _, window := range []int{0, 1024} {
				ref := ref
				if window > 0 {
					ref = ref.inWindows(p, prec, window)
				}
				ref.probes = newProbes(p, prec, window, ref)
				if found(p, prec, ref, -1, nil) {
					t.Errorf("%s, %d entries, window %d: a right product is wrong", prec, n, window)
				}
				if !found(p, prec, ref, 1, func(int) bool { return true }) {
					t.Errorf("%s, %d entries, window %d: a row that is left out is not found", prec, n, window)
				}
			}

			if n < 1000 || n > 1_000_000 {
				continue
			}
			ref.probes = newProbes(p, prec, 0, ref)
			r := rand.New(rand.NewPCG(1, uint64(n)))
			missed := 0
			for turn := range turns {
				first := r.IntN(n - n/100)
				left := func(k int) bool { return k >= first && k < first+n/100 }
				if turn%2 == 1 {
					left = func(int) bool { return r.IntN(100) == 0 }
				}
				if !found(p, prec, ref, 1, left) {
					missed++
				}
			}
			if missed > 2 { // 0.6 are to be expected at most
				t.Errorf("%s, %d entries: 1%% of them are left out unseen %d times of %d", prec, n, missed, turns)
			}
		}
	}
}

// A kernel that takes all values for equal, and one of a row of up to a tile is not, is found.
func TestAValueTakenForEqualIsFound(t *testing.T) {
	for _, prec := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, n := range []int{1, 40, 512} {
			p := hubs(n, 3, n, 5)
			for k := range p.A.Val {
				p.A.Val[k] = 1
			}
			equal := p.A.Val
			p.A.Val = slices.Clone(equal)
			p.A.Val[int(p.A.RowPtr[1])+n/2] = 2
			ref, err := newReference(p, prec)
			if err != nil {
				t.Fatal(err)
			}
			ref.probes = newProbes(p, prec, 0, ref)
			if found(p, prec, ref, -1, nil) {
				t.Errorf("%s, %d entries: a right product is wrong", prec, n)
			}
			if p.A.Val = equal; !found(p, prec, ref, -1, nil) {
				t.Errorf("%s, %d entries: a value that is not equal is not found", prec, n)
			}
		}
	}
}

// Without probes, a long row that is left out passes in float32 for most vectors x.
func TestALongRowHidesWithoutProbes(t *testing.T) {
	long.Test(t, "sums rows of eight million entries")
	const n = 8_000_000
	p := hubs(n, n)
	hidden := 0
	for seed := range uint64(5) {
		p.X = vector(n, seed)
		ref, err := newReference(p, kernels.Float32)
		if err != nil {
			t.Fatal(err)
		}
		if worst, _ := ref.check(make([]float64, 1)); worst <= 1 {
			hidden++
		}
		ref.probes = newProbes(p, kernels.Float32, 0, ref)
		if !found(p, kernels.Float32, ref, 0, func(int) bool { return true }) {
			t.Errorf("seed %d: probes do not show it", seed)
		}
	}
	if hidden == 0 {
		t.Error("no vector hides it: probes are not needed")
	}
}
