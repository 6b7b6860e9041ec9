package store

import (
	"context"

	"spmvtune/tuner/trial"
)

// Places lists where the trials in force that the filter chooses compete, ordered by device, matrix,
// precision and cache state.
func (db *DB) Places(ctx context.Context, f Filter) ([]trial.Case, error) {
	conditions, args := f.conditions(valid())
	places, err := collect(ctx, db.from(), func(p *trial.Case) []any {
		return []any{&p.Device, &p.Matrix, &p.Precision, &p.Cache}
	}, "SELECT DISTINCT d.name, m.name, t.precision, t.cache"+fromTrials+where(conditions)+" ORDER BY 1, 2, 3, 4", args...)
	return places, db.wrap("reading places", err)
}

// Trials calls each with the trials in force that the filter chooses, with their samples. They are ordered by
// device, matrix, precision, cache state, kernel, parameters, grid and block. The row is overwritten by the next.
func (db *DB) Trials(ctx context.Context, f Filter, each func(*Row) error) error {
	conditions, args := f.conditions(valid())
	err := db.from().each(ctx, trialQuery{
		want: wantSamples, where: conditions, args: args,
		order: "d.name, m.name, t.precision, t.cache, k.name, t.params, t.grid, t.block, t.id",
	}, func(s *stored) error { return each(&s.Row) })
	return db.wrap("reading trials", err)
}

// EachResult gives the columns of the view results to head, and then each of its rows that the filter chooses to
// row, with its samples in seconds per product, in the order in which they were recorded.
func (db *DB) EachResult(ctx context.Context, f Filter, head func([]string) error,
	row func(values []any, samples []float64) error) error {
	columns, err := texts(ctx, db.read, "SELECT name FROM pragma_table_info('results')")
	if err != nil {
		return db.wrap("reading the view results", err)
	}
	list := ""
	for _, c := range columns {
		list += `r."` + c + `", `
	}
	conditions, args := f.ofView()
	err = eachRow(ctx, db.read, "SELECT "+list+"x.data FROM ("+wideResults+") r LEFT JOIN sample x ON x.trial = r.id"+
		where(conditions)+" ORDER BY r.id", args,
		func([]string) error { return head(columns) },
		func(values []any) error {
			var samples []float64
			if err := (packed{&samples}).Scan(values[len(columns)]); err != nil {
				return err
			}
			return row(values[:len(columns)], samples)
		})
	return db.wrap("reading results", err)
}
