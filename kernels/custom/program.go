// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/kernels"
)

// Placeholders are the names that stand for something in a command. Those of a configuration have
// their values.
func Placeholders(o kernels.Custom, c kernels.Config) map[string]string {
	values := map[string]string{
		"matrix": "", "x": "", "y": "", "cache": "", "rows": "", "cols": "", "nonzeros": "",
		"block": strconv.Itoa(c.Block), "grid": strconv.Itoa(c.Grid), "precision": string(c.Precision),
		"params": string(c.Params),
	}
	for _, p := range o.Params {
		values[p.Name] = o.Setting(c.Params, p.Name)
	}
	return values
}

// Source returns a SHA-256, in hexadecimal, over a command and the content of each file that it
// names. A program that is not there fails when it is run.
func ProgramSource(o kernels.Custom) string {
	path, _ := exec.LookPath(o.Command[0])
	h := sha256.New()
	fmt.Fprintln(h, o.Digest())
	for _, word := range append([]string{path}, o.Command[1:]...) {
		f, err := files.Open(word)
		if err != nil {
			continue // no file
		}
		_, err = io.Copy(h, f)
		if f.Close(); err != nil {
			fmt.Fprintln(h, "unreadable") // a folder
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Split splits a command at blanks. Quotes, single or double, keep what is between them together;
// no other character is special.
func SplitCommand(command string) (words []string, err error) {
	rest := commandWord.ReplaceAllStringFunc(command, func(word string) string {
		words = append(words, quoted.ReplaceAllString(word, "$1$2"))
		return ""
	})
	if rest = strings.TrimSpace(rest); rest != "" {
		return nil, fmt.Errorf("the quote %s has no end", rest[:1])
	}
	return words, nil
}

// A word of a command, and a part of one in quotes.
var (
	commandWord = regexp.MustCompile(`(?:[^ \t\r\n"']|"[^"]*"|'[^']*')+`)
	quoted      = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
)

// placeholder matches {name}, and {{ and }}, which stand for braces.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// Expand puts values in the place of placeholders. A word stays one word, whatever the values are.
func Expand(words []string, values map[string]string) ([]string, error) {
	var errs []error
	expanded := make([]string, len(words))
	for i, word := range words {
		expanded[i] = placeholder.ReplaceAllStringFunc(word, func(found string) string {
			switch found {
			case "{{", "}}":
				return found[:1]
			case "{", "}":
				errs = append(errs, fmt.Errorf("a brace in %q stands alone: write %s%[2]s for a brace", word, found))
				return ""
			}
			v, known := values[found[1:len(found)-1]]
			if !known {
				errs = append(errs, fmt.Errorf("there is no placeholder %s: there are {%s}", found,
					strings.Join(slices.Sorted(maps.Keys(values)), "}, {")))
			}
			return v
		})
	}
	return expanded, errors.Join(errs...)
}

// Uses reports whether words have a placeholder.
func Uses(words []string, name string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(placeholder.FindAllString(word, -1), "{"+name+"}")
	})
}

// Times are what a program prints about its products, in seconds.
type Times struct {
	Samples []float64 // in the order in which they were printed
	Prepare float64   // before the first product; 0: not told
}

const (
	mostSamples = 100_000
	shortest    = 1e-6 // ms; no product takes less than a nanosecond
)

// ReadTimes finds the times in what a program printed. Each line that is a JSON object with
// time_ms, a number or a list of numbers, has samples, and so has each line time_ms=NUMBER; prepare_ms
// in either form is the preparation. Other lines are left alone.
func ReadTimes(text []byte) (t Times, err error) {
	for line := range bytes.Lines(text) {
		samples, prepare, err := readLine(strings.TrimSpace(string(line)))
		if err != nil {
			return t, err
		}
		for _, ms := range samples {
			if !(ms >= shortest) || math.IsInf(ms, 0) {
				return t, fmt.Errorf("it prints the time %v ms", ms)
			}
			t.Samples = append(t.Samples, ms/1e3)
		}
		if prepare < 0 || math.IsNaN(prepare) || math.IsInf(prepare, 0) {
			return t, fmt.Errorf("it prints the preparation %v ms", prepare)
		}
		t.Prepare += prepare / 1e3
		if len(t.Samples) > mostSamples {
			return t, fmt.Errorf("it prints more than %d times", mostSamples)
		}
	}

	if len(t.Samples) == 0 {
		return t, errors.New(`it prints no time: a line time_ms=NUMBER, or {"time_ms": NUMBER or [NUMBERS]}`)
	}
	return t, nil
}

// readLine reads a line, in milliseconds.
func readLine(line string) (samples []float64, prepare float64, err error) {
	if !strings.HasPrefix(line, "{") {
		name, text, _ := strings.Cut(line, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		switch name = strings.TrimSpace(name); {
		case name != "time_ms" && name != "prepare_ms":
			return nil, 0, nil
		case err != nil:
			return nil, 0, fmt.Errorf("%s is not a number: %.80q", name, text)
		case name == "prepare_ms":
			return nil, v, nil
		}
		return []float64{v}, 0, nil
	}

	var printed struct {
		Time    json.RawMessage `json:"time_ms"`
		Prepare float64         `json:"prepare_ms"`
	}
	if err := json.Unmarshal([]byte(line), &printed); err != nil && strings.Contains(line, `"time_ms"`) {
		return nil, 0, fmt.Errorf("its line with time_ms is not JSON: %.80q", line)
	}
	if one := 0.0; json.Unmarshal(printed.Time, &one) == nil {
		samples = []float64{one}
	} else if len(printed.Time) > 0 && json.Unmarshal(printed.Time, &samples) != nil {
		return nil, 0, fmt.Errorf("time_ms is neither a number nor a list of numbers: %.80s", printed.Time)
	}
	return samples, printed.Prepare, nil
}

// ReadVector reads n numbers, with white space between them.
func ReadVector(text []byte, y []float64) error {
	n := 0
	for word := range bytes.FieldsSeq(text) {
		v, err := strconv.ParseFloat(string(word), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("its y is not of numbers: %.40q", word)
		}
		if n < len(y) {
			y[n] = v
		}
		n++
	}
	if n != len(y) {
		return fmt.Errorf("its y has %d elements for %d rows", n, len(y))
	}
	return nil
}
