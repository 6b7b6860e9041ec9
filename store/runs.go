// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// A Device is a device that trials ran on.
type Device struct {
	Label string // its name in the views: the model, and more if several drivers were seen
	kernels.Device
	Roof kernels.Roof // the highest roof that was measured
}

// A Sweep is a sweep file that was run.
type Sweep struct {
	Name, Title string
	Text        string // the content of the file
	Hash        string // SHA-256 of Text
	Version     string // version of the program that last ran it
	Started     time.Time
	Trials      int // trials recorded under it; those of an earlier sweep are counted there
	// LeaderReruns and NoiseReruns are the numbers of reruns of its trials, of leaders and of a random sample.
	LeaderReruns, NoiseReruns int
	// ProtocolText says in words how trials are measured, as it enters their identity.
	ProtocolText string
	configs.Settings

	id int64
}

// A Kernel is the source of a kernel that trials ran.
type Kernel struct {
	Name   string
	Paper  string // the paper's own name for it
	Format kernels.Format
	Digest string          // digest of the source
	Own    *kernels.Custom // what a sweep says of it; nil: it is in the catalogue
}

// Devices returns the devices, ordered by label.
func (db *DB) Devices(ctx context.Context) ([]Device, error) {
	list, err := collect(ctx, db.read, func(d *Device) []any {
		return []any{&d.Label, &d.Backend, &d.Name, &d.Driver, &d.Units, &d.MaxBlock, &d.Memory, &d.Cache,
			fromJSON(&d.Properties), &d.Roof.Read, &d.Roof.Copy, &d.Roof.Triad, &d.Roof.Gather}
	}, `SELECT name, backend, model, driver, units, max_block, memory, cache, properties, roof_read, roof_copy, roof_triad,
		roof_gather FROM device ORDER BY name`)
	return list, db.wrap("reading devices", err)
}

// Sweeps returns the sweeps in the order in which they were last run.
func (db *DB) Sweeps(ctx context.Context) ([]Sweep, error) {
	list, err := collect(ctx, db.read, func(s *Sweep) []any {
		return []any{&s.id, &s.Name, &s.Title, &s.Text, &s.Hash, &s.ProtocolText, fromJSON(&s.Settings), &s.Version,
			moment{&s.Started}, &s.Trials, &s.LeaderReruns, &s.NoiseReruns}
	}, `SELECT s.id, s.name, s.title, s.text, s.hash, s.protocol, s.settings, s.version, s.started, ifnull(n.trials, 0),
			ifnull(a.leaders, 0), ifnull(a.noise, 0)
		FROM sweep s LEFT JOIN (`+trialsOfSweeps+`) n ON n.sweep = s.id LEFT JOIN (`+rerunsOfSweeps+`) a ON a.sweep = s.id
		ORDER BY s.used, s.id`)
	return list, db.wrap("reading sweeps", err)
}

// Definition returns the definition of the kernel of a trial, nil unless a sweep defines it.
func (db *DB) Definition(ctx context.Context, identity string) (own *kernels.Custom, err error) {
	list, err := texts(ctx, db.read, `SELECT k.definition FROM trial t JOIN kernel k ON k.id = t.kernel
		WHERE t.identity = ? AND k.definition IS NOT NULL LIMIT 1`, identity)
	if err == nil && len(list) > 0 {
		err = json.Unmarshal([]byte(list[0]), &own)
	}
	return own, db.wrap("reading the definition of a kernel", err)
}

// Kernels returns the kernels, ordered by name and, for several sources of one
// kernel, in the order in which they came.
func (db *DB) Kernels(ctx context.Context) ([]Kernel, error) {
	list, err := collect(ctx, db.read, func(k *Kernel) []any {
		return []any{&k.Name, &k.Paper, &k.Format, &k.Digest, fromJSON(&k.Own)}
	}, "SELECT name, paper, format, digest, definition FROM kernel ORDER BY name, id")
	return list, db.wrap("reading kernels", err)
}

// A Good is a trial that counts, with what a comparison with another database needs. It has no
// samples. Its times are as if the device had not drifted.
type Good struct {
	Row
	Backend, Model string // backend and model of the device

	// Drift is what its times were divided by. It is 1 if no drift was significant.
	Drift float64
}

// Good returns the trials that count, without samples, ordered by device, matrix,
// precision, cache state, kernel and measured time.
func (db *DB) Good(ctx context.Context) ([]Good, error) {
	records, err := db.from().repeated(ctx)
	if err != nil {
		return nil, db.wrap("reading sentinels", err)
	}
	drifted := watchOver(records)
	repeats := lists.Keyed(lists.Indices(len(records)), func(i int) (int64, *rerunTrial) { return records[i].id, &records[i] })
	var g Good
	var list []Good
	names := interner{}
	err = db.from().each(ctx, trialQuery{
		want: wantTelemetry, where: counting,
		order: "d.name, m.name, t.precision, t.cache, k.name, t.median, t.id",
	}, func(s *stored) error {
		g.Row = s.Row
		g.Drift = drifted[watched(g.Place())].remove(&g.Row, s.origin, repeats[s.id])
		names.row(&g.Row)
		intern(names, &g.Backend)
		intern(names, &g.Model)
		list = append(list, g)
		return nil
	}, field{"d.backend", &g.Backend}, field{"d.model", &g.Model})
	return list, db.wrap("reading trials", err)
}

// A SavedRule is a rule that was learned from the results.
type SavedRule struct {
	Sweep   string    // name of the sweep that it was learned from
	Learned time.Time // when it was learned, to the millisecond
	JSON    []byte    // the rule.Rule
}

// SaveRule keeps a rule, in place of an earlier one for the same sweep.
func (db *DB) SaveRule(ctx context.Context, r SavedRule) error {
	return db.transact(ctx, "saving the rule", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO rule (sweep, learned, json) VALUES (?, ?, ?)
			ON CONFLICT (sweep) DO UPDATE SET learned = excluded.learned, json = excluded.json`,
			r.Sweep, r.Learned.UnixMilli(), string(r.JSON))
		return err
	})
}

// Grids returns what sweeps over whole grids have measured, with the raw samples, ordered by
// device, matrix, precision and cache state. Searches can be replayed on it. It leaves out
// trials of other searches, and trials that were measured again later.
func (db *DB) Grids(ctx context.Context, f Filter) ([]search.Grid, error) {
	whole, err := db.wholeSweeps(ctx)
	if err != nil || len(whole) == 0 {
		return nil, err
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return nil, err
	}

	flush := map[string]float64{}
	for _, d := range devices { // a flush writes and reads twice the cache, at the roof
		flush[d.Label] = 2 * float64(d.Cache) / (cmp.Or(d.Roof.Highest(), 1) * 1e9)
	}
	var grids []search.Grid
	var last gridKey
	where, args := f.conditions(current)
	err = db.from().each(ctx, trialQuery{
		want: wantSamples, where: where, args: args,
		order: "d.name, m.name, t.precision, t.cache, s.name, s.hash, k.name, t.params, t.grid, t.block",
	}, func(t *stored) error {
		sweep, ok := whole[t.sweep]
		if !ok {
			return nil
		}
		if key := (gridKey{t.Place(), t.sweep}); key != last {
			last = key
			cost := search.Cost{Warmup: sweep.Protocol.Warmup}
			if t.Cache == trial.Cold {
				cost.Flush = flush[t.Device]
			}
			grids = append(grids, search.Grid{Case: t.Place(), Cost: cost})
		}
		g := &grids[len(grids)-1]
		g.Trials = append(g.Trials, t.Result)
		g.Intervals = append(g.Intervals, t.Another)
		return nil
	})
	if err != nil {
		return nil, db.wrap("reading samples", err)
	}

	return slices.DeleteFunc(grids, func(g search.Grid) bool { return !(g.Best() > 0) }), nil
}

// A gridKey is what the trials of a grid share. Each protocol has a grid of its own.
type gridKey struct {
	trial.Case
	sweep int64
}

// Whole reports whether the sweep measures every configuration. One with a budget of time
// does when it is run often enough.
func (s *Sweep) Whole() bool { return s.Search.Strategy == "grid" && s.Search.Trials == 0 }

// wholeSweeps returns the sweeps that try every configuration, by key.
func (db *DB) wholeSweeps(ctx context.Context) (map[int64]*Sweep, error) {
	sweeps, err := db.Sweeps(ctx)
	whole := map[int64]*Sweep{}
	for i := range sweeps {
		if s := &sweeps[i]; s.Whole() {
			whole[s.id] = s
		}
	}
	return whole, err
}

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
	return lists.Keyed(list, func(m trial.Matrix) (string, trial.Matrix) { return m.Name, m }), err
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
