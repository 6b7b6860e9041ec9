package tuner

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is the least coverage of the interval of the median.
const confidence = 0.95

// median returns the median of sorted samples and the interval between two of
// them that covers the true median with at least 95% confidence, whatever the
// distribution (order statistics: the number of samples below the median is
// binomial with p = 1/2; David and Nagaraja, Order Statistics, 3rd ed., 7.1).
// Fewer than six samples can't reach 95%: the interval is then the whole range,
// and covered is less.
func median(sorted []float64) (mid, low, high, covered float64) {
	n := len(sorted)
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN(), 0
	}
	mid = sorted[n/2]
	if n%2 == 0 {
		mid = (sorted[n/2-1] + sorted[n/2]) / 2
	}
	b := distuv.Binomial{N: float64(n), P: 0.5}
	// With k samples cut off on either side, the interval misses the median
	// if at most k samples lie below it, or at most k above.
	k := 0
	for k+1 < (n+1)/2 && 2*b.CDF(float64(k+1)) <= 1-confidence {
		k++
	}
	return mid, sorted[k], sorted[n-1-k], 1 - 2*b.CDF(float64(k))
}

// summarise fills r's median and interval from its samples.
func (r *Result) summarise() {
	sorted := slices.Sorted(slices.Values(r.Samples))
	var covered float64
	r.Median, r.Low, r.High, covered = median(sorted)
	if covered < confidence {
		r.Warnings = append(r.Warnings, "too few samples for a 95% interval: it is their whole range")
	}
}

// within reports whether the interval of the samples is within ± target of
// their median.
func within(samples []float64, target float64) bool {
	mid, low, high, covered := median(slices.Sorted(slices.Values(samples)))
	return covered >= confidence && high-mid <= target*mid && mid-low <= target*mid
}
