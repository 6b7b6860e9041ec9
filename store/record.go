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

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// Finished returns which of the trials with these identities are recorded, with
// the status they ended in.
func (db *DB) Finished(ctx context.Context, ids []string) (map[string]trial.Status, error) {
	finished := map[string]trial.Status{}
	err := db.lookUp(ctx, ids, "status", func(rows *sql.Rows) error {
		var id string
		var status trial.Status
		err := rows.Scan(&id, &status)
		finished[id] = status
		return err
	})
	return finished, err
}

// lookUp gives scan the identity and a column of each trial that is recorded.
func (db *DB) lookUp(ctx context.Context, ids []string, column string, scan func(*sql.Rows) error) error {
	const chunk = 10_000 // keeps the list that is handed to SQLite below a megabyte
	for part := range slices.Chunk(ids, chunk) {
		list, err := json.Marshal(part)
		if err == nil {
			_, err = collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) { return struct{}{}, scan(rows) },
				"SELECT t.identity, t."+column+" FROM json_each(?) ids CROSS JOIN trial t ON t.identity = ids.value", string(list))
		}
		if err != nil {
			return fmt.Errorf("looking up finished trials: %w", failed(db.path, err))
		}
	}
	return nil
}

// Medians returns those of the trials with these identities that ended well, in seconds
// per product.
func (db *DB) Medians(ctx context.Context, ids []string) (map[string]float64, error) {
	medians := map[string]float64{}
	err := db.lookUp(ctx, ids, "median", func(rows *sql.Rows) error {
		var id string
		var median sql.NullFloat64
		err := rows.Scan(&id, &median)
		if median.Valid {
			medians[id] = median.Float64
		}
		return err
	})
	return medians, err
}

// Known returns what is recorded of the trials with these identities, with samples and
// finals.
func (db *DB) Known(ctx context.Context, ids []string) (map[string]tuner.Known, error) {
	finals := "NULL" // in an older file that is only read
	if final, err := db.column(ctx, "sentinel", "final"); err != nil {
		return nil, fmt.Errorf("looking up finished trials: %w", failed(db.path, err))
	} else if final == "final" {
		finals = "(SELECT json_group_array(median) FROM sentinel a WHERE a.identity = t.identity AND a.final = 1)"
	}
	columns := "status, t.median, t.low, t.high, (SELECT data FROM sample s WHERE s.trial = t.id), " + finals
	known := map[string]tuner.Known{}
	err := db.lookUp(ctx, ids, columns, func(rows *sql.Rows) error {
		var id string
		var k tuner.Known
		var data, finals []byte
		err := rows.Scan(&id, &k.Status, orZero{&k.Median}, orZero{&k.Low}, orZero{&k.High}, &data, &finals)
		if err == nil && finals != nil {
			err = json.Unmarshal(finals, &k.Finals)
		}
		k.Samples = unpack(data)
		known[id] = k
		return err
	})
	return known, err
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
	case !better(r, status, at):
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

// better reports whether r is to replace what was recorded of its identity.
func better(r trial.Result, status trial.Status, at int64) bool {
	switch newer := r.At.UnixMilli(); {
	case status == trial.OK:
		return false
	case r.Status == trial.OK || newer > at:
		return true
	default:
		return newer == at && r.Status != status // told apart by no clock: the last to come
	}
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
