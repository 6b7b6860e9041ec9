// SPDX-License-Identifier: Apache-2.0

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
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"example.org/spmvtune/internal/base/lists"
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

// Lower returns the lower one of two numbers, of which 0 is none.
func Lower[T int | float64](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
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

// Share of all pairs of measurements that differ by no more than a Spread says. Those are
// repeats at other addresses, which differ more than trials of two runs do: see
// docs/measuring.md for how it was chosen.
const Share = 0.82

const (
	// shrink is how many configurations the mean over all places counts for in the scale of one.
	shrink = 6
	// fewestDistances is how many it takes to say anything.
	fewestDistances = 3
)

// A Repeated is a configuration that was measured several times in a place.
type Repeated[P comparable] struct {
	Case P
	// Distances are |ln| of the ratios of measurements that follow each other. There is at
	// least one.
	Distances []float64
}

// mean is the mean distance.
func (r Repeated[P]) mean() float64 {
	return lists.Sum(r.Distances, func(d float64) float64 { return d }) / float64(len(r.Distances))
}

// A Spread says how far two measurements of one configuration differ. Its zero value knows
// nothing.
type Spread[P comparable] struct {
	places map[P]scale
	all    scale
	// multiple is the quantile of distances as multiples of the scales of their places.
	multiple float64
}

// A scale sums up the mean distances of configurations.
type scale struct {
	sum, n float64
}

// SpreadOf learns it from configurations of many places.
//
// Places differ: where a product fills a cache, addresses matter, and elsewhere they do
// not. In a single place are too few configurations for a quantile. So each place has a
// scale, its mean distance, which is drawn towards that of all; and the quantile is that of
// the distances as multiples of the scales. The scale that a distance is compared with does
// not contain it. Each configuration counts alike, however often it was measured.
func SpreadOf[P comparable](list []Repeated[P]) Spread[P] {
	if lists.Sum(list, func(r Repeated[P]) int { return len(r.Distances) }) < fewestDistances {
		return Spread[P]{}
	}

	s := Spread[P]{places: map[P]scale{}}
	for _, r := range list {
		at := s.places[r.Case]
		s.places[r.Case] = scale{at.sum + r.mean(), at.n + 1}
		s.all = scale{s.all.sum + r.mean(), s.all.n + 1}
	}

	type multiple struct{ value, weight float64 }
	var multiples []multiple
	for _, r := range list {
		at := s.places[r.Case]
		without := s.scale(scale{at.sum - r.mean(), at.n - 1})
		for _, d := range r.Distances {
			if without > 0 { // otherwise all are alike
				multiples = append(multiples, multiple{d / without, 1 / float64(len(r.Distances))})
			}
		}
	}

	slices.SortFunc(multiples, func(a, b multiple) int { return cmp.Compare(a.value, b.value) })
	within := 0.0
	for _, m := range multiples { // one more than there are: with few, the quantile is the largest
		if s.multiple = m.value; within+m.weight >= Share*float64(len(list)+1) {
			break
		}
		within += m.weight
	}
	return s
}

// scale draws the scale of a place towards that of all.
func (s Spread[P]) scale(at scale) float64 {
	return (at.sum + shrink*s.all.sum/s.all.n) / (at.n + shrink)
}

// Factor returns the ratio, above 1, that two measurements of one configuration in a place
// stay below, in Share of all cases. It is 0 if it is not known.
func (s Spread[P]) Factor(place P) float64 {
	if s.all.n == 0 {
		return 0
	}
	return math.Exp(s.multiple * s.scale(s.places[place]))
}

// OfMeans returns the factor between the means of n measurements and of m others, if between
// two measurements it is as given.
func OfMeans(factor float64, n, m int) float64 {
	return math.Pow(factor, math.Sqrt((1/float64(n)+1/float64(m))/2))
}

// What is told apart is told apart at this level: one looks at several competitors in many places.
// 99 of 100 differences of a normal distribution are below this multiple of the one that Share of
// them are below.
var sureMultiple = distuv.UnitNormal.Quantile(0.995) / distuv.UnitNormal.Quantile((1+Share)/2)

// common is the part of the variance of repeats that two runs differ by as a whole: repeats of one
// run do not average it out. See docs/measuring.md for how it was found.
const common = 0.15

// Apart returns the factor by which means of n measurements and of m others must differ to be
// told apart, if two measurements differ by a factor in Share of all cases.
func Apart(factor float64, n, m int) float64 {
	own := (1/float64(n) + 1/float64(m)) / 2
	return math.Pow(factor, sureMultiple*math.Sqrt((1-common)*own+common))
}

// A Timed is samples with the time when they were taken.
type Timed struct {
	At     int64 // milliseconds since 1970
	Values []float64
}

// A Point is how many times as long a configuration took as the first time.
type Point struct {
	At    int64 // milliseconds since 1970
	Ratio       // to the first time
}

// Points compares repeat measurements with the first one, which is the first point.
func Points(first Timed, again []Timed) []Point {
	later := lists.Of(again, func(s Timed) Point { return Point{s.At, RatioOf(s.Values, first.Values)} })
	points := append([]Point{{At: first.At, Ratio: Ratio{1, 1, 1}}}, later...)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.At, b.At) })
	return points
}

// A Drift is the factor by which a device has become slower, over time.
type Drift struct {
	points []Point // in the order of time
}

// middle returns the median of a few values.
func middle(values ...float64) float64 { return Median(slices.Sorted(slices.Values(values))) }

// NewDrift returns the drift of points in the order of time. The factor at a point is the
// median of three, its own and those beside it: a single trial may be off, as Repeatability
// says, without any change of the device. At the last point it is the median of its own,
// the one before, and the value to which the line through the two before leads (J. W.
// Tukey, Exploratory Data Analysis, 1977, 7A).
func NewDrift(points []Point) Drift {
	smooth := slices.Clone(points)
	for i := 1; i < len(points)-1; i++ {
		smooth[i].Value = middle(points[i-1].Value, points[i].Value, points[i+1].Value)
	}

	if n := len(points); n >= 3 {
		before := smooth[n-2].Value
		smooth[n-1].Value = middle(points[n-1].Value, before, 3*before-2*smooth[n-3].Value)
	}

	return Drift{smooth}
}

// Factor returns how many times as long a product takes at a time as at the first point. It
// is linear between points, and beyond them it is that of the nearest.
func (d Drift) Factor(at int64) float64 {
	p := d.points
	i := sort.Search(len(p), func(i int) bool { return p[i].At >= at })
	switch {
	case len(p) == 0:
		return 1
	case i == 0:
		return p[0].Value
	case i == len(p):
		return p[i-1].Value
	}

	share := float64(at-p[i-1].At) / float64(p[i].At-p[i-1].At)
	return p[i-1].Value + share*(p[i].Value-p[i-1].Value)
}

// Extremes returns the lowest and the highest factor.
func (d Drift) Extremes() (low, high float64) {
	low, high = 1, 1
	for _, p := range d.points {
		low, high = min(low, p.Value), max(high, p.Value)
	}
	return low, high
}

// fewestPoints is how many points it takes to tell a drift from trials that repeat badly.
const fewestPoints = 4

// Significant reports whether a factor differs from 1 by an effect, at a point whose interval
// does not contain 1.
func Significant(drifts []Drift, effect float64) bool {
	for _, d := range drifts {
		if len(d.points) < fewestPoints {
			continue
		}
		for _, p := range d.points {
			if p.Low > 1 && p.Value >= 1+effect || p.High < 1 && p.Value <= 1/(1+effect) {
				return true
			}
		}
	}

	return false
}
