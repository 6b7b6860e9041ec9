package store

import (
	"context"
	"database/sql"
)

// relations lists the views and then the tables, each by name.
func relations(ctx context.Context, db *sql.DB) ([]string, error) {
	return texts(ctx, db, `SELECT name FROM sqlite_master
		WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name`)
}

// allColumns lists the names of the columns of all views and tables, once each.
func allColumns(ctx context.Context, db *sql.DB) ([]string, error) {
	return texts(ctx, db, `SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type IN ('view', 'table') ORDER BY c.name`)
}

// Schemas that added something. A file of an older one, which is only read, lacks it.
const (
	schemaOrigin          = 2 // where trials were measured, and what sensors said
	schemaPattern         = 3
	schemaFeatures        = 4
	schemaSentinel        = 5
	schemaTies            = 6
	schemaGather          = 7 // the bandwidth of random reads
	schemaSeconds         = 8
	schemaFeaturesSeconds = 9
	schemaFinal           = 10
	schemaProfile         = 11
	schemaMeasurement     = 12 // versions of measurements, twins, numbers of protocols
	schemaSpread          = 13 // repeats of trials that were chosen at random
	schemaAnother         = 15 // times that another run finds
	schemaHost            = 16 // what others did to the processor
	schemaCounters        = 18 // counters by name
	schemaOwn             = 19 // definitions of kernels that a sweep brings
	schemaAsked           = 21 // when a run last wanted a trial that was known
	schemaUsed            = 22 // when a run last used a sweep
)

// texts returns the single text column that a query gives.
func texts(ctx context.Context, db queryer, query string, args ...any) ([]string, error) {
	return collect(ctx, db, func(s *string) []any { return []any{s} }, query, args...)
}

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}
