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

// Where nothing changed, some pairs of many are slower: it takes more to say that something is.
func TestSomeAreSlowerByChance(t *testing.T) {
	for _, tt := range []struct{ pairs, unsure, byChance int }{{1, 0, 0}, {5, 0, 0}, {6, 0, 1}, {6, 1, 0}, {500, 0, 9}} {
		r := Result{}
		for i := range tt.pairs {
			p := Pair{A: takes(1, 0.9, 1.1), B: takes(2, 1.9, 2.1)}
			if i < tt.unsure {
				p.B.Telemetry = &trial.Telemetry{Throttled: 1}
			}
			r.Pairs = append(r.Pairs, p)
		}
		r.judge(0.01)
		if slower, byChance := r.Slower(); slower != tt.pairs-tt.unsure || byChance != tt.byChance {
			t.Errorf("of %d pairs, %d unsure, %d are slower and %d by chance, want %d", tt.pairs, tt.unsure, slower, byChance, tt.byChance)
		}
	}

	hopeless := Result{Pairs: []Pair{{A: takes(1, 0.9, 1.1), B: takes(9, 0, 0)}}}
	hopeless.Pairs[0].B.Stop = trial.StopSlow
	hopeless.judge(0.01)
	if slower, byChance := hopeless.Slower(); slower != 1 || byChance != 0 {
		t.Errorf("without intervals %d are slower and %d by chance, want 1 and 0", slower, byChance)
	}
}
