package store

import (
	"context"
	"database/sql"
)

// A SavedClaim is what a device's trials say about one of the papers' claims.
type SavedClaim struct {
	Claim   int    // its number
	Device  string // label
	Verdict string
	Figures []byte // JSON: what the verdict rests on
}

// SaveClaims keeps verdicts in place of all that were kept before.
func (db *DB) SaveClaims(ctx context.Context, claims []SavedClaim) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, "saving the claims", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM claim"); err != nil {
			return err
		}
		for _, c := range claims {
			if _, err := tx.ExecContext(ctx, `INSERT INTO claim (claim, device, verdict, figures)
				SELECT ?, id, ?, ? FROM device WHERE name = ?`, c.Claim, c.Verdict, string(c.Figures), c.Device); err != nil {
				return err
			}
		}
		return nil
	})
}

// Claims returns the verdicts that were kept, ordered by device and number.
func (db *DB) Claims(ctx context.Context) ([]SavedClaim, error) {
	list, err := collect(ctx, db.read, func(c *SavedClaim) []any {
		return []any{&c.Claim, &c.Device, &c.Verdict, &c.Figures}
	}, `SELECT c.claim, d.name, c.verdict, c.figures FROM claim c JOIN device d ON d.id = c.device
		ORDER BY d.name, c.claim`)
	return list, db.wrap("reading claims", err)
}
