package store

import (
	"context"
	"database/sql"
	"fmt"

	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

var _ tuner.Historian = (*DB)(nil)

// History calls each with the good trials in force on devices of this model, whatever the
// driver, in the order in which they were recorded.
func (db *DB) History(ctx context.Context, dev kernels.Device, each func(trial.Result, trial.Size)) error {
	seconds, err := db.column(ctx, "trial", "seconds")
	if err != nil {
		return fmt.Errorf("reading times: %w", failed(db.path, err))
	}
	_, err = collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) {
		var size trial.Size
		r := trial.Result{Status: trial.OK}
		var params string
		err := rows.Scan(&r.Matrix, &size.Rows, &size.Cols, &size.Nonzeros, &r.Kernel, &r.Precision, &r.Block, &r.Grid,
			&params, &r.Cache, &r.Median, &r.Batch, orZero{&r.Seconds})
		if err == nil {
			r.Params, err = kernels.ParseParams(params)
		}
		if err == nil {
			each(r, size)
		}
		return struct{}{}, err
	}, `SELECT m.hash, m.rows, m.cols, m.nonzeros, k.name, t.precision, t.block, t.grid, t.params, t.cache, t.median,
			t.batch, `+seconds+`
		FROM device d CROSS JOIN trial t ON t.device = d.id
			JOIN matrix m ON m.id = t.matrix JOIN kernel k ON k.id = t.kernel
		WHERE d.backend = ? AND d.model = ? AND t.superseded = 0 AND t.median IS NOT NULL AND t.stop IS NOT 'search'
		ORDER BY t.id`, dev.Backend, dev.Name)
	if err != nil {
		return fmt.Errorf("reading times: %w", failed(db.path, err))
	}
	return nil
}
