// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// What a sweep does besides its trials is in the forecast: slow ones are cut short,
// sentinels come in between, and leader reruns in the end.
func TestEstimate(t *testing.T) {
	size, dev := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}, kernels.Device{Backend: "cuda"}
	plain := configs.Protocol{Warmup: 1, Samples: [2]int{5, 40}, Target: 0.01, Budget: 10 * time.Second}
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
		return float64(1+samples+2)*product + overhead(size, dev)
	}
	cut := 2*10e-3 + overhead(size, dev)
	final := took(4, 5) + reallocationTime(size, kernels.Float32, dev)
	layout := layoutTime(size, kernels.Float32, dev) // made once
	times := func(n, block int) (list []trial.Trial) {
		for range n {
			list = append(list, of(block))
		}
		return list
	}
	others := func(n int) (list []trial.Trial) { // of which nothing is known
		one := of(4)
		one.Kernel = "other"
		for range n {
			list = append(list, one)
		}
		return list
	}
	other := trialTime(modelled(others(1)[0].Config, size, dev), size, others(1)[0], plain, dev)
	for _, c := range []struct {
		name       string
		change     func(*configs.Protocol)
		good, todo []trial.Trial
		want       float64
	}{
		{"trials alone", func(*configs.Protocol) {}, nil, []trial.Trial{of(4), of(1)},
			took(4, usualSamples) + took(1, usualSamples)},
		{"a slow one is cut short", func(p *configs.Protocol) { p.Slow = 3 }, nil, []trial.Trial{of(4), of(1)},
			took(4, usualSamples) + cut},
		{"not before there is a fast one", func(p *configs.Protocol) { p.Slow = 3 }, nil, []trial.Trial{of(1), of(4)},
			took(1, usualSamples) + took(4, usualSamples)},
		{"one from an earlier run will do", func(p *configs.Protocol) { p.Slow = 3 }, []trial.Trial{of(4)},
			[]trial.Trial{of(1)}, cut},
		{"sentinels", func(p *configs.Protocol) { p.Sentinel = 10 }, nil, times(20, 64),
			22*took(64, usualSamples) + 0.1*layout},
		{"finals of two leaders", func(p *configs.Protocol) { p.Finals = 32 }, nil, []trial.Trial{of(64), of(4), of(16)},
			took(64, usualSamples) + took(4, usualSamples) + took(16, usualSamples) + 8*final},
		{"as many as trials, where it takes them", func(p *configs.Protocol) { p.Finals = 32 }, times(8, 64),
			[]trial.Trial{of(4), of(16)},
			took(4, usualSamples) + took(16, usualSamples) + 10*final},
		{"no more than usual, where there are more trials", func(p *configs.Protocol) { p.Finals = 32 }, times(18, 64),
			[]trial.Trial{of(4), of(16)},
			took(4, usualSamples) + took(16, usualSamples) + 16*final},
		{"no more finals than are asked for", func(p *configs.Protocol) { p.Finals = 4 }, times(8, 64),
			[]trial.Trial{of(4), of(16)},
			took(4, usualSamples) + took(16, usualSamples) + 8*final},
		{"spreads of the usual trial", func(p *configs.Protocol) { p.Repeats = 2 }, times(9, 64), times(11, 64),
			11*took(64, usualSamples) + 2*(took(64, 5)+reallocationTime(size, kernels.Float32, dev))},
		{"as many as for those of earlier runs, too", func(p *configs.Protocol) { p.Repeats = 9 }, times(69, 64),
			times(11, 64), 11*took(64, usualSamples) + 8*(took(64, 5)+reallocationTime(size, kernels.Float32, dev))},
		{"of the only one that is known", func(p *configs.Protocol) { p.Repeats = 2 }, nil,
			append(times(1, 4), others(19)...),
			took(4, usualSamples) + 19*other + 2*(took(4, 5)+reallocationTime(size, kernels.Float32, dev))},
		{"not of the fastest", func(p *configs.Protocol) { p.Repeats = 2 }, times(9, 4), times(11, 64),
			11*took(64, usualSamples) + 2*(took(64, 5)+reallocationTime(size, kernels.Float32, dev))},
		{"nor of one that would be cut short", func(p *configs.Protocol) { p.Repeats, p.Slow = 2, 3 }, times(11, 1), times(9, 4),
			9*took(4, usualSamples) + 2*(3*took(4, 5)-2*overhead(size, dev)+
				reallocationTime(size, kernels.Float32, dev))},
		{"few finals", func(p *configs.Protocol) { p.Finals = 1 }, nil, []trial.Trial{of(4), of(16)},
			took(4, usualSamples) + took(16, usualSamples) + 2*final},
		{"a target out of reach", func(p *configs.Protocol) { p.Target = 1e-9 }, nil, []trial.Trial{of(4)}, took(4, 40)},
		{"nothing left", func(p *configs.Protocol) { p.Finals, p.Sentinel = 32, 1 }, []trial.Trial{of(4), of(16)}, nil, 0},
	} {
		p := plain
		c.change(&p)
		if len(c.todo) > 0 {
			c.want += layout
		}
		if p.Finals+p.Repeats > 0 && len(c.todo) > 0 {
			c.want += assume(dev).start * c.want / batchTime.Seconds()
		}
		got := newTiming(p, dev, size, known).all(recordsOf(c.good), c.todo).Seconds()
		testkit.Check(t, math.Abs(got-c.want) <= 1e-6*c.want+1e-9, "%s: %g s, want %g", c.name, got, c.want)
	}
}

// Hopeless trials, which take two products, do not make others look cheap.
func TestHopelessTrialsTellNoFactor(t *testing.T) {
	size, dev := trial.Size{Rows: 1e6, Cols: 1e6, Nonzeros: 5e6}, kernels.Device{Backend: "cuda", Cache: 50 << 20}
	p := configs.Protocol{Warmup: 3, Samples: [2]int{7, 100}, Target: 0.01, Budget: time.Second, Slow: 3}
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
	testkit.Equal(t, list.history(t, p, dev).factor("m"), 1, "trials take")
}

// Where nothing was measured, a row of millions makes the kernels slow whose threads sum it
// alone. They come last, and end with their first products.
func TestHopelessByTheLongestRow(t *testing.T) {
	size := trial.Size{Rows: 1e6, Cols: 1e6, Nonzeros: 6e6, Longest: 4e6}
	dev := kernels.Device{Backend: "cuda"}
	of := func(cache trial.Cache, kernel string) trial.Trial {
		return trial.Trial{Config: kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: 256}, Cache: cache}
	}
	todo := []trial.Trial{of(trial.Warm, "csr_scalar"), of(trial.Warm, "csr_merge"), of(trial.Cold, "csr_vector"),
		of(trial.Cold, "csr_adaptive"), of(trial.Cold, "csr_merge")}
	var got []string
	for _, one := range hopelessLast(todo, size, dev) {
		got = append(got, string(one.Cache)+" "+one.Kernel)
	}
	want := []string{"warm csr_merge", "warm csr_scalar", "cold csr_adaptive", "cold csr_merge", "cold csr_vector"}
	testkit.EqualLists(t, got, want, "in the order")
	even := size
	even.Longest = 6
	testkit.EqualLists(t, hopelessLast(todo, even, dev), todo, "without a long row in the order")

	p := configs.Protocol{Warmup: 1, Samples: [2]int{5, 40}, Target: 0.01, Budget: 10 * time.Millisecond, Slow: 3}
	var none historian
	estimate := func(list ...trial.Trial) float64 {
		return newTiming(p, dev, size, none.history(t, p, dev)).all(nil, list).Seconds()
	}
	alone := estimate(todo[1])
	more := estimate(todo[1], todo[0]) - alone
	testkit.Check(t, more >= 0.4 && more <= 0.5, "%g s more with a thread on the long row", more) // 4e6 steps, once
	first := estimate(todo[0])
	testkit.Check(t, first >= 8*0.4, "%g s for the only one", first) // a warm-up, five samples, and two to verify
}

// Wide intervals make more leaders, so more leader reruns are foreseen.
func TestEstimateOfWideIntervals(t *testing.T) {
	size, dev := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}, kernels.Device{Backend: "cuda"}
	p := configs.Protocol{Warmup: 1, Samples: [2]int{5, 40}, Target: 0.01, Budget: 10 * time.Second, Finals: 4}
	var list historian
	var good []trial.Record
	for i, median := range []float64{1e-3, 1.2e-3, 1.4e-3} {
		r := trial.Result{Trial: trial.Trial{Matrix: "m", Cache: trial.Warm,
			Config: kernels.Config{Kernel: "k", Precision: kernels.Float32, Block: 1 << i}}, Median: median}
		list, good = append(list, past{r, size}), append(good, trial.Record{Result: r})
	}
	estimate := func() float64 {
		return newTiming(p, dev, size, list.history(t, p, dev)).all(good[:2], []trial.Trial{good[2].Trial}).Seconds()
	}
	narrow := estimate()
	good[0].WithinHigh, good[1].WithinHigh = 1.3e-3, 1.5e-3
	wide := estimate()
	testkit.Check(t, wide >= narrow+2*4*7e-3, "%g s with wide intervals, %g s with narrow ones", wide, narrow) // two leaders, four times each, seven products
}

// recordsOf are records of trials without an interval.
func recordsOf(trials []trial.Trial) []trial.Record {
	var list []trial.Record
	for _, t := range trials {
		list = append(list, trial.Record{Result: trial.Result{Trial: t}})
	}
	return list
}

// A historian is a recorder that knows the past.
type historian []past

type past struct {
	trial.Result
	trial.Size
}

func (h historian) History(_ context.Context, _ kernels.Device, each func(trial.Result, trial.Size)) error {
	for _, p := range h {
		each(p.Result, p.Size)
	}
	return nil
}

func (h historian) history(t *testing.T, p configs.Protocol, dev kernels.Device) history {
	t.Helper()
	known := testkit.Must(readHistory(t.Context(), &struct {
		*memory
		historian
	}{historian: h}, p, dev))
	return known
}

// Times come from the nearest configuration on the same matrix, and else from other
// matrices in proportion to their bytes.
func TestHistory(t *testing.T) {
	small := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}
	large := trial.Size{Rows: 4000, Cols: 4000, Nonzeros: 40_000}
	of := func(matrix, kernel string, block int) trial.Trial {
		return trial.Trial{Matrix: matrix, Config: kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block,
			Grid: 1}, Cache: trial.Warm}
	}
	h := historian{
		{trial.Result{Trial: of("a", "k", 32), Median: 1e-3}, small},
		{trial.Result{Trial: of("a", "k", 256), Median: 5e-3}, small},
		{trial.Result{Trial: of("b", "k", 128), Median: 4e-3}, small},
	}.history(t, configs.DefaultProtocol, kernels.Device{})
	for _, tt := range []struct {
		trial trial.Trial
		size  trial.Size
		want  float64
		same  bool
	}{
		{of("a", "k", 64), small, 1e-3, true},
		{of("a", "k", 128), small, 5e-3, true},
		{of("new", "k", 32), large, 8e-3, false}, // √(1·4) ms, four times as much
		{of("a", "other", 32), small, 0, false},
	} {
		got, same := h.product(tt.trial, tt.size)
		testkit.Check(t, math.Abs(got-tt.want) <= 0.01*tt.want && same == tt.same,
			"%s on %s: %g s, same matrix %t, want %g, %t", tt.trial.Config, tt.trial.Matrix, got, same, tt.want, tt.same)
	}
}

// Trials take as much longer than the model says as they did on the same matrix, and else
// as on most; the same each time, in whatever order they are recorded.
func TestHistoryOfTime(t *testing.T) {
	size, dev, p := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 7000}, kernels.Device{}, configs.DefaultProtocol
	of := func(matrix string) trial.Trial {
		return trial.Trial{Matrix: matrix, Config: kernels.Config{Kernel: "k", Precision: kernels.Float32}, Cache: trial.Warm}
	}
	model := trialTime(1e-3, size, of(""), p, dev)
	var list historian
	for m, factor := range []float64{1.5, 2, 8} {
		for range 3 {
			r := trial.Result{Trial: of(strconv.Itoa(m)), Median: 1e-3, Seconds: factor * model}
			list = append(list, past{r, size})
		}
	}
	list = append(list,
		past{trial.Result{Trial: of("0"), Median: 1e-3, Seconds: 100 * model}, size}, // slow for once
		past{trial.Result{Trial: of("0"), Median: 1e-3}, size})                       // how long it took is not known
	for range 20 {
		h := list.history(t, p, dev)
		for matrix, want := range map[string]float64{"0": 1.5, "2": 8, "new": 2} {
			got, _ := newTiming(p, dev, size, h).full(of(matrix))
			testkit.Check(t, math.Abs(got-want*model) <= 1e-9,
				"a trial on matrix %s takes %g s, want %g", matrix, got, want*model)
		}
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}
