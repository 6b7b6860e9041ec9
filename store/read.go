// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

var _ tuner.Historian = (*DB)(nil)

// Results returns the trials that the filter chooses, of each configuration the one in
// force, in the order in which they were recorded.
func (db *DB) Results(ctx context.Context, f Filter) ([]Row, error) {
	n := 0
	if f == (Filter{}) { // there may be a million, too many to grow a slice for
		if err := db.read.QueryRowContext(ctx, countCurrent).Scan(&n); err != nil {
			return nil, db.wrap("reading results", err)
		}
	}
	where, args := f.conditions()
	list, err := db.results(ctx, make([]Row, 0, n), where, args...)
	return list, db.wrap("reading results", err)
}

// Last returns the n trials in force that were recorded last, the newest first.
func (db *DB) Last(ctx context.Context, n int) ([]Row, error) {
	list, err := db.results(ctx, nil, []string{"t.id IN (SELECT id FROM trial WHERE superseded = 0 ORDER BY id DESC LIMIT ?)"}, n)
	slices.Reverse(list)
	return list, db.wrap("reading the last trials", err)
}

// results appends the trials in force that conditions choose.
func (db *DB) results(ctx context.Context, list []Row, conditions []string, args ...any) ([]Row, error) {
	tied, err := db.tied(ctx)
	if err != nil {
		return nil, err
	}
	names := interner{}
	where := append(conditions, current)
	err = db.from().each(ctx, trialQuery{where: where, args: args, order: "t.id"}, func(s *stored) error {
		names.row(&s.Row)
		s.Tied = tied[s.id]
		list = append(list, s.Row)
		return nil
	})
	return list, err
}

// Best returns the rows of the view best that the filter chooses, ordered by device,
// matrix, precision and cache state. The filter chooses among the best; it does not give
// the best of what it chooses.
func (db *DB) Best(ctx context.Context, f Filter) ([]Best, error) {
	var list []Best
	var b Best
	where, args := f.conditions(current)
	err := db.from().each(ctx, trialQuery{
		join: ` JOIN best b ON b.matrix = m.name AND b.device = d.name AND b.precision = t.precision AND b.cache = t.cache
			AND b.kernel = k.name AND b.params = t.params AND b.grid = t.grid AND b.block = t.block`,
		where: where, args: args, order: "d.name, m.name, t.precision, t.cache",
	}, func(s *stored) error {
		b.Row = s.Row
		list = append(list, b)
		return nil
	}, field{"b.margin", orNaN{&b.Margin}}, field{"b.tie_size", &b.TieSize}, field{tiedKernels, &b.Others},
		field{"b.recommended", orZero(&b.Recommended)})
	return list, db.wrap("reading best configurations", err)
}

// tiedKernels counts the other kernels of the tie set that a trial is in: -1 where ties are not decided.
const tiedKernels = `(SELECT count(DISTINCT other.kernel) - 1 FROM tie_member own JOIN tie_member tied USING (tie_set)
	JOIN trial other ON other.id = tied.trial WHERE own.trial = t.id)`

// History calls each with the trials that count on devices of this model, whatever the
// driver, in the order in which they were recorded.
func (db *DB) History(ctx context.Context, dev kernels.Device, each func(trial.Result, trial.Size)) error {
	err := db.from().each(ctx, trialQuery{
		where: append(slices.Clone(counting), "d.backend = ?", "d.model = ?"),
		args:  []any{dev.Backend, dev.Name},
		order: "t.id",
	}, func(s *stored) error {
		each(s.Result, trial.Size{Rows: s.Rows, Cols: s.Cols, Nonzeros: s.NNZ})
		return nil
	})
	return db.wrap("reading times", err)
}

// Launches returns the fastest trial that counts of each kernel, ordered by device, matrix, precision,
// cache state and kernel. A kernel whose source changed may be there once for each source.
//
// Properties are the facts that the backend noted, by name: registers, occupancy (the
// theoretical one), …; and what a profiler counted, as in Counts, with achieved_occupancy.
func (db *DB) Launches(ctx context.Context) ([]Row, error) {
	list, err := db.from().list(ctx, trialQuery{
		want:  wantFacts | wantCounts,
		where: []string{"t.id IN (" + fastestOfKernels + ")"},
		order: "d.name, m.name, t.precision, t.cache, k.name, t.median, t.id",
	})
	return lists.Of(list, func(s stored) Row {
		s.counts.addTo(&s.Properties)
		return s.Row
	}), db.wrap("reading launches", err)
}

// Chosen returns the good trials in force for which a condition on the view results is true, in the
// order in which they were recorded.
func (db *DB) Chosen(ctx context.Context, condition string) ([]Row, error) {
	answer, err := db.Query(ctx, "SELECT identity FROM ("+wideResults+") WHERE ("+condition+"\n)")
	if err != nil {
		return nil, err
	}
	chosen := lists.Keyed(answer.Rows, func(row []any) (any, bool) { return row[0], true })
	list, err := db.Results(ctx, Filter{Status: trial.OK})
	return slices.DeleteFunc(list, func(r Row) bool { return !chosen[r.ID] }), err
}

// from reads the database.
func (db *DB) from() source { return source{db.read} }

// An interner makes equal strings one: a million rows have some hundred names.
type interner map[string]string

func intern[S ~string](in interner, s *S) {
	if same, known := in[string(*s)]; known {
		*s = S(same)
		return
	}
	in[string(*s)] = string(*s)
}

// row interns what many rows have in common.
func (in interner) row(r *Row) {
	intern(in, &r.Sweep)
	intern(in, &r.SweepHash)
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
}

// estimate fills in what another run finds, as the view results does: time is that of repeats, 0
// if there are none, and factor how far two runs differ, 0 if it is not known. The interval within the run is that of
// the first measurement, and counts where no repeats say more. A trial with too few samples for an interval, which has
// none in the view, gets that of the factor.
func (r *Row) estimate(time, factor float64) {
	r.Time, r.Another = cmp.Or(time, r.Median), trial.Interval{Low: r.WithinLow, High: r.WithinHigh}
	switch {
	case factor > 0 && (time > 0 || r.WithinLow == 0):
		r.Another = trial.Interval{Low: r.Time / factor, High: r.Time * factor}
	case r.WithinLow > 0:
		factor = cmp.Or(factor, 1)
		r.Another = trial.Interval{Low: min(r.WithinLow, r.Time/factor), High: max(r.WithinHigh, r.Time*factor)}
	}
}

// rates fills in what follows from the time, as the view results does. The roof is in GB/s.
func (r *Row) rates(roof float64) {
	r.GFLOPS, r.GBPS, r.RoofFraction = math.NaN(), math.NaN(), math.NaN()
	if r.Status != trial.OK {
		return
	}
	r.GFLOPS = 2e-9 * float64(r.NNZ) / r.Time
	if r.BytesMin > 0 {
		r.GBPS = 1e-9 * float64(r.BytesMin) / r.Time
	}
	if roof > 0 {
		r.RoofFraction = r.GBPS / roof
	}
}

// collect returns what the rows of a query hold. dst returns what a row is read into.
func collect[T any](ctx context.Context, db queryer, dst func(*T) []any, query string, args ...any) ([]T, error) {
	var all []T
	var one T
	rows, err := db.QueryContext(ctx, query, args...)
	err = readRows(rows, err, dst(&one), func() { all = append(all, one) })
	return all, err
}

// readRows reads the rows of an answer into dst, and calls f after each.
func readRows(rows *sql.Rows, err error, dst []any, f func()) error {
	return scanRows(rows, err, dst, func() error { f(); return nil })
}

// scanRows is readRows with an f that may fail, which ends it.
func scanRows(rows *sql.Rows, err error, dst []any, f func() error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dst...); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A Row is a trial that was read from the database: its result, and the names that it
// has in the views.
type Row struct {
	Sweep, Device string
	SweepHash     string // tells sweeps of one name apart, see Sweep.Hash
	Matrix        string // name of the matrix; Result.Matrix is its content hash
	Rows, Cols    int
	NNZ           int
	Format        kernels.Format

	// Result lacks the samples, the telemetry, the properties and the warnings.
	trial.Result
	// Taken is the number of samples.
	Taken int

	// Time estimates what a product takes, in seconds. It leaves out the measurement that made a
	// trial a leader, where it has repeats. It is Median where there are none, and 0 where the
	// trial has no time.
	Time float64
	// Another is the interval in which another run finds the median. Low and High of the result
	// are the interval within the run.
	Another trial.Interval
	// Factor is how far two measurements of one configuration differ in the trial's place: the
	// ratio that most stay below, see stat.Share. It is 0 if it is not known, and then Another is the interval
	// within the run, which another run may well leave.
	Factor float64

	// GFLOPS, GBPS and RoofFraction follow from Time. They are NaN where the trial has no time.
	GFLOPS, GBPS, RoofFraction float64

	// Tied reports whether the trial is in the tie set of its place. Only Results sets it,
	// and only where ties are decided.
	Tied bool
}

// Place returns where the trial competes with others.
func (r *Row) Place() trial.Case {
	return trial.Case{Device: r.Device, Matrix: r.Matrix, Precision: r.Precision, Cache: r.Cache}
}

// A Best is a row of the view best: the fastest of a place.
type Best struct {
	Row
	// Margin is how much slower than the winner the fastest configuration outside the tie
	// set is, as a fraction. It is NaN where every configuration is tied.
	Margin  float64
	TieSize int
	// Others is how many other kernels are tied with it, -1 where ties are not decided.
	Others int
	// Recommended is the configuration that represents the tie set, in words; "" where it is this one.
	Recommended string
}

// orZero scans into dst, and null as the zero value.
func orZero[T any](dst *T) sql.Scanner { return &nullable[T]{dst} }

type nullable[T any] struct{ dst *T }

func (n *nullable[T]) Scan(value any) error {
	var v sql.Null[T]
	err := v.Scan(value)
	*n.dst = v.V
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

// moment scans milliseconds since 1970.
type moment struct{ dst *time.Time }

func (m moment) Scan(value any) error {
	ms, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v is not a time", value)
	}
	*m.dst = time.UnixMilli(ms).UTC()
	return nil
}

// packed scans samples.
type packed struct{ dst *[]float64 }

func (p packed) Scan(value any) error {
	data, _ := value.([]byte)
	*p.dst = unpack(data)
	for _, s := range *p.dst {
		if !(s >= 0 && s <= math.MaxFloat32) {
			return fmt.Errorf("%v is not the time of a sample: the file is damaged", s)
		}
	}
	return nil
}

// fromJSON decodes into dst, and null as the zero value. It makes a new value for each row,
// because earlier rows share the one before.
func fromJSON[T any](dst *T) sql.Scanner { return decoder[T]{dst} }

type decoder[T any] struct{ dst *T }

func (d decoder[T]) Scan(value any) (err error) {
	var v T
	switch text := value.(type) {
	case string:
		err = json.Unmarshal([]byte(text), &v)
	case []byte:
		err = json.Unmarshal(text, &v)
	}
	*d.dst = v
	return err
}

// A Filter chooses trials by their names in the view results. An empty field
// means all.
type Filter struct {
	Sweep, Device, Matrix, Kernel string
	Precision                     kernels.Precision
	Cache                         trial.Cache // or UnknownCache
	Status                        trial.Status
	ID                            string // Identity of the trial.
}

// UnknownCache chooses trials whose cache state is not known: they were imported.
const UnknownCache trial.Cache = "unknown"

// conditions adds the filter to conditions on trials, and returns the values for it.
func (f Filter) conditions(more ...string) (conditions []string, args []any) {
	return f.on(more, "s.name", "d.name", "m.name", "k.name", "t.")
}

// on adds the filter to conditions on columns of these names. Those that trials have themselves come after prefix.
func (f Filter) on(more []string, sweep, device, matrix, kernel, prefix string) (conditions []string, args []any) {
	conditions = slices.Clone(more)
	for _, c := range []struct{ column, value string }{
		{sweep, f.Sweep}, {device, f.Device}, {matrix, f.Matrix}, {kernel, f.Kernel},
		{prefix + "precision", string(f.Precision)}, {prefix + "cache", string(f.Cache)},
		{prefix + "status", string(f.Status)}, {prefix + "identity", f.ID},
	} {
		if c.column == prefix+"cache" && c.value == string(UnknownCache) {
			conditions = append(conditions, c.column+" = ''")
		} else if c.value != "" {
			conditions = append(conditions, c.column+" = ?")
			args = append(args, c.value)
		}
	}

	return conditions, args
}
