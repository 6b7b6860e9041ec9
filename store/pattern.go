package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/sparse"
)

// putPattern records the pattern of a matrix; none, from an older journal, leaves the
// one that is there.
func putPattern(ctx context.Context, tx *sql.Tx, matrix int64, p sparse.Thumbnail) error {
	if p == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO pattern (matrix, data) VALUES (?, ?)`, matrix, []byte(p))
	return err
}

// Patterns returns where the entries of each matrix lie, by the hash of the matrix.
// Matrices that were recorded before patterns were have none.
func (db *DB) Patterns(ctx context.Context) (map[string]sparse.Thumbnail, error) {
	patterns := map[string]sparse.Thumbnail{}
	names, err := relations(ctx, db.read)
	if err == nil && slices.Contains(names, "pattern") { // an older file that is only read has no such table
		_, err = collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) {
			var hash string
			var p []byte
			err := rows.Scan(&hash, &p)
			patterns[hash] = p
			return struct{}{}, err
		}, "SELECT m.hash, p.data FROM pattern p JOIN matrix m ON m.id = p.matrix")
	}
	if err != nil {
		return nil, fmt.Errorf("reading patterns: %w", failed(db.path, err))
	}
	return patterns, nil
}
