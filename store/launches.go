package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A Launch is what the device was told, and told back, about a kernel at its fastest
// on one matrix in one precision and cache state.
type Launch struct {
	Device, Matrix, Kernel string
	Precision              kernels.Precision
	Cache                  trial.Cache
	Block, Grid            int
	Median                 float64 // seconds
	// Facts are what the backend noted, by name: registers, occupancy (the theoretical
	// one), …; and what a profiler counted: achieved_occupancy, warp_efficiency and
	// load_efficiency, as in Counts.
	Facts map[string]float64
}

// Launches returns the launches of kernels of which facts are known, of each kernel at
// its fastest, ordered by device, matrix, precision, cache and kernel. A kernel whose
// source changed may be there once for each source.
func (db *DB) Launches(ctx context.Context) ([]Launch, error) {
	counts, err := db.counts(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading launches: %w", failed(db.path, err))
	}
	// min() makes the other columns those of its row.
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (l Launch, err error) {
		var facts string
		if err := rows.Scan(&l.Device, &l.Matrix, &l.Precision, &l.Cache, &l.Kernel, &l.Block, &l.Grid, &l.Median, &facts); err != nil {
			return l, err
		}
		err = json.Unmarshal([]byte(facts), &l.Facts)
		return l, err
	}, `WITH top AS (
			SELECT min(median) AS median, id, matrix, device, precision, cache, kernel
			FROM trial WHERE superseded = 0 AND median IS NOT NULL
			GROUP BY matrix, device, precision, cache, kernel
		)
		SELECT d.name, m.name, t.precision, t.cache, k.name, t.block, t.grid, t.median,
			json_patch(ifnull(t.properties, '{}'), ifnull(`+counts+`, '{}')) AS facts
		FROM top CROSS JOIN trial t ON t.id = top.id
			JOIN device d ON d.id = t.device
			JOIN matrix m ON m.id = t.matrix
			JOIN kernel k ON k.id = t.kernel
		WHERE facts <> '{}'
		ORDER BY d.name, m.name, t.precision, t.cache, k.name, t.median, t.id`)
	if err != nil {
		return nil, fmt.Errorf("reading launches: %w", failed(db.path, err))
	}
	return list, nil
}
