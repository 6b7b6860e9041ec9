package chart

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/tuner/stat"
)

// FewestForTrend is the fewest matrices that have a running median: of fewer, a window of some
// and a curve of several windows tell less than the dots.
const FewestForTrend = 20

// Trend returns the running median of points over the logarithm of X, with quartiles as Low and
// High; nothing for few points. A window has a quarter of the points, but at least nine and at
// most 41, and stands at its median X.
func Trend(points []Point) []Point {
	n := len(points)
	if n < FewestForTrend {
		return nil
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	window := min(max(n/4, 9), 41)
	const most = 60 // windows that are drawn
	every := max(1, (n-window)/most)

	var trend []Point
	for i := 0; i+window <= n; i += every {
		var xs, ys []float64
		for _, q := range sorted[i : i+window] {
			xs, ys = append(xs, q.X), append(ys, q.Y)
		}
		slices.Sort(ys)
		x := stat.Median(xs)
		if k := len(trend); k > 0 && trend[k-1].X == x { // many matrices of one size
			continue
		}
		trend = append(trend, Point{X: x, Y: stat.Median(ys), Low: quantile(ys, 0.25), High: quantile(ys, 0.75)})
	}

	return trend
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(math.Floor(at))
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}
