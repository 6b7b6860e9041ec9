package store

import (
	"context"
	"database/sql"
	"math"
	"reflect"
	"strings"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner/trial"
)

// Features returns what is known of each matrix, ordered by name, without its pattern.
func (db *DB) Features(ctx context.Context) ([]trial.Matrix, error) {
	list, err := collect(ctx, db.read, func(m *trial.Matrix) []any {
		return append([]any{&m.Name, &m.Class, &m.Hash, &m.Source, &m.Field, &m.Symmetry, orZero(&m.FeaturesSeconds),
			orZero(&m.TwinOf), orZero(&m.TwinScale)}, featureFields(&m.Features)...)
	}, "SELECT name, class, hash, source, field, symmetry, features_seconds, twin_of, twin_scale, "+
		strings.Join(sparse.FeatureNames(), ", ")+" FROM matrix ORDER BY name")
	return list, db.wrap("reading features", err)
}

// Library returns the matrices by their names.
func (db *DB) Library(ctx context.Context) (map[string]trial.Matrix, error) {
	list, err := db.Features(ctx)
	byName := map[string]trial.Matrix{}
	for _, m := range list {
		byName[m.Name] = m
	}
	return byName, err
}

// featureFields points to the fields, to scan these columns into.
func featureFields(f *sparse.Features) []any {
	v := reflect.ValueOf(f).Elem()
	fields := make([]any, v.NumField())
	for i := range fields {
		fields[i] = v.Field(i).Addr().Interface()
		if f, ok := fields[i].(*float64); ok {
			fields[i] = orNaN{f}
		}
	}
	return fields
}

// putPattern records the pattern of a matrix. One that is not told leaves the recorded one.
func putPattern(ctx context.Context, tx *sql.Tx, matrix int64, p sparse.Thumbnail) error {
	if p == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO pattern (matrix, data) VALUES (?, ?)`, matrix, []byte(p))
	return err
}

// Patterns returns where the entries of each matrix lie, by the hash of the matrix.
func (db *DB) Patterns(ctx context.Context) (map[string]sparse.Thumbnail, error) {
	list := map[string]sparse.Thumbnail{}
	var hash string
	var p []byte
	rows, err := db.read.QueryContext(ctx, "SELECT m.hash, p.data FROM pattern p JOIN matrix m ON m.id = p.matrix")
	err = readRows(rows, err, []any{&hash, &p}, func() { list[hash] = p })
	return list, db.wrap("reading patterns", err)
}

// Counts are what a profiler counted in the products of a trial, by name; what was not counted is
// missing. Shares are fractions, the others are of one product.
//
// Of a GPU: occupancy (resident warps per the most that a multiprocessor holds), warp_efficiency
// (the share of a warp's threads that took part in an instruction) and load_efficiency (the share
// of the bytes moved by global loads that were asked for). Of a processor: instructions,
// data_refs, d1_misses and ll_misses.
type Counts map[string]float64

// addTo adds what was counted to the facts of a trial, which may be nil. The backend's own
// occupancy is the theoretical one.
func (c Counts) addTo(facts *map[string]float64) {
	for name, v := range c {
		if name == "occupancy" {
			name = "achieved_occupancy"
		}
		if *facts == nil {
			*facts = map[string]float64{}
		}
		(*facts)[name] = v
	}
}

// countsOf is the expression for what was counted in a trial, a JSON object.
const countsOf = "(SELECT json_group_object(name, value) FROM counter WHERE trial = t.id)"

// SaveCounts keeps what was counted in trials, by identity. A counter that a trial has already is
// replaced. Trials that are not recorded are ignored.
func (db *DB) SaveCounts(ctx context.Context, counts map[string]Counts) error {
	return db.transact(ctx, "recording a profile", func(tx *sql.Tx) error { return putCounts(ctx, tx, counts) })
}

// putOrigin records where a run is. It returns 0 if nothing is known of it.
func putOrigin(ctx context.Context, tx *sql.Tx, o trial.Origin) (id int64, err error) {
	if o == (trial.Origin{}) {
		return 0, nil
	}
	// The update changes nothing, but makes RETURNING give the id of a row that exists.
	err = tx.QueryRowContext(ctx, `
		INSERT INTO origin (node, uuid, job) VALUES (?, ?, ?)
		ON CONFLICT (node, uuid, job) DO UPDATE SET node = excluded.node
		RETURNING id`, o.Node, o.UUID, o.Job).Scan(&id)
	return id, err
}

// readingValues are the columns of the table reading besides the trial.
func readingValues(t trial.Telemetry) []any {
	var reasons any
	if t.HasReasons {
		reasons = int64(t.Reasons)
	}
	return []any{nonzero(t.SMClock), nonzero(t.MemoryClock), nonzero(t.Temperature),
		nonzero(int64(math.Round(1e3 * t.Power))), positive(t.Energy), reasons, t.Repeated, t.Throttled}
}

// A reading is a row of the table of that name, which most trials do not have.
type reading struct {
	trial.Telemetry
	trial, milliwatts int64
	reasons           sql.Null[int64]
}

// fields returns what the columns are read into.
func (r *reading) fields() []field {
	return []field{
		{"r.trial", orZero(&r.trial)}, {"r.sm_clock", orZero(&r.SMClock)}, {"r.memory_clock", orZero(&r.MemoryClock)},
		{"r.temperature", orZero(&r.Temperature)}, {"r.power", orZero(&r.milliwatts)}, {"r.energy", orZero(&r.Energy)},
		{"r.clock_reasons", &r.reasons}, {"r.repeated", orZero(&r.Repeated)}, {"r.throttled", orZero(&r.Throttled)},
	}
}

// telemetry is what was read, nil if the trial has none.
func (r *reading) telemetry() *trial.Telemetry {
	if r.trial == 0 {
		return nil
	}
	t := r.Telemetry
	t.Power = float64(r.milliwatts) / 1e3
	t.Reasons, t.HasReasons = kernels.ClockReasons(r.reasons.V), r.reasons.Valid
	return &t
}
