package analysis

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

	want := []Contender{
		{Kernel: "csr_vector", Tried: 3, Named: 2, Alone: 1, Mean: math.Cbrt(0.5), Worst: 0.5, WorstAt: 2},
		{Kernel: "coo_atomic", Tried: 3, Tied: 1, Mean: math.Cbrt(1. / 12), Worst: 1. / 6, WorstAt: 2},
		{Kernel: "csr_scalar", Tried: 3, Mean: math.Cbrt(1. / 16), Worst: 0.25, WorstAt: 2},
		{Kernel: "csr_light", Tried: 1, Named: 1, Alone: 1, Mean: 1, Worst: 1, WorstAt: 2},
	}
	for i, s := range c.Contenders {
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

// The end of an interval that is not 1 is not printed as 1.
func TestInterval(t *testing.T) {
	for want, r := range map[string]stat.Ratio{"1.004 to 1.3": {Value: 1.1, Low: 1.004, High: 1.3},
		"0.70 to 0.998": {Value: 0.8, Low: 0.7, High: 0.998}, "1.0 to 1.3": {Value: 1.2, Low: 1, High: 1.3}} {
		if got := interval(r); got != want {
			t.Errorf("%+v is printed as %s, want %s", r, got, want)
		}
	}
}
