package store

import (
	"context"
	"database/sql"

	"spmvtune/sparse"
)

// putPattern records the pattern of a matrix. An older journal has none, and the recorded one
// stays.
func putPattern(ctx context.Context, tx *sql.Tx, matrix int64, p sparse.Thumbnail) error {
	if p == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO pattern (matrix, data) VALUES (?, ?)`, matrix, []byte(p))
	return err
}

// Patterns returns where the entries of each matrix lie, by the hash of the matrix.
// Matrices of older versions have none.
func (db *DB) Patterns(ctx context.Context) (map[string]sparse.Thumbnail, error) {
	patterns, err := db.from().patterns(ctx)
	return patterns, db.wrap("reading patterns", err)
}
