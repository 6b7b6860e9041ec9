package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"spmvtune/tuner/trial"
)

// Recorded returns what is recorded of the trials with these identities.
func (db *DB) Recorded(ctx context.Context, ids []string, detail trial.Detail) (map[string]trial.Record, error) {
	recorded := make(map[string]trial.Record)
	samples := "NULL"
	if detail == trial.Full {
		samples = "(SELECT data FROM sample s WHERE s.trial = t.id)"
	}
	err := db.lookUp(ctx, ids, "t.identity, t.status, t.median, t.low, t.high, t.stop, "+samples+" FROM json_each(?) ids CROSS JOIN trial t ON t.identity = ids.value",
		func(rows *sql.Rows) error {
			var r trial.Record
			var stop sql.NullString
			var data []byte
			err := rows.Scan(&r.ID, &r.Status, orZero{&r.Median}, orZero{&r.Low}, orZero{&r.High}, &stop, &data)
			r.Stop, r.Samples = trial.Stop(stop.String), unpack(data)
			recorded[r.ID] = r
			return err
		})
	if err != nil || detail == trial.Brief {
		return recorded, err
	}
	return recorded, db.repeats(ctx, ids, recorded)
}

// repeats adds the measurements that repeat recorded trials.
func (db *DB) repeats(ctx context.Context, ids []string, recorded map[string]trial.Record) error {
	final, err := db.column(ctx, "sentinel", "final")
	if err != nil || final != "final" { // an older file that is only read has no finals
		return err
	}
	return db.lookUp(ctx, ids, "s.identity, s.at, s.median, s.low, s.high, s.final, s.data FROM json_each(?) ids CROSS JOIN sentinel s ON s.identity = ids.value ORDER BY s.at",
		func(rows *sql.Rows) error {
			repeat := trial.Result{Status: trial.OK}
			var at int64
			var data []byte
			err := rows.Scan(&repeat.ID, &at, &repeat.Median, orZero{&repeat.Low}, orZero{&repeat.High}, &repeat.Final, &data)
			repeat.At, repeat.Sentinel, repeat.Samples = time.UnixMilli(at).UTC(), !repeat.Final, unpack(data)
			if r, is := recorded[repeat.ID]; is {
				repeat.Trial = r.Trial
				r.Repeats = append(r.Repeats, repeat)
				recorded[repeat.ID] = r
			}
			return err
		})
}

// lookUp runs a query on identities, in chunks, and gives each row to scan.
func (db *DB) lookUp(ctx context.Context, ids []string, query string, scan func(*sql.Rows) error) error {
	const chunk = 10_000 // keeps the list that is handed to SQLite below a megabyte
	for part := range slices.Chunk(ids, chunk) {
		list, err := json.Marshal(part)
		if err == nil {
			_, err = collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) { return struct{}{}, scan(rows) }, "SELECT "+query, string(list))
		}
		if err != nil {
			return fmt.Errorf("looking up recorded trials: %w", failed(db.path, err))
		}
	}
	return nil
}

// Record keeps r, with its samples, in one commit. When it returns nil, r
// survives the death of the process. Recording an identity again replaces what
// did not end well and leaves what did. A new identity of a configuration that
// was recorded before (its kernel or the protocol has changed) supersedes the
// old one in the views best and speedup, unless it was measured earlier. What is
// measured again is kept beside the result of its trial.
func (db *DB) Record(ctx context.Context, r trial.Result) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, "recording "+r.Config.String(), func(tx *sql.Tx) error {
		keys, err := db.rec.keys(r)
		if err != nil {
			return err
		}
		stmts := db.rec.stmts.in(ctx, tx)
		if r.Again() {
			return putAgain(ctx, stmts, keys.runKeys, r)
		}
		_, err = putTrial(ctx, stmts, keys, r)
		return err
	})
}

// putTrial reports whether r was kept. If not, one of its identity is there that
// ended well, or that failed like r, but later.
func putTrial(ctx context.Context, stmts statements, k trialKeys, r trial.Result) (kept bool, err error) {
	var id, at int64
	var status trial.Status
	switch err := stmts.find.QueryRowContext(ctx, r.ID).Scan(&id, &status, &at); {
	case errors.Is(err, sql.ErrNoRows):
		inserted, err := stmts.insert.ExecContext(ctx, trialValues(k, r)...)
		if err != nil {
			return false, err
		}
		if id, err = inserted.LastInsertId(); err != nil {
			return false, err
		}
	case err != nil:
		return false, err
	case !r.Standing().Replaces(trial.Standing{Status: status, At: at}):
		return false, nil
	default:
		if _, err := stmts.replace.ExecContext(ctx, append(trialValues(k, r), id)...); err != nil {
			return false, err
		}
	}
	if err := supersede(ctx, stmts, k, r); err != nil {
		return false, err
	}
	if len(r.Samples) > 0 {
		if _, err := stmts.sample.ExecContext(ctx, id, pack(r.Samples)); err != nil {
			return false, err
		}
	}
	if r.Telemetry != nil {
		if _, err := stmts.reading.ExecContext(ctx, readingValues(id, *r.Telemetry)...); err != nil {
			return false, err
		}
	}
	return true, nil
}

// supersede leaves in force, of the trials of r's configuration, the one that was
// measured last. All of them decide, so that the order of recording does not.
func supersede(ctx context.Context, stmts statements, k trialKeys, r trial.Result) error {
	rows, err := stmts.same.QueryContext(ctx, k.matrix, k.device, string(r.Precision), string(r.Cache),
		r.Params.String(), r.Grid, r.Block, r.Kernel)
	if err != nil {
		return err
	}
	defer rows.Close()
	type trial struct {
		id, at     int64
		superseded bool
	}
	var same []trial
	for rows.Next() {
		var t trial
		if err := rows.Scan(&t.id, &t.at, &t.superseded); err != nil {
			return err
		}
		same = append(same, t)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	newest := slices.MaxFunc(same, func(a, b trial) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	for _, t := range same {
		if superseded := t.id != newest.id; superseded != t.superseded {
			if _, err := stmts.mark.ExecContext(ctx, superseded, t.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// trialColumns are those of a trial that trialValues gives, in their order.
var trialColumns = []string{"identity", "sweep", "device", "matrix", "kernel", "precision", "block", "grid", "params", "cache",
	"status", "median", "low", "high", "log_median", "samples", "batch", "stop", "prepare", "max_error", "worst_row",
	"bytes_min", "bytes_kernel", "properties", "warnings", "message", "measured_at", "origin", "seconds"}

func trialValues(k trialKeys, r trial.Result) []any {
	values := []any{r.ID, k.sweep, k.device, k.matrix, k.kernel, string(r.Precision), r.Block, r.Grid,
		r.Params.String(), string(r.Cache), string(r.Status)}
	if r.Status == trial.OK {
		values = append(values, r.Median, r.Low, r.High, math.Log(r.Median), len(r.Samples), r.Batch, text(string(r.Stop)), r.Prepare)
	} else {
		values = append(values, nil, nil, nil, nil, nil, nil, nil, nil)
	}
	if r.Status == trial.OK || r.Status == trial.Wrong {
		values = append(values, r.MaxError, r.WorstRow)
	} else {
		values = append(values, nil, nil)
	}
	return append(values, count(r.BytesMin), count(r.BytesOwn), object(r.Properties), list(r.Warnings),
		text(r.Message), r.At.UnixMilli(), count(k.origin), positive(r.Seconds))
}

// text, count, positive, object and list give nil for what is not there.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func count(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func positive(v float64) any {
	if !(v > 0) {
		return nil
	}
	return v
}

// object leaves out values that JSON does not have.
func object(m map[string]float64) any {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(m) == 0 {
		return nil
	}
	data, _ := json.Marshal(m) // finite numbers by name can't fail
	return string(data)
}

func list(s []string) any {
	if len(s) == 0 {
		return nil
	}
	data, _ := json.Marshal(s) // strings can't fail
	return string(data)
}
