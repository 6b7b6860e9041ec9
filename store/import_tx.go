package store

import (
	"context"
	"fmt"
	"time"
)

// tuning is how SQLite works.
type tuning struct {
	cache int // KiB
	log   int // pages in the write-ahead log after which they go into the file
}

// An import keeps the pages of the indexes at hand, and moves them from the log to
// the file once for many commits.
var (
	usual = tuning{cache: 2_000, log: 1_000} // SQLite's own
	bulk  = tuning{cache: 160_000, log: 50_000}
)

func (db *DB) tune(ctx context.Context, t tuning) error {
	pragmas := fmt.Sprintf("PRAGMA cache_size = -%d; PRAGMA wal_autocheckpoint = %d", t.cache, t.log)
	if _, err := db.write.ExecContext(ctx, pragmas); err != nil {
		return fmt.Errorf("importing: %w", failed(db.path, err))
	}
	return nil
}

// open begins a transaction.
func (imp *importer) open(ctx context.Context) (err error) {
	if imp.tx != nil {
		return nil
	}
	if imp.tx, err = imp.db.write.BeginTx(ctx, nil); err != nil {
		return err
	}
	imp.since, imp.unsummed = time.Now(), Imported{}
	imp.stmts = imp.db.rec.stmts.in(ctx, imp.tx)
	imp.inserts, err = prepareInserts(ctx, imp.tx)
	return err
}

func (imp *importer) commit() error {
	if imp.tx == nil {
		return nil
	}
	tx := imp.tx
	imp.tx = nil
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("importing: %w", failed(imp.db.path, err))
	}
	imp.sum.New += imp.unsummed.New
	imp.sum.Known += imp.unsummed.Known
	return nil
}

// rollback undoes what was not committed.
func (imp *importer) rollback() {
	if imp.tx != nil {
		imp.tx.Rollback()
	}
}
