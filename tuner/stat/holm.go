package stat

import (
	"cmp"
	"slices"
)

// Holm returns the p-values of several tests, adjusted so that comparing all of them with
// one level bounds the chance of any false rejection by that level (S. Holm,
// A simple sequentially rejective multiple test procedure, Scandinavian Journal of
// Statistics 6, 1979). The tests may depend on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))

	least := 0.0
	for rank, i := range order {
		least = min(1, max(least, float64(len(p)-rank)*p[i]))
		adjusted[i] = least
	}

	return adjusted
}
