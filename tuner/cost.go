// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// NewEstimate returns the estimate of a sweep on a matrix of a size that is not loaded, on a device that need not
// be here, without what is measured already. A constraint that can't be evaluated is an error.
func NewEstimate(sweep *configs.Sweep, size trial.Size, dev kernels.Device) (Estimate, error) {
	e := Estimate{Load: seconds(float64(size.Nonzeros+size.Rows) / assume(dev).load)}
	states, p := caches(sweep.Protocol), planner{sweep: sweep, device: dev}
	var todo []trial.Trial
	err := p.points(size, map[string]int{}, func(c kernels.Config) {
		for _, cache := range states {
			todo = append(todo, trial.Trial{Config: c, Cache: cache})
		}
	})

	t := newTiming(sweep.Protocol, dev, size, history{usual: 1})
	t.search = search.Adaptive(sweep.Search.Strategy)
	e.Whole = t.search || sweep.Search.Strategy == search.Rule
	e.Trials = len(todo)
	most := sweep.Search.Trials * len(states)
	if sweep.Search.Strategy == search.Rule {
		most = cmp.Or(sweep.Search.Top, search.Shortlisted) * len(casesOf(todo))
	}
	if most > 0 && e.Trials > most {
		t.share *= float64(most) / float64(e.Trials)
		e.Trials = most
	}
	e.Time = t.all(nil, todo)
	e.Repeating = seconds(t.repeats)
	return e, err
}

// Around returns how long a run takes besides the work on matrices: to open the device and measure its bandwidth, and
// in the end for the rule and the report.
func Around(dev kernels.Device) time.Duration {
	roof := 0.0
	if dev.Backend != "cuda" {
		roof = roofing * float64(dev.Cache) / float64(max(1, min(dev.Units, mostRoofing)))
	}
	return seconds(opening + roof + reporting)
}

// searchShare is the share of all configurations that a search measures by the protocol, as a guess; of the others it
// takes a sample. On the grids recorded on an H100 the strategies ended after 2% to 50% of the time. A racing search in
// 88 configurations of a processor took one sample of 36, and more of 29, in the mean over 14 matrices.
const searchShare = 0.3

// An assumption is what is assumed of a device before anything is measured on it.
type assumption struct {
	load   float64 // nonzeros and rows of a matrix that are read or generated and made ready in a second
	stream float64 // bytes per second of products
	layout float64 // bytes per second of converting a matrix for a kernel, and copying it to a GPU
	copy   float64 // bytes per second of copying a matrix within the device's memory, to places that are allocated anew
	flush  float64 // seconds for flushing the caches
	perRow float64 // seconds that a trial takes for a row besides its samples and aside
	// alloc is how long it takes to allocate everything again, in seconds, and start how long the process for the repeat
	// runs of a batch takes to open the device.
	alloc, start float64
	// reload is how long that process takes for a nonzero or a row: to read it again, for references and for forms of the
	// matrix.
	reload float64
	// spread is how far the median of a single sample is off, as a fraction: on a GPU at least; on a processor so that 38
	// samples reach 2%, as on two cores of an Intel Xeon with hardly anything beside. A target far below it is not reached,
	// and a trial takes all the samples that its budget has time for.
	spread float64
}

// assume guesses: of a processor for a few cores, of which one converts a matrix, and pages that nobody has touched; of a
// GPU by an H100 and an H200, with a host of 16 cores, which generate 30 million nonzeros a second.
func assume(dev kernels.Device) assumption {
	if dev.Backend != "cuda" {
		const stream = 10e9
		flush := 3 * float64(dev.Cache) / stream // what is written is read first
		return assumption{load: 5e6, stream: stream, layout: 1.5e9, copy: 3e9, flush: flush, perRow: 6e-9, start: 0.1,
			reload: 50e-9, spread: 0.12}
	}
	stream := 15e9 * float64(cmp.Or(dev.Units, commonUnits))
	flush := 2 * float64(cmp.Or(dev.Cache, commonCache)) / 2e12
	return assumption{load: 25e6, stream: stream, layout: 10e9, copy: 150e9, flush: flush, perRow: 0.3e-9, alloc: 2e-3,
		start: 0.2, spread: 1e-3}
}

const (
	// aside is what a trial takes besides its samples, in seconds: to be asked for, prepared and verified. On an H200 it is
	// 2 to 4 ms, also for a trial that its first products end.
	aside = 3e-3
	// opening is how long a run takes until its first trial, and reporting for the rule and the report, in seconds.
	opening   = 0.5
	reporting = 2
	// roofing is how long a core takes for the bandwidth of a processor, in seconds for a byte of its last cache. More
	// than mostRoofing cores are no faster.
	roofing     = 11e-9
	mostRoofing = 8
	// clockCost is what the clock of a GPU adds to a sample, in seconds: products of a few microseconds are so many in one
	// that it makes no more than half of the target.
	clockCost = 2e-6
	// perStep is how long a thread of a GPU takes for each entry of a row, in seconds. On an
	// H200, kernels took 0.04 to 0.7 µs, in a row of 4 million entries.
	perStep = 0.1e-6
	// commonCache is the last-level cache of a GPU that is only assumed, in bytes.
	commonCache = 50e6
	// commonUnits is how many multiprocessors one has that is only assumed.
	commonUnits = 64
	// usualSamples is the number of samples of a trial that reaches its target, as most do:
	// on an H100 13 to 17, with 7 to 10 as the fewest.
	usualSamples = 16
)

// streamed returns about how long a product takes in seconds that only has to wait for the
// memory.
func streamed(size trial.Size, precision kernels.Precision, dev kernels.Device) float64 {
	return bytesOf(size, precision) / assume(dev).stream
}

// modelled returns about how long a product takes in seconds, if nothing is known of its
// kernel but how many threads of a GPU sum a row.
func modelled(c kernels.Config, size trial.Size, dev kernels.Device) float64 {
	least := streamed(size, c.Precision, dev)
	lanes := kernels.RowLanes(c)
	if dev.Backend != "cuda" || lanes == 0 {
		return least
	}
	return max(least, perStep*float64(size.Longest)/float64(lanes))
}

// fastest returns about how long the product of the fastest of trials takes in seconds, by what their longest rows cost.
func fastest(trials []trial.Trial, size trial.Size, dev kernels.Device) float64 {
	least := math.Inf(1)
	for _, t := range trials {
		least = min(least, modelled(t.Config, size, dev))
	}
	return least
}

// hopeless reports whether the longest row makes a configuration so slow that its first
// products will end the trial, once the best is known, whose product takes so many seconds.
func hopeless(c kernels.Config, size trial.Size, dev kernels.Device, best float64) bool {
	return modelled(c, size, dev) > worker.FarSlower*best
}

// trialTime returns about how long a trial takes, by the time of its product in seconds. It
// takes the usual number of samples, as far as they fit the budget.
func trialTime(product float64, size trial.Size, t trial.Trial, p configs.Protocol, dev kernels.Device) float64 {
	sample := sampleTime(product, t.Cache, p, dev)
	n := min(max(usualSamples, p.Samples[0], int(min(1e9, math.Pow(assume(dev).spread/p.Target, 2)))), p.Samples[1])
	n = max(p.Samples[0], min(n, int(p.Budget.Seconds()/sample)))
	return float64(p.Warmup+n)*sample + trial.Verifications*product + overhead(size, dev)
}

// sampleTime returns how long a sample takes, in seconds, with the flush before it.
func sampleTime(product float64, cache trial.Cache, p configs.Protocol, dev kernels.Device) float64 {
	switch {
	case cache == trial.Cold:
		return product + assume(dev).flush
	case product >= worker.ShortestSample || dev.Backend != "cuda":
		return max(product, worker.ShortestSample)
	}
	longest := p.Budget.Seconds() / float64(max(p.Samples[0], 1))
	return max(worker.ShortestSample, min(2*clockCost/p.Target, longest))
}

// overhead returns how long a trial takes besides its products, in seconds.
func overhead(size trial.Size, dev kernels.Device) float64 {
	return aside + assume(dev).perRow*float64(size.Rows)
}

// reallocationTime returns how long it takes to put everything elsewhere in memory, in seconds.
func reallocationTime(size trial.Size, precision kernels.Precision, dev kernels.Device) float64 {
	return assume(dev).alloc + bytesOf(size, precision)/assume(dev).copy
}

// layoutTime returns how long it takes to make a form of the matrix, in seconds.
func layoutTime(size trial.Size, precision kernels.Precision, dev kernels.Device) float64 {
	return bytesOf(size, precision) / assume(dev).layout
}

// seconds turns seconds into a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// bytesOf returns how many bytes a product moves at least, in CSR.
func bytesOf(s trial.Size, p kernels.Precision) float64 {
	v := p.Bytes()
	return float64(max((4+v)*s.Nonzeros+(4+v)*s.Rows+v*s.Cols, 1))
}

// A Historian is a recorder that knows how long trials took on a device.
type Historian interface {
	// History calls each with the good trials on devices of this model, without samples,
	// and with the size of their matrix.
	History(ctx context.Context, dev kernels.Device, each func(trial.Result, trial.Size)) error
}

// A history is what was measured on a device, as far as a forecast needs it.
type history struct {
	// trials are the recorded ones, by kernel and precision (the other fields of the
	// configuration are zero) and then by matrix.
	trials map[kernels.Config]map[string][]trial.Result
	sizes  map[string]trial.Size // by matrix
	// factors say how much longer trials took than the model says, by matrix: the machine,
	// and the day, differ more than anything else.
	factors map[string]float64
	usual   float64 // the factor of matrices that are not among them
}

// readHistory asks a recorder, which may be nil or know nothing.
func readHistory(ctx context.Context, rec Recorder, p configs.Protocol, dev kernels.Device) (history, error) {
	h := history{
		trials: map[kernels.Config]map[string][]trial.Result{},
		sizes:  map[string]trial.Size{}, factors: map[string]float64{}, usual: 1,
	}

	historian, is := rec.(Historian)
	if !is {
		return h, nil
	}

	ratios := map[string][]float64{}
	err := historian.History(ctx, dev, func(r trial.Result, size trial.Size) {
		at := kernels.Config{Kernel: r.Kernel, Precision: r.Precision}
		if h.trials[at] == nil {
			h.trials[at] = map[string][]trial.Result{}
		}
		h.trials[at][r.Matrix] = append(h.trials[at][r.Matrix], r)
		h.sizes[r.Matrix] = size
		if r.Seconds > 0 && r.Stop != trial.StopSlow { // which takes two products, not the usual number
			ratios[r.Matrix] = append(ratios[r.Matrix], r.Seconds/trialTime(r.Median, size, r.Trial, p, dev))
		}
	})
	if err != nil {
		return h, fmt.Errorf("reading how long trials took: %w", err)
	}

	for m, list := range ratios {
		h.factors[m] = stat.Median(slices.Sorted(slices.Values(list)))
	}
	if len(h.factors) > 0 {
		h.usual = stat.Median(slices.Sorted(maps.Values(h.factors)))
	}
	return h, nil
}

// product returns about how long a product takes in seconds, and whether the kernel was
// measured on this matrix; 0 if nothing is known of the kernel.
//
// On the same matrix it is the time of the nearest configuration. Otherwise it is the
// geometric mean over the other matrices, in proportion to their bytes. That is no better
// than a guess: how a kernel suits a structure is what sweeps are for.
func (h history) product(t trial.Trial, size trial.Size) (seconds float64, same bool) {
	matrices := h.trials[kernels.Config{Kernel: t.Kernel, Precision: t.Precision}]
	if list := matrices[t.Matrix]; len(list) > 0 {
		return nearest(t, list).Median, true
	}
	if len(matrices) == 0 {
		return 0, false
	}

	var mean stat.GeometricMean
	for _, m := range slices.Sorted(maps.Keys(matrices)) { // in order, for the same sum each time
		mean.Add(nearest(t, matrices[m]).Median * bytesOf(size, t.Precision) / bytesOf(h.sizes[m], t.Precision))
	}
	return mean.Value(), false
}

// nearest returns the result whose block and grid are the fewest doublings away. Other
// parameters count as one and a half, another cache state as three.
func nearest(t trial.Trial, list []trial.Result) trial.Result {
	best, least := list[0], math.Inf(1)
	for _, o := range list {
		d := stat.Doublings(t.Block, o.Block) + stat.Doublings(t.Grid, o.Grid)
		if t.Params != o.Params {
			d += 1.5
		}
		if t.Cache != o.Cache {
			d += 3
		}
		if d < least {
			best, least = o, d
		}
	}

	return best
}

// factor returns how much longer trials on a matrix take than the model says.
func (h history) factor(matrix string) float64 {
	if f, known := h.factors[matrix]; known {
		return f
	}
	return h.usual
}
