package stat

import (
	"math"
	"slices"
)

// A Ratio is how many times as large the values of one sample are as those of another, with
// its 95% interval. It is NaN without samples.
type Ratio struct {
	Value, Low, High float64
}

// RatioOf estimates the ratio of x to y: the median of all ratios of a value of x to a value
// of y, which is the estimator of Hodges and Lehmann for logarithms (Estimates of location
// based on rank tests, Annals of Mathematical Statistics 34, 1963). Its interval has the
// ratios that the test of Mann and Whitney does not reject at 5%, in the normal
// approximation (M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods,
// 3rd ed., 4.3). All values are positive.
//
// Note: the alternatives are a bootstrap of the ratio of medians and Fieller's interval. A
// bootstrap needs a seed, and its interval comes in the steps of the few values near the
// medians. Fieller's interval is for means.
func RatioOf(x, y []float64) Ratio {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return Ratio{math.NaN(), math.NaN(), math.NaN()}
	}

	ratios := make([]float64, 0, n*m)
	for _, a := range x {
		for _, b := range y {
			ratios = append(ratios, a/b)
		}
	}

	slices.Sort(ratios)
	const z = 1.959963984540054                                // 97.5% of the normal distribution
	deviation := math.Sqrt(float64(n*m*(n+m+1)) / 12)          // of the number of pairs in which x is larger
	cut := max(0, int(math.Floor(float64(n*m)/2-z*deviation))) // with few samples: the whole range
	return Ratio{Median(ratios), ratios[cut], ratios[n*m-1-cut]}
}

// Median returns the median of values in ascending order, NaN if there are none.
func Median(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
