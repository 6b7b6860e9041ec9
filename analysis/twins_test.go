package analysis

import (
	"slices"
	"testing"

	"spmvtune/store"
)

func TestTwins(t *testing.T) {
	real := store.Matrix{Name: "mc2depi"}
	twin := func(of string, scale float64) store.Matrix {
		return store.Matrix{Name: of, TwinOf: of, TwinScale: scale}
	}
	for _, tt := range []struct {
		matrices []store.Matrix
		want     string
	}{
		{[]store.Matrix{real}, ""},
		{nil, ""},
		{[]store.Matrix{real, twin("a", 1)}, "A twin, not the real matrix: a."},
		{[]store.Matrix{twin("a", 0.1), twin("b", 1), real, twin("c", 1)},
			"Twins, not the real matrices: b, c; a at scale 0.1."},
		{[]store.Matrix{twin("a", 1), twin("b", 1), twin("c", 1), twin("d", 1)}, "All matrices are twins, not the real ones."},
		{[]store.Matrix{twin("a", 1), twin("b", 0.1), twin("c", 0.1), twin("d", 0.5)},
			"All matrices are twins, not the real ones; d at scale 0.5; b, c at scale 0.1."},
		{[]store.Matrix{twin("a", 0.1), twin("b", 0.1), twin("c", 0.1), twin("d", 0.1)},
			"All matrices are twins, not the real ones, at scale 0.1."},
		{[]store.Matrix{twin("model7", 1)}, "A twin, not the real matrix: model7."},
		{[]store.Matrix{
			{TwinOf: "a", TwinScale: 1, Source: "twin(of=a, scale=1, seed=1, locality=published)"},
			{TwinOf: "a", TwinScale: 1, Source: "twin of G/a: twin(of=a, scale=1, seed=1, locality=scattered)"},
		}, "Twins, not the real matrices: a (published locality), a (scattered locality)."},
		{append(slices.Repeat([]store.Matrix{twin("a", 1)}, 13), real), "13 of 14 matrices are twins, not the real ones."},
	} {
		if got := Twins(tt.matrices); got != tt.want {
			t.Errorf("%+v gives %q, not %q", tt.matrices, got, tt.want)
		}
	}
}
