// SPDX-License-Identifier: Apache-2.0

package term

import (
	"math"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestChangeWords(t *testing.T) {
	for v, want := range map[float64]string{
		1: "0%", 1.0001: "0%", 2: "+100%", 0.5: "−50%", 1.0824: "+8.2%", 0.985: "−1.5%", 1.72: "+72%",
		0.001: "−99.9%", 41.39: "+4\u202f040%",
	} {
		testkit.Equal(t, Change(v), want, "change(%v)", v)
	}
}

// A noisy machine's differences are said in digits, not in powers of ten.
func TestShortPercent(t *testing.T) {
	for v, want := range map[float64]string{0.01: "1%", 0.0253: "2.5%", 0.284: "28%", 1.52: "150%", 5.5: "550%"} {
		testkit.Equal(t, ShortPercent(v), want, "%g", v)
	}
}

// A time has the digits that its interval supports, whatever its unit.
func TestSecondsWithin(t *testing.T) {
	for _, tt := range []struct {
		s, half float64
		want    string
	}{
		{63.4567e-6, 0.05 * 63.4567e-6, "63 µs"}, {63.4567e-6, 0.005 * 63.4567e-6, "63.5 µs"},
		{63.4567e-6, 0.0005 * 63.4567e-6, "63.46 µs"}, {63.4567e-6, 0.5 * 63.4567e-6, "63 µs"},
		{0.99963e-3, 0.00003e-3, "0.99963 ms"}, {1.234567e-3, math.NaN(), "1.23 ms"}, {1.234567e-3, 0, "1.23 ms"},
		{12.345, 0.6, "12.3 s"}, {850.4e-9, 40e-9, "850 ns"}, {345.67e-3, 0.05 * 345.67e-3, "346 ms"},
	} {
		testkit.Equal(t, SecondsWithin(tt.s, tt.half), tt.want, "%g ± %g", tt.s, tt.half)
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		v, low, high float64
		want         string
	}{
		{1.23456, 1.2300, 1.2395, "1.235 ± 0.005"},
		{123.456, 121.3, 125.8, "123 ± 2"},
		{12345, 12110, 12570, "12300 ± 200"},
		{0.00012345, 0.0001205, 0.0001265, "0.000123 ± 0.000003"},
		{1.2, 0.5, 2.0, "1.2 ± 0.8"},
		{0.61, 0.58, 1.7, "0.61 −0.03 +1.09"},
		{9.996, 9.996, 9.996, "10.00"},
		{1.5, math.NaN(), math.NaN(), "1.50"},
		{math.NaN(), 1, 2, Missing},
	} {
		testkit.Equal(t, Interval(c.v, c.low, c.high), c.want, "interval(%v, %v, %v)", c.v, c.low, c.high)
	}
	testkit.Equal(t, Rounded(3.3, 40), "3.3", "a value below its uncertainty is printed as")
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", 4996000: "4\u202f996\u202f000",
		-1234: "-1\u202f234"} {
		testkit.Equal(t, Grouped(n), want, "term.Grouped(%d)", n)
	}
}
