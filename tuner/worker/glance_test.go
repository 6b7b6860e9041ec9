package worker

import (
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A scripted product takes the times of a list, one after the other.
type scripted struct {
	kernels.Product
	times []float64
	taken int
}

func (s *scripted) Sample(dst []float64, batch int, cold bool) error {
	for i := range dst {
		dst[i] = s.times[s.taken]
		s.taken++
	}
	return nil
}

// One product ends a trial that is far slower than the best, a few do where they are short,
// and a single slow product, as a busy processor has them, ends none.
func TestGlance(t *testing.T) {
	proto := configs.Protocol{Slow: 3, Budget: time.Hour}
	spent, off := proto, proto
	spent.Budget, off.Slow = 0, 0
	for _, tt := range []struct {
		name     string
		proto    configs.Protocol
		best     float64
		times    []float64
		hopeless bool
		taken    int
		median   float64
	}{
		{"short products", proto, 1, []float64{5, 4, 6}, true, 3, 5},
		{"a slow one by chance", proto, 1, []float64{5, 2}, false, 2, 0},
		{"not slow enough", proto, 1, []float64{3}, false, 1, 0},
		{"nothing to compare with", proto, 0, nil, false, 0, 0},
		{"off", off, 1, nil, false, 0, 0},
		{"one is as long as the budget", spent, 1, []float64{50, 50, 50}, true, 1, 50},
	} {
		p, r := &scripted{times: tt.times}, &trial.Result{Trial: trial.Trial{Cache: trial.Warm}}
		hopeless, err := glance(p, tt.proto, tt.best, r)
		if err != nil || hopeless != tt.hopeless || p.taken != tt.taken {
			t.Errorf("%s: hopeless %t after %d products (%v)", tt.name, hopeless, p.taken, err)
		}
		if r.Median != tt.median || r.Low != 0 || r.High != 0 || hopeless != (r.Stop == trial.StopSlow) {
			t.Errorf("%s: %g s, %g to %g, stopped by %q", tt.name, r.Median, r.Low, r.High, r.Stop)
		}
	}
}
