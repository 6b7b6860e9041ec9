package worker

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"spmvtune/tuner/trial"
)

// confidence is the least coverage of the interval of a median.
const confidence = 0.95

// median returns the median of sorted samples and the interval between two of them that
// covers the true median with at least 95% confidence, whatever the distribution (order
// statistics: the number of samples below the median is binomial with p = 1/2; David and
// Nagaraja, Order Statistics, 3rd ed., 7.1). Fewer than six samples can't reach 95%: the
// interval is their whole range, and covered is less.
func median(sorted []float64) (mid, low, high, covered float64) {
	n := len(sorted)
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN(), 0
	}
	mid = sorted[n/2]
	if n%2 == 0 {
		mid = (sorted[n/2-1] + sorted[n/2]) / 2
	}
	k, missed := cut(n)
	return mid, sorted[k], sorted[n-1-k], 1 - missed
}

// cut returns how many of n samples can be cut off on either side, and the probability that
// the rest misses the median: that at most k samples lie below it, or at most k above.
func cut(n int) (k int, missed float64) {
	b := distuv.Binomial{N: float64(n), P: 0.5}
	misses := func(k int) float64 { return 2 * b.CDF(float64(k)) }
	// The normal distribution gives a start, because this is asked after every batch.
	k = max(0, int(float64(n)/2-math.Sqrt(float64(n))))
	for k > 0 && misses(k) > 1-confidence {
		k--
	}
	for k+1 < (n+1)/2 && misses(k+1) <= 1-confidence {
		k++
	}
	return k, misses(k)
}

// An interval is a median with its interval, which is never narrower than the clock.
//
// The time that a ticking clock shows is within half a tick of the truth (JCGM 100:2008,
// F.2.2.1). Where samples agree better than that, the agreement is the clock's, and the
// interval is a tick wide.
type interval struct {
	mid, low, high float64
	covered        float64
	narrowest      bool // whether the samples agree within a tick: more of them can't narrow it
}

// newInterval returns the interval of sorted samples, by a clock whose ticks are tick
// seconds of a product.
func newInterval(sorted []float64, tick float64) interval {
	var i interval
	i.mid, i.low, i.high, i.covered = median(sorted)
	i.narrowest = tick > 0 && i.covered >= confidence && i.high-i.low <= tick
	if tick > 0 {
		i.low = min(i.low, max(0, i.mid-tick/2))
		i.high = max(i.high, i.mid+tick/2)
	}
	return i
}

// within reports whether the interval is within ± target of the median.
func (i interval) within(target float64) bool {
	return i.covered >= confidence && i.high-i.mid <= target*i.mid && i.mid-i.low <= target*i.mid
}

// summarize fills r's median and interval from its samples.
func summarize(r *trial.Result, tick float64) {
	i := newInterval(slices.Sorted(slices.Values(r.Samples)), tick)
	r.Median, r.Low, r.High = i.mid, i.low, i.high
	if i.covered < confidence {
		r.Warnings = append(r.Warnings, "too few samples for a 95% interval: it is their whole range")
	}
}
