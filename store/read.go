package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"spmvtune/tuner/trial"
)

// selectRows selects what scanRow reads. More columns may follow.
const selectRows = `SELECT t.id, t.identity, s.name, d.name, m.name, m.hash, m.rows, m.cols, m.nonzeros, k.name, k.format,
		t.precision, t.block, t.grid, t.params, t.cache, t.status, t.message, t.median, t.low, t.high, t.samples,
		t.batch, t.stop, t.prepare, t.max_error, t.worst_row, t.bytes_min, t.bytes_kernel, t.measured_at,
		max(d.roof_read, d.roof_copy, d.roof_triad)`

// fromTrials joins a trial with what it refers to.
const fromTrials = `
	FROM trial t
		JOIN sweep s ON s.id = t.sweep
		JOIN device d ON d.id = t.device
		JOIN matrix m ON m.id = t.matrix
		JOIN kernel k ON k.id = t.kernel`

// Results returns the trials that the filter chooses, of each configuration the one in
// force, in the order in which they were recorded.
func (db *DB) Results(ctx context.Context, f Filter) ([]Row, error) {
	list, err := db.results(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", failed(db.path, err))
	}
	return list, nil
}

func (db *DB) results(ctx context.Context, f Filter) ([]Row, error) {
	where, args := f.where("t.superseded = 0")
	tied, err := db.tied(ctx)
	if err != nil {
		return nil, err
	}

	var list []Row
	if f == (Filter{}) { // there may be a million, too many to grow a slice for
		var n int
		if err := db.read.QueryRowContext(ctx, "SELECT count(*) FROM trial WHERE superseded = 0").Scan(&n); err != nil {
			return nil, err
		}
		list = make([]Row, 0, n)
	}

	rows, err := db.read.QueryContext(ctx, selectRows+fromTrials+where+" ORDER BY t.id", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := interner{}
	for rows.Next() {
		var r Row
		id, err := names.scanRow(rows, &r)
		if err != nil {
			return nil, err
		}
		r.Tied = tied[id]
		list = append(list, r)
	}
	return list, rows.Err()
}

// An interner makes equal strings one: a million rows have some hundred names.
type interner map[string]string

func intern[S ~string](in interner, s *S) {
	if same, known := in[string(*s)]; known {
		*s = S(same)
		return
	}
	in[string(*s)] = string(*s)
}

// Best returns the rows of the view best that the filter chooses, ordered by
// device, matrix, precision and cache. The filter chooses among the best; it
// does not give the best of what it chooses.
func (db *DB) Best(ctx context.Context, f Filter) ([]Best, error) {
	where, args := f.where("t.superseded = 0")
	names := interner{}
	rows, err := collect(ctx, db.read, func(rows *sql.Rows) (b Best, err error) {
		_, err = names.scanRow(rows, &b.Row, orNaN{&b.Margin}, &b.TieSize)
		return b, err
	}, selectRows+", b.margin, b.tie_size FROM best b"+`
		JOIN device d ON d.name = b.device
		JOIN matrix m ON m.name = b.matrix
		JOIN kernel k ON k.name = b.kernel
		JOIN trial t ON t.matrix = m.id AND t.device = d.id AND t.precision = b.precision AND t.cache = b.cache
			AND t.kernel = k.id AND t.params = b.params AND t.grid = b.grid AND t.block = b.block
		JOIN sweep s ON s.id = t.sweep`+where+
		" ORDER BY d.name, m.name, t.precision, t.cache", args...)
	if err != nil {
		return nil, fmt.Errorf("reading best configurations: %w", failed(db.path, err))
	}
	return rows, nil
}

// scanRow reads the columns of selectRows, and more after them. It returns the trial's id.
func (in interner) scanRow(rows *sql.Rows, r *Row, more ...any) (id int64, err error) {
	var samples, batch, worst, minimum, own sql.NullInt64
	var message, stop sql.NullString
	var at int64
	var roof float64
	err = rows.Scan(append([]any{&id, &r.ID, &r.Sweep, &r.Device, &r.Matrix, &r.Result.Matrix, &r.Rows, &r.Cols, &r.NNZ,
		&r.Kernel, &r.Format, &r.Precision, &r.Block, &r.Grid, &r.Params, &r.Cache, &r.Status, &message,
		orZero{&r.Median}, orZero{&r.Low}, orZero{&r.High}, &samples, &batch, &stop, orZero{&r.Prepare}, orZero{&r.MaxError},
		&worst, &minimum, &own, &at, &roof}, more...)...)
	if err != nil {
		return 0, err
	}
	r.Message, r.Stop, r.At = message.String, trial.Stop(stop.String), time.UnixMilli(at).UTC()
	r.Taken, r.Batch, r.WorstRow = int(samples.Int64), int(batch.Int64), int(worst.Int64)
	r.BytesMin, r.BytesOwn = minimum.Int64, own.Int64
	r.rates(roof)

	intern(in, &r.Sweep)
	intern(in, &r.Device)
	intern(in, &r.Matrix)
	intern(in, &r.Result.Matrix)
	intern(in, &r.Kernel)
	intern(in, &r.Format)
	intern(in, &r.Precision)
	intern(in, &r.Params)
	intern(in, &r.Cache)
	intern(in, &r.Status)
	intern(in, &r.Message)
	intern(in, &r.Stop)
	return id, nil
}

// rates fills in what follows from the time, as the view results does. The roof is in GB/s.
func (r *Row) rates(roof float64) {
	r.GFLOPS, r.GBPS, r.RoofFraction = math.NaN(), math.NaN(), math.NaN()
	if r.Status != trial.OK {
		return
	}
	r.GFLOPS = 2e-9 * float64(r.NNZ) / r.Median
	if r.BytesMin > 0 {
		r.GBPS = 1e-9 * float64(r.BytesMin) / r.Median
	}
	if roof > 0 {
		r.RoofFraction = r.GBPS / roof
	}
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
