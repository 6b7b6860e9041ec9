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

// A pair differs if its intervals do not meet, and by enough.
func TestRatiosHaveIntervals(t *testing.T) {
	for _, tt := range []struct {
		name      string
		a, b      *store.Good
		low, high float64
		want      Verdict
	}{
		{"slower", takes(1, 0.96, 1.04), takes(1.1, 1.05, 1.15), 1.05 / 1.04, 1.15 / 0.96, Slower},
		{"faster", takes(1.1, 1.05, 1.15), takes(1, 0.96, 1.04), 0.96 / 1.15, 1.04 / 1.05, Faster},
		{"intervals meet", takes(1, 0.95, 1.05), takes(1.1, 1.04, 1.15), 1.04 / 1.05, 1.15 / 0.95, Same},
		{"intervals meet below", takes(1.1, 1.04, 1.15), takes(1, 0.95, 1.05), 0.95 / 1.15, 1.05 / 1.04, Same},
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
