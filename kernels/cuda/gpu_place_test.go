//go:build cuda

package cuda

import (
	"math"
	"testing"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// addresses are those of everything that a product touches.
func addresses(b *Backend) map[any]cu.DevicePtr {
	at := map[any]cu.DevicePtr{}
	for _, a := range b.arrays.kept {
		if a.turn == b.arrays.turn {
			at[a.key] = a.ptr
		}
	}
	return at
}

// A fresh product has the matrix, x, y and its scratch elsewhere, and is right there;
// one that is not fresh has them where they were.
func TestGPUBackendFresh(t *testing.T) {
	b, m := loadedGPU(t)
	for _, c := range []kernels.Config{
		scalarGPU,
		{Kernel: "csr_merge", Precision: kernels.Float64, Block: 128, Grid: 264},
		{Kernel: "cusparse_csr_alg2", Precision: kernels.Float32},
	} {
		preparedGPU(t, b, c)
		first := addresses(b)
		preparedGPU(t, b, c)
		for key, at := range addresses(b) {
			if at != first[key] {
				t.Errorf("%s: %v moved without being asked to", c, key)
			}
		}

		p, err := b.Prepare(c, kernels.Options{Fresh: true, Launch: kernels.Graph})
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		moved := addresses(b)
		if len(moved) != len(first) || len(moved) < 4 {
			t.Errorf("%s: %d arrays, before %d", c, len(moved), len(first))
		}
		for key, at := range moved {
			if at == first[key] {
				t.Errorf("%s: %v is where it was", c, key)
			}
		}
		y := make([]float64, m.Rows)
		if err := kernels.Compute(p, nil, y); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		rightGPU(t, b, c, y)
	}
}

// rightGPU compares y with a plain product; the data are integers.
func rightGPU(t *testing.T, b *Backend, c kernels.Config, y []float64) {
	t.Helper()
	want := make([]float64, len(y))
	for i := range want {
		cols, vals := b.problem.A.Row(i)
		for j, col := range cols {
			want[i] += vals[j] * b.problem.X[col]
		}
	}
	if row, ok := firstDifference(y, want); !ok {
		t.Errorf("%s: row %d is %g, want %g", c, row, y[row], want[row])
	}
}

// A product that is replayed as a graph leaves the right y behind, for batches that
// fill graphs and that do not.
func TestGPUBackendReplays(t *testing.T) {
	b, m := loadedGPU(t)
	for _, c := range []kernels.Config{
		{Kernel: "coo_atomic", Precision: kernels.Float32, Block: 128},
		{Kernel: "csr_merge", Precision: kernels.Float64, Block: 128, Grid: 264},
		{Kernel: "cusparse_csr_alg1", Precision: kernels.Float32},
		{Kernel: "cusparse_coo_alg2", Precision: kernels.Float64},
		{Kernel: "cusparse_bsr", Precision: kernels.Float32, Params: "shape=2x2"},
	} {
		for _, batch := range []int{1, 3, 600} {
			p, err := b.Prepare(c, kernels.Options{Launch: kernels.Graph})
			if err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			if err := p.Poison(); err != nil {
				t.Fatal(err)
			}
			times := make([]float64, 5)
			if err := p.Sample(times, batch, false); err != nil {
				t.Fatalf("%s: batch %d: %v", c, batch, err)
			}
			y := make([]float64, m.Rows)
			if err := p.Result(y); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			rightGPU(t, b, c, y)
			if p.(*product).program.refused() {
				t.Errorf("%s can't be captured", c)
			}
		}
	}
}

// A kernel whose first phase does nothing does not pass on what an earlier product left
// in the scratch.
func TestGPUBackendPoisonsScratch(t *testing.T) {
	b, m := loadedGPU(t)
	c := kernels.Config{Kernel: "csr_pcsr", Precision: kernels.Float32, Block: 256, Grid: 264}
	p := preparedGPU(t, b, c)
	y := make([]float64, m.Rows)
	if err := kernels.Compute(p, nil, y); err != nil {
		t.Fatal(err)
	}
	rightGPU(t, b, c, y)

	ops, err := secondPhase(b, p, c)
	if err != nil {
		t.Fatal(err)
	}
	p.program.release()
	p.program = newProgram(ops, kernels.Graph)
	if err := kernels.Compute(p, nil, y); err != nil {
		t.Fatal(err)
	}
	for _, v := range y {
		if math.IsNaN(v) {
			return
		}
	}
	t.Error("the second phase alone gave a y without NaN")
}

// secondPhase is what p enqueues without its first kernel.
func secondPhase(b *Backend, p *product, c kernels.Config) ([]op, error) {
	r, _, err := newRecipe(b.problem.A, c, p.v)
	if err != nil {
		return nil, err
	}
	r.Steps = r.Steps[1:]
	own, err := b.place(r, p)
	if err != nil {
		return nil, err
	}
	return b.ops(r, own, p)
}

// Another x is in place for one product only.
func TestGPUBackendOtherX(t *testing.T) {
	b, m := loadedGPU(t)
	p := preparedGPU(t, b, scalarGPU)
	zeros, y := make([]float64, m.Cols), make([]float64, m.Rows)
	if err := kernels.Compute(p, zeros, y); err != nil {
		t.Fatal(err)
	}
	if row, ok := firstDifference(y, zeros[:m.Rows]); !ok {
		t.Errorf("A·0 is %g in row %d", y[row], row)
	}
	if err := kernels.Compute(p, nil, y); err != nil {
		t.Fatal(err)
	}
	rightGPU(t, b, scalarGPU, y)
}
