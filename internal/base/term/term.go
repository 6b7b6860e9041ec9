// SPDX-License-Identifier: Apache-2.0

// Package term turns values into text for people: counts with their nouns, lists, numbers
// with the digits that matter, percentages, durations, lines that fit a terminal, tables,
// and words quoted for a shell. It knows nothing of matrices or trials beyond their plurals,
// and imports no other package of the module.
package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// PageWidth is the width of running text, in columns: of help and of lists that explain (claims, kernels, convert)
// everywhere, and of sentences (Print, Item) on a terminal that is as wide. In files and pipes a sentence is one line.
const PageWidth = 80

// Noun returns the form of a noun, or of a verb, that agrees with n.
func Noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count returns n, with a narrow space between thousands, and its noun: "1 entry", "1 200 entries".
func Count(n int, one, many string) string { return Grouped(n) + " " + Noun(n, one, many) }

// Trials and Matrices count the nouns that occur most often.
func Trials(n int) string   { return Count(n, "trial", "trials") }
func Matrices(n int) string { return Count(n, "matrix", "matrices") }

// Grouped prints n with a narrow space between thousands.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Some joins names with commas. Of more than most+1 names it gives the first, and how many
// more there are.
func Some(names []string, most int) string {
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Or lists words: "a, b or c".
func Or(words []string) string {
	last := max(len(words)-1, 0)
	return strings.Join(words[:last], ", ") + strings.Repeat(" or ", min(last, 1)) + strings.Join(words[last:], "")
}

// A unit is a multiple of what a number counts.
type unit struct {
	size float64
	name string
}

// The units of times and of bytes, the largest first. The last one takes what is less than all.
var (
	secondUnits = []unit{{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}
	byteUnits   = []unit{{1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}, {1, " B"}}
)

// fitting returns the unit in which v, rounded to three digits, is at least 1.
func fitting(v float64, units []unit) unit {
	for _, u := range units {
		if v >= 0.9995*u.size {
			return u
		}
	}
	return units[len(units)-1]
}

// Seconds prints a time in the unit that fits: "12.3 µs".
func Seconds(s float64) string {
	u := fitting(s, secondUnits)
	return Digits(s/u.size) + u.name
}

// RoughSeconds prints an estimated time without the digits that it does not have: "2.5s", "1h3m20s".
func RoughSeconds(s float64) string {
	unit := time.Second
	if s < 10 {
		unit = time.Second / 10
	}
	return time.Duration(s * float64(time.Second)).Round(unit).String()
}

// Digits prints x with three significant digits and without an exponent.
func Digits(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-magnitude(x)), 64)
}

// magnitude is the power of ten of x rounded to three digits: 0 for 9.99, 1 for 9.996.
func magnitude(x float64) int {
	text := strconv.FormatFloat(x, 'e', 2, 64)
	n, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil {
		return 0 // NaN and infinities
	}
	return n
}

// Percent prints a fraction with one decimal: "97.3%". Less than all is never rounded up to 100%.
func Percent(x float64) string {
	if s := fmt.Sprintf("%.1f%%", 100*x); s != "100.0%" || x >= 1 {
		return s
	}
	return "99.9%"
}

// ShortPercent prints a fraction with two significant digits and without an exponent: "2%", "5.1%", "120%".
func ShortPercent(x float64) string {
	if math.IsNaN(x) {
		return Missing
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(100*x, 'g', 2, 64), 64)
	return Plain(rounded) + "%"
}

// Difference prints a difference, as a fraction: a percentage or, from twice as much on, a factor: "12%", "2.3×".
func Difference(x float64) string {
	if x < 1 || math.IsNaN(x) {
		return ShortPercent(x)
	}
	return Significant(1+x, 2) + "×"
}

// Bytes prints a size with a decimal unit.
func Bytes(n int64) string {
	u := fitting(float64(n), byteUnits[1:])
	return fmt.Sprintf("%.3g%s", float64(n)/u.size, u.name)
}

// ParseBytes reads a size with a decimal unit, as Bytes prints it.
func ParseBytes(text string) (int64, error) {
	number, factor := strings.ToLower(strings.ReplaceAll(text, " ", "")), 1.0
	for _, u := range byteUnits {
		if n, ok := strings.CutSuffix(number, strings.ToLower(u.name[1:])); ok {
			number, factor = n, u.size
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*factor < math.MaxInt64) {
		return 0, fmt.Errorf("%q must be a size such as 20GB or 500MB", text)
	}
	return int64(n * factor), nil
}

// Shell joins words into a command line that can be pasted into a shell.
func Shell(words ...string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+"
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, plain) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// A Hinted is an error with what to do about it.
type Hinted struct {
	Err  error
	Hint string
}

func (e *Hinted) Error() string { return e.Err.Error() }
func (e *Hinted) Unwrap() error { return e.Err }

// WithHint adds to err what to do about it.
func WithHint(err error, hint string) error { return &Hinted{err, hint} }

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
