package plots

import (
	"math"
	"strconv"
)

// missing is printed for a figure that a trial doesn't have.
const missing = "–"

// decimalsFor says how many decimals a number deserves whose uncertainty is
// ±half: the uncertainty keeps one digit, two if its first is 1 (the rule of the
// Particle Data Group, rounded to whole digits). Negative counts round to tens.
func decimalsFor(half float64) int {
	e := int(math.Floor(math.Log10(half)))
	if half/math.Pow(10, float64(e)) < 1.95 {
		e--
	}
	return -e
}

// leading says how many decimals print v with n significant digits.
func leading(v float64, n int) int {
	if v == 0 {
		return 0
	}
	return n - 1 - int(math.Floor(math.Log10(math.Abs(v))))
}

// supported is decimalsFor, but never fewer than two significant digits of v:
// where the interval is as wide as the value, the value is still to be read.
func supported(v, half float64) int { return max(decimalsFor(half), leading(v, 2)) }

// rounded prints v with as many digits as its uncertainty ±half supports, and
// with three significant digits where that is not known.
func rounded(v, half float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return significant(v, 3)
	}
	return fixed(v, supported(v, half))
}

// lopsided is the ratio of the arms of an interval from which both are printed.
const lopsided = 2

// interval prints "v ± half", or "v −a +b" where one arm of the interval from
// low to high is much longer than the other and matters.
func interval(v, low, high float64) string {
	down, up := v-low, high-v
	half := max(down, up)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return significant(v, 3)
	}
	d := supported(v, half)
	if half > 0.02*v && half > lopsided*min(down, up) {
		return fixed(v, d) + " −" + fixed(down, d) + " +" + fixed(up, d)
	}
	return fixed(v, d) + " ± " + fixed(half, d)
}

// significant prints v with n significant digits and no exponent.
func significant(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	return fixed(v, leading(v, n))
}

// fixed prints v with d decimals, at most nine; below zero it rounds to tens.
func fixed(v float64, d int) string {
	if d < 0 {
		unit := math.Pow(10, float64(-d))
		return strconv.FormatFloat(math.Round(v/unit)*unit, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', min(d, 9), 64)
}

// halfWidth is the uncertainty of a median: the longer arm of its 95% interval,
// NaN if there is none.
func halfWidth(median, low, high float64) float64 {
	if h := max(high-median, median-low); h >= 0 {
		return h
	}
	return math.NaN()
}
