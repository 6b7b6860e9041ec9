// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner/trial"
)

// Everything that reads the table trial stands in this file, everything that writes it in
// statements.go, and its columns in columns.go.

// A stored is a trial as it is kept: a Row with what only this package needs.
type stored struct {
	Row
	id      int64
	sweep   int64  // key of the sweep
	origin  int64  // key of the origin, 0 if there is none
	digest  string // digest of the kernel's source
	version string // version of the program that measured the trial, "" if it is not known
	counts  Counts
}

// A trialQuery chooses trials.
type trialQuery struct {
	want  want
	join  string // further tables
	where []string
	args  []any
	order string
}

// current is the condition on trials that are current, whether they ended well or not.
const current = "t.superseded = 0"

// counting are the conditions on trials that count: they are current, and compete in their cases.
var counting = []string{"t.superseded = 0", "t.median IS NOT NULL"}

// fromTrials joins trials with what they refer to.
const fromTrials = `
	FROM trial t
		JOIN sweep s ON s.id = t.sweep
		JOIN device d ON d.id = t.device
		JOIN matrix m ON m.id = t.matrix
		JOIN kernel k ON k.id = t.kernel`

// fromEstimates joins what repeats say of trials, see the view measured.
const fromEstimates = `
		LEFT JOIN estimate e ON e.trial = t.id
		LEFT JOIN spread p ON p.matrix = t.matrix AND p.device = t.device AND p.precision = t.precision
			AND p.cache = t.cache`

// wideResults are the rows of the view results, with more columns.
const wideResults = `SELECT m.*, t.identity, t.stop, t.measurement, t.version, 1 - t.superseded AS in_force,
		e.tie_set IS NOT NULL AS tied
	FROM measured m JOIN trial t ON t.id = m.id LEFT JOIN tie_member e ON e.trial = m.id`

// A source is a database or a transaction to read from.
type source struct{ queryer }

// each calls f for each trial of a query. The trial is overwritten by the next one.
// Further columns may be read into fields of the caller's.
func (from source) each(ctx context.Context, q trialQuery, f func(*stored) error, more ...field) error {
	var r trialReader
	fields, join := r.fields(q.want)
	fields = append(fields, more...)

	expressions := lists.Of(fields, func(f field) string { return f.expression })
	query := "SELECT " + strings.Join(expressions, ", ") + join + q.join + where(q.where)
	if q.order != "" {
		query += " ORDER BY " + q.order
	}

	rows, err := from.QueryContext(ctx, query, q.args...)
	return scanRows(rows, err, lists.Of(fields, func(f field) any { return f.into }), func() error {
		r.estimate(r.time, r.factor)
		r.rates(r.roof)
		r.Telemetry = r.sensors.telemetry()
		return f(&r.stored)
	})
}

// A trialReader is what a trial is read into.
type trialReader struct {
	stored
	sensors reading
	roof    float64
	// What repeats say: the time, 0 if there are none, and how far another run may find another
	// one, 0 if it is not known.
	time, factor float64
}

// fields returns what is read of trials, and the tables that have it.
func (r *trialReader) fields(want want) (fields []field, join string) {
	s := &r.stored
	fields = []field{
		{"t.id", &s.id}, {"t.sweep", &s.sweep}, {"k.digest", &s.digest},
		{"t.origin", orZero(&s.origin)}, {"t.version", orZero(&s.version)},
		{"s.name", &s.Sweep}, {"s.hash", &s.SweepHash}, {"d.name", &s.Device},
		{"m.name", &s.Matrix}, {"m.hash", &s.Result.Matrix},
		{"m.rows", &s.Rows}, {"m.cols", &s.Cols}, {"m.nonzeros", &s.NNZ},
		{"k.name", &s.Kernel}, {"k.format", &s.Format},
		{"max(d.roof_read, d.roof_copy, d.roof_triad)", &r.roof},
		{"e.time", orZero(&r.time)}, {"p.factor", orZero(&s.Factor)}, {"ifnull(e.factor, p.factor)", orZero(&r.factor)},
	}

	for _, c := range trialColumns {
		if c.field != nil && c.want&^want == 0 {
			fields = append(fields, field{"t." + c.name, c.field(s)})
		}
	}

	join = fromTrials + fromEstimates
	if want&wantSamples != 0 {
		join += " LEFT JOIN sample x ON x.trial = t.id"
		fields = append(fields, field{"x.data", packed{&s.Samples}})
	}

	if want&wantTelemetry != 0 {
		join += " LEFT JOIN reading r ON r.trial = t.id"
		fields = append(fields, r.sensors.fields()...)
	}

	if want&wantCounts != 0 {
		fields = append(fields, field{countsOf, fromJSON(&s.counts)})
	}

	return fields, join
}

// list returns the trials of a query.
func (from source) list(ctx context.Context, q trialQuery) ([]stored, error) {
	var all []stored
	names := interner{}
	err := from.each(ctx, q, func(s *stored) error {
		names.row(&s.Row)
		all = append(all, *s)
		return nil
	})
	return all, err
}

// A field is an expression of a query with what it is read into.
type field struct {
	expression string
	into       any
}

// countCurrent counts the trials in force.
const countCurrent = "SELECT count(*) FROM trial WHERE superseded = 0"

// Count returns how many trials ended in each status.
func (db *DB) Count(ctx context.Context) (map[trial.Status]int, error) {
	counts := map[trial.Status]int{}
	var status trial.Status
	var n int
	rows, err := db.read.QueryContext(ctx, "SELECT status, count(*) FROM trial GROUP BY status")
	err = readRows(rows, err, []any{&status, &n}, func() { counts[status] = n })
	return counts, db.wrap("counting trials", err)
}

// names lists what trials have in a column.
func (from source) names(ctx context.Context, column string) ([]string, error) {
	return texts(ctx, from, "SELECT DISTINCT "+column+fromTrials+" ORDER BY 1")
}

// trialsOfSweeps counts the trials of each sweep.
const trialsOfSweeps = "SELECT sweep, count(*) AS trials FROM trial GROUP BY sweep"

// rerunsOfSweeps counts the reruns of the trials of each sweep.
const rerunsOfSweeps = `SELECT t.sweep, sum(a.kind = 'leader') AS leaders, sum(a.kind = 'noise') AS noise
	FROM rerun a JOIN trial t ON t.identity = a.identity GROUP BY t.sweep`

// fastestOfKernels are the ids of the fastest trial of each source of a kernel in each place.
// SQLite takes the other columns from the row of min().
const fastestOfKernels = `SELECT id FROM (SELECT min(t.median), t.id AS id FROM trial t
	WHERE t.superseded = 0 AND t.median IS NOT NULL
	GROUP BY t.matrix, t.device, t.precision, t.cache, t.kernel)`

// countingView is a view of the trials that count.
const countingView = `CREATE TEMP VIEW counting AS SELECT device, matrix, precision, cache, kernel, params, block, grid,
	time_ms AS ms, ifnull(low_ms, time_ms / factor) AS low, ifnull(high_ms, time_ms * factor) AS high, gflops
	FROM results WHERE in_force AND median_ms IS NOT NULL`

// where joins conditions.
func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// A settled is a place with times, and what was settled of it.
type settled struct {
	trial.Case
	matrix, device int64   // keys
	ties           bool    // whether its ties are
	factor         float64 // of its spread, 0 if it is not known
}

// keys are the values of the columns matrix, device, precision and cache, with more after them.
func (s settled) keys(more ...any) []any {
	return append([]any{s.matrix, s.device, string(s.Precision), string(s.Cache)}, more...)
}

// open reports whether its ties are to be decided.
func (s settled) open() bool { return !s.ties }

// places lists the places that have times.
func (from source) places(ctx context.Context) ([]settled, error) {
	const same = "x.matrix = p.matrix AND x.device = p.device AND x.precision = p.precision AND x.cache = p.cache"
	return collect(ctx, from, func(p *settled) []any {
		return []any{&p.Matrix, &p.Device, &p.matrix, &p.device, &p.Precision, &p.Cache, &p.ties, orZero(&p.factor)}
	}, `SELECT m.name, d.name, m.id, d.id, p.precision, p.cache,
			EXISTS (SELECT 1 FROM tie_set x WHERE `+same+`), (SELECT factor FROM spread x WHERE `+same+`)
		FROM (SELECT DISTINCT matrix, device, precision, cache FROM trial
			WHERE superseded = 0 AND median IS NOT NULL) p
			JOIN matrix m ON m.id = p.matrix JOIN device d ON d.id = p.device`)
}
