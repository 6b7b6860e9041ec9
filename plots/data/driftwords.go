package data

import (
	"math"

	"spmvtune/store"
)

// LargestDrift returns the series with the factor furthest from 1, and that factor.
func LargestDrift(of []store.Drift) (worst *store.Drift, factor float64) {
	factor = 1
	for i := range of {
		low, high := of[i].Extremes()
		for _, f := range []float64{low, high} {
			if worst == nil || math.Abs(math.Log(f)) > math.Abs(math.Log(factor)) {
				worst, factor = &of[i], f
			}
		}
	}
	return worst, factor
}

// Counting says whether a drift was corrected for.
func Counting(d *store.Drift, factor float64) string {
	const small = 0.03 // more than that is not called small
	switch {
	case d.Significant:
		return "taken out of ties and comparisons"
	case math.Abs(factor-1) > small:
		return "too unsure to count"
	}
	return "too small or too unsure to count"
}
