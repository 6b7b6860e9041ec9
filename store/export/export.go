// Package export writes what a database holds in the formats of other tools, so that they read it without a
// converter: tables (CSV, JSON, Parquet), the files of auto-tuners (T1, T4, Kernel Tuner's cache), and those of
// programs that compare benchmarks (benchstat, Google Benchmark). docs/exchange.md says what is in each.
//
// Nothing is computed anew: times, intervals and ties are those of the database. A format that has one search
// space in a file gets the trials of one place. What a format has no room for is left out, and counted.
package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"spmvtune/store"
)

// A Format is a kind of file.
type Format struct {
	Name      string
	Extension string // of its files, with the dot
	About     string // what reads it
	// OnePlace says that a file has the trials of one place: of one device, matrix, precision and cache state.
	OnePlace bool
	// Binary says that a terminal can't show it.
	Binary bool
	// Write writes the trials that a filter chooses.
	Write func(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (Count, error)
}

// A Count says what became of trials.
type Count struct {
	Written int
	LeftOut int // failed, and the format has no room for that
}

// Formats are all formats.
var Formats = []Format{
	{Name: "csv", Extension: ".csv", About: "spreadsheets; the columns of the view results", Write: writeCSV},
	{Name: "json", Extension: ".json", About: "scripts; the same, with the samples", Write: writeJSON},
	{Name: "parquet", Extension: ".parquet", About: "DuckDB, pandas, Spark; the same with types and samples",
		Binary: true, Write: writeParquet},
	{Name: "t4", Extension: ".json", About: "results for programs that compare auto-tuners", OnePlace: true,
		Write: writeT4},
	{Name: "t1", Extension: ".json", About: "their search space", OnePlace: true, Write: writeT1},
	{Name: "kernel-tuner", Extension: ".json", About: "a cache file for Kernel Tuner's simulation mode", OnePlace: true,
		Write: writeKernelTuner},
	{Name: "benchstat", Extension: ".txt", About: "Go's benchstat; a line for each sample", Write: writeBenchstat},
	{Name: "google-benchmark", Extension: ".json", About: "Google Benchmark's compare.py; likewise", Write: writeGoogle},
}

// Named returns the format of this name.
func Named(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Names are the names of all formats.
func Names() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// milliseconds gives samples in ms, in the few digits that their single precision has.
func milliseconds(samples []float64) []float64 {
	ms := make([]float64, len(samples))
	for i, s := range samples {
		ms[i] = scaled(s, 3)
	}
	return ms
}

// scaled is a number of single precision times a power of ten, as decimals.
func scaled(x float64, power int) float64 {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 32), "e")
	n, _ := strconv.Atoi(exponent)
	y, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(n+power), 64)
	if err != nil {
		return x * math.Pow10(power)
	}
	return y
}

// A list writes the elements of a JSON array, or the members of an object, each on a line, as they come.
type list struct {
	w    *bufio.Writer
	end  string
	some bool
}

// newList begins a list. start and end stand around it.
func newList(w io.Writer, start, end string) (*list, error) {
	l := &list{w: bufio.NewWriter(w), end: end}
	_, err := l.w.WriteString(start)
	return l, err
}

// add writes an element.
func (l *list) add(v any) error { return l.member("", v) }

// member writes a member of an object, or an element where it has no key.
func (l *list) member(key string, v any) error {
	text, err := jsonText(v)
	if err != nil {
		return err
	}
	if l.some {
		l.w.WriteByte(',')
	}
	l.some = true
	l.w.WriteByte('\n')
	if key != "" {
		name, err := jsonText(key)
		if err != nil {
			return err
		}
		l.w.Write(name)
		l.w.WriteString(": ")
	}
	_, err = l.w.Write(text)
	return err
}

// close ends the list.
func (l *list) close() error {
	l.w.WriteString(l.end)
	return l.w.Flush()
}

// jsonText is JSON on one line, without escapes for HTML.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// members are a JSON object that keeps the order of its members.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the object.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range m {
		name, err := jsonText(one.name)
		if err != nil {
			return nil, err
		}
		value, err := jsonText(one.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
