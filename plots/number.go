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

// rounded prints v with as many digits as its uncertainty ±half supports, and
// with three significant digits where that is not known.
func rounded(v, half float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return significant(v, 3)
	}
	return fixed(v, decimalsFor(half))
}

// plusMinus prints "v ± half" with the digits that half supports.
func plusMinus(v, half float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return significant(v, 3)
	}
	d := decimalsFor(half)
	return fixed(v, d) + " ± " + fixed(half, d)
}

// significant prints v with n significant digits and no exponent.
func significant(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	if v == 0 {
		return "0"
	}
	return fixed(v, n-1-int(math.Floor(math.Log10(math.Abs(v)))))
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

// grouped prints n with a narrow space between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// plural prints "1 core", "2 cores".
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(n) + " " + what
}
