package data

import (
	"slices"
	"testing"

	"spmvtune/store"
)

func TestTwins(t *testing.T) {
	const real = "SuiteSparse Williams/mc2depi"
	twin := func(of, scale string) string {
		return "twin of G/" + of + ": twin(of=" + of + ", scale=" + scale + ", seed=1)"
	}
	for _, tt := range []struct {
		sources []string
		want    string
	}{
		{[]string{real}, ""},
		{nil, ""},
		{[]string{real, twin("a", "1")}, "A twin, not the real matrix: a."},
		{[]string{twin("a", "0.1"), twin("b", "1"), real, twin("c", "1")},
			"Twins, not the real matrices: b, c; a at scale 0.1."},
		{[]string{twin("a", "1"), twin("b", "1"), twin("c", "1"), twin("d", "1")},
			"All matrices are twins, not the real ones."},
		{[]string{twin("a", "1"), twin("b", "0.1"), twin("c", "0.1"), twin("d", "0.5")},
			"All matrices are twins, not the real ones; d at scale 0.5; b, c at scale 0.1."},
		{[]string{twin("a", "0.1"), twin("b", "0.1"), twin("c", "0.1"), twin("d", "0.1")},
			"All matrices are twins, not the real ones, at scale 0.1."},
		{[]string{"twin(of=model7, scale=1, seed=1)"}, "A twin, not the real matrix: model7."},
		{append(slices.Repeat([]string{twin("a", "1")}, 13), real), "13 of 14 matrices are twins, not the real ones."},
	} {
		var list []store.Matrix
		for _, s := range tt.sources {
			list = append(list, store.Matrix{Name: s, Source: s})
		}
		if got := Twins(list); got != tt.want {
			t.Errorf("%q gives %q, not %q", tt.sources, got, tt.want)
		}
	}
}
