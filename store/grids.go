package store

import (
	"cmp"
	"context"
	"slices"

	"spmvtune/tuner/replay"
	"spmvtune/tuner/trial"
)

// Grids returns what sweeps over whole grids have measured, with the raw samples, ordered by
// device, matrix, precision and cache state. Searches can be replayed on it. It leaves out
// trials of other searches, and trials that were measured again later.
func (db *DB) Grids(ctx context.Context, f Filter) ([]replay.Grid, error) {
	whole, err := db.wholeSweeps(ctx)
	if err != nil || len(whole) == 0 {
		return nil, err
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
	var last gridKey
	where, args := f.conditions(valid())
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
			cost := replay.Cost{Warmup: sweep.Protocol.Warmup}
			if t.Cache == trial.Cold {
				cost.Flush = flush[t.Device]
			}
			grids = append(grids, replay.Grid{Case: t.Place(), Cost: cost})
		}
		g := &grids[len(grids)-1]
		g.Trials = append(g.Trials, t.Result)
		g.Intervals = append(g.Intervals, t.Another)
		return nil
	})
	if err != nil {
		return nil, db.wrap("reading samples", err)
	}

	return slices.DeleteFunc(grids, func(g replay.Grid) bool { return !(g.Best() > 0) }), nil
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

// flushTime is how long it takes to flush the caches of a device before a sample: twice
// the last one is written, at the bandwidth that was measured.
func flushTime(d Device) float64 {
	bandwidth := cmp.Or(d.Roof.Highest(), 1)
	return 2 * float64(d.Cache) / (bandwidth * 1e9)
}
