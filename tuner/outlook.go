package tuner

import (
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// An Outlook is what a sweep would do on a matrix that was not loaded.
type Outlook struct {
	Trials int
	Time   time.Duration // of the trials, a guess
	Load   time.Duration // of reading or generating the matrix, a guess
	Whole  bool          // whether the trials can't be cut into parts, because a search or a rule chooses them
}

// NewOutlook returns the outlook of a sweep on a matrix of a size, on a device that need not be
// here. A constraint that can't be evaluated is an error.
func NewOutlook(sweep *configs.Sweep, size trial.Size, dev kernels.Device) (Outlook, error) {
	o := Outlook{Load: time.Duration(float64(size.Nonzeros+size.Rows) / loadRate * float64(time.Second))}
	states := caches(sweep.Protocol)
	times := map[kernels.Precision]time.Duration{} // of a configuration, in all cache states

	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, cache := range states {
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

	o.Trials = n * len(states)

	adaptive := search.Adaptive(sweep.Search.Strategy)
	o.Whole = adaptive || sweep.Search.Strategy == search.Rule
	if adaptive {
		o.Time = time.Duration(searchShare * float64(o.Time))
	}
	return o, err
}

// searchShare is the share of the time of all configurations that a search takes, as a
// guess. On the grids recorded on an H100 the strategies ended after 2% to 50%.
const searchShare = 0.3

// loadRate is how many nonzeros and rows of a matrix are read or generated in a second,
// and made ready, as a guess.
const loadRate = 5e6

// Bandwidths in bytes per second, as a guess before anything was measured.
const (
	cpuBandwidth = 10e9  // of products on a few cores
	gpuBandwidth = 1e12  // of products on a GPU
	oneBandwidth = 1.5e9 // of one processor that converts a matrix for a kernel and verifies two products
	// flushBandwidth is that of flushing a GPU's cache.
	flushBandwidth = 2e12
)

const (
	// aside is what a trial takes besides, in seconds: to be asked for, checked, and written
	// to disk. On an H100 it is 0.55 to 1 ms for a matrix of few rows.
	aside = 0.6e-3
	// perRow is how long it takes to check two products, in seconds per row: copies from an
	// H100 and comparisons.
	perRow = 4e-9
	// commonCache is the last-level cache of a GPU that is only assumed, in bytes.
	commonCache = 50e6
	// usualSamples is the number of samples of a trial that reaches its target, as most do:
	// on an H100 13 to 17, with 7 to 10 as the fewest.
	usualSamples = 16
)

// guess returns about how long a trial takes if nothing is known of its kernel: it samples
// for as long as the protocol allows. A trial that reaches its target early is faster, a
// badly balanced kernel slower.
func guess(
	size trial.Size, precision kernels.Precision, cache trial.Cache, p configs.Protocol, dev kernels.Device,
) time.Duration {
	bandwidth := cpuBandwidth
	if dev.Backend == "cuda" {
		bandwidth = gpuBandwidth
	}
	sample := sampleTime(bytesOf(size, precision)/bandwidth, cache, dev)
	sampling := min(float64(p.Samples[1])*sample, max(p.Budget.Seconds(), float64(p.Samples[0])*sample))
	seconds := float64(p.Warmup)*sample + sampling + overhead(size, precision, dev)
	return time.Duration(seconds * float64(time.Second))
}

// trialTime returns about how long a trial takes, by the time of its product in seconds. It
// takes the usual number of samples, as far as they fit the budget.
func trialTime(product float64, size trial.Size, t trial.Trial, p configs.Protocol, dev kernels.Device) float64 {
	sample := sampleTime(product, t.Cache, dev)
	n := min(max(usualSamples, p.Samples[0]), p.Samples[1])
	n = max(p.Samples[0], min(n, int(p.Budget.Seconds()/sample)))
	return float64(p.Warmup+n)*sample + worker.Verifications*product + overhead(size, t.Precision, dev)
}

// sampleTime returns how long a sample takes, in seconds, with the flush before it.
func sampleTime(product float64, cache trial.Cache, dev kernels.Device) float64 {
	if cache == trial.Cold {
		return product + flushTime(dev)
	}
	return max(product, worker.ShortestSample)
}

// flushTime returns how long it takes to flush the caches before a cold sample, in seconds.
func flushTime(dev kernels.Device) float64 {
	switch {
	case dev.Backend != "cuda":
		return 2 * float64(dev.Cache) / cpuBandwidth
	case dev.Cache == 0:
		return 2 * commonCache / flushBandwidth
	default:
		return 2 * float64(dev.Cache) / flushBandwidth
	}
}

// overhead returns how long a trial takes besides its samples, in seconds.
func overhead(size trial.Size, precision kernels.Precision, dev kernels.Device) float64 {
	if dev.Backend == "cuda" {
		return aside + perRow*float64(size.Rows)
	}
	return aside + bytesOf(size, precision)/oneBandwidth
}

// bytesOf returns how many bytes a product moves at least, in CSR.
func bytesOf(s trial.Size, p kernels.Precision) float64 {
	v := p.Bytes()
	return float64(max((4+v)*s.Nonzeros+(4+v)*s.Rows+v*s.Cols, 1))
}
