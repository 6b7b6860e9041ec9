package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A Good is a trial that ended well and is in force, with what it takes to compare it
// with one of another database.
type Good struct {
	Device, Backend, Model string // Device: its name in the views
	Matrix, Hash           string // Hash: of the content
	Kernel                 string
	Precision              kernels.Precision
	Cache                  trial.Cache
	Block, Grid            int
	Params                 string  // canonical
	Median                 float64 // seconds; once Sampled has read it, drift taken out

	// What follows is what Sampled reads.
	Samples   []float64 // seconds, drift taken out
	Throttled int       // samples that were kept though the device throttled
	Drift     float64   // that times were divided by; 1: none was significant
	Repeat    float64   // how well trials repeat there, as a fraction; 0: not known, see stat.Repeatability

	id, origin, at int64
	watched        watched
}

// Good returns the trials that ended well and are in force, without samples, ordered by
// device, matrix, precision, cache state, kernel and time.
func (db *DB) Good(ctx context.Context) ([]Good, error) {
	origin := "NULL" // in an older file that is only read
	columns, err := allColumns(ctx, db.read)
	if err == nil && slices.Contains(columns, "origin") {
		origin = "t.origin"
	}
	var list []Good
	if err == nil {
		list, err = collect(ctx, db.read, func(rows *sql.Rows) (g Good, err error) {
			var origin sql.NullInt64
			err = rows.Scan(&g.Device, &g.Backend, &g.Model, &g.Matrix, &g.Hash, &g.Kernel, &g.Precision, &g.Cache,
				&g.Block, &g.Grid, &g.Params, &g.Median, &g.id, &origin, &g.at, &g.watched.matrix, &g.watched.device)
			g.origin, g.Drift, g.watched.cache = origin.Int64, 1, g.Cache
			return g, err
		}, `SELECT d.name, d.backend, d.model, m.name, m.hash, k.name, t.precision, t.cache, t.block, t.grid, t.params,
				t.median, t.id, `+origin+`, t.measured_at, m.id, d.id
			FROM trial t JOIN device d ON d.id = t.device JOIN matrix m ON m.id = t.matrix JOIN kernel k ON k.id = t.kernel
			WHERE t.superseded = 0 AND t.median IS NOT NULL
			ORDER BY d.name, m.name, t.precision, t.cache, k.name, t.median, t.id`)
	}
	if err != nil {
		return nil, fmt.Errorf("reading trials: %w", failed(db.path, err))
	}
	return list, nil
}

// Sampled reads the samples of trials that Good gave, and takes out the drift of the
// device where sentinels show one.
func (db *DB) Sampled(ctx context.Context, trials []*Good) error {
	if err := db.sampled(ctx, trials); err != nil {
		return fmt.Errorf("reading samples: %w", failed(db.path, err))
	}
	return nil
}

func (db *DB) sampled(ctx context.Context, trials []*Good) error {
	names, err := relations(ctx, db.read)
	if err != nil {
		return err
	}
	var drifted map[watched]*drift
	if slices.Contains(names, "sentinel") {
		if drifted, err = db.watch(ctx); err != nil {
			return err
		}
	}
	throttled := "NULL"
	if slices.Contains(names, "reading") {
		throttled = "(SELECT throttled FROM reading r WHERE r.trial = t.id)"
	}
	for _, g := range trials {
		var data []byte
		var n sql.NullInt64
		err := db.read.QueryRowContext(ctx, "SELECT s.data, "+throttled+" FROM trial t LEFT JOIN sample s ON s.trial = t.id WHERE t.id = ?", g.id).Scan(&data, &n)
		if err != nil {
			return err
		}
		d := drifted[g.watched]
		g.Samples, g.Throttled, g.Drift = unpack(data), int(n.Int64), d.factor(g.origin, g.at)
		if d != nil {
			g.Repeat = d.repeat
		}
		g.Median /= g.Drift
		for i := range g.Samples {
			g.Samples[i] /= g.Drift
		}
	}
	return nil
}
