// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// problem builds a problem from dense rows.
func problem(t *testing.T, rows [][]float64, x []float64) *kernels.Problem {
	t.Helper()
	a := &sparse.CSR[float64]{Rows: len(rows), Cols: len(x), RowPtr: []int32{0}}
	for _, r := range rows {
		for j, v := range r {
			if v != 0 {
				a.ColIdx = append(a.ColIdx, int32(j))
				a.Val = append(a.Val, v)
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.ColIdx)))
	}
	return &kernels.Problem{A: a, X: x}
}

// The reference must see what float64 arithmetic loses: 1 + 1e-30 − 1.
func TestReferenceIsMorePrecise(t *testing.T) {
	p := problem(t, [][]float64{{1, 1e-30, -1}, {0, 0, 0}}, []float64{1, 1, 1})
	ref := testkit.Must(newReference(p, kernels.Float64))
	testkit.Equal(t, ref.hi[0]+ref.lo[0], 1e-30, "row 0")
	testkit.Check(t, ref.hi[1] == 0 && ref.bound[1] == 0, "empty row is %g ± %g, want 0 ± 0", ref.hi[1], ref.bound[1])
}

// Against exact rational arithmetic on rows with heavy cancellation, the
// double-double sum is far inside the error bound of float64.
func TestDoubleDoubleAgainstExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + rng.IntN(60)
		cols, vals, x := make([]int32, n), make([]float64, n), make([]float64, n)
		exact := new(big.Rat)
		for i := range n {
			cols[i] = int32(i)
			vals[i] = (rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(30)-15))
			x[i] = 2*rng.Float64() - 1
			exact.Add(exact, new(big.Rat).Mul(new(big.Rat).SetFloat64(vals[i]), new(big.Rat).SetFloat64(x[i])))
		}
		sum := rowDoubleDouble(cols, vals, x)
		got := new(big.Rat).Add(new(big.Rat).SetFloat64(sum.y), new(big.Rat).SetFloat64(sum.low))
		diff, _ := got.Sub(got, exact).Float64()
		testkit.Require(t, math.Abs(diff) <= 0x1p-95*sum.magnitudes,
			"n = %d: off by %g of magnitudes %g", n, diff, sum.magnitudes)
	}
}

// A long row is summed in pieces, as exactly.
func TestLongRowAgainstExact(t *testing.T) {
	const n = 3*piece + 5
	p := hubs(n, n)
	for k := range p.A.Val {
		p.A.Val[k] *= math.Ldexp(1, k%60-30)
	}
	clear(p.X[n/2:])
	for _, prec := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		exact, magnitudes := new(big.Float).SetPrec(2000), 0.0
		for k, v := range p.A.Val {
			if prec == kernels.Float32 {
				v = float64(float32(v))
			}
			exact.Add(exact, new(big.Float).SetPrec(200).Mul(big.NewFloat(v), big.NewFloat(p.X[k])))
			magnitudes += math.Abs(v * p.X[k])
		}
		sum := sumRow(prec, p.A.ColIdx, p.A.Val, p.X)
		exact.Sub(exact, big.NewFloat(sum.y))
		diff, _ := exact.Sub(exact, big.NewFloat(sum.low)).Float64()
		most := map[kernels.Precision]float64{kernels.Float32: 0x1p-40, kernels.Float64: 0x1p-90}[prec]
		testkit.Check(t, math.Abs(diff) <= most*magnitudes, "%s: off by %g of magnitudes %g", prec, diff, magnitudes)
		testkit.Check(t, math.Abs(sum.magnitudes-magnitudes) <= 1e-9*magnitudes && sum.hits == n/2,
			"%s: magnitudes %g, want %g; %d hits, want %d", prec, sum.magnitudes, magnitudes, sum.hits, n/2)
	}
}

// What a broken kernel does to y is noticed: a lost entry, a doubled one, a row
// never written, a result that belongs to the next row.
func TestCheckNoticesDefects(t *testing.T) {
	a := testkit.Must(generate.Build(context.Background(), "uniform", map[string]any{"rows": int64(300), "cols": int64(200),
		"row_nnz": int64(9)}))
	p := &kernels.Problem{A: a, X: vector(a.Cols, 1)}
	for _, prec := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		ref := testkit.Must(newReference(p, prec))
		naive := func() []float64 {
			y := make([]float64, a.Rows)
			for i := range y {
				cols, vals := a.Row(i)
				var s32 float32
				for k, c := range cols {
					y[i] += vals[k] * p.X[c]
					s32 += float32(vals[k]) * float32(p.X[c])
				}
				if prec == kernels.Float32 {
					y[i] = float64(s32)
				}
			}
			return y
		}
		if worst, row := ref.check(naive()); worst > 1 {
			t.Errorf("%s: a plain loop is wrong in row %d (%g of the bound)", prec, row, worst)
		}
		const victim = 123
		cols, vals := a.Row(victim)
		term := vals[len(vals)/2] * p.X[cols[len(cols)/2]]
		for name, spoil := range map[string]func(y []float64){
			"lost entry":    func(y []float64) { y[victim] -= term },
			"doubled entry": func(y []float64) { y[victim] += term },
			"never written": func(y []float64) { y[victim] = math.NaN() },
			"infinite":      func(y []float64) { y[victim] = math.Inf(1) },
			"next row's":    func(y []float64) { y[victim] = y[victim+1] },
		} {
			y := naive()
			spoil(y)
			worst, row := ref.check(y)
			testkit.Check(t, (worst > 1) && row == victim,
				"%s: %s: worst is %g in row %d, want above 1 in row %d", prec, name, worst, row, victim)
		}
	}
}

// An infinity is reported in its own row, also before an empty one, whose bound
// is 0.
func TestInfinityIsFoundInItsRow(t *testing.T) {
	p := problem(t, [][]float64{{1, 2}, {0, 0}, {3, 4}}, []float64{1, 1})
	ref := testkit.Must(newReference(p, kernels.Float32))
	worst, row := ref.checkRows([]float64{math.Inf(-1), 0, 7}, 0, 3)
	testkit.Check(t, math.IsInf(worst, 1) && row == 0, "worst is %g in row %d, want +Inf in row 0", worst, row)
}

func TestReferenceRefusesOverflow(t *testing.T) {
	p := problem(t, [][]float64{{1}, {1e39}}, []float64{1})
	testkit.Is(t, testkit.Err(newReference(p, kernels.Float32)), errOverflow, "1e39 in float32")
	if _, err := newReference(p, kernels.Float64); err != nil {
		t.Errorf("1e39 in float64: %v", err)
	}
}

// Products that underflow in float32 are not errors of the kernel.
func TestUnderflowIsAllowedFor(t *testing.T) {
	p := problem(t, [][]float64{{3e-30}}, []float64{float64(float32(1e-12))})
	ref := testkit.Must(newReference(p, kernels.Float32))
	got := float32(3e-30) * float32(1e-12)
	worst, _ := ref.check([]float64{float64(got)})
	testkit.Check(t, worst <= 1, "%g is %g of the bound", got, worst)
}

func TestVector(t *testing.T) {
	x, again, other := vector(1000, 7), vector(1000, 7), vector(1000, 8)
	same := 0
	for i, v := range x {
		testkit.Require(t, v == again[i], "the same seed gives another vector")
		if v == other[i] {
			same++
		}
		testkit.Require(t, v != 0 && v >= -1 && v <= 1 && float64(float32(v)) == v, "element %d is %g", i, v)
	}
	testkit.Check(t, same <= 10, "%d of 1000 elements do not depend on the seed", same)
}

// A row that a kernel gets as the difference of prefixes may be off by the
// rounding of its windows, and by no more.
func TestWindowBound(t *testing.T) {
	// Windows of 4 entries: rows 0 and 1 share the first, row 1 reaches into the
	// second, row 3 has only the second, row 2 is empty.
	p := problem(t, [][]float64{{1000, 1000}, {1, 1, 1, 1}, {0}, {1, 1}}, []float64{1, 1, 1, 1})
	ref := testkit.Must(newReference(p, kernels.Float32))
	windows := ref.inWindows(p, kernels.Float32, 4)
	const u = 0x1p-24
	for i, sum := range []float64{2002, 2002 + 4, 0, 4} {
		n := []float64{2, 4, 0, 2}[i]
		want := u * (8*math.Sqrt(n) + 8) * sum
		got := windows.bound[i]
		testkit.Check(t, math.Abs(got-want) <= 1e-9*want+1e-36, "row %d: bound %g, want %g", i, got, want)
	}
	off := []float64{2000, 4 + u*2000, 0, 2}
	worst, row := ref.check(off)
	testkit.Check(t, worst > 1 && row == 1, "over the row: worst %g in row %d", worst, row)
	worst, _ = windows.check(off)
	testkit.Check(t, worst <= 1, "over the windows: worst %g", worst)
}

// The references of all windows are kept, as long as there is room for them.
func TestReferencesAreKept(t *testing.T) {
	defer func(most int64) { mostReferences = most }(mostReferences)
	for _, room := range []bool{true, false} {
		if !room {
			mostReferences = 0
		}
		w := &server{ready: ready{problem: hubs(90, 3, 40, 5)}, references: map[scope]*reference{}}
		var first [3]*reference
		for turn := range 2 {
			for i, window := range []int{0, 32, 64} {
				ref := testkit.Must(w.reference(scope{kernels.Float32, window}))
				if turn == 0 {
					first[i] = ref
				} else if kept := ref == first[i]; kept != (room || window == 0) {
					t.Errorf("room %t: the reference in windows of %d is kept: %t", room, window, kept)
				}
			}
		}
	}
}

// The probes of all windows have the same x, which the device has to get once.
func TestProbesShareTheirX(t *testing.T) {
	w := &server{ready: ready{problem: problem(t, [][]float64{{1, -1}, {3, 4}}, []float64{1, 1})}, references: map[scope]*reference{}}
	var first *float64
	for _, window := range []int{0, 2, 4} {
		ref := testkit.Must(w.reference(scope{kernels.Float32, window}))
		testkit.Require(t, len(ref.probes) != 0, "windows of %d: %d probes", window, len(ref.probes))
		if first == nil {
			first = &ref.probes[0].x[0]
		} else if first != &ref.probes[0].x[0] {
			t.Errorf("the probe in windows of %d has an x of its own", window)
		}
	}
}

// Where the first try hides a few of many rows that cancel, and a later one none, each trial has one probe.
func TestOneProbeIsEnough(t *testing.T) {
	const rows = 5000
	a := &sparse.CSR[float64]{Rows: rows, Cols: 2 * rows, RowPtr: []int32{0}}
	for i := range int32(rows) {
		a.ColIdx, a.Val = append(a.ColIdx, 2*i, 2*i+1), append(a.Val, 1, -1)
		a.RowPtr = append(a.RowPtr, 2*i+2)
	}
	p := &kernels.Problem{A: a, X: slices.Repeat([]float64{1}, 2*rows)}
	ref := testkit.Must(newReference(p, kernels.Float32))
	all := doubtful(a, kernels.Float32, ref)
	_, hidden := ref.try(p, kernels.Float32, 0, all, sparsity{share: 1, seed: math.MaxUint64})
	probes := newProbes(p, kernels.Float32, 0, ref)
	testkit.Require(t, len(all) == rows && len(hidden) > 0 && len(probes) == 1,
		"%d rows cancel, %d again in the first try, %d probes", len(all), len(hidden), len(probes))
	for k := range rows {
		testkit.Check(t, !probes[0].cancels(k), "row %d can't be told", k)
	}
}

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
		one := ref.probes[i]
		y := multiply(p, prec, one.x, row, left)
		some := make([]float64, len(one.rows))
		for k, i := range one.rows {
			some[k] = y[i]
		}
		if worst, _ := one.check(some); worst > 1 {
			return true
		}
	}
	return false
}

// A row of any length that is left out is found, and so is 1% of one in 99 of 100 cases,
// whether they lie side by side or anywhere; a kernel that leaves out nothing passes.
func TestProbesFindWhatIsLeftOut(t *testing.T) {
	lengths, turns := []int{1, 40, 3000, 5000, 30_000, 400_000}, 60
	if testkit.LongAsked() {
		lengths = append(lengths, 8_000_000, 40_000_000)
	}
	for _, prec := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, n := range lengths {
			p := hubs(n, 3, n, 5)
			ref := testkit.Must(newReference(p, prec))
			for _, window := range []int{0, 1024} {
				ref := ref
				if window > 0 {
					ref = ref.inWindows(p, prec, window)
				}
				ref.probes = newProbes(p, prec, window, ref)
				testkit.Check(t, !found(p, prec, ref, -1, nil),
					"%s, %d entries, window %d: a right product is wrong", prec, n, window)
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
			testkit.Check(t, missed <= 2,
				"%s, %d entries: 1%% of them are left out unseen %d times of %d", prec, n, missed, turns) // 0.6 are to be expected at most
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
			ref := testkit.Must(newReference(p, prec))
			ref.probes = newProbes(p, prec, 0, ref)
			testkit.Check(t, !found(p, prec, ref, -1, nil), "%s, %d entries: a right product is wrong", prec, n)
			if p.A.Val = equal; !found(p, prec, ref, -1, nil) {
				t.Errorf("%s, %d entries: a value that is not equal is not found", prec, n)
			}
		}
	}
}

// Without probes, a long row that is left out passes in float32 for most vectors x.
func TestALongRowHidesWithoutProbes(t *testing.T) {
	testkit.Long(t, "sums rows of eight million entries")
	const n = 8_000_000
	p := hubs(n, n)
	hidden := 0
	for seed := range uint64(5) {
		p.X = vector(n, seed)
		ref := testkit.Must(newReference(p, kernels.Float32))
		if worst, _ := ref.check(make([]float64, 1)); worst <= 1 {
			hidden++
		}
		ref.probes = newProbes(p, kernels.Float32, 0, ref)
		testkit.Check(t, found(p, kernels.Float32, ref, 0, func(int) bool { return true }), "seed %d: probes do not show it", seed)
	}
	testkit.Check(t, hidden != 0, "no vector hides it: probes are not needed")
}

// How long it takes to make the references of all windows of scan kernels in both precisions.
func BenchmarkReferences(b *testing.B) {
	for _, m := range []struct {
		name string
		args map[string]any
	}{
		{"twin", map[string]any{"of": "mawi_201512020330", "scale": 0.01}},
		{"road", map[string]any{"rows": int64(2_000_000), "degree": 2.107}},
	} {
		a := testkit.Must(generate.Build(context.Background(), m.name, m.args))
		p := &kernels.Problem{A: a, X: vector(a.Cols, 1)}
		for _, windows := range [][]int{{0}, {0, 32, 256, 1024, 2048}} {
			b.Run(fmt.Sprint(m.name, windows), func(b *testing.B) {
				for b.Loop() {
					w := &server{ready: ready{problem: p}, references: map[scope]*reference{}}
					for _, prec := range []kernels.Precision{kernels.Float32, kernels.Float64} {
						for _, n := range windows {
							testkit.Must(w.reference(scope{prec, n}))
						}
					}
				}
			})
		}
	}
}
