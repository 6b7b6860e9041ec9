package rule

import (
	"math"
	"strconv"
)

// threshold returns a number between low and high, low ≤ t < high, that people
// can read: with as few significant digits as keep it within the middle half of
// the gap, so that matrices much like either side stay on that side.
//
// If both are positive, the middle is that of their logarithms, because features span orders of
// magnitude: the middle between 1,000 and 1,000,000 rows is about 30,000.
func threshold(low, high float64) float64 {
	at := func(share float64) float64 { return low + (high-low)*share }
	if low > 0 {
		at = func(share float64) float64 { return low * math.Pow(high/low, share) }
	}
	for digits := range 17 {
		t, err := strconv.ParseFloat(strconv.FormatFloat(at(0.5), 'e', digits, 64), 64)
		if err == nil && t >= at(0.25) && t <= at(0.75) && low <= t && t < high {
			return t
		}
	}

	return low // no number lies between them
}
