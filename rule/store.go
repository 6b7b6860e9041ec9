package rule

import (
	"context"
	"fmt"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// FromStore reads what was observed from a database: each configuration's last
// trial, failed ones included, with the features of its matrix.
func FromStore(ctx context.Context, db *store.DB) ([]Observation, error) {
	rows, err := db.Results(ctx, store.Filter{})
	if err != nil {
		return nil, fmt.Errorf("reading observations: %w", err)
	}
	return FromRows(ctx, db, rows)
}

// FromRows is FromStore where the rows of the view results have been read before.
func FromRows(ctx context.Context, db *store.DB, rows []store.Row) ([]Observation, error) {
	obs, err := fromRows(ctx, db, rows)
	if err != nil {
		return nil, fmt.Errorf("reading observations: %w", err)
	}
	return obs, nil
}

func fromRows(ctx context.Context, db *store.DB, rows []store.Row) ([]Observation, error) {
	matrices, err := db.Features(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]*store.Matrix, len(matrices))
	for i := range matrices {
		known[matrices[i].Name] = &matrices[i]
	}
	list, err := db.Kernels(ctx)
	if err != nil {
		return nil, err
	}
	sources := make(map[string]string, len(list))
	for _, k := range list { // of several sources of one kernel the last
		sources[k.Name] = k.Digest
	}
	obs := make([]Observation, len(rows))
	for i := range rows {
		row := &rows[i]
		m := known[row.Matrix]
		if m == nil {
			return nil, fmt.Errorf("matrix %q has results, but no features", row.Matrix)
		}
		o := &obs[i]
		*o = Observation{
			Sweep: row.Sweep, Device: row.Device, Cache: row.Cache,
			Matrix: row.Matrix, Class: m.Class, Features: &m.Features, Source: sources[row.Kernel],
			Config: row.Config, Failed: row.Status != trial.OK,
		}
		if !o.Failed { // the others have no times
			o.Seconds, o.Low, o.High, o.Tied, o.Prepare = row.Median, row.Low, row.High, row.Tied, row.Prepare
		}
	}
	return obs, nil
}
