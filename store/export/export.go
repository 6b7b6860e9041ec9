// SPDX-License-Identifier: Apache-2.0

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
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
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
	Write writer
}

type writer func(ctx context.Context, w io.Writer, db *store.DB, f Selection) (leftOut int, err error)

// A Selection says what a file has.
type Selection struct {
	store.Filter
	// Features adds those of the matrix to each row of a table.
	Features bool
}

// Formats are all formats.
var Formats = []Format{
	{Name: "csv", Extension: ".csv", About: "spreadsheets; the columns of the view results, and one for each parameter",
		Write: table("csv", false)},
	{Name: "json", Extension: ".json", About: "scripts; the same, with the samples", Write: table("json", true)},
	{Name: "jsonl", Extension: ".jsonl", About: "scripts that read line by line; the same", Write: table("jsonl", true)},
	{Name: "parquet", Extension: ".parquet", About: "DuckDB, pandas, Spark; the same with types and samples",
		Binary: true, Write: writeParquet},
	{Name: "t4", Extension: ".json", About: "results for programs that compare auto-tuners", OnePlace: true,
		Write: ofPlace(writeT4)},
	{Name: "t1", Extension: ".json", About: "their search space", OnePlace: true, Write: ofPlace(writeT1)},
	{Name: "kernel-tuner", Extension: ".json", About: "a cache file for Kernel Tuner's simulation mode", OnePlace: true,
		Write: ofPlace(writeKernelTuner)},
	{Name: "benchstat", Extension: ".txt", About: "Go's benchstat; a line for each sample", Write: writeBenchstat},
	{Name: "google-benchmark", Extension: ".json", About: "Google Benchmark's compare.py; likewise", Write: writeGoogle},
}

// eachTimed calls do with the trials that have a time, and counts the others as left out.
func eachTimed(ctx context.Context, db *store.DB, f Selection, do func(*store.Row) error) (leftOut int, err error) {
	err = db.Trials(ctx, f.Filter, func(r *store.Row) error {
		if r.Status != trial.OK {
			leftOut++
			return nil
		}
		return do(r)
	})
	return leftOut, err
}

// Named returns the format of this name.
func Named(name string) (Format, bool) {
	return lists.First(Formats, func(f Format) bool { return f.Name == name })
}

// Names are the names of all formats.
func Names() []string {
	return lists.Of(Formats, func(f Format) string { return f.Name })
}

// milliseconds gives samples in ms, in the few digits that their single precision has.
func milliseconds(samples []float64) []float64 {
	return lists.Of(samples, func(s float64) float64 { return scaled(s, 3) })
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

// A stream writes a JSON object whose last member is long: an array or an object, whose elements come one after the
// other, each on a line.
type stream struct {
	w         *bufio.Writer
	end       string
	separator string
	err       error // the first of its elements that is no JSON
}

// newStream begins with the members before the last one. The last one begins with open, and end closes it and the object.
func newStream(w io.Writer, head members, last, open, end string) *stream {
	text, err := jsonText(head)
	s := &stream{w: bufio.NewWriter(w), end: end, separator: "\n", err: err}
	fmt.Fprintf(s.w, "%s,%q: %s", bytes.TrimSuffix(text, []byte("}")), last, open)
	return s
}

// add writes an element: with a key a member of an object, else one of an array.
func (s *stream) add(key string, v any) {
	s.w.WriteString(s.separator)
	s.separator = ",\n"
	if key != "" {
		name, _ := jsonText(key) // texts can't fail
		fmt.Fprintf(s.w, "%s: ", name)
	}
	text, err := jsonText(v)
	s.w.Write(text)
	s.err = cmp.Or(s.err, err)
}

// close ends the object, unless an element is missing: a file that ends before reads as one that was cut.
func (s *stream) close() error {
	if s.err != nil {
		return s.err
	}
	s.w.WriteString(s.end)
	return s.w.Flush()
}

// jsonText is JSON on one line, without escapes for HTML.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// members are a JSON object.
type members = map[string]any
