package store

import (
	"context"
	"database/sql"
	"fmt"

	"spmvtune/kernels"
	"spmvtune/tuner"
)

var _ tuner.Experienced = (*DB)(nil)

// Timings returns what trials took on devices of this model, whatever the driver.
func (db *DB) Timings(ctx context.Context, dev kernels.Device) ([]tuner.Timing, error) {
	seconds, err := db.column(ctx, "trial", "seconds")
	if err != nil {
		return nil, fmt.Errorf("reading times: %w", failed(db.path, err))
	}
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (t tuner.Timing, err error) {
		var params string
		if err = rows.Scan(&t.Matrix, &t.Size.Rows, &t.Size.Cols, &t.Size.Nonzeros,
			&t.Kernel, &t.Precision, &t.Block, &t.Grid, &params, &t.Cache, &t.Median,
			&t.Samples, &t.Batch, orZero{&t.Seconds}); err != nil {
			return t, err
		}
		t.Params, err = kernels.ParseParams(params)
		return t, err
	}, `SELECT m.hash, m.rows, m.cols, m.nonzeros, k.name, t.precision, t.block, t.grid, t.params, t.cache, t.median,
			t.samples, t.batch, `+seconds+`
		FROM device d CROSS JOIN trial t ON t.device = d.id
			JOIN matrix m ON m.id = t.matrix JOIN kernel k ON k.id = t.kernel
		WHERE d.backend = ? AND d.model = ? AND t.superseded = 0 AND t.median IS NOT NULL
		ORDER BY t.id`, dev.Backend, dev.Name)
	if err != nil {
		return nil, fmt.Errorf("reading times: %w", failed(db.path, err))
	}
	return list, nil
}
