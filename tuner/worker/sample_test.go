package worker

import (
	"slices"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// ticking is a product of some seconds, of which each sample has the cost of starting,
// too, timed by a clock that goes on in ticks.
type ticking struct {
	kernels.Product
	seconds, start, tick float64
	taken                int
}

func (p *ticking) Info() kernels.ProductInfo { return kernels.ProductInfo{Resolution: p.tick} }

func (p *ticking) Sample(dst []float64, batch int, _ bool) error {
	for i := range dst {
		p.taken++
		// Where the ticks fall differs from sample to sample.
		sum := p.start + p.seconds*float64(batch) + p.tick*float64(p.taken%4)/4
		dst[i] = float64(int(sum/p.tick)) * p.tick / float64(batch)
	}
	return nil
}

// Samples of short products last so long that a tick is below the target. Cold ones
// can't be batched: their interval says what the clock could not.
func TestShortProducts(t *testing.T) {
	proto := configs.Protocol{Warmup: 3, Samples: [2]int{10, 200}, Target: 0.01, Budget: time.Hour}
	for _, tt := range []struct {
		name    string
		p       ticking
		cache   trial.Cache
		least   float64 // seconds that a sample lasts
		stop    trial.Stop
		atLeast float64 // width of the interval, as a fraction of the median
	}{
		{"warm", ticking{seconds: 3e-6, start: 2e-6, tick: 0.5e-6}, trial.Warm, 400e-6, trial.StopTarget, 0.001},
		{"warm, by a fine clock", ticking{seconds: 3e-6, start: 2e-6, tick: 32e-9}, trial.Warm, 390e-6, trial.StopTarget,
			0.00005},
		{"warm, with nothing to start", ticking{seconds: 3e-6, tick: 0.5e-6}, trial.Warm, 100e-6, trial.StopTarget, 0.004},
		{"warm and long", ticking{seconds: 60e-6, tick: 32e-9}, trial.Warm, 60e-6, trial.StopTarget, 0.0005},
		{"cold", ticking{seconds: 5e-6, tick: 0.5e-6}, trial.Cold, 5e-6, trial.StopClock, 0.1},
		{"cold and long", ticking{seconds: 1e-3, tick: 0.5e-6}, trial.Cold, 1e-3, trial.StopTarget, 0.0005},
	} {
		r := trial.Result{Trial: trial.Trial{Cache: tt.cache}}
		if err := sample(&tt.p, nil, proto, 0, &r); err != nil {
			t.Fatal(err)
		}
		summarize(&r, tt.p.tick/float64(r.Batch))
		if lasted := r.Median * float64(r.Batch); lasted < 0.99*tt.least {
			t.Errorf("%s: a sample of %d products lasts %g s, want %g", tt.name, r.Batch, lasted, tt.least)
		}
		if tt.cache == trial.Cold && r.Batch != 1 {
			t.Errorf("%s: a batch of %d", tt.name, r.Batch)
		}
		if width := (r.High - r.Low) / r.Median; width < 0.99*tt.atLeast || r.Stop != tt.stop {
			t.Errorf("%s: an interval of %.3g of the median, stopped by %s, want at least %g, %s", tt.name, width, r.Stop,
				tt.atLeast, tt.stop)
		}
		if truth := tt.p.seconds; r.Low > truth+tt.p.start/float64(r.Batch) || r.High < truth {
			t.Errorf("%s: [%g, %g] misses %g s", tt.name, r.Low, r.High, truth)
		}
	}
}

// The first products are slow: caches and clocks are not yet what they will be. None of them
// is among the samples.
func TestWarmupIsNotSampled(t *testing.T) {
	const warmup, fewest = 5, 6
	times := append(slices.Repeat([]float64{9}, warmup), slices.Repeat([]float64{1}, fewest)...)
	proto := configs.Protocol{Warmup: warmup, Samples: [2]int{fewest, fewest}, Target: 0.01, Budget: time.Hour}
	p, r := &scripted{times: times}, trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
	if err := sample(p, nil, proto, 0, &r); err != nil {
		t.Fatal(err)
	}
	if p.taken != len(times) || slices.Max(r.Samples) != 1 {
		t.Errorf("samples %v, after %d products, want %d of 1 s after %d", r.Samples, p.taken, fewest, warmup)
	}
}

// A target that no batch can reach makes none longer than the budget has room for.
func TestBatchesFitTheBudget(t *testing.T) {
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{5, 10}, Target: 1e-9, Budget: 20 * time.Millisecond}
	p := &ticking{seconds: 3e-6, start: 2e-6, tick: 32e-9}
	r := trial.Result{Trial: trial.Trial{Cache: trial.Warm}}
	if err := sample(p, nil, proto, 0, &r); err != nil {
		t.Fatal(err)
	}
	if most := int(4e-3/p.seconds) + 1; r.Batch < 100 || r.Batch > most {
		t.Errorf("batches of %d, want at most %d", r.Batch, most)
	}
}

// A trial whose first samples are far slower than the best, though its first product was
// not, ends with the fewest samples, unless they were enough anyway.
func TestSlowTrialsEndEarly(t *testing.T) {
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{6, 30}, Target: 1e-9, Budget: time.Hour, Slow: 3}
	off := proto
	off.Slow = 0
	for _, tt := range []struct {
		name   string
		proto  configs.Protocol
		spread float64
		best   float64
		want   trial.Stop
	}{
		{"far slower", proto, 0.1, 0.3e-3, trial.StopSlow},
		{"a little slower", proto, 0.1, 0.4e-3, trial.StopSamples},
		{"none to compare with", proto, 0.1, 0, trial.StopSamples},
		{"off", off, 0.1, 1e-6, trial.StopSamples},
		{"precise at once", proto, 0, 1e-6, trial.StopTarget},
	} {
		r := trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
		if err := sample(&numbered{spread: tt.spread}, nil, tt.proto, tt.best, &r); err != nil {
			t.Fatal(err)
		}
		if few := len(r.Samples) == 6; r.Stop != tt.want || few == (tt.want == trial.StopSamples) {
			t.Errorf("%s: %d samples, stopped by %q, want %q", tt.name, len(r.Samples), r.Stop, tt.want)
		}
	}
}
