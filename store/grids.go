package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/trial"
)

// Grids returns what sweeps over whole grids have measured, of what the filter chooses, by
// device, matrix, precision and cache state, with the raw samples: what searches can be
// replayed on. Trials of other searches are not among them, nor those that were measured
// again since.
func (db *DB) Grids(ctx context.Context, f Filter) ([]replay.Grid, error) {
	whole, err := db.wholeSweeps(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading sweeps: %w", failed(db.path, err))
	}
	if len(whole) == 0 {
		return nil, nil
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return nil, err
	}
	flush := map[string]float64{}
	for _, d := range devices {
		flush[d.Label] = flushTime(d)
	}
	var grids []replay.Grid
	type row struct {
		sweep, device, matrix, params string
		cache                         trial.Cache
		precision                     kernels.Precision
		trial                         trial.Result
	}
	where, args := f.where("t.superseded = 0")
	rows, err := collect(ctx, db.read, func(rows *sql.Rows) (r row, err error) {
		var median sql.NullFloat64
		var batch sql.NullInt64
		var data []byte
		if err = rows.Scan(&r.sweep, &r.device, &r.matrix, &r.precision, &r.cache, &r.trial.Kernel, &r.trial.Block, &r.trial.Grid,
			&r.params, &r.trial.Status, &median, &batch, &data); err != nil {
			return r, err
		}
		r.trial.Precision = r.precision
		if r.trial.Params, err = kernels.ParseParams(r.params); err != nil {
			return r, err
		}
		r.trial.Samples = unpack(data)
		r.trial.Median, r.trial.Batch = median.Float64, int(batch.Int64)
		return r, nil
	}, `SELECT s.name || ' ' || s.hash, d.name, m.name, t.precision, t.cache, k.name, t.block, t.grid, t.params, t.status,
			t.median, t.batch, x.data`+fromTrials+` LEFT JOIN sample x ON x.trial = t.id`+where+`
		ORDER BY d.name, m.name, t.precision, t.cache, s.name, s.hash, k.name, t.params, t.grid, t.block`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading samples: %w", failed(db.path, err))
	}
	last := ""
	for _, r := range rows {
		warmup, ok := whole[r.sweep]
		if !ok {
			continue
		}
		if key := strings.Join([]string{r.device, r.matrix, string(r.precision), string(r.cache), r.sweep}, "\x00"); key != last {
			last = key
			cost := replay.Cost{Warmup: warmup}
			if r.cache == trial.Cold {
				cost.Flush = flush[r.device]
			}
			grids = append(grids, replay.Grid{Place: trial.Place{Device: r.device, Matrix: r.matrix, Precision: r.precision, Cache: r.cache}, Cost: cost})
		}
		g := &grids[len(grids)-1]
		g.Trials = append(g.Trials, r.trial)
	}
	return slices.DeleteFunc(grids, func(g replay.Grid) bool { return !(g.Best() > 0) }), nil
}

// Whole reports whether the sweep measures every configuration. One with a budget of time
// does when it is run often enough.
func (s Sweep) Whole() bool {
	search := configs.SearchOf([]byte(s.Text))
	return search.Strategy == "grid" && search.Trials == 0
}

// wholeSweeps returns, of the sweeps that try every configuration, the warm-up of their
// protocols, by name and hash.
func (db *DB) wholeSweeps(ctx context.Context) (map[string]int, error) {
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return nil, err
	}
	whole := map[string]int{}
	for _, s := range sweeps {
		if !s.Whole() {
			continue
		}
		warmup := 1
		for _, setting := range strings.Fields(s.Protocol) {
			fmt.Sscanf(setting, "warmup=%d", &warmup)
		}
		whole[s.Name+" "+s.Hash] = warmup
	}
	return whole, nil
}

// flushTime is how long it takes to flush the caches of a device before a sample: twice
// the last one is written, at the bandwidth that was measured.
func flushTime(d Device) float64 {
	bandwidth := cmp.Or(d.Roof.Highest(), 1)
	return 2 * float64(d.Cache) / (bandwidth * 1e9)
}
