package export

import (
	"context"
	"io"
	"math"
	"strconv"

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
	text := strconv.FormatFloat(x, 'e', -1, 32)
	y, err := strconv.ParseFloat(shift(text, power), 64)
	if err != nil {
		return x * math.Pow10(power)
	}
	return y
}

// shift adds to the exponent of a number in scientific notation.
func shift(text string, power int) string {
	for i := range text {
		if text[i] == 'e' {
			n, _ := strconv.Atoi(text[i+1:])
			return text[:i+1] + strconv.Itoa(n+power)
		}
	}
	return text
}
