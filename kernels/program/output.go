package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

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
	var printed struct {
		Time    json.RawMessage `json:"time_ms"`
		Prepare float64         `json:"prepare_ms"`
	}
	if strings.HasPrefix(line, "{") {
		if err := json.Unmarshal([]byte(line), &printed); err != nil && strings.Contains(line, `"time_ms"`) {
			return nil, 0, fmt.Errorf("its line with time_ms is not JSON: %.80q", line)
		}
		if len(printed.Time) == 0 {
			return nil, printed.Prepare, nil
		}
		var one float64
		if json.Unmarshal(printed.Time, &one) == nil {
			return []float64{one}, printed.Prepare, nil
		}
		if json.Unmarshal(printed.Time, &samples) != nil {
			return nil, 0, fmt.Errorf("time_ms is neither a number nor a list of numbers: %.80s", printed.Time)
		}
		return samples, printed.Prepare, nil
	}

	name, text, _ := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if name != "time_ms" && name != "prepare_ms" {
		return nil, 0, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%s is not a number: %.80q", name, text)
	case name == "prepare_ms":
		return nil, v, nil
	default:
		return []float64{v}, 0, nil
	}
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
