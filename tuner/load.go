package tuner

import (
	"context"
	"fmt"
	"math/rand/v2"

	"spmvtune/configs"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
	"spmvtune/sparse/mtx"
)

// Load reads or generates the matrix that a sweep names, and describes it.
func Load(ctx context.Context, spec configs.Matrix) (*sparse.CSR[float64], Matrix, error) {
	m := Matrix{Name: spec.Name, Class: spec.Class, Field: "real", Symmetry: "general"}
	var a *sparse.CSR[float64]
	var err error
	if spec.Generate != "" {
		m.Source = generate.Spec(spec.Generate, spec.Args)
		if a, err = generate.Build(ctx, spec.Generate, spec.Args); err != nil {
			return nil, m, fmt.Errorf("generating %s: %w", spec.Name, err)
		}
	} else {
		m.Source = spec.Path
		read, err := mtx.Read(ctx, spec.Path, mtx.Options{Expand: spec.Expand, Complex: spec.Complex})
		if err != nil {
			return nil, m, err
		}
		a, m.Field, m.Symmetry, m.NonFinite = read.A, read.Field, read.Symmetry, read.NonFinite
	}
	m.Hash = a.Hash()
	m.Features = sparse.Analyze(a)
	return a, m, nil
}

// vector returns n values drawn uniformly from [−1, 1], none of them 0 and each
// exact in float32, the same for the same seed.
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
