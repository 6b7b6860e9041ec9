package worker

import (
	"slices"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A scripted product takes the times of a list, one after the other.
type scripted struct {
	kernels.Product
	times      []float64
	taken      int
	multiplied float64
}

func (s *scripted) Sample(dst []float64, batch int, cold bool) error {
	for i := range dst {
		dst[i] = s.times[s.taken]
		s.taken++
	}
	return nil
}

func (s *scripted) Info() kernels.ProductInfo {
	return kernels.ProductInfo{Multiplied: s.multiplied}
}

// A trial ends whose products are all far slower than the best, for a tenth of the budget. A
// few slow ones, as a busy processor has them, end none.
func TestGlance(t *testing.T) {
	proto := configs.Protocol{Slow: 3, Budget: time.Hour}
	spent, off := proto, proto
	spent.Budget, off.Slow = 0, 0
	slow := make([]float64, mostGlances)
	for i := range slow {
		slow[i] = 5
	}
	late := append(slices.Clone(slow[:20]), 2)
	for _, tt := range []struct {
		name     string
		proto    configs.Protocol
		best     float64
		first    float64 // time of the product that was verified
		device   float64 // and by the clock of the device
		times    []float64
		hopeless bool
		taken    int
		median   float64
		interval bool
	}{
		{"short products", proto, 1, 9, 0, slow, true, mostGlances, 5, true},
		{"slow ones by chance", proto, 1, 9, 0, late, false, 21, 0, false},
		{"not slow enough", proto, 1, 9, 0, []float64{3}, false, 1, 0, false},
		{"slow by its launch alone", proto, 2e-6, 20e-6, 0, []float64{14e-6}, false, 1, 0, false},
		{"nothing to compare with", proto, 0, 9, 0, nil, false, 0, 0, false},
		{"off", off, 1, 9, 0, nil, false, 0, 0, false},
		{"one is as long as the budget", spent, 1, 9, 0, []float64{50, 50}, true, 1, 50, false},
		{"interrupted, but the first was not slow", spent, 1, 3, 0, nil, false, 0, 0, false},
		{"the first is far slower, by the device", proto, 1, 90, 80, nil, true, 0, 80, false},
		{"not far slower", spent, 1, 90, 50, []float64{40}, true, 1, 40, false},
		{"not long enough to tell", spent, 1e-4, 1, 0.04, []float64{2e-4}, false, 1, 0, false},
	} {
		p, r := &scripted{times: tt.times, multiplied: tt.device}, &trial.Result{Trial: trial.Trial{Cache: trial.Warm}}
		hopeless, err := glance(p, tt.proto, tt.best, tt.first, r)
		if err != nil || hopeless != tt.hopeless || p.taken != tt.taken {
			t.Errorf("%s: hopeless %t after %d products (%v)", tt.name, hopeless, p.taken, err)
		}
		if r.Median != tt.median || r.Low > 0 != tt.interval || hopeless != (r.Stop == trial.StopSlow) {
			t.Errorf("%s: %g s, %g to %g, stopped by %q", tt.name, r.Median, r.Low, r.High, r.Stop)
		}
	}
}
