package term

import (
	"math"
	"strconv"
)

// Missing is printed in place of a number that a trial does not have.
const Missing = "–"

// decimalsFor returns how many decimals a number with the uncertainty ±half has: the
// uncertainty keeps one digit, and two if the first is 1 (the rule of the Particle Data Group,
// rounded to whole digits). Negative results round to tens.
func decimalsFor(half float64) int {
	e := int(math.Floor(math.Log10(half)))
	if half/math.Pow(10, float64(e)) < 1.95 {
		e--
	}
	return -e
}

// leading returns how many decimals print v with n significant digits.
func leading(v float64, n int) int {
	if v == 0 {
		return 0
	}
	return n - 1 - int(math.Floor(math.Log10(math.Abs(v))))
}

// supported is decimalsFor, but keeps at least two significant digits of v: a value as
// uncertain as it is large must stay readable.
func supported(v, half float64) int { return max(decimalsFor(half), leading(v, 2)) }

// Rounded prints v with as many digits as its uncertainty ±half supports, and with three
// significant digits if the uncertainty is not known.
func Rounded(v, half float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Missing
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return Significant(v, 3)
	}
	return fixed(v, supported(v, half))
}

// SecondsWithin prints a time with the uncertainty ±half in the unit that fits, like Rounded: "12.3 µs".
func SecondsWithin(s, half float64) string {
	u := fitting(s, secondUnits)
	return Rounded(s/u.size, half/u.size) + u.name
}

// RoundedIn is Rounded where the uncertainty is an interval, in which v may not be the middle.
func RoundedIn(v, low, high float64) string { return Rounded(v, HalfWidth(v, low, high)) }

// lopsided is the ratio of the arms of an interval above which both are printed.
const lopsided = 2

// Interval prints "v ± half", or "v −a +b" if one arm of the interval from low to high is much
// longer than the other and not negligible.
func Interval(v, low, high float64) string {
	down, up := v-low, high-v
	half := max(down, up)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Missing
	}
	if !(low > 0 && half > 0) || math.IsInf(half, 0) {
		return Significant(v, 3)
	}
	d := supported(v, half)
	if half > 0.02*v && half > lopsided*min(down, up) {
		return fixed(v, d) + " −" + fixed(down, d) + " +" + fixed(up, d)
	}
	return fixed(v, d) + " ± " + fixed(half, d)
}

// Significant prints v with n significant digits and no exponent.
func Significant(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Missing
	}
	return fixed(v, leading(v, n))
}

// fixed prints v with d decimals, at most nine. A negative d rounds to tens.
func fixed(v float64, d int) string {
	if d < 0 {
		unit := math.Pow(10, float64(-d))
		return strconv.FormatFloat(math.Round(v/unit)*unit, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', min(d, 9), 64)
}

// HalfWidth returns the uncertainty of a median: the longer arm of its 95% interval, NaN if
// there is none.
func HalfWidth(median, low, high float64) float64 {
	if h := max(high-median, median-low); h >= 0 {
		return h
	}
	return math.NaN()
}

// Percent0 prints a fraction as a whole percentage.
func Percent0(v float64) string { return Plain(math.Round(100*v)) + "%" }

// OfBest prints a share of the best in percent, without the sign. What is not the best is not rounded
// up to it.
func OfBest(share float64) string {
	percent := math.Round(100 * share)
	if share < 1 {
		percent = min(percent, 99)
	}
	return Plain(percent)
}

// Percent3 prints a fraction with three digits, as in "97.4%". Less than all is never rounded
// up to 100%.
func Percent3(v float64) string {
	if v < 1 && v >= 0.9995 {
		return ">99.9%"
	}
	return Significant(100*v, 3) + "%"
}

// Change prints a ratio as a change: "+25%", "−50%".
func Change(v float64) string {
	percent := 100 * (v - 1)
	digits := 0
	if (math.Abs(percent) < 9.95 || percent < -90) && math.Abs(percent-math.Round(percent)) > 1e-9 {
		digits = 1
	}
	s := strconv.FormatFloat(math.Abs(percent), 'f', digits, 64)
	if percent >= 1000 {
		s = Grouped(int(math.Round(percent/10) * 10))
	}

	switch {
	case s == "0" || s == "0.0":
		return "0%"
	case percent < 0:
		return "−" + s + "%"
	}

	return "+" + s + "%"
}

// Plain prints a round value as it is.
func Plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ShareOfBest prints a share with one decimal, as the rule's text does. Less than all is never
// rounded up to 100%.
func ShareOfBest(v float64) string {
	if v >= 1-1e-12 {
		return "100%"
	}
	return Percent(v)
}
