// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// A column is a column of the table trial that holds a part of the result.
type column struct {
	name string
	// value returns what the column keeps of a result.
	value func(r *trial.Result) any
	// field returns what the column is read into. It is nil if the column is not read.
	field func(s *stored) any
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
	return c.where(func(r *trial.Result) bool { return slices.Contains(statuses, r.Status) })
}

// where makes the column null in other trials.
func (c column) where(known func(*trial.Result) bool) column {
	value := c.value
	c.value = func(r *trial.Result) any {
		if !known(r) {
			return nil
		}
		return value(r)
	}
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
	optional("low", func(r *trial.Result) *float64 { return &r.WithinLow }).only(trial.OK),
	optional("high", func(r *trial.Result) *float64 { return &r.WithinHigh }).only(trial.OK),
	column{name: "log_median", value: func(r *trial.Result) any { return math.Log(r.Median) }}.only(trial.OK),
	column{name: "samples",
		value: func(r *trial.Result) any { return len(r.Samples) },
		field: func(s *stored) any { return orZero(&s.Taken) }}.only(trial.OK),
	kept("batch", func(r *trial.Result) *int { return &r.Batch }).only(trial.OK),
	optional("stop", func(r *trial.Result) *trial.Stop { return &r.Stop }).only(trial.OK),
	kept("prepare", func(r *trial.Result) *float64 { return &r.Prepare }).only(trial.OK),

	kept("max_error", func(r *trial.Result) *float64 { return &r.MaxError }).only(trial.OK, trial.Wrong).
		where((*trial.Result).Verified),
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
	optional("seconds", func(r *trial.Result) *float64 { return &r.Seconds }),
	optional("measurement", func(r *trial.Result) *int { return &r.Measurement }),
	optional("asked", func(r *trial.Result) *int64 { return &r.LastRequested }),
	optional("host_cores", func(r *trial.Result) *float64 { return &r.Host.Cores }),
	optional("host_others", func(r *trial.Result) *float64 { return &r.Host.Others }),
	optional("host_stolen", func(r *trial.Result) *float64 { return &r.Host.Stolen }),
	optional("host_switches", func(r *trial.Result) *int { return &r.Host.Switches }),
	optional("host_own", func(r *trial.Result) *float64 { return &r.Host.Own }),
	optional("host_load", func(r *trial.Result) *float64 { return &r.Host.Load }),
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

// list is a JSON array, null if it is empty, of which json_each makes no rows.
func list(s []string) any {
	if len(s) == 0 {
		return nil
	}
	data, _ := json.Marshal(s) // strings can't fail
	return string(data)
}

// A bound is what the values of some columns are between, in every file that this program wrote. Null is within it.
type bound struct {
	what    string // with the number of the row
	columns string
	lo, hi  float64
}

// What reads values takes for granted that they are within these bounds: others are in a damaged
// file, or in one that somebody made.
var bounds = []struct {
	table string
	list  []bound
}{
	{table: "trial", list: []bound{
		{"the time of trial %d is not between a femtosecond and a million days", "median", 1e-15, longest},
		{"the interval of trial %d is invalid", "low high", 0, longest},
		{"the block or grid of trial %d is not between 0 and 2147483647", "block grid", 0, math.MaxInt32},
		{"the bytes of trial %d are not above 0", "bytes_min bytes_kernel", 1, 1e18},
		{"the moment of trial %d is not within ten thousand years", "measured_at", -1e14, 3e14},
		{"the parameters of trial %d are too long", "length(params)", 0, 1000},
	}},
	{table: "matrix", list: []bound{
		{"the numbers of rows, columns and nonzeros of matrix %d are invalid", "rows cols nonzeros", 0, 1e15},
		{noLength, "row_mean row_std", 0, 1e15},
		{noLength, "row_min row_p25 row_median row_p75 row_p90 row_p99 row_max empty_rows cols_used bandwidth",
			-1, 1e15},
		{"the name or class of matrix %d is too long", "length(name) length(class)", 0, trial.LongestStored},
	}},
	{table: "device", list: []bound{
		{"the bandwidth of device %d is not between 0 and a billion GB/s", "roof_read roof_copy roof_triad", 0, 1e9},
		{"the name of device %d is too long", "length(name) length(backend) length(model) length(driver)", 0, trial.LongestStored},
	}},
	{table: "kernel", list: []bound{
		{"the name of kernel %d is too long", "length(name) length(paper) length(format)", 0, trial.LongestStored},
	}},
	{table: "sweep", list: []bound{{"the name of sweep %d is too long", "length(name)", 0, trial.LongestStored}}},
	{table: "rerun", list: []bound{
		{noTime, "median", 1e-15, longest}, {noTime, "low high", 0, longest},
	}},
}

const (
	longest  = 1e11 // seconds
	noLength = "a row length of matrix %d is invalid"
	noTime   = "invalid time in rerun, row %d"
)

// tableNames are the tables of the schema.
var tableNames = regexp.MustCompile(`CREATE TABLE (\w+)`)

// checkValues refuses a database with values that this program never writes, with triggers that are not
// its own, and with something else where a table must be.
func checkValues(ctx context.Context, path string, db *sql.DB) error {
	triggers, err := texts(ctx, db, "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
	if err != nil {
		return failed(path, err)
	}
	for _, text := range triggers {
		if !strings.Contains(schema, text) {
			return foreign{fmt.Errorf("database %s: it has a trigger that is not this program's: %.200q", path, text)}
		}
	}

	others, err := texts(ctx, db, "SELECT name FROM sqlite_master WHERE type <> 'table'")
	if err != nil {
		return failed(path, err)
	}
	for _, table := range tableNames.FindAllStringSubmatch(schema, -1) {
		if slices.Contains(others, table[1]) {
			return foreign{fmt.Errorf("database %s: %s is a view, and must be a table: a program other than "+
				"spmvtune has changed the file", path, table[1])}
		}
	}

	var table, parent string
	err = db.QueryRowContext(ctx, `SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`).Scan(&table, &parent)
	switch {
	case err == nil:
		return fmt.Errorf("database %s: a row of %s belongs to a %s that is not there: %w", path, table, parent,
			errDamaged)
	case !errors.Is(err, sql.ErrNoRows):
		return failed(path, err)
	}

	for _, t := range bounds {
		if err := checkTable(ctx, db, t.table, t.list); err != nil {
			return failed(path, err)
		}
	}
	return nil
}

// checkTable looks for values beyond their bounds. Reading a table once takes most of the time.
func checkTable(ctx context.Context, db *sql.DB, table string, list []bound) error {
	cases := ""
	for i, b := range list {
		for c := range strings.FieldsSeq(b.columns) {
			cases += fmt.Sprintf(" WHEN %s NOT BETWEEN %g AND %g THEN %d", c, b.lo, b.hi, i)
		}
	}
	var row, at int
	err := db.QueryRowContext(ctx, "SELECT id, bad FROM (SELECT rowid AS id, CASE"+cases+" END AS bad FROM "+table+
		") WHERE bad IS NOT NULL LIMIT 1").Scan(&row, &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf(list[at].what+": %w", row, errDamaged)
}

// pack stores samples as little-endian float32: GPU events give no more, and below 8 ms it still tells nanoseconds apart.
func pack(samples []float64) []byte {
	data := make([]byte, 0, 4*len(samples))
	for _, s := range samples {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(s)))
	}
	return data
}

func unpack(data []byte) []float64 {
	var samples []float64
	for ; len(data) >= 4; data = data[4:] {
		samples = append(samples, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
	}
	return samples
}
