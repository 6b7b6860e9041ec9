package cpu

import (
	"math"
	"time"
)

// tick is the smallest observed difference between readings of the monotonic clock, in seconds:
// the time of a reading or the clock's step, whichever is larger.
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
