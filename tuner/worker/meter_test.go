// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// The ranks are those of the classical tables of the sign-test interval, e.g.
// n = 10: the 2nd and the 9th of the sorted samples (97.9%).
func TestMedianRanks(t *testing.T) {
	for _, tt := range []struct {
		n, low, high int // ranks from 1
		mid          float64
	}{
		{1, 1, 1, 1}, {2, 1, 2, 1.5}, {5, 1, 5, 3}, {6, 1, 6, 3.5}, {8, 1, 8, 4.5},
		{9, 2, 8, 5}, {10, 2, 9, 5.5}, {20, 6, 15, 10.5}, {50, 18, 33, 25.5}, {100, 40, 61, 50.5},
	} {
		sorted := make([]float64, tt.n)
		for i := range sorted {
			sorted[i] = float64(i + 1)
		}
		i := newInterval(sorted, 0)
		testkit.Check(t, i.mid == tt.mid && i.low == float64(tt.low) && i.high == float64(tt.high),
			"n = %d: median %v in [%v, %v], want %v in [%d, %d]", tt.n, i.mid, i.low, i.high, tt.mid, tt.low, tt.high)
		testkit.Equal(t, i.covered >= confidence, tt.n >= 6, "n = %d: interval said to cover %.3f", tt.n, i.covered)
	}
}

// More samples than any protocol takes still have an interval, and a narrower one.
func TestMedianOfMany(t *testing.T) {
	for n := 6; n < 3000; n++ {
		k, missed := cut(n)
		more, at := 0.0, 0.0
		if k+1 < (n+1)/2 {
			b := distuv.Binomial{N: float64(n), P: 0.5}
			more, at = 2*b.CDF(float64(k+1)), 1-confidence
		}
		testkit.Require(t, missed <= 1-confidence && more >= at,
			"n = %d: cutting %d misses in %.3f, %d in %.3f", n, k, missed, k+1, more)
	}
}

func BenchmarkMedian(b *testing.B) {
	sorted := make([]float64, 200)
	for b.Loop() {
		newInterval(sorted, 0)
	}
}

// script gives readings one after the other, the last one again and again.
type script struct {
	readings []kernels.Reading
	asked    int
	energy   []float64 // J, from the first time that it is asked for
}

func (s *script) Sense() (kernels.Reading, error) {
	i := min(s.asked, len(s.readings)-1)
	s.asked++
	return s.readings[i], nil
}

func (s *script) Energy() float64 {
	e := s.energy[0]
	s.energy = s.energy[1:]
	return e
}

// because is a reading with reasons.
func because(reasons ...kernels.ClockReasons) []kernels.Reading {
	list := make([]kernels.Reading, len(reasons))
	for i, r := range reasons {
		list[i] = kernels.Reading{SMClock: 1980, Reasons: r, HasReasons: true}
	}
	return list
}

// numbered is a product whose samples tell in which batch they were taken: those of the
// third take 3 ms, and every other one a noise rerun more, as a fraction.
type numbered struct {
	kernels.Product
	batches int
	spread  float64
}

func (p *numbered) Info() kernels.ProductInfo { return kernels.ProductInfo{} }

func (p *numbered) Sample(dst []float64, _ int, _ bool) error {
	for i := range dst {
		dst[i] = 1e-3 * float64(p.batches) * (1 + p.spread*float64(i%2)) // the warm-up is number 0
	}
	p.batches++
	return nil
}

func TestThrottledSamplesAreRepeated(t *testing.T) {
	const (
		calm = kernels.ClockReasons(0)
		cap  = kernels.SWPowerCap
		hot  = kernels.HWThermalSlowdown | kernels.HWSlowdown
	)
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{6, 6}, Target: 0.01, Budget: time.Hour}
	hurried := proto
	hurried.Budget = 0
	for _, tt := range []struct {
		name     string
		readings []kernels.Reading
		proto    configs.Protocol
		kept     float64 // number of the batch
		want     trial.Telemetry
	}{
		{"calm", because(calm), proto, 1, trial.Telemetry{HasReasons: true}},
		{"idle between samples", because(kernels.GPUIdle), proto, 1, trial.Telemetry{HasReasons: true}},
		{"power cap", because(cap), proto, 1, trial.Telemetry{Reasons: cap, HasReasons: true}},
		{"spike at the end", because(calm, hot, calm), proto, 3, trial.Telemetry{HasReasons: true, Repeated: 12}},
		{"from before", because(hot, calm, cap), proto, 2, trial.Telemetry{Reasons: cap, HasReasons: true, Repeated: 6}},
		{"driver's own", because(kernels.SWThermalSlowdown, calm), proto, 2, trial.Telemetry{HasReasons: true, Repeated: 6}},
		{"power brake", because(kernels.HWPowerBrake, calm), proto, 2, trial.Telemetry{HasReasons: true, Repeated: 6}},
		{"without end", because(hot), proto, 5, trial.Telemetry{Reasons: hot, HasReasons: true, Repeated: 24, Throttled: 6}},
		{"no time", because(hot, calm), hurried, 1, trial.Telemetry{Reasons: hot, HasReasons: true, Throttled: 6}},
		{"reasons are not told", []kernels.Reading{{SMClock: 1980}}, proto, 1, trial.Telemetry{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
			testkit.Succeed(t, sample(&numbered{}, &script{readings: tt.readings}, tt.proto, 0, &r))
			tt.want.SMClock = 1980
			testkit.Equal(t, *r.Telemetry, tt.want, "telemetry")
			testkit.EqualLists(t, r.Samples, slices.Repeat([]float64{1e-3 * tt.kept}, 6), "kept")
			flagged := slices.ContainsFunc(r.Warnings, func(w string) bool {
				return strings.Contains(w, "6 of 6 samples were taken while the device throttled (hw_slowdown hw_thermal_slowdown)")
			})
			testkit.Equal(t, flagged, tt.want.Throttled > 0, "the warnings are %q", r.Warnings)
		})
	}
}

// Only the batches that were spoiled are taken again, and they do not count among
// the most samples.
func TestOnlySpoiledBatchesAreRepeated(t *testing.T) {
	r := trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
	hot := kernels.HWPowerBrake
	s := &script{readings: because(0, 0, 0, hot, 0, 0)} // in the third batch
	p := &numbered{spread: 0.1}
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{8, 12}, Target: 1e-9, Budget: time.Hour}
	testkit.Succeed(t, sample(p, s, proto, 0, &r))
	// 8 of the first, 2 of each that follows; the third and the fourth are dropped.
	want := append(slices.Repeat([]int{1}, 8), 2, 2, 5, 5)
	var batches []int
	for _, s := range r.Samples {
		batches = append(batches, int(1e3*s+1e-9))
	}
	if !slices.Equal(batches, want) || r.Telemetry.Repeated != 4 || r.Stop != trial.StopSamples {
		t.Errorf("samples of the batches %v, %+v, stopped by %s", batches, *r.Telemetry, r.Stop)
	}
}

// Of clocks the lowest is kept, of temperature and power the highest; what is not told
// never counts.
func TestTelemetryKeepsTheWorst(t *testing.T) {
	r := trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
	s := &script{readings: []kernels.Reading{
		{MemoryClock: 2619, Temperature: 40, Power: 300},
		{SMClock: 1980, MemoryClock: 1000, Power: 650.5},
		{SMClock: 1755, Temperature: 60, Power: 400},
		{SMClock: 1800},
	}}
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{6, 9}, Target: 1e-9, Budget: time.Hour}
	testkit.Succeed(t, sample(&numbered{spread: 0.1}, s, proto, 0, &r))
	testkit.Equal(t, *r.Telemetry, trial.Telemetry{SMClock: 1755, MemoryClock: 1000, Temperature: 60, Power: 650.5}, "telemetry")
}

// The counter is read where sampling lasts, and divided by the products since then.
func TestEnergyOfAProduct(t *testing.T) {
	const each = 1e-3 // seconds per product
	for _, tt := range []struct {
		name     string
		counter  []float64 // J, as it is read
		cold     bool
		before   time.Duration // that sampling lasted before the last batches
		products int
		elapsed  time.Duration // since the counter was read
		want     float64
	}{
		{"long enough", []float64{5, 705}, false, energyDelay, 1000, time.Second, 0.7},
		{"too short for the counter", []float64{5}, false, energyDelay, 990, 990 * time.Millisecond, 0},
		{"mostly pauses", []float64{5, 705}, false, energyDelay, 1000, 1200 * time.Millisecond, 0},
		{"with flushes", nil, true, energyDelay, 1000, time.Second, 0},
		{"no counter", []float64{0}, false, energyDelay, 1000, time.Second, 0},
		{"the driver was loaded again", []float64{5000, 3}, false, energyDelay, 1000, time.Second, 0},
		{"a short trial asks for nothing", nil, false, 0, 10, 0, 0},
	} {
		s := &script{energy: tt.counter}
		m := energyMeter{off: tt.cold, started: time.Now().Add(-tt.before)}
		m.took(s, []float64{each}, 1) // which is not counted
		m.took(s, slices.Repeat([]float64{each}, tt.products/10), 10)
		m.since = m.since.Add(-tt.elapsed)
		testkit.Equal(t, m.perProduct(s), tt.want, "%s: J per product", tt.name)
		testkit.Check(t, len(s.energy) == 0, "%s: the counter was not read %d times", tt.name, len(s.energy))
	}
}

// No product reads an element of x whose column is empty.
func TestEmptyColumnsMoveNothing(t *testing.T) {
	f := sparse.Features{Rows: 10, Cols: 1000, ColsUsed: 7}
	got := bytesMin(f, kernels.Float32, kernels.ProductInfo{BytesFormat: 500, BytesKernel: 5000})
	testkit.Equal(t, got, 500+4*(7+10), "bytes at least")
}
