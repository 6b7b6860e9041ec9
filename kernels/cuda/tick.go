package cuda

import "slices"

// tick is the smallest difference between two of the times, in seconds, and at most most.
// Differences below a nanosecond come from rounding: no GPU clock resolves them.
func tick(times []float64, most float64) float64 {
	smallest := most
	times = slices.Sorted(slices.Values(times))
	for i, t := range times[1:] {
		if d := t - times[i]; d > 1e-9 {
			smallest = min(smallest, d)
		}
	}
	return smallest
}
