package store

import (
	"context"
	"database/sql"

	"spmvtune/kernels"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A place is what trials have in common that compete with each other.
type place struct {
	matrix, device int64
	precision      kernels.Precision
	cache          trial.Cache
}

// inPlace is the condition that a trial is in a place and counts.
const inPlace = ` matrix = ? AND device = ? AND precision = ? AND cache = ? AND superseded = 0 AND median IS NOT NULL `

func (p place) args(more ...any) []any {
	return append([]any{p.matrix, p.device, p.precision, p.cache}, more...)
}

// unsettled lists the places whose ties are not settled.
func unsettled(ctx context.Context, db queryer) ([]place, error) {
	return collect(ctx, db, func(rows *sql.Rows) (p place, err error) {
		err = rows.Scan(&p.matrix, &p.device, &p.precision, &p.cache)
		return p, err
	}, `SELECT matrix, device, precision, cache FROM (
			SELECT DISTINCT matrix, device, precision, cache FROM trial WHERE superseded = 0 AND median IS NOT NULL) p
		WHERE NOT EXISTS (SELECT 1 FROM tie_set s
			WHERE s.matrix = p.matrix AND s.device = p.device AND s.precision = p.precision AND s.cache = p.cache)`)
}

// A competitor is a trial in a place. Its times are as if the device had not drifted.
type competitor struct {
	id           int64
	kernel       int64
	name         string // of the kernel
	params       string
	grid, block  int
	median, high float64 // seconds
	samples      []float64
	again        []float64 // medians of sentinels and finals, in seconds
	finals       int       // of these
}

// withSamples reads the trials of a place that a condition chooses, with samples,
// fastest first, without the first looks of a search: those are too few samples to be
// the best by, and what may be the best is measured again.
func (p place) withSamples(ctx context.Context, db queryer, drift *drift, condition string, args ...any) ([]competitor, error) {
	return collect(ctx, db, func(rows *sql.Rows) (c competitor, err error) {
		var data []byte
		var origin sql.NullInt64
		var moment int64
		if err := rows.Scan(&c.id, &c.kernel, &c.name, &c.params, &c.grid, &c.block, &c.median, &c.high, &moment, &origin, &data); err != nil {
			return c, err
		}
		f := drift.factor(origin.Int64, moment)
		c.median, c.high, c.samples = c.median/f, c.high/f, unpack(data)
		for i := range c.samples {
			c.samples[i] /= f
		}
		return c, nil
	}, `SELECT t.id, t.kernel, k.name, t.params, t.grid, t.block, t.median, t.high, t.measured_at, t.origin, s.data
		FROM trial t JOIN kernel k ON k.id = t.kernel LEFT JOIN sample s ON s.trial = t.id
		WHERE `+inPlace+condition+` AND t.stop IS NOT 'search' ORDER BY t.median, t.low, t.high, t.id`, p.args(args...)...)
}

// repetitions reads, into trials of a place, how long they took when they were measured
// again. Those that the device throttled are left out.
func (p place) repetitions(ctx context.Context, db queryer, drift *drift, trials []competitor) error {
	index := make(map[int64]int, len(trials))
	for i, c := range trials {
		index[c.id] = i
	}
	_, err := collect(ctx, db, func(rows *sql.Rows) (struct{}, error) {
		var id, moment int64
		var median float64
		var final bool
		var origin sql.NullInt64
		err := rows.Scan(&id, &median, &moment, &origin, &final)
		if i, near := index[id]; near {
			trials[i].again = append(trials[i].again, median/drift.factor(origin.Int64, moment))
			if final {
				trials[i].finals++
			}
		}
		return struct{}{}, err
	}, `SELECT t.id, s.median, s.at, s.origin, s.final
		FROM (SELECT id, identity FROM trial WHERE`+inPlace+`) t JOIN sentinel s ON s.identity = t.identity
		WHERE s.throttled = 0 ORDER BY t.id, s.at`, p.args()...)
	return err
}

// fastest returns the lowest median of the trials of a place that a condition chooses,
// with the end of its interval; ok is false if there is none. Looks are left out here, too.
func (p place) fastest(ctx context.Context, db queryer, condition string, args ...any) (median, high float64, ok bool, err error) {
	found, err := collect(ctx, db, func(rows *sql.Rows) (v [2]float64, err error) {
		err = rows.Scan(&v[0], &v[1])
		return v, err
	}, "SELECT median, high FROM trial WHERE"+inPlace+condition+" AND stop IS NOT 'search' ORDER BY median, low, high, id LIMIT 1", p.args(args...)...)
	if err != nil || len(found) == 0 {
		return 0, 0, false, err
	}
	return found[0][0], found[0][1], true, nil
}

// A family is the trials of a place that differ in block and grid only.
type family struct {
	kernel int64
	params string
}

// medians reads those of a family, by block and grid.
func (p place) medians(ctx context.Context, db queryer, drift *drift, f family) (stat.Grid, error) {
	grid := stat.Grid{}
	_, err := collect(ctx, db, func(rows *sql.Rows) (struct{}, error) {
		var at kernels.Config
		var median float64
		var moment int64
		var origin sql.NullInt64
		err := rows.Scan(&at.Block, &at.Grid, &median, &moment, &origin)
		grid[at] = median / drift.factor(origin.Int64, moment)
		return struct{}{}, err
	}, "SELECT block, grid, median, measured_at, origin FROM trial WHERE"+inPlace+"AND kernel = ? AND params = ?",
		p.args(f.kernel, f.params)...)
	return grid, err
}
