package worker

import (
	"context"
	"fmt"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse/generate"
)

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
					w := &server{problem: p, references: map[scope]*reference{}}
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
