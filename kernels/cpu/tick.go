package cpu

import (
	"math"
	"time"
)

// tick is the smallest difference between readings of the monotonic clock that is seen,
// in seconds: what reading it takes, or what it counts in where that is more.
func tick() float64 {
	smallest := time.Duration(math.MaxInt64)
	for seen := 0; seen < 100; {
		start := time.Now()
		if d := time.Since(start); d > 0 {
			smallest = min(smallest, d)
			seen++
		}
	}
	return smallest.Seconds()
}
