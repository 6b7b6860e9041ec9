package stat

import (
	"math"
	"slices"
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
