// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// ticking is a product of some seconds, of which each sample has the cost of starting,
// too, timed by a clock that goes on in ticks.
type ticking struct {
	kernels.Product
	seconds, start, tick float64
	taken                int
	batches              []int // of which a GPU would have made graphs
}

func (p *ticking) Info() kernels.ProductInfo { return kernels.ProductInfo{Resolution: p.tick} }

func (p *ticking) Sample(dst []float64, batch int, _ bool) error {
	if batch > 1 && !slices.Contains(p.batches, batch) {
		p.batches = append(p.batches, batch)
	}
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
		testkit.Succeed(t, sample(&tt.p, nil, proto, 0, &r))
		summarize(&r, tt.p.tick/float64(r.Batch))
		lasted := r.Median * float64(r.Batch)
		testkit.Check(t, lasted >= 0.99*tt.least,
			"%s: a sample of %d products lasts %g s, want %g", tt.name, r.Batch, lasted, tt.least)
		testkit.Check(t, len(tt.p.batches) <= 2, "%s: batches of %d", tt.name, tt.p.batches)
		testkit.Check(t, tt.cache != trial.Cold || r.Batch == 1, "%s: a batch of %d", tt.name, r.Batch)
		width := (r.WithinHigh - r.WithinLow) / r.Median
		testkit.Check(t, width >= 0.99*tt.atLeast && r.Stop == tt.stop,
			"%s: an interval of %.3g of the median, stopped by %s, want at least %g, %s", tt.name, width, r.Stop, tt.atLeast, tt.stop)
		truth := tt.p.seconds
		testkit.Check(t, r.WithinLow <= truth+tt.p.start/float64(r.Batch) && r.WithinHigh >= truth,
			"%s: [%g, %g] misses %g s", tt.name, r.WithinLow, r.WithinHigh, truth)
	}
}

// The first products are slow: caches and clocks are not yet what they will be. None of them
// is among the samples.
func TestWarmupIsNotSampled(t *testing.T) {
	const warmup, fewest = 5, 6
	times := append(slices.Repeat([]float64{9}, warmup), slices.Repeat([]float64{1}, fewest)...)
	proto := configs.Protocol{Warmup: warmup, Samples: [2]int{fewest, fewest}, Target: 0.01, Budget: time.Hour}
	p, r := &scripted{times: times}, trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
	testkit.Succeed(t, sample(p, nil, proto, 0, &r))
	testkit.Check(t, p.taken == len(times) && slices.Max(r.Samples) == 1,
		"samples %v, after %d products, want %d of 1 s after %d", r.Samples, p.taken, fewest, warmup)
}

// A target that no batch can reach makes none longer than the budget has room for.
func TestBatchesFitTheBudget(t *testing.T) {
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{5, 10}, Target: 1e-9, Budget: 20 * time.Millisecond}
	p := &ticking{seconds: 3e-6, start: 2e-6, tick: 32e-9}
	r := trial.Result{Trial: trial.Trial{Cache: trial.Warm}}
	testkit.Succeed(t, sample(p, nil, proto, 0, &r))
	most := int(4e-3/p.seconds) + 1
	testkit.Check(t, r.Batch >= 100 && r.Batch <= most, "batches of %d, want at most %d", r.Batch, most)
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
		testkit.Succeed(t, sample(&numbered{spread: tt.spread}, nil, tt.proto, tt.best, &r))
		few := len(r.Samples) == 6
		testkit.Check(t, r.Stop == tt.want && few != (tt.want == trial.StopSamples),
			"%s: %d samples, stopped by %q, want %q", tt.name, len(r.Samples), r.Stop, tt.want)
	}
}

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
	slow := make([]float64, mostRejectProducts)
	for i := range slow {
		slow[i] = 5
	}
	late := append(slices.Clone(slow[:20]), 2)
	for _, tt := range []struct {
		name     string
		proto    configs.Protocol
		best     float64
		first    float64 // time of the product that was verified
		sampled  bool    // which was a cold sample
		device   float64 // and by the clock of the device
		times    []float64
		hopeless bool
		taken    int
		median   float64
		interval bool
	}{
		{"short products", proto, 1, 9, false, 0, slow, true, mostRejectProducts, 5, true},
		{"slow ones by chance", proto, 1, 9, false, 0, late, false, 21, 0, false},
		{"not slow enough", proto, 1, 9, false, 0, []float64{3}, false, 1, 0, false},
		{"slow by its launch alone", proto, 2e-6, 20e-6, false, 0, []float64{14e-6}, false, 1, 0, false},
		{"nothing to compare with", proto, 0, 9, false, 0, nil, false, 0, 0, false},
		{"off", off, 1, 9, false, 0, nil, false, 0, 0, false},
		{"one is as long as the budget", spent, 1, 9, false, 0, []float64{50, 50}, true, 1, 50, false},
		{"interrupted, but the first was not slow", spent, 1, 3, false, 0, nil, false, 0, 0, false},
		{"the first is far slower, by the device", proto, 1, 90, false, 80, nil, true, 0, 80, false},
		{"not far slower", spent, 1, 90, false, 50, []float64{40}, true, 1, 40, false},
		{"not long enough to tell", spent, 1e-4, 1, false, 0.04, []float64{2e-4}, false, 1, 0, false},
		{"the first is a sample", proto, 1, 9, true, 0, slow[1:], true, mostRejectProducts - 1, 5, true},
		{"the first is a sample, and as long as the budget", spent, 1, 50, true, 0, nil, true, 0, 50, false},
		{"the first is a sample, and fast", spent, 1, 3, true, 0, nil, false, 0, 0, false},
	} {
		p, r := &scripted{times: tt.times, multiplied: tt.device}, &trial.Result{Trial: trial.Trial{Cache: trial.Warm}}
		hopeless := testkit.Must(rejectEarly(p, tt.proto, tt.best, tt.first, tt.sampled, r))
		testkit.Check(t, hopeless == tt.hopeless && p.taken == tt.taken,
			"%s: hopeless %t after %d products", tt.name, hopeless, p.taken)
		testkit.Check(t, r.Median == tt.median && r.WithinLow > 0 == tt.interval && hopeless == (r.Stop == trial.StopSlow),
			"%s: %g s, %g to %g, stopped by %q", tt.name, r.Median, r.WithinLow, r.WithinHigh, r.Stop)
	}
}

// scattering is a product of a millisecond whose samples scatter, independently of each
// other.
type scattering struct {
	kernels.Product
	rng   *rand.Rand
	sigma float64 // relative
}

func (p *scattering) Info() kernels.ProductInfo { return kernels.ProductInfo{} }

func (p *scattering) Sample(dst []float64, _ int, _ bool) error {
	for i := range dst {
		dst[i] = 1e-3 * (1 + p.sigma*p.rng.NormFloat64())
	}
	return nil
}

// An interval that is looked at after every batch, until it is narrow enough, covers the
// median less often than one of samples whose number is fixed. It may not be much less.
func TestCoverage(t *testing.T) {
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{10, 200}, Target: 0.01, Budget: time.Hour}
	const trials = 3000
	for _, sigma := range []float64{0.005, 0.01, 0.02, 0.03, 0.05} {
		p := &scattering{rng: rand.New(rand.NewPCG(1, 2)), sigma: sigma}
		covered, samples := 0, 0
		for range trials {
			r := trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
			testkit.Succeed(t, sample(p, nil, proto, 0, &r))
			summarize(&r, 0)
			if r.WithinLow <= 1e-3 && 1e-3 <= r.WithinHigh {
				covered++
			}
			samples += len(r.Samples)
		}
		share := float64(covered) / trials
		t.Logf("deviation %.1f%%: %d samples on average, covered %.1f%%", 100*sigma, samples/trials, 100*share)
		testkit.Check(t, share >= 0.925,
			"deviation %.1f%%: the 95%% interval covers the median in %.1f%% of trials", 100*sigma, 100*share)
	}
}
