// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// poolOf stands for what shares a spread: the places of a device in one cache state.
func poolOf(p trial.Case) trial.Case { return trial.Case{Device: p.Device, Cache: p.Cache} }

// A remeasured is what the trials say that were measured again.
type remeasured struct {
	records []rerunTrial
	drifted map[trial.Case]*drift // by what sentinels watch over
	// spreads are those of pools, and of places in which leaders alone were measured again.
	spreads map[trial.Case]stat.Spread[trial.Case]
	pairs   map[trial.Case]int // of measurements of one trial that follow each other
	finals  map[int64][]rerun  // of leaders, by key of the trial
}

// readRepeats reads the trials that were measured again.
func (from source) readRepeats(ctx context.Context) (remeasured, error) {
	records, err := from.repeated(ctx)
	t := remeasured{records: records, drifted: watchOver(records), spreads: map[trial.Case]stat.Spread[trial.Case]{},
		pairs: map[trial.Case]int{}, finals: map[int64][]rerun{}}
	distances := map[trial.Case][]stat.Repeated[trial.Case]{}
	sampled := map[trial.Case]bool{} // places in which others were measured again to see how far repeats differ

	for i := range records {
		r := &records[i]
		p := r.Place()
		t.finals[r.id] = lists.Where(r.again(), func(again rerun) bool { return again.LeaderRerun })
		sampled[p] = sampled[p] || slices.ContainsFunc(r.repeats, func(again rerun) bool { return again.NoiseRerun })
		if list := r.distances(t.drifted[watched(p)]); len(list) > 0 {
			one := stat.Repeated[trial.Case]{Case: p, Distances: list}
			distances[poolOf(p)], distances[p] = append(distances[poolOf(p)], one), append(distances[p], one)
			t.pairs[p] += len(list)
		}
	}

	for of, list := range distances {
		if !sampled[of] {
			t.spreads[of] = stat.SpreadOf(list)
		}
	}
	return t, err
}

// distances returns how far measurements of a trial that follow each other in one session differ, as
// if the device had not drifted. The first measurement of a leader was lucky, and is left out. So
// are trials that ended with their first product.
func (r *rerunTrial) distances(d *drift) []float64 {
	if r.WithinLow == 0 {
		return nil
	}
	measured := append([]rerun{{Result: r.Result, origin: r.origin}}, r.again()...)
	if slices.ContainsFunc(measured, func(m rerun) bool { return m.LeaderRerun }) {
		measured = measured[1:]
	}
	slices.SortStableFunc(measured, func(a, b rerun) int {
		return cmp.Or(cmp.Compare(a.origin, b.origin), a.At.Compare(b.At))
	})

	var list []float64
	for i := 1; i < len(measured); i++ {
		if a, b := &measured[i-1], &measured[i]; a.origin == b.origin {
			times := b.Median / d.factor(b.origin, b.At) / (a.Median / d.factor(a.origin, a.At))
			list = append(list, math.Abs(math.Log(times)))
		}
	}
	return list
}

// keep records the spreads of places, and what repeated trials take. Ties that rest on another
// spread are forgotten in the same transaction: the program may be killed before it decides them.
func (t remeasured) keep(ctx context.Context, tx *sql.Tx, places []settled) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM spread; DELETE FROM estimate"); err != nil {
		return err
	}

	for _, p := range places {
		factor := t.factor(p.Case)
		if factor != p.factor {
			if err := forgetTies(ctx, tx, p); err != nil {
				return err
			}
		}
		if factor == 0 {
			continue
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO spread (matrix, device, precision, cache, factor, pairs)
			VALUES (?, ?, ?, ?, ?, ?)`, p.keys(factor, t.pairs[p.Case])...); err != nil {
			return err
		}
	}

	// What repeated trials take.
	for i := range t.records {
		r := &t.records[i]
		medians := r.again()
		if len(medians) == 0 {
			continue
		}
		fair := stat.Fair(r.Median, lists.Of(medians, func(m rerun) float64 { return m.Median }))
		time, factor := stat.GeometricMeanOf(fair), stat.OfMeans(t.factor(r.Place()), len(fair), 1)
		if _, err := tx.ExecContext(ctx, `INSERT INTO estimate (trial, time, log_time, runs, factor)
			VALUES (?, ?, ?, ?, ?)`, r.id, time, math.Log(time), len(fair), nonzero(factor)); err != nil {
			return err
		}
	}
	return nil
}

// factor returns the factor by which two measurements differ at most in a place, 0 if it is not
// known. What tune says of a matrix does not change with others: where leaders alone were measured again, their own
// repeats tell it, if there are enough, and elsewhere those of all places.
func (t remeasured) factor(p trial.Case) float64 {
	return cmp.Or(t.spreads[p].Factor(p), t.spreads[poolOf(p)].Factor(p))
}

// A rerun is a trial that was measured again, and where that happened.
type rerun struct {
	trial.Result
	origin int64 // 0 if it is not known
}

// The kinds of reruns as they are kept.
const (
	sentinel = "sentinel"
	leader   = "leader"
	noise    = "noise"
)

// kindOf says what a trial was measured again for.
func kindOf(r *trial.Result) string {
	switch {
	case r.LeaderRerun:
		return leader
	case r.NoiseRerun:
		return noise
	}
	return sentinel
}

// reruns returns the reruns that a condition chooses, by identity of the trial and in the
// order of time. They know only the identity of their trials.
func (from source) reruns(ctx context.Context, condition string, args ...any) (map[string][]rerun, error) {
	list := map[string][]rerun{}
	var r rerun
	var throttled int
	var kind string
	rows, err := from.QueryContext(ctx, `SELECT a.identity, a.at, a.kind, a.origin, a.median, a.low, a.high, a.throttled,
		a.data FROM rerun a WHERE `+condition+" ORDER BY a.identity, a.at", args...)
	err = readRows(rows, err, []any{&r.ID, moment{&r.At}, &kind, orZero(&r.origin), &r.Median, &r.WithinLow, &r.WithinHigh, &throttled,
		packed{&r.Samples}}, func() {
		r.Status, r.Telemetry = trial.OK, nil
		r.Sentinel, r.LeaderRerun, r.NoiseRerun = kind == sentinel, kind == leader, kind == noise
		if throttled > 0 {
			r.Telemetry = &trial.Telemetry{Throttled: throttled}
		}
		list[r.ID] = append(list[r.ID], r)
	})
	return list, err
}

// A rerunTrial is a trial with its repeats.
type rerunTrial struct {
	stored
	repeats []rerun
}

// again returns the repeats that the device did not throttle.
func (r *rerunTrial) again() []rerun {
	return lists.Where(r.repeats, func(again rerun) bool { return again.Throttled() == 0 })
}

// repeated returns the good trials that were measured again, with samples, ordered by
// matrix, device, cache state and identity.
func (from source) repeated(ctx context.Context) ([]rerunTrial, error) {
	repeats, err := from.reruns(ctx, "true")
	if err != nil || len(repeats) == 0 {
		return nil, err
	}
	trials, err := from.list(ctx, trialQuery{
		want:  wantSamples,
		where: []string{"t.identity IN (SELECT identity FROM rerun)", "t.status = 'ok'"},
		order: "t.matrix, t.device, t.cache, t.identity",
	})

	return lists.Of(trials, func(t stored) rerunTrial { return rerunTrial{t, repeats[t.ID]} }), err
}

// withIdentities is a condition on the column identity of a table, whose value
// list gives.
func withIdentities(table string) string {
	return table + ".identity IN (SELECT value FROM json_each(?))"
}

// Recorded returns what is recorded of the trials with these identities.
func (db *DB) Recorded(ctx context.Context, ids []string, detail trial.Detail) (_ map[string]trial.Record, err error) {
	defer func() { err = db.wrap("looking up recorded trials", err) }()
	recorded := make(map[string]trial.Record)
	q := trialQuery{where: []string{withIdentities("t")}, args: []any{list(ids)}}
	if detail == trial.Full {
		q.want = wantSamples
	}
	reruns, err := db.from().reruns(ctx, withIdentities("a"), list(ids))
	if err != nil {
		return nil, err
	}
	return recorded, db.from().each(ctx, q, func(s *stored) error {
		r := trial.Record{Result: s.Result}
		for _, again := range reruns[s.ID] {
			again.Trial = s.Trial
			r.Reruns = append(r.Reruns, again.Result)
		}
		recorded[s.ID] = r
		return nil
	})
}
