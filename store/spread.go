package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A pool is what shares a spread: the places of a device in one cache state.
type pool struct {
	device string
	cache  trial.Cache
}

func poolOf(p trial.Case) pool { return pool{p.Device, p.Cache} }

// A remeasured is what the trials say that were measured again.
type remeasured struct {
	records []repeatedTrial
	drifted map[trial.Case]*drift // by what sentinels watch over
	spreads map[pool]stat.Spread[trial.Case]
	pairs   map[trial.Case]int // of measurements of one trial that follow each other
}

// readRepeats reads the trials that were measured again.
func (from source) readRepeats(ctx context.Context) (remeasured, error) {
	records, err := from.repeated(ctx)
	t := remeasured{records: records, drifted: watchOver(records), spreads: map[pool]stat.Spread[trial.Case]{},
		pairs: map[trial.Case]int{}}
	lists := map[pool][]stat.Repeated[trial.Case]{}

	for i := range records {
		r := &records[i]
		p := r.Place()
		if list := r.distances(t.drifted[watched(p)]); len(list) > 0 {
			lists[poolOf(p)] = append(lists[poolOf(p)], stat.Repeated[trial.Case]{Place: p, Distances: list})
			t.pairs[p] += len(list)
		}
	}

	for of, list := range lists {
		t.spreads[of] = stat.SpreadOf(list)
	}
	return t, err
}

// distances returns how far measurements of a trial that follow each other in one session differ, as
// if the device had not drifted. The first measurement of a leader was lucky, and is left out. So
// are trials that ended with their first product.
func (r *repeatedTrial) distances(d *drift) []float64 {
	if r.Low == 0 {
		return nil
	}
	measured := append([]repeat{{Result: r.Result, origin: r.origin}}, r.again()...)
	if slices.ContainsFunc(measured, func(m repeat) bool { return m.Final }) {
		measured = measured[1:]
	}
	slices.SortStableFunc(measured, func(a, b repeat) int {
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
	for _, statement := range []string{"DELETE FROM spread", "DELETE FROM estimate"} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}

	for _, p := range places {
		factor := t.factor(p.Case)
		if factor != p.factor {
			if err := forgetTies(ctx, tx, p.Case); err != nil {
				return err
			}
		}
		if factor == 0 {
			continue
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO spread (matrix, device, precision, cache, factor, pairs)
			VALUES (`+placeKeys+`, ?, ?)`, placeArgs(p.Case, factor, t.pairs[p.Case])...); err != nil {
			return err
		}
	}

	return t.keepEstimates(ctx, tx)
}

// keepEstimates records what repeated trials take.
func (t remeasured) keepEstimates(ctx context.Context, tx *sql.Tx) error {
	for i := range t.records {
		r := &t.records[i]
		medians := r.again()
		if len(medians) == 0 {
			continue
		}
		var again []float64
		for _, m := range medians {
			again = append(again, m.Median)
		}

		fair := stat.Fair(r.Median, again)
		time, factor := stat.GeometricMeanOf(fair), stat.OfMeans(t.factor(r.Place()), len(fair), 1)
		if _, err := tx.ExecContext(ctx, `INSERT INTO estimate (trial, time, log_time, runs, factor)
			VALUES (?, ?, ?, ?, ?)`, r.id, time, math.Log(time), len(fair), nonzero(factor)); err != nil {
			return err
		}
	}
	return nil
}

// factor returns the factor by which two measurements differ at most in a place, 0 if it is not
// known.
func (t remeasured) factor(p trial.Case) float64 { return t.spreads[poolOf(p)].Factor(p) }
