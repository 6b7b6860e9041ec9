// SPDX-License-Identifier: Apache-2.0

package file

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// TestParseValueIsExact compares with strconv, which rounds correctly, around
// the edges of the fast path and on random numbers of every shape.
func TestParseValueIsExact(t *testing.T) {
	words := []string{
		"0", "-0", "+0", "1", "-1", "+7", ".5", "5.", "-.25", "00012", "0.1", "0.3", "1e0", "1E22", "1e23", "-1e-22", "1e-23",
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993e1", "9007199254740991e22", "9007199254740991e-22",
		"18446744073709551615", "18446744073709551616", "36893488147419103232", "99999999999999999999999", "0.00000000000000000000000001",
		"1e308", "1.7976931348623157e308", "1.8e308", "-1e999", "4.9e-324", "2e-324", "1e-999", "2.2250738585072011e-308", "1e00001", "1e12345", "1e-12345",
		"123456789012345678", "0.1234567890123456789", "1234567890.0987654321", "inf", "1e-80", "1e80", "1e81", "9223372036854775808", "9223372036854775809e-20", "0.00000000000000000000", "00000000000000000000012345.678", "-Inf", "+infinity", "nan", "NAN",
	}

	rng := rand.New(rand.NewPCG(9, 10))
	for range 300_000 / shorter() {
		v := math.Float64frombits(rng.Uint64())
		words = append(words, fmt.Sprintf("%de%d", rng.Uint64()>>rng.IntN(64), rng.IntN(200)-100),
			"-0.000"+strconv.FormatUint(rng.Uint64(), 10),
			strconv.FormatFloat(halfway(rng), 'f', -1, 64)+"5", strconv.FormatFloat(v, 'g', -1,
				64), strconv.FormatFloat(rng.NormFloat64()*100, 'f', rng.IntN(20), 64),
			strconv.FormatFloat(rng.Float64(), 'e', rng.IntN(25), 64), strconv.FormatInt(rng.Int64()>>rng.IntN(63), 10))
	}

	for _, w := range words {
		want, _ := strconv.ParseFloat(w, 64) // out of range: ±Inf, as documented
		for _, end := range []string{"\n", " 5\n", "\r\n", "\t\n"} {
			got, next, ok := parseValue([]byte(w+end), 0)
			if !ok || next != len(w) || math.Float64bits(got) != math.Float64bits(want) &&
				!(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%q: got %v (%x), %d, %v, want %v (%x)", w, got, math.Float64bits(got), next, ok, want,
					math.Float64bits(want))
			}
		}
	}

	for _, w := range []string{"", ".", "-", "+", "e5", "1e", "1e+", "1.2.3", "--1", "1-", "0x10", "1_000", "1d",
		"1d2d3", "infx", "1,5", "½", "1e5x"} {
		if v, _, ok := parseValue([]byte(w+"\n"), 0); ok {
			t.Errorf("%q was read as %v", w, v)
		}
	}
}

// halfway gives numbers near 2⁵³ with few digits, so that a digit 5 behind them
// is halfway between two of float64, or close to it.
func halfway(rng *rand.Rand) float64 {
	return math.Ldexp(float64(1<<52+rng.Int64N(1<<52)), rng.IntN(12)-6)
}

// shorter divides the number of random cases of a test that was asked to be short.
func shorter() int {
	if !testkit.LongAsked() {
		return 10
	}
	return 1
}

func TestParseIndex(t *testing.T) {
	for w, want := range map[string]struct {
		n  uint64
		ok bool
	}{
		"0": {0, true}, "1": {1, true}, "0012": {12, true}, "2147483647": {2147483647, true},
		"9223372036854775808": {1 << 63, true}, "00000000000000000000012": {12, true},
		"99999999999999999999": {0, false}, "": {0, false}, "-1": {0, false}, "+1": {0,
			false}, "1.0": {0, false}, "1x": {0, false},
	} {
		for _, end := range []string{"\n", " 2\n", "\r\n"} {
			n, next, ok := parseIndex([]byte(w+end), 0)
			if ok != want.ok || ok && (n != want.n || next != len(w)) {
				t.Errorf("%q: got %d, %d, %v, want %d, %v", w, n, next, ok, want.n, want.ok)
			}
		}
	}
}

// BenchmarkParseValue reads numbers of 17 digits, as files that lose nothing have
// them, with the standard library beside it.
func BenchmarkParseValue(b *testing.B) {
	rng := rand.New(rand.NewPCG(13, 14))
	var words [][]byte
	for range 1000 {
		words = append(words, append(strconv.AppendFloat(nil, rng.NormFloat64(), 'f', 17, 64), '\n'))
	}

	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			for _, w := range words {
				if _, _, ok := parseValue(w, 0); !ok {
					b.Fatalf("%q", w)
				}
			}
		}
	})

	b.Run("strconv", func(b *testing.B) {
		for b.Loop() {
			for _, w := range words {
				testkit.Must(strconv.ParseFloat(string(w[:len(w)-1]), 64))
			}
		}
	})
}
