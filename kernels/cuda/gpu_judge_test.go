// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/cu"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// judgedGPU is a product that has run, with a reference of it.
func judgedGPU(t *testing.T, b *Backend, precision kernels.Precision) (*product, kernels.Reference) {
	t.Helper()
	c := scalarGPU
	c.Precision = precision
	p := preparedGPU(t, b, c)
	testkit.Succeed(t, errors.Join(p.Poison(), p.Multiply(nil)))
	m := b.problem.A
	r := newGPUReference(m, b.problem.X, precision, true)
	ref := kernels.Reference{Hi: r.hi, Bound: make([]float64, m.Rows)}
	if precision == kernels.Float64 {
		ref.Lo = r.lo
	}
	for i := range ref.Bound {
		ref.Bound[i] = precision.Roundoff() * 16 * (r.prefix[m.RowPtr[i+1]] - r.prefix[m.RowPtr[i]])
	}
	return p, ref
}

// setGPU makes v the value of a row of y.
func setGPU(t *testing.T, p *product, row int, v float64) {
	t.Helper()
	testkit.Succeed(t, p.b.put(p.y+cu.DevicePtr(row*p.v), p.v, []float64{v}))
}

// The device finds what the host finds, wherever a wrong value is, and rows are those of y.
func TestGPUBackendJudges(t *testing.T) {
	b, m := loadedGPU(t)
	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		p, ref := judgedGPU(t, b, precision)
		y := make([]float64, m.Rows)
		check := func(what string) {
			t.Helper()
			worst, row, err := p.Judge(ref)
			testkit.Succeed(t, err)
			testkit.Succeed(t, p.Result(y))
			if want, at := worstOf(ref, y); worst != want || row != at {
				t.Errorf("%s, %s: %g in row %d, want %g in row %d", precision, what, worst, row, want, at)
			}
			rows := []int{row, 0, m.Rows - 1}
			some := make([]float64, len(rows))
			testkit.Succeed(t, p.Rows(rows, some))
			for k, i := range rows {
				if math.Float64bits(some[k]) != math.Float64bits(y[i]) && !math.IsNaN(y[i]) {
					t.Errorf("row %d is %g, and %g in y", i, some[k], y[i])
				}
			}
		}
		check("right")
		for _, row := range []int{0, m.Rows / 2, m.Rows - 1} {
			right := y[row]
			for _, wrong := range []float64{math.NaN(), math.Inf(1), right + 0.25} {
				setGPU(t, p, row, wrong)
				check("wrong")
			}
			setGPU(t, p, row, right)
			check("right again")
		}
		all := make([]float64, m.Rows)
		rows := make([]int, m.Rows)
		for i := range rows {
			rows[i] = m.Rows - 1 - i
		}
		testkit.Succeed(t, p.Rows(rows, all))
		slices.Reverse(all)
		if row, ok := firstDifference(all, y); !ok && !math.IsNaN(y[row]) {
			t.Errorf("row %d is %g, and %g in y", row, all[row], y[row])
		}
	}
}

// A reference that some kernel has written to is not used, and comes from the host again.
func TestGPUBackendReferenceChanged(t *testing.T) {
	b, _ := loadedGPU(t)
	p, ref := judgedGPU(t, b, kernels.Float64)
	_, _, err := p.Judge(ref)
	testkit.Succeed(t, err)
	at := b.originals.references[keyOf(ref.Bound, 8)]
	for _, part := range []cu.DevicePtr{at.hi, at.lo, at.bound} {
		at := b.originals.references[keyOf(ref.Bound, 8)]
		testkit.Succeed(t, upload[float64](b, part, []float64{0.375}))
		_, _, err := p.Judge(ref)
		testkit.Is(t, err, kernels.ErrNoJudge, fmt.Sprintf("a changed reference (%v)", at))
		if worst, _, err := p.Judge(ref); err != nil || worst > 1 {
			t.Errorf("after it is there again: %g (%v)", worst, err)
		}
	}

	// Where there is room for one only, another takes its place.
	b.originals.forget()
	b.originals.size = 3 * (8*int64(len(ref.Hi)) + originalsAlign)
	other := ref
	other.Bound = slices.Clone(ref.Bound)
	for _, r := range []kernels.Reference{ref, other, ref} {
		if worst, _, err := p.Judge(r); err != nil || worst > 1 {
			t.Errorf("with room for one reference: %g (%v)", worst, err)
		}
	}

	b.originals.forget()
	b.originals.size = 0
	_, _, err = p.Judge(ref)
	testkit.Is(t, err, kernels.ErrNoJudge, "without room")
}

// Fresh products have copies of what is kept, which the host makes once, or again if a kernel has written there.
func TestGPUBackendOriginals(t *testing.T) {
	b, _ := loadedGPU(t)
	fresh := func(what string) {
		t.Helper()
		for _, c := range []kernels.Config{
			scalarGPU, {Kernel: "coo_atomic", Precision: kernels.Float64, Block: 128},
			{Kernel: "sell_c_sigma", Precision: kernels.Float32, Block: 128, Grid: 264},
		} {
			t.Logf("%s: %s", what, c)
			rightGPU(t, b, c, testkit.Must(b.Prepare(c, kernels.Options{Fresh: true, Launch: kernels.Graph})))
		}
	}
	fresh("the first time")
	used, kept := b.originals.used, len(b.originals.of)
	if kept < 8 {
		t.Errorf("%d originals are kept", kept)
	}
	fresh("again")
	testkit.Equal(t, b.originals.used, used, "bytes of originals after the same products")
	for _, o := range b.originals.of {
		testkit.Succeed(t, poison(b.stream, o.at, 4))
	}
	fresh("after kernels have written to all originals")
	if b.originals.used < 2*used {
		t.Errorf("originals took %d bytes, and %d after they were made again", used, b.originals.used)
	}
	testkit.Must(b.originals.close())
	fresh("without room")
}
