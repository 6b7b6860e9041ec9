package tuner

import (
	"math"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// What a sweep does besides its trials is in the forecast: slow ones are cut short,
// sentinels come in between, and finals in the end.
func TestEstimate(t *testing.T) {
	size, dev := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}, kernels.Device{Backend: "cuda"}
	plain := configs.Protocol{Warmup: 1, Samples: [2]int{5, 40}, Budget: 10 * time.Second}
	var list historian
	of := func(block int) trial.Trial {
		return trial.Trial{Matrix: "m", Config: kernels.Config{Kernel: "k", Precision: kernels.Float32, Block: block},
			Cache: trial.Warm}
	}
	for block, ms := range map[int]float64{1: 10, 4: 1, 16: 1.01, 64: 1.2} {
		list = append(list, past{trial.Result{Trial: of(block), Median: 1e-3 * ms}, size})
	}
	known := list.history(t, plain, dev)
	took := func(block, samples int) float64 {
		product, _ := known.product(of(block), size)
		return float64(1+samples+2)*product + aside + perRow*1000
	}
	times := func(n, block int) (list []trial.Trial) {
		for range n {
			list = append(list, of(block))
		}
		return list
	}
	for _, c := range []struct {
		name       string
		change     func(*configs.Protocol)
		good, todo []trial.Trial
		want       float64
	}{
		{"trials alone", func(*configs.Protocol) {}, nil, []trial.Trial{of(4), of(1)},
			took(4, usualSamples) + took(1, usualSamples)},
		{"a slow one is cut short", func(p *configs.Protocol) { p.Slow = 3 }, nil, []trial.Trial{of(4), of(1)},
			took(4, usualSamples) + took(1, -1)},
		{"not before there is a fast one", func(p *configs.Protocol) { p.Slow = 3 }, nil, []trial.Trial{of(1), of(4)},
			took(1, usualSamples) + took(4, usualSamples)},
		{"one from an earlier run will do", func(p *configs.Protocol) { p.Slow = 3 }, []trial.Trial{of(4)},
			[]trial.Trial{of(1)}, took(1, -1)},
		{"sentinels", func(p *configs.Protocol) { p.Sentinel = 10 }, nil, times(22, 64),
			22*took(64, usualSamples) + 2*took(64, usualSamples)},
		{"the sentinel of an earlier run", func(p *configs.Protocol) { p.Sentinel = 10 }, []trial.Trial{of(4)}, times(3, 64),
			took(4, usualSamples) + 3*took(64, usualSamples)},
		{"finals of two leaders", func(p *configs.Protocol) { p.Finals = 32 }, nil, []trial.Trial{of(64), of(4), of(16)},
			took(64, usualSamples) + took(4, usualSamples) + took(16, usualSamples) + 8*took(4, 5)},
		{"as many as trials, where it takes them", func(p *configs.Protocol) { p.Finals = 32 }, times(8, 64),
			[]trial.Trial{of(4), of(16)},
			took(4, usualSamples) + took(16, usualSamples) + 10*took(4, 5)},
		{"few finals", func(p *configs.Protocol) { p.Finals = 1 }, nil, []trial.Trial{of(4), of(16)},
			took(4, usualSamples) + took(16, usualSamples) + 2*took(4, 5)},
		{"nothing left", func(p *configs.Protocol) { p.Finals, p.Sentinel = 32, 1 }, []trial.Trial{of(4), of(16)}, nil, 0},
	} {
		p := plain
		c.change(&p)
		if got := newEstimate(p, dev, size, known).all(c.good, c.todo).Seconds(); math.Abs(got-c.want) > 1e-6*c.want+1e-9 {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want)
		}
	}
}

// Hopeless trials, which take two products, do not make others look cheap.
func TestHopelessTrialsTellNoFactor(t *testing.T) {
	size, dev := trial.Size{Rows: 1e6, Cols: 1e6, Nonzeros: 5e6}, kernels.Device{Backend: "cuda", Cache: 50 << 20}
	p := configs.Protocol{Warmup: 3, Samples: [2]int{7, 100}, Budget: time.Second, Slow: 3}
	var list historian
	for i := range 5 {
		r := trial.Result{Trial: trial.Trial{Matrix: "m", Cache: trial.Warm,
			Config: kernels.Config{Kernel: "k", Precision: kernels.Float32, Block: i}}, Median: 1e-3}
		r.Seconds = trialTime(r.Median, size, r.Trial, p, dev)
		if i > 1 {
			r.Median, r.Stop, r.Seconds = 30e-3, trial.StopSlow, 0.06
		}
		list = append(list, past{r, size})
	}
	if f := list.history(t, p, dev).factor("m"); f != 1 {
		t.Errorf("trials take %g times what they should", f)
	}
}
