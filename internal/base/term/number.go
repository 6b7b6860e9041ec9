package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Seconds prints a time in the unit that fits: "12.3 µs".
func Seconds(s float64) string {
	switch {
	case s != 0 && s < 999.5e-9:
		return Digits(s*1e9) + " ns"
	case s < 999.5e-6:
		return Digits(s*1e6) + " µs"
	case s < 999.5e-3:
		return Digits(s*1e3) + " ms"
	default:
		return Digits(s) + " s"
	}
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
	text := strconv.FormatFloat(100*x, 'g', 2, 64)
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text + "%"
}

// Bytes prints a size with a decimal unit.
func Bytes(n int64) string {
	switch {
	case n < 1e3:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.3g kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	default:
		return fmt.Sprintf("%.3g GB", float64(n)/1e9)
	}
}

// ParseBytes reads a size with a decimal unit, as Bytes prints it.
func ParseBytes(text string) (int64, error) {
	number, factor := strings.ToLower(strings.ReplaceAll(text, " ", "")), 1.0
	for _, unit := range []struct {
		name   string
		factor float64
	}{{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}} {
		if n, ok := strings.CutSuffix(number, unit.name); ok {
			number, factor = n, unit.factor
			break
		}
	}

	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*factor < math.MaxInt64) {
		return 0, fmt.Errorf("%q must be a size such as 20GB or 500MB", text)
	}
	return int64(n * factor), nil
}
