// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestReadTimes(t *testing.T) {
	for _, text := range []string{
		"CSR, 5 rows\ntime_ms=2\n time_ms = 3.5 \n", `{"time_ms": [2, 3.5]}`,
		"{\"time_ms\": 2}\n{\"time_ms\": 3.5, \"gpu\": \"x\"}\n{}",
	} {
		got, err := ReadTimes([]byte(text + "\nprepare_ms=8\n"))
		if err != nil || len(got.Samples) != 2 || got.Samples[0] != 2e-3 || got.Samples[1] != 3.5e-3 || got.Prepare != 8e-3 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "it prints no time", "12.5 ms\n": "it prints no time", "time_ms=NaN": "it prints the time NaN ms",
		"time_ms=-1": "it prints the time -1 ms", "time_ms=0": "it prints the time 0 ms", "time_ms=Inf": "the time +Inf ms",
		"time_ms=fast": `time_ms is not a number: "fast"`, `{"time_ms": "fast"}`: "neither a number nor a list",
		`{"time_ms": NaN}`:       "is not JSON",
		`{"time_ms": [1, null]}`: "it prints the time 0 ms", "time_ms=1\nprepare_ms=-2": "the preparation -2 ms",
		"time_ms=1e-300": "it prints the time 1e-300 ms",
	} {
		testkit.Fails(t, testkit.Err(ReadTimes([]byte(text))), want, "%q", text)
	}
}

func FuzzReadTimes(f *testing.F) {
	f.Add([]byte(`{"time_ms": [1, 2.5], "prepare_ms": 3}`))
	f.Add([]byte("time_ms=1\ntime_ms= 2e-3\nprepare_ms=1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ReadTimes(text)
		for _, s := range got.Samples {
			testkit.Check(t, err != nil || s > 0 && s < 1e306, "%q has the time %v", text, s)
		}
	})
}

func TestReadVector(t *testing.T) {
	y := make([]float64, 3)
	if err := ReadVector([]byte("1\n-2e3 NaN\n"), y); err != nil || y[0] != 1 || y[1] != -2000 || y[2] == y[2] {
		t.Errorf("%v, %v", y, err)
	}
	for _, text := range []string{"1 2", "1 2 3 4", "1 2 x"} {
		testkit.Fails(t, ReadVector([]byte(text), y), "", "%q", text)
	}
}

// Values are never split and never seen by a shell.
func TestWords(t *testing.T) {
	values := map[string]string{"matrix": "/a b/$(rm -rf x).mtx", "block": "64"}
	for command, want := range map[string][]string{
		`./my-spmv  {matrix}	{block}`:      {"./my-spmv", values["matrix"], "64"},
		`x '{matrix} {block}' ""`:          {"x", values["matrix"] + " 64", ""},
		`x --block={block} "it's" a'b c'd`: {"x", "--block=64", "it's", "ab cd"},
		`awk {{print}} $HOME \n`:           {"awk", "{print}", "$HOME", `\n`},
	} {
		words, err := SplitCommand(command)
		if err == nil {
			words, err = Expand(words, values)
		}
		testkit.Check(t, err == nil && slices.Equal(words, want), "%s: %q, %v, want %q", command, words, err, want)
	}
	testkit.Fails(t, testkit.Err(SplitCommand(`x 'y`)), "", "a quote without an end")
	for word, want := range map[string]string{
		"{blok}": "no placeholder {blok}: there are {block}, {matrix}", "a{": `a brace in "a{" stands alone: write {{`,
	} {
		testkit.Fails(t, testkit.Err(Expand([]string{word}, values)), want, "%s", word)
	}
	testkit.Check(t, Uses([]string{"a", "--x={y}"}, "y") && !Uses([]string{"{{y}}"}, "y"), "placeholders are not told from braces")
}
