package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"spmvtune/tuner/trial"
)

// resultColumns are the columns of the view results, in order.
const resultColumns = `sweep, device, matrix, rows, cols, nnz, kernel, format, precision, block, grid, params, cache,
	status, median_ms, low_ms, high_ms, samples, gflops, gbps, roof_fraction, prepare_ms, max_error, message, measured_at`

// Results returns the trials that the filter chooses, of each configuration the
// one recorded last, in the order in which they were recorded.
func (db *DB) Results(ctx context.Context, f Filter) ([]Row, error) {
	list, err := db.results(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", failed(db.path, err))
	}
	return list, nil
}

func (db *DB) results(ctx context.Context, f Filter) ([]Row, error) {
	where, args := f.where("superseded = 0")
	tied, err := db.tied(ctx)
	if err != nil {
		return nil, err
	}
	var list []Row
	if f == (Filter{}) { // there may be a million, which is no slice to grow
		var n int
		if err := db.read.QueryRowContext(ctx, "SELECT count(*) FROM trial WHERE superseded = 0").Scan(&n); err != nil {
			return nil, err
		}
		list = make([]Row, 0, n)
	}
	rows, err := db.read.QueryContext(ctx, "SELECT "+resultColumns+", id FROM measured"+where+" ORDER BY id", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := interner{}
	for rows.Next() {
		var r Row
		var id int64
		if err := scanRow(rows, &r, &id); err != nil {
			return nil, err
		}
		r.Tied = tied[id]
		for _, s := range []*string{&r.Sweep, &r.Device, &r.Matrix, &r.Kernel, (*string)(&r.Format), (*string)(&r.Precision),
			&r.Params, &r.Cache, &r.Status, &r.Message} {
			names.intern(s)
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// An interner makes equal strings one: a million rows have some hundred names.
type interner map[string]string

func (in interner) intern(s *string) {
	if same, known := in[*s]; known {
		*s = same
		return
	}
	in[*s] = *s
}

// Best returns the rows of the view best that the filter chooses, ordered by
// device, matrix, precision and cache. The filter chooses among the best; it
// does not give the best of what it chooses.
func (db *DB) Best(ctx context.Context, f Filter) ([]Best, error) {
	where, args := f.where()
	rows, err := collect(ctx, db.read, func(rows *sql.Rows) (b Best, err error) {
		err = scanRow(rows, &b.Row, orNaN{&b.Margin}, &b.TieSize)
		return b, err
	}, "SELECT "+resultColumns+", margin, tie_size FROM best"+where+
		" ORDER BY device, matrix, precision, cache", args...)
	if err != nil {
		return nil, fmt.Errorf("reading best configurations: %w", failed(db.path, err))
	}
	return rows, nil
}

// Features returns what is known of each matrix, ordered by name.
func (db *DB) Features(ctx context.Context) ([]Matrix, error) {
	list, err := collect(ctx, db.read, scanMatrix, "SELECT * FROM features ORDER BY matrix")
	if err != nil {
		return nil, fmt.Errorf("reading features: %w", failed(db.path, err))
	}
	return list, nil
}

// Count returns how many trials ended in each status.
func (db *DB) Count(ctx context.Context) (map[trial.Status]int, error) {
	counts := map[trial.Status]int{}
	_, err := collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) {
		var status trial.Status
		var n int
		err := rows.Scan(&status, &n)
		counts[status] = n
		return struct{}{}, err
	}, "SELECT status, count(*) FROM trial GROUP BY status")
	if err != nil {
		return nil, fmt.Errorf("counting trials: %w", failed(db.path, err))
	}
	return counts, nil
}

// scanRow reads the columns resultColumns, and more after them.
func scanRow(rows *sql.Rows, r *Row, more ...any) error {
	var samples sql.NullInt64
	var message sql.NullString
	err := rows.Scan(append([]any{&r.Sweep, &r.Device, &r.Matrix, &r.Rows, &r.Cols, &r.NNZ, &r.Kernel, &r.Format,
		&r.Precision, &r.Block, &r.Grid, &r.Params, &r.Cache, &r.Status,
		orNaN{&r.MedianMS}, orNaN{&r.LowMS}, orNaN{&r.HighMS}, &samples,
		orNaN{&r.GFLOPS}, orNaN{&r.GBPS}, orNaN{&r.RoofFraction}, orNaN{&r.PrepareMS}, orNaN{&r.MaxError},
		&message, &r.MeasuredAt}, more...)...)
	r.Samples, r.Message = int(samples.Int64), message.String
	return err
}

// scanMatrix reads a row of the view features. That of a file which an older
// program wrote, and which is only read, ends earlier.
func scanMatrix(rows *sql.Rows) (m Matrix, err error) {
	columns, err := rows.Columns()
	if err != nil {
		return m, err
	}
	fields := append([]any{&m.Name, &m.Class, &m.Hash, &m.Source, &m.Field, &m.Symmetry}, featureFields(&m.Features)...)
	for _, unknown := range fields[len(columns):] {
		if err := unknown.(sql.Scanner).Scan(nil); err != nil {
			return m, err
		}
	}
	err = rows.Scan(fields[:len(columns)]...)
	return m, err
}

// orZero scans a number into dst, and null as 0.
type orZero struct{ dst *float64 }

func (n orZero) Scan(value any) error {
	var v sql.NullFloat64
	err := v.Scan(value)
	*n.dst = v.Float64
	return err
}

// orNaN scans a number into dst, and null as NaN.
type orNaN struct{ dst *float64 }

func (n orNaN) Scan(value any) error {
	var v sql.NullFloat64
	if err := v.Scan(value); err != nil {
		return err
	}
	*n.dst = v.Float64
	if !v.Valid {
		*n.dst = math.NaN()
	}
	return nil
}
