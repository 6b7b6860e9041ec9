package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"

	"spmvtune/kernels"
)

// Counts are what a profiler counted in a launch, as fractions; NaN where it did not.
type Counts struct {
	Occupancy      float64 // achieved: resident warps, of the most that a multiprocessor holds
	WarpEfficiency float64 // threads that took part in an instruction, of those of a warp
	LoadEfficiency float64 // bytes that were asked for, of those in the sectors that global loads moved
}

// A Countable is a trial that a profiler's counts may belong to.
type Countable struct {
	Identity string
	kernels.Config
	Facts map[string]float64 // that the backend noted, by name; nil: none
}

// Countables returns the good trials in force of a device on a matrix, by their names.
func (db *DB) Countables(ctx context.Context, device, matrix string) ([]Countable, error) {
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (c Countable, err error) {
		var params string
		var facts []byte
		if err := rows.Scan(&c.Identity, &c.Kernel, &c.Precision, &c.Block, &c.Grid, &params, &facts); err != nil {
			return c, err
		}
		if c.Params, err = kernels.ParseParams(params); err != nil {
			return c, err
		}
		if facts != nil {
			err = json.Unmarshal(facts, &c.Facts)
		}
		return c, err
	}, `SELECT t.identity, k.name, t.precision, t.block, t.grid, t.params, t.properties
		FROM trial t JOIN kernel k ON k.id = t.kernel JOIN device d ON d.id = t.device JOIN matrix m ON m.id = t.matrix
		WHERE d.name = ? AND m.name = ? AND t.superseded = 0 AND t.median IS NOT NULL ORDER BY t.id`, device, matrix)
	if err != nil {
		return nil, fmt.Errorf("reading trials: %w", failed(db.path, err))
	}
	return list, nil
}

// SaveCounts keeps what was counted, by identity of the trial, in place of what was
// there. Nothing is kept of trials that are not recorded.
func (db *DB) SaveCounts(ctx context.Context, counts map[string]Counts) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, "recording a profile", func(tx *sql.Tx) error {
		for identity, c := range counts {
			if _, err := tx.ExecContext(ctx, `
				INSERT OR REPLACE INTO counted (trial, occupancy, warp_efficiency, load_efficiency)
				SELECT id, ?, ?, ? FROM trial WHERE identity = ?`,
				orNull(c.Occupancy), orNull(c.WarpEfficiency), orNull(c.LoadEfficiency), identity); err != nil {
				return err
			}
		}
		return nil
	})
}

// orNull is null for NaN.
func orNull(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

// counts is what to select for a JSON object of what was counted in the trial t, without
// what was not: null in an older file that is only read.
func (db *DB) counts(ctx context.Context) (string, error) {
	there, err := db.column(ctx, "counted", "trial")
	if err != nil || there == "NULL" {
		return "NULL", err
	}
	return `(SELECT json_patch('{}', json_object('achieved_occupancy', occupancy, 'warp_efficiency', warp_efficiency, 'load_efficiency', load_efficiency))
		FROM counted c WHERE c.trial = t.id)`, nil
}
