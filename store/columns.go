package store

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A column is a column of the table trial that holds a part of the result.
type column struct {
	name string
	// value returns what the column keeps of a result.
	value func(r *trial.Result) any
	// field returns what the column is read into. It is nil if the column is not read.
	field func(s *stored) any
	// since is the schema that added the column, 0 for the first one.
	since int
	// want says who reads the column. It is 0 if every reader does.
	want want
}

// kept is a column that keeps a part of the result as it is. Null is read as the zero value.
func kept[T any](name string, part func(*trial.Result) *T) column {
	return column{name: name,
		value: func(r *trial.Result) any { return *part(r) },
		field: func(s *stored) any { return orZero(part(&s.Result)) }}
}

// optional is like kept, but keeps null for the zero value.
func optional[T comparable](name string, part func(*trial.Result) *T) column {
	c := kept(name, part)
	c.value = func(r *trial.Result) any { return nonzero(*part(r)) }
	return c
}

// only makes the column null in trials that did not end in one of these statuses.
func (c column) only(statuses ...trial.Status) column {
	value := c.value
	c.value = func(r *trial.Result) any {
		if !slices.Contains(statuses, r.Status) {
			return nil
		}
		return value(r)
	}
	return c
}

// verified makes the column null in trials of programs that show no y.
func (c column) verified() column {
	value := c.value
	c.value = func(r *trial.Result) any {
		if !r.Verified() {
			return nil
		}
		return value(r)
	}
	return c
}

// added says which schema added the column.
func (c column) added(schema int) column {
	c.since = schema
	return c
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
	kept("identity", func(r *trial.Result) *string { return &r.ID }),
	kept("precision", func(r *trial.Result) *kernels.Precision { return &r.Precision }),
	kept("block", func(r *trial.Result) *int { return &r.Block }),
	kept("grid", func(r *trial.Result) *int { return &r.Grid }),
	kept("params", func(r *trial.Result) *kernels.Params { return &r.Params }),
	kept("cache", func(r *trial.Result) *trial.Cache { return &r.Cache }),
	kept("status", func(r *trial.Result) *trial.Status { return &r.Status }),
	optional("message", func(r *trial.Result) *string { return &r.Message }),

	kept("median", func(r *trial.Result) *float64 { return &r.Median }).only(trial.OK),
	optional("low", func(r *trial.Result) *float64 { return &r.Low }).only(trial.OK),
	optional("high", func(r *trial.Result) *float64 { return &r.High }).only(trial.OK),
	column{name: "log_median", value: func(r *trial.Result) any { return math.Log(r.Median) }}.only(trial.OK),
	column{name: "samples",
		value: func(r *trial.Result) any { return len(r.Samples) },
		field: func(s *stored) any { return orZero(&s.Taken) }}.only(trial.OK),
	kept("batch", func(r *trial.Result) *int { return &r.Batch }).only(trial.OK),
	optional("stop", func(r *trial.Result) *trial.Stop { return &r.Stop }).only(trial.OK),
	kept("prepare", func(r *trial.Result) *float64 { return &r.Prepare }).only(trial.OK),

	kept("max_error", func(r *trial.Result) *float64 { return &r.MaxError }).only(trial.OK, trial.Wrong).verified(),
	kept("worst_row", func(r *trial.Result) *int { return &r.WorstRow }).only(trial.OK, trial.Wrong),
	optional("bytes_min", func(r *trial.Result) *int64 { return &r.BytesMin }),
	optional("bytes_kernel", func(r *trial.Result) *int64 { return &r.BytesOwn }),
	{name: "properties", want: wantFacts,
		value: func(r *trial.Result) any { return object(r.Properties) },
		field: func(s *stored) any { return fromJSON(&s.Properties) }},
	{name: "warnings", want: wantWarnings,
		value: func(r *trial.Result) any { return list(r.Warnings) },
		field: func(s *stored) any { return fromJSON(&s.Warnings) }},
	{name: "measured_at",
		value: func(r *trial.Result) any { return r.At.UnixMilli() },
		field: func(s *stored) any { return moment{&s.At} }},
	optional("seconds", func(r *trial.Result) *float64 { return &r.Seconds }).added(schemaSeconds),
	optional("measurement", func(r *trial.Result) *int { return &r.Measurement }).added(schemaMeasurement),
	optional("asked", func(r *trial.Result) *int64 { return &r.LastRequested }).added(schemaAsked),
	optional("host_cores", func(r *trial.Result) *float64 { return &r.Host.Cores }).added(schemaHost),
	optional("host_others", func(r *trial.Result) *float64 { return &r.Host.Others }).added(schemaHost),
	optional("host_stolen", func(r *trial.Result) *float64 { return &r.Host.Stolen }).added(schemaHost),
	optional("host_switches", func(r *trial.Result) *int { return &r.Host.Switches }).added(schemaHost),
	optional("host_own", func(r *trial.Result) *float64 { return &r.Host.Own }).added(schemaHost),
	optional("host_load", func(r *trial.Result) *float64 { return &r.Host.Load }).added(schemaHost),
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
