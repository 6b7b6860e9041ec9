package rb

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestParseFormat(t *testing.T) {
	for s, want := range map[string]format{
		"(26I3)":               {perLine: 26, width: 3, whole: true},
		"(i14)":                {perLine: 1, width: 14, whole: true},
		"(4D20.12)":            {perLine: 4, width: 20, digits: 12},
		"(1P,5E16.8)":          {perLine: 5, width: 16, digits: 8, scale: 1},
		"(1P5E16.8)":           {perLine: 5, width: 16, digits: 8, scale: 1},
		"( -2p, 3 es25.16e3 )": {perLine: 3, width: 25, digits: 16, scale: -2},
		"(20F4.0)":             {perLine: 20, width: 4},
		"(3G25.17)":            {perLine: 3, width: 25, digits: 17},
	} {
		got, err := parseFormat(s)
		if got.text = ""; err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", s, got, err, want)
		}
	}

	for _, s := range []string{"()", "(I)", "(*)", "(4X,I3)", "(2(I3))", "26I3", "(26I3", "(0I3)", "(4A8)",
		"(4I999999999999999999999)"} {
		if f, err := parseFormat(s); err == nil {
			t.Errorf("%s was read as %+v", s, f)
		}
	}
}

// A field is what Fortran makes of it.
func TestValue(t *testing.T) {
	e, scaled := format{width: 12, digits: 3}, format{width: 12, digits: 3, scale: 2}
	for _, c := range []struct {
		f    format
		word string
		want float64
	}{
		{e, "1.5", 1.5}, {e, "-1.5E+02", -150}, {e, "1.5D2", 150}, {e, "1.5d-2", .015}, {e, ".5", .5}, {e, "5.", 5},
		{e, "1500", 1.5}, {e, "-15", -.015}, {e, "15E4", 150}, // the point is where the format has it
		{e, "1.25-100", 1.25e-100}, {e, "1.25+100", 1.25e100}, {e, "1.25Q1", 12.5}, {e, "1. 5E 1", 15}, {e, "", 0}, {e,
			"0", 0},
		{e, "1.5E999", math.Inf(1)}, {e, "-inf", math.Inf(-1)}, {e, "1e-999", 0},
		{scaled, "150.", 1.5}, {scaled, "1.5E0", 1.5}, {scaled, "1.5+0", 1.5}, {scaled, "150000", 1.5},
		{format{width: 12, whole: true}, "-123456", -123456},
		{format{width: 30, digits: 1}, "0.1234567890123456789012345", 0.1234567890123456789012345},
	} {
		for _, line := range []string{strings.Repeat(" ", c.f.width-len(c.word)) + c.word, c.word +
			strings.Repeat(" ", c.f.width-len(c.word))} {
			for _, behind := range []string{"\n", "7.5\n", "-1.5E0\n"} {
				block := []byte("8" + line + behind)
				got, ok := c.f.value(block, 1, 1+c.f.width)
				if !ok || got != c.want || string(block) != "8"+line+behind {
					t.Errorf("%q in %+v: %v, %v, want %v; block %q", line, c.f, got, ok, c.want, block)
				}
			}
		}
	}

	for _, word := range []string{"x", ".", "-", "E5", "1.5E", "1.5.5", "1,5", "0x10", "1_0", "**", "1E123456789",
		"--1", "1.5E+-2", "in"} {
		block := []byte(strings.Repeat(" ", 12-len(word)) + word + "\n")
		if v, ok := e.value(block, 0, 12); ok {
			t.Errorf("%q was read as %v", word, v)
		}
	}

	rng := rand.New(rand.NewPCG(37, 38))
	wide := format{width: 26, digits: 18, scale: 1}
	for range 20_000 {
		v := math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(1+rng.IntN(2045))<<52)
		word := strconv.FormatFloat(v, 'E', 17, 64)
		got, ok := wide.value([]byte(strings.Repeat(" ", 26-len(word))+word+"\n"), 0, 26)
		if !ok || got != v {
			t.Fatalf("%q: %v, %v", word, got, ok)
		}
	}
}
