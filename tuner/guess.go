package tuner

import (
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// An Outlook is about what a sweep would do on a matrix that was not loaded.
type Outlook struct {
	Trials int
	Time   time.Duration // of the trials, a guess
	Load   time.Duration // of reading or generating the matrix, a guess
	Whole  bool          // a search decides which trials there are: they can't be cut into parts
}

// Look tells the outlook of a sweep on a matrix of a size, on a device that need not
// be here. A constraint that can't be evaluated is an error.
func Look(sweep *configs.Sweep, size trial.Size, dev kernels.Device) (Outlook, error) {
	o := Outlook{Load: time.Duration(float64(size.Nonzeros+size.Rows) / loadRate * float64(time.Second))}
	phases := caches(sweep.Protocol)
	times := map[kernels.Precision]time.Duration{} // of a configuration, all phases
	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, cache := range phases {
			times[precision] += guess(size, precision, cache, sweep.Protocol, dev)
		}
	}
	n, p := 0, planner{sweep: sweep, device: dev}
	err := p.points(size, map[string]int{}, func(c kernels.Config) {
		n++
		o.Time += times[c.Precision]
	})
	if most := sweep.Search.Trials; most > 0 && n > most {
		o.Time = time.Duration(float64(o.Time) * float64(most) / float64(n))
		n = most
	}
	o.Trials = n * len(phases)
	if sweep.Search.Strategy == ByRule {
		o.Whole = true
	}
	if search.Adaptive(sweep.Search.Strategy) {
		o.Whole = true
		o.Time = time.Duration(searchShare * float64(o.Time))
	}
	return o, err
}

// searchShare is the share of the time of all configurations that a search takes, as a
// guess: on the grids recorded on an H100 the strategies ended after 2% to 50%.
const searchShare = 0.3

// loadRate is how many nonzeros and rows of a matrix are read or generated in a
// second, and made ready, as a guess.
const loadRate = 5e6

// What is moved per second, in bytes, as a guess before anything was measured.
const (
	cpuBandwidth = 10e9  // by products on a few cores
	gpuBandwidth = 1e12  // by products on a GPU
	oneBandwidth = 1.5e9 // by a processor that converts a matrix for a kernel and verifies two products
)

const (
	// aside is what a trial takes besides, in seconds: to be asked for, to be checked, to
	// be written to disk. On an H100 it is 0.55 to 1 ms for a matrix of few rows.
	aside = 0.6e-3
	// perRow is what checking two products takes for each row, in seconds: copies from
	// an H100 and comparisons.
	perRow = 4e-9
	// commonCache is the last-level cache of a GPU that is only assumed, in bytes.
	commonCache = 50e6
	// flushBandwidth is how fast a GPU's cache is flushed, in bytes per second.
	flushBandwidth = 2e12
)

// guess is about how long a trial takes of whose kernel nothing is known: preparation and
// verification, and sampling for as long as the protocol allows, flushes included. A
// trial that reaches its target early is faster, a badly balanced kernel slower.
func guess(size trial.Size, precision kernels.Precision, cache trial.Cache, p configs.Protocol, dev kernels.Device) time.Duration {
	bandwidth := cpuBandwidth
	if dev.Backend == "cuda" {
		bandwidth = gpuBandwidth
	}
	sample := max(bytesOf(size, precision)/bandwidth, worker.ShortestSample)
	if cache == trial.Cold {
		sample = bytesOf(size, precision)/bandwidth + flush(dev)
	}
	sampling := min(float64(p.Samples[1])*sample, max(p.Budget.Seconds(), float64(p.Samples[0])*sample))
	seconds := float64(p.Warmup)*sample + sampling + around(size, precision, dev)
	return time.Duration(seconds * float64(time.Second))
}

// flush is how long it takes to flush the caches before a cold sample, in seconds.
func flush(dev kernels.Device) float64 {
	if dev.Backend != "cuda" {
		return 2 * float64(dev.Cache) / cpuBandwidth
	}
	if dev.Cache == 0 {
		return 2 * commonCache / flushBandwidth
	}
	return 2 * float64(dev.Cache) / flushBandwidth
}

// around is what surrounds the samples of a trial, in seconds, where nothing is known.
func around(size trial.Size, precision kernels.Precision, dev kernels.Device) float64 {
	return aside + sized(size, precision, dev)
}

// sized is the part of it that grows with the matrix.
func sized(size trial.Size, precision kernels.Precision, dev kernels.Device) float64 {
	if dev.Backend == "cuda" {
		return perRow * float64(size.Rows)
	}
	return bytesOf(size, precision) / oneBandwidth
}
