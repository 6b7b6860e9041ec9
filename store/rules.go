package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// A SavedRule is a rule that was learned from the results.
type SavedRule struct {
	Sweep   string    // name of the sweep that it was learned from
	Learned time.Time // when it was learned, to the millisecond
	JSON    []byte    // the rule.Rule
}

// SaveRule keeps a rule, in place of an earlier one for the same sweep.
func (db *DB) SaveRule(ctx context.Context, r SavedRule) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, "saving the rule", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO rule (sweep, learned, json) VALUES (?, ?, ?)
			ON CONFLICT (sweep) DO UPDATE SET learned = excluded.learned, json = excluded.json`,
			r.Sweep, r.Learned.UnixMilli(), string(r.JSON))
		return err
	})
}

// ErrNoRule is what Rule gives for a database in which none was learned.
var ErrNoRule = errors.New("no rule was learned from this database yet")

// Rule returns the rule that was learned last.
func (db *DB) Rule(ctx context.Context) (SavedRule, error) {
	var r SavedRule
	var learned int64
	err := db.read.QueryRowContext(ctx,
		`SELECT sweep, learned, json FROM rule ORDER BY learned DESC, sweep LIMIT 1`).Scan(&r.Sweep, &learned, &r.JSON)
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrNoRule
	}
	if err != nil {
		return r, db.wrap("reading the rule", err)
	}
	r.Learned = time.UnixMilli(learned).UTC()
	return r, nil
}
