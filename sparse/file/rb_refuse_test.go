// SPDX-License-Identifier: Apache-2.0

package file

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestRBRefuses(t *testing.T) {
	const f = "(4I2)           (4I2)           (4F4.0)"
	good := func(sizes, sections string) string { return small("3 1 1 1", sizes, f, sections) }
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "f:1: the file is empty"},
		{"cut off in the header", "title\n3 1 1 1\n", "f:3: the file ends before line 3, the type and sizes"},
		{"not of this format", "a\nb\nc\nd\n",
			`f:3: a Rutherford-Boeing file has its type in line 3, three letters such as "rua", not "c"`},
		{"unknown type", good("xua 3 3 2 0", ""), `f:3: unknown type "xua"`},
		{"elemental", good("rse 3 3 2 2", ""), "f:3: the matrix is elemental (rse)"},
		{"skew-symmetric pattern", good("pza 3 3 2 0", ""), "f:3: a pattern can't be skew-symmetric"},
		{"complex", good("cua 3 3 2 0", " 1 2 3 3\n 1 1\n"), "f:3: the values are complex"},
		{"negative size", good("rua -3 3 2 0", ""), `f:3: size "-3" is not a whole number from 0`},
		{"size beyond int32", good("rua 3 2147483648 2 0", ""), `f:3: size "2147483648" is too large`},
		{"no entries", good("rua 3 3", ""), "f:3: 2 sizes in this line; behind the type stand rows, columns, entries"},
		{"rectangle", good("rsa 3 4 2 0", ""), "f:3: a symmetric matrix must be square, not 3×4"},
		{"entries in nothing", good("rua 0 3 2 0", ""), "f:3: 2 entries in a matrix of 0×3"},
		{"element matrices", good("rua 3 3 2 5", ""), "f:3: the matrix is said to have 5 element matrices"},
		{"no formats", small("3 1 1 1", "rua 3 3 2 0", "free", ""),
			"f:4: line 4 has no Fortran format for the column pointers"},
		{"free format", small("3 1 1 1", "rua 3 3 2 0", "(*) (4I2) (4F4.0)", ""),
			`f:4: column pointers: the format "(*)" is not one that is read`},
		{"real pointers", small("3 1 1 1", "rua 3 3 2 0", "(4F2.0) (4I2) (4F4.0)", ""),
			"f:4: column pointers: the format (4F2.0) is not one of whole numbers"},
		{"huge format", small("3 1 1 1", "rua 3 3 2 0", "(9999999I9999999) (4I2) (4F4.0)", ""),
			"has lines of no or of too many bytes"},
		{"no width", small("3 1 1 1", "rua 3 3 2 0", "(4I0) (4I2) (4F4.0)", ""),
			"has lines of no or of too many bytes"},
		{"counts", small("3 1", "rua 3 3 2 0", f, ""), "f:2: 2 sizes in this line; line 2 counts lines: all, those of pointers"},
		{"lines of pointers", small("3 2 1 1", "rua 3 3 2 0", f, ""),
			"f:2: 2 lines for the column pointers, but 4 of them take 1 in the format (4I2)"},
		{"first pointer", good("rua 3 3 2 0", " 2 2 3 3\n 1 1\n  1.  2.\n"),
			"f:5: pointer 2 of column 1 lies outside the order"},
		{"falling pointers", good("rua 3 3 2 0", " 1 3 2 3\n 1 1\n  1.  2.\n"),
			"f:5: pointer 2 of column 3 lies outside the order: the first is 1, and none is below the one before " +
				"it, here 3"},
		{"last pointer", good("rua 3 3 2 0", " 1 2 2 2\n 1 1\n  1.  2.\n"), "f:5: the last pointer is 2, and has to be 3"},
		{"pointer too large", good("rua 3 3 2 0", " 1 9 9 9\n 1 1\n  1.  2.\n"), `f:5: column pointer " 9", number 2 of them, is not a whole number from 1 to 3`},
		{"blank pointer", good("rua 3 3 2 0", " 1   2 3\n 1 1\n  1.  2.\n"), `f:5: column pointer "  ", number 2 of them`},
		{"row 0", good("rua 3 3 2 0", " 1 2 3 3\n 0 1\n  1.  2.\n"),
			`f:6: row index " 0", number 1 of them, is not a whole number from 1 to 3, as line 3 has it`},
		{"row beyond int32", small("4 1 2 1", "rua 3 3 2 0", "(4I2) (1I20) (4F4.0)",
			" 1 2 3 3\n                   1\n99999999999999999999\n  1.  2.\n"), `f:7: row index "99999999999999999999", number 2 of them`},
		{"value is a word", good("rua 3 3 2 0", " 1 2 3 3\n 1 1\n  1.  x.\n"), `f:7: value "  x." of entry 2 is not a number`},
		{"empty line", small("3 1 1 1", "rua 3 1 2 0", "(2I2) (2I2) (2E1.0)", " 1 3\n 1 2\n\n"), "f:7: the line is too short: 0 bytes"},
		{"line cut off by a column a field", small("3 1 1 1", "rua 3 1 2 0", "(2I2) (2I2) (2E9.1)",
			" 1 3\n 1 2\n -1.5E+00  2.5E-\n"), `f:7: value "0  2.5E-" of entry 2`},
		{"imaginary part", small("3 1 1 1", "cua 3 3 1 0", f, " 1 2 2 2\n 1\n  1.  x.\n"), "f:7: value"},
		{"short line", good("rua 3 3 2 0", " 1 2 3\n 1 1\n  1.  2.\n"),
			"f:5: the line is too short: 6 bytes, and 4 column pointers in the format (4I2) take 8"},
		{"long line", good("rua 3 3 2 0", " 1 2 3 3\n 1 1 1\n  1.  2.\n"),
			`f:6: there is "1" behind the 2 row indices that the format (4I2) has in this line`},
		{"cut off before pointers", good("rua 3 3 2 0", ""), "f:5: the file ends after 0 of 4 column pointers"},
		{"goes on", good("rua 3 3 2 0", " 1 2 3 3\n 1 1\n  1.  2.\n\n  3.\n"),
			`f:9: "3.": the file goes on behind its last section`},
		{"right-hand sides cut off", small("3 1 1 1 1", "rua 3 3 2 0", f, ""), "f:5: the file ends before line 5"},
		{"mostly empty rows", good("rua 2147483647 3 2 0", " 1 2 3 3\n 1 1\n  1.  2.\n"),
			"f:3: 2147483647×3 with 2 entries: nearly all rows"},
		{"too many after expansion", small("9 1 1000000 500000000", "rsa 3 3 2000000000 0", "(4I20) (2000I8) (4F4.0)",
			""), "f:3: 3×3 with 2 000 000 000 entries: 32-bit indices hold no more"},
	} {
		opt := DefaultOptions
		if c.name == "imaginary part" {
			opt.Complex = RealPart
		}
		_, err := decodeRB(c.content, opt)
		if e := new(Error); !errors.As(err, &e) || e.File != "f" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Of several mistakes the first in the file is reported, with its line, wherever
// blocks end.
func TestRBFirstMistakeInTheFile(t *testing.T) {
	f := random(rand.New(rand.NewPCG(35, 36)), "rua", 9999, 999, 300_000)
	lines := strings.Split(f.String(), "\n")
	spoil := func(at ...int) string {
		out := append([]string(nil), lines...)
		for _, k := range at {
			out[k-1] = "    x" + out[k-1][5:]
		}
		return strings.Join(out, "\n")
	}

	for want, file := range map[string]string{
		"f:17000: row index ":                    spoil(60_000, 17_000, 18_000),
		"f:60000: value ":                        spoil(100_000, 60_000),
		"f:7: column pointer ":                   spoil(7, 17_000, 100_000),
		"f:70000: the file ends after 153435 of": strings.Join(lines[:69_999], "\n") + "\n",
	} {
		for range 3 {
			testkit.Fails(t, testkit.Err(decodeRB(file, DefaultOptions)), want)
		}
	}
}

func TestRBParseFormat(t *testing.T) {
	for s, want := range map[string]fortran{
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
		testkit.Fails(t, testkit.Err(parseFormat(s)), "", s)
	}
}

// A field is what Fortran makes of it.
func TestRBValue(t *testing.T) {
	e, scaled := fortran{width: 12, digits: 3}, fortran{width: 12, digits: 3, scale: 2}
	for _, c := range []struct {
		f    fortran
		word string
		want float64
	}{
		{e, "1.5", 1.5}, {e, "-1.5E+02", -150}, {e, "1.5D2", 150}, {e, "1.5d-2", .015}, {e, ".5", .5}, {e, "5.", 5},
		{e, "1500", 1.5}, {e, "-15", -.015}, {e, "15E4", 150}, // the point is where the format has it
		{e, "1.25-100", 1.25e-100}, {e, "1.25+100", 1.25e100}, {e, "1.25Q1", 12.5}, {e, "1. 5E 1", 15}, {e, "", 0}, {e,
			"0", 0},
		{e, "1.5E999", math.Inf(1)}, {e, "-inf", math.Inf(-1)}, {e, "1e-999", 0},
		{scaled, "150.", 1.5}, {scaled, "1.5E0", 1.5}, {scaled, "1.5+0", 1.5}, {scaled, "150000", 1.5},
		{fortran{width: 12, whole: true}, "-123456", -123456},
		{fortran{width: 30, digits: 1}, "0.1234567890123456789012345", 0.1234567890123456789012345},
	} {
		for _, line := range []string{strings.Repeat(" ", c.f.width-len(c.word)) + c.word, c.word +
			strings.Repeat(" ", c.f.width-len(c.word))} {
			if got, ok := c.f.value([]byte(line + "\n")); !ok || got != c.want {
				t.Errorf("%q in %+v: %v, %v, want %v", line, c.f, got, ok, c.want)
			}
		}
	}

	for _, word := range []string{"x", ".", "-", "E5", "1.5E", "1.5.5", "1,5", "0x10", "1_0", "**", "1E123456789",
		"--1", "1.5E+-2", "in"} {
		block := []byte(strings.Repeat(" ", 12-len(word)) + word + "\n")
		if v, ok := e.value(block); ok {
			t.Errorf("%q was read as %v", word, v)
		}
	}

	rng := rand.New(rand.NewPCG(37, 38))
	wide := fortran{width: 26, digits: 18, scale: 1}
	for range 20_000 {
		v := math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(1+rng.IntN(2045))<<52)
		word := strconv.FormatFloat(v, 'E', 17, 64)
		got, ok := wide.value([]byte(strings.Repeat(" ", 26-len(word)) + word + "\n"))
		testkit.Require(t, ok && got == v, "%q: %v, %v", word, got, ok)
	}
}
