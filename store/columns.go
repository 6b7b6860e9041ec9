package store

import (
	"encoding/json"
	"maps"
	"math"

	"spmvtune/tuner/trial"
)

// A column is a column of the table trial that holds a part of the result.
type column struct {
	name string
	// value is what the column keeps of a result.
	value func(r *trial.Result) any
	// field is where the column is read into. It is nil of a column that is not read.
	field func(s *stored) any
	// since is the schema that added the column; 0: the first.
	since int
	// seldom is what the column is read for; 0: it is always read.
	seldom want
}

// A want says what is read of trials besides what is always read.
type want int

const (
	wantSamples   want = 1 << iota // Result.Samples
	wantFacts                      // Result.Properties
	wantCounts                     // stored.counts
	wantTelemetry                  // Result.Telemetry
	wantWarnings                   // Result.Warnings
)

// trialColumns are the columns of the table trial besides its keys. Whoever reads or
// writes a trial goes through this list, so that no column can be forgotten.
var trialColumns = []column{
	{"identity", func(r *trial.Result) any { return r.ID }, func(s *stored) any { return &s.ID }, 0, 0},
	{"precision", func(r *trial.Result) any { return string(r.Precision) },
		func(s *stored) any { return &s.Precision }, 0, 0},
	{"block", func(r *trial.Result) any { return r.Block }, func(s *stored) any { return &s.Block }, 0, 0},
	{"grid", func(r *trial.Result) any { return r.Grid }, func(s *stored) any { return &s.Grid }, 0, 0},
	{"params", func(r *trial.Result) any { return string(r.Params) },
		func(s *stored) any { return &s.Params }, 0, 0},
	{"cache", func(r *trial.Result) any { return string(r.Cache) },
		func(s *stored) any { return &s.Cache }, 0, 0},
	{"status", func(r *trial.Result) any { return string(r.Status) },
		func(s *stored) any { return &s.Status }, 0, 0},
	{"message", func(r *trial.Result) any { return nonzero(r.Message) },
		func(s *stored) any { return orZero(&s.Message) }, 0, 0},

	{"median", func(r *trial.Result) any { return timed(r, r.Median) },
		func(s *stored) any { return orZero(&s.Median) }, 0, 0},
	{"low", func(r *trial.Result) any { return timed(r, nonzero(r.Low)) },
		func(s *stored) any { return orZero(&s.Low) }, 0, 0},
	{"high", func(r *trial.Result) any { return timed(r, nonzero(r.High)) },
		func(s *stored) any { return orZero(&s.High) }, 0, 0},
	{"log_median", func(r *trial.Result) any { return timed(r, math.Log(r.Median)) }, nil, 0, 0},
	{"samples", func(r *trial.Result) any { return timed(r, len(r.Samples)) },
		func(s *stored) any { return orZero(&s.Taken) }, 0, 0},
	{"batch", func(r *trial.Result) any { return timed(r, r.Batch) },
		func(s *stored) any { return orZero(&s.Batch) }, 0, 0},
	{"stop", func(r *trial.Result) any { return timed(r, nonzero(string(r.Stop))) },
		func(s *stored) any { return orZero(&s.Stop) }, 0, 0},
	{"prepare", func(r *trial.Result) any { return timed(r, r.Prepare) },
		func(s *stored) any { return orZero(&s.Prepare) }, 0, 0},

	{"max_error", func(r *trial.Result) any { return checked(r, r.MaxError) },
		func(s *stored) any { return orZero(&s.MaxError) }, 0, 0},
	{"worst_row", func(r *trial.Result) any { return checked(r, r.WorstRow) },
		func(s *stored) any { return orZero(&s.WorstRow) }, 0, 0},
	{"bytes_min", func(r *trial.Result) any { return nonzero(r.BytesMin) },
		func(s *stored) any { return orZero(&s.BytesMin) }, 0, 0},
	{"bytes_kernel", func(r *trial.Result) any { return nonzero(r.BytesOwn) },
		func(s *stored) any { return orZero(&s.BytesOwn) }, 0, 0},
	{"properties", func(r *trial.Result) any { return object(r.Properties) },
		func(s *stored) any { return fromJSON{&s.Properties} }, 0, wantFacts},
	{"warnings", func(r *trial.Result) any { return list(r.Warnings) },
		func(s *stored) any { return fromJSON{&s.Warnings} }, 0, wantWarnings},
	{"measured_at", func(r *trial.Result) any { return r.At.UnixMilli() },
		func(s *stored) any { return moment{&s.At} }, 0, 0},
	{"seconds", func(r *trial.Result) any { return positive(r.Seconds) },
		func(s *stored) any { return orZero(&s.Seconds) }, schemaSeconds, 0},
	{"measurement", func(r *trial.Result) any { return nonzero(r.Measurement) },
		func(s *stored) any { return orZero(&s.Measurement) }, schemaMeasurement, 0},
}

// timed is a value of results that have a time, null of the others.
func timed(r *trial.Result, v any) any {
	if r.Status != trial.OK {
		return nil
	}
	return v
}

// checked is a value of results that were compared with the reference, null of the others.
func checked(r *trial.Result, v any) any {
	if r.Status != trial.OK && r.Status != trial.Wrong {
		return nil
	}
	return v
}

// nonzero is null for the zero value.
func nonzero[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// positive is null for what is not above 0.
func positive(v float64) any {
	if !(v > 0) {
		return nil
	}
	return v
}

// object is a JSON object without the values that JSON does not have, null if it is empty.
func object(m map[string]float64) any {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(m) == 0 {
		return nil
	}
	data, _ := json.Marshal(m) // finite numbers by name can't fail
	return string(data)
}

// list is a JSON array, null if it is empty.
func list(s []string) any {
	if len(s) == 0 {
		return nil
	}
	data, _ := json.Marshal(s) // strings can't fail
	return string(data)
}
