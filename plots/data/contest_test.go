package data

import (
	"math"
	"testing"

	"spmvtune/store"
	"spmvtune/tuner/stat"
)

// A kernel that was measured only where it shines does not come first, and one that is told from
// the best is not tied with it.
func TestContest(t *testing.T) {
	var rows []store.Row
	for i, matrix := range []string{"a", "b", "c"} {
		for kernel, ms := range map[string]float64{"csr_vector": 1, "csr_scalar": 2, "coo_atomic": 1 + float64(i)} {
			r := found(kernel, 0.99*ms, ms, 1.01*ms)
			r.Matrix = matrix
			rows = append(rows, r)
		}
	}
	r := found("csr_light", 0.5, 0.5, 0.5)
	r.Matrix = "c"
	d := New(append(rows, r), nil, nil, nil)
	c := d.NewContest(d.Panels)

	want := []Standing{
		{Kernel: "csr_vector", Tried: 3, Named: 2, Alone: 1, Mean: math.Cbrt(0.5), Worst: 0.5, WorstAt: 2},
		{Kernel: "coo_atomic", Tried: 3, Tied: 1, Mean: math.Cbrt(1. / 12), Worst: 1. / 6, WorstAt: 2},
		{Kernel: "csr_scalar", Tried: 3, Mean: math.Cbrt(1. / 16), Worst: 0.25, WorstAt: 2},
		{Kernel: "csr_light", Tried: 1, Named: 1, Alone: 1, Mean: 1, Worst: 1, WorstAt: 2},
	}
	for i, s := range c.Standings {
		w := want[i]
		if len(s.Entries) != 3 || s.Kernel != w.Kernel || s.Tried != w.Tried || s.Alone != w.Alone || s.Named+s.Tied !=
			w.Named+w.Tied || math.Abs(s.Mean-w.Mean) > 1e-9 || math.Abs(s.Worst-w.Worst) > 1e-9 || s.WorstAt != w.WorstAt {
			t.Errorf("%d: %+v, want %+v", i, s, w)
		}
	}
}

// The arms of n independent ratios of equal width shrink by the root of n.
func TestMeanRatio(t *testing.T) {
	r := stat.Ratio{Value: 4, Low: 2, High: 8}
	got := MeanRatio([]stat.Ratio{r, r, r, r})
	if math.Abs(got.Value-4) > 1e-9 || math.Abs(got.Low-4/math.Sqrt2) > 1e-9 || math.Abs(got.High-4*math.Sqrt2) > 1e-9 {
		t.Errorf("%+v", got)
	}
}
