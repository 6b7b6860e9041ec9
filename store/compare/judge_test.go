package compare

import (
	"math"
	"testing"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// takes is a time with the interval in which another run finds it.
func takes(time, low, high float64) *store.Good {
	return &store.Good{Row: store.Row{Time: time, Another: trial.Interval{Low: low, High: high}}}
}

// The interval of a ratio follows from those of its times: squares of deviations add up.
func TestRatiosHaveIntervals(t *testing.T) {
	wide := math.Exp(math.Sqrt(2) * math.Log(1.05))
	for _, tt := range []struct {
		name      string
		a, b      *store.Good
		low, high float64
		want      Verdict
	}{
		{"sure", takes(1, 1/1.05, 1.05), takes(1.1, 1.1/1.05, 1.1*1.05), 1.1 / wide, 1.1 * wide, Slower},
		{"faster", takes(1.1, 1.1/1.05, 1.1*1.05), takes(1, 1/1.05, 1.05), 1 / 1.1 / wide, 1 / 1.1 * wide, Faster},
		{"less than runs differ", takes(1, 1/1.05, 1.05), takes(1.06, 1.06/1.05, 1.06*1.05), 1.06 / wide, 1.06 * wide, Same},
		{"one-sided", takes(1, 1, 1.05), takes(1.2, 1.2/1.02, 1.2), 1.2 / math.Exp(math.Hypot(math.Log(1.05), math.Log(1.02))),
			1.2, Slower},
		{"less than counts", takes(1, 1, 1), takes(1.005, 1.005, 1.005), 1.005, 1.005, Same},
		{"without an interval", takes(1, 0, 0), takes(1.9, 1.9, 1.9), math.NaN(), math.NaN(), Same},
	} {
		r := Result{Pairs: []Pair{{A: tt.a, B: tt.b}}}
		r.judge(0.01)
		p := r.Pairs[0]
		if p.Verdict != tt.want || !alike(p.Ratio.Low, tt.low) || !alike(p.Ratio.High, tt.high) {
			t.Errorf("%s: %s, %v to %v, want %s, %v to %v", tt.name, p.Verdict, p.Ratio.Low, p.Ratio.High, tt.want, tt.low,
				tt.high)
		}
	}
}

func alike(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
