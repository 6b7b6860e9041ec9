// Package stat says what measurements of configurations tell about them.
//
// Samples of a trial say where its median is within the run, and no more: they follow each
// other, and warm ones, each the mean of a batch, remember the clocks and the caches of the one
// before. A trial that is measured again also has other addresses, and another median. So what
// decides are measurements that were repeated. SpreadOf learns from them how far two
// measurements of one configuration differ, anywhere on a device; Judge compares leaders by
// their repeat runs.
//
// Quantiles, medians and ranks assume nothing about distributions: times have a sharp lower
// end, a long tail and steps of the clock. Judge alone takes logarithms of medians to be normal.
package stat

import (
	"math"
	"slices"
)

// A GeometricMean sums up ratios. Its zero value holds none.
type GeometricMean struct {
	logs float64
	n    int
}

// GeometricMeanOf returns the geometric mean of values, NaN if there are none.
func GeometricMeanOf(values []float64) float64 {
	var m GeometricMean
	for _, v := range values {
		m.Add(v)
	}
	return m.Value()
}

// Add adds a value, which is greater than zero.
func (m *GeometricMean) Add(value float64) {
	m.logs += math.Log(value)
	m.n++
}

// Count is the number of values.
func (m *GeometricMean) Count() int { return m.n }

// Value is the mean of the values so far, NaN if there are none.
func (m *GeometricMean) Value() float64 { return math.Exp(m.logs / float64(m.n)) }

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

// Bounds of the effect that counts, as a fraction. People care about 1%; to name one of
// several that are as good, trials that repeat badly may hide 3% at most.
const (
	LeastEffect = 0.01
	MostEffect  = 0.03
)

// Repeatability returns the fraction by which the medians of two trials of the same
// configuration differ at most, 95 times of 100. It is 1.96·√2 times the standard deviation
// of a trial, which is estimated from series of repeat measurements: from the differences
// between neighbours, so that a slow drift does not count, and by their median, so that a
// few outliers do not either. With fewer than three differences it is 0: not known.
//
// See ISO 5725-6, Accuracy of measurement methods and results, 4.1, for the limit, and
// J. von Neumann et al., The mean square successive difference, Annals of Mathematical
// Statistics 12, 1941, for estimating from differences.
func Repeatability(series [][]float64) float64 {
	const fewest = 3
	var steps []float64
	for _, s := range series {
		for i := 1; i < len(s); i++ {
			steps = append(steps, math.Abs(math.Log(s[i]/s[i-1])))
		}
	}

	if len(steps) < fewest {
		return 0
	}
	slices.Sort(steps)
	// The median magnitude of a normal variable is 0.6745 of its deviation, and the
	// deviation of a step is √2 that of a trial: the √2 of the limit cancels.
	return math.Expm1(1.959963984540054 / 0.6744897501960817 * Median(steps))
}

// MeanRatio is the geometric mean of ratios whose errors are independent of each other, so that on a logarithmic
// scale the squares of the arms of their intervals add. It is NaN without ratios.
func MeanRatio(list []Ratio) Ratio {
	var mean GeometricMean
	var down, up float64
	for _, r := range list {
		mean.Add(r.Value)
		down, up = math.Hypot(down, math.Log(r.Value/r.Low)), math.Hypot(up, math.Log(r.High/r.Value))
	}
	v, n := mean.Value(), float64(len(list))
	return Ratio{Value: v, Low: v * math.Exp(-down/n), High: v * math.Exp(up/n)}
}
