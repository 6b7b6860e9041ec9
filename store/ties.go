// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// surely is how many times slower than the winner a trial must be at least, with an interval that
// does not meet the winner's, to be told apart without a look at it.
const surely = 1.05

// placesPerCommit is the number of places whose ties are decided in one commit.
const placesPerCommit = 64

// DecideTies decides which configurations can't be told from the fastest one, in every place that
// has new trials, and returns the number of these places. The view best shows the result. Before,
// it finds out from repeats how far two runs differ, and what trials take that were repeated.
//
// If there were finals, they decide: see stat.Judge. Elsewhere a configuration can be told from
// the fastest if it is slower by more than two measurements of one configuration differ there, and
// by 1%, and if its interval within the run does not reach down to that of the fastest. If
// sentinels show a drift, times are divided by it first.
func (db *DB) DecideTies(ctx context.Context) (places int, err error) {
	if db.write == nil {
		return 0, errReadOnly
	}
	all, err := db.from().places(ctx)
	if err != nil {
		return 0, db.wrap("looking for ties", err)
	}
	if !slices.ContainsFunc(all, settled.open) {
		return 0, nil
	}
	repeats, err := db.from().readRepeats(ctx)
	if err != nil {
		return 0, db.wrap("reading repeats", err)
	}

	err = db.transact(ctx, "recording what repeats say", func(tx *sql.Tx) error { return repeats.keep(ctx, tx, all) })
	if err != nil {
		return 0, err
	}

	open := slices.DeleteFunc(all, func(p settled) bool { return p.ties && p.factor == repeats.factor(p.Case) })
	for some := range slices.Chunk(open, placesPerCommit) {
		err := db.transact(ctx, "deciding ties", func(tx *sql.Tx) error {
			for _, p := range some {
				if err := decideTies(ctx, tx, p.Case, repeats); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return places, err
		}
		places += len(some)
	}

	return places, nil
}

// decideTies records the tie set of a place.
func decideTies(ctx context.Context, tx *sql.Tx, p trial.Case, repeats remeasured) error {
	from := source{tx}
	d, factor := repeats.drifted[watched(p)], repeats.factor(p)
	median, high, ok, err := from.fastest(ctx, p, "")
	if err != nil || !ok {
		return err
	}
	slack := d.slack()
	apart := max(surely, stat.Apart(factor, 1, 1)) * slack
	reach, limit := high*slack, apart*median
	var near []competitor
	var t tieSet
	for again := true; again; { // the winner may have been lucky: then others are as near that were not read
		if near, t, err = from.judge(ctx, p, d, factor, reach, limit); err != nil {
			return err
		}
		r, l := max(reach, near[t.winner].WithinHigh*slack), max(limit, apart*t.times[t.winner])
		again = r != reach || l != limit
		reach, limit = r, l
	}

	next, _, outside, err := from.fastest(ctx, p, ` AND NOT (ifnull(t.low, t.median) <= ? OR t.median <= ?
		OR t.id IN (SELECT trial FROM estimate WHERE time <= ?))`, reach, limit, limit)
	if err != nil {
		return err
	}
	for i := range near {
		if !t.tied[i] && (!outside || t.times[i] < next) {
			next, outside = t.times[i], true
		}
	}

	if outside {
		t.margin = next/t.times[t.winner] - 1
	}
	return t.keep(ctx, tx, p, near, d != nil && d.significant, outside)
}

// judge reads the competitors of a place as far as reach and limit, and decides which are tied.
func (from source) judge(ctx context.Context, p trial.Case, d *drift, factor, reach, limit float64) (near []competitor,
	t tieSet, err error) {
	if near, err = from.competitors(ctx, p, d, reach, limit); err != nil {
		return nil, tieSet{}, err
	}
	finals := 0
	for i := range near {
		finals += len(near[i].finals)
	}
	if len(near[0].finals) > 0 && finals > 1 { // one alone says nothing of how far they differ
		return near, byFinals(near, factor), nil
	}
	t, err = from.byTrials(ctx, p, d, near, factor)
	return near, t, err
}

// A tieSet says which competitors are tied, in the order of their medians.
type tieSet struct {
	times         []float64 // the times that decide, in seconds
	tied          []bool
	winner, named int
	effect        float64 // the least difference that counts, as a fraction
	margin        float64
}

// byFinals decides in a place where there were finals. Leaders' finals may be alike by chance, and
// other competitors have none: nobody is told apart by less than such means differ where two
// measurements of one configuration differ by a factor, 0 if it is not known.
func byFinals(near []competitor, factor float64) tieSet {
	list := lists.Of(near, func(c competitor) stat.Candidate {
		return stat.Candidate{Config: c.Config, Medians: c.medians()}
	})
	v := stat.Judge(list)
	for i, c := range list {
		reach := stat.Apart(factor, len(c.Medians), len(list[v.Fastest].Medians))
		v.Tied[i] = v.Tied[i] || v.Times[i] <= reach*v.Times[v.Fastest]
	}
	return tieSet{times: v.Times, tied: v.Tied, winner: v.Fastest, named: v.Named, effect: stat.LeastEffect}
}

// byTrials decides in a place where there were none. Two measurements of one configuration there
// differ by a factor, 0 if it is not known. Some trials are not even sure of their median within
// the run.
func (from source) byTrials(ctx context.Context, p trial.Case, d *drift, near []competitor,
	factor float64) (tieSet, error) {
	t := tieSet{times: make([]float64, len(near)), tied: make([]bool, len(near))}
	for i := range near {
		t.times[i] = stat.GeometricMeanOf(near[i].medians())
		if t.times[i] < t.times[t.winner] {
			t.winner = i
		}
	}

	t.effect = max(stat.LeastEffect, factor-1)
	for i := range near {
		t.tied[i] = t.times[i] <= (1+t.effect)*t.times[t.winner] ||
			near[i].WithinLow > 0 && near[i].WithinLow <= near[t.winner].WithinHigh
	}

	var configs []kernels.Config
	var robust []float64
	var index []int
	grids := map[kernelParams]stat.Grid{}
	for i := range near {
		if !t.tied[i] {
			continue
		}
		c := near[i].Config
		of := kernelParams{near[i].digest, c.Kernel, c.Params}
		if grids[of] == nil {
			var err error
			if grids[of], err = from.medians(ctx, p, d, of); err != nil {
				return t, err
			}
		}
		configs, index = append(configs, c), append(index, i)
		robust = append(robust, grids[of].Robust(kernels.Config{Block: c.Block, Grid: c.Grid}))
	}

	t.named = index[stat.Represent(configs, robust, min(t.effect, stat.MostEffect))]
	return t, nil
}

// keep records a tie set. Another process may have done so in the meantime.
func (t tieSet) keep(ctx context.Context, tx *sql.Tx, p trial.Case, near []competitor, drift, outside bool) error {
	if err := forgetTies(ctx, tx, p); err != nil {
		return err
	}
	var margin any
	if outside {
		margin = t.margin
	}
	var set int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO tie_set
		(matrix, device, precision, cache, trial, winner, effect, drift, margin)
		VALUES (`+placeKeys+`, ?, ?, ?, ?, ?) RETURNING id`,
		placeArgs(p, near[t.named].id, near[t.winner].id, t.effect, drift, margin)...).Scan(&set); err != nil {
		return err
	}
	for i := range near {
		if !t.tied[i] {
			continue
		}
		const member = "INSERT INTO tie_member (trial, tie_set) VALUES (?, ?)"
		if _, err := tx.ExecContext(ctx, member, near[i].id, set); err != nil {
			return err
		}
	}
	return nil
}

// forgetTies makes the ties of a place undecided.
func forgetTies(ctx context.Context, tx *sql.Tx, p trial.Case) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM tie_set WHERE (matrix, device, precision, cache) = ("+placeKeys+")",
		placeArgs(p)...)
	return err
}

// tied returns the ids of all trials that are in a tie set.
func (db *DB) tied(ctx context.Context) (map[int64]bool, error) {
	tied := map[int64]bool{}
	var id int64
	rows, err := db.read.QueryContext(ctx, "SELECT trial FROM tie_member")
	err = readRows(rows, err, []any{&id}, func() { tied[id] = true })
	return tied, err
}

// A competitor is a trial in a place. Its times are as if the device had not drifted.
type competitor struct {
	stored
	finals []float64 // medians, in seconds
}

// medians are those to judge it by. Sentinels and spreads have no say: they are repeats of few
// trials, and those of others are as lucky as before.
func (c competitor) medians() []float64 { return stat.Fair(c.Median, c.finals) }

// competitors reads the trials that count in a place and whose intervals begin by reach or
// whose medians, or those of repeats, are at most limit, with finals, fastest first.
func (from source) competitors(ctx context.Context, p trial.Case, d *drift, reach,
	limit float64) ([]competitor, error) {
	trials, err := from.list(ctx, trialQuery{
		where: append(slices.Clone(counting), inPlace, "(t.low <= ? OR t.median <= ? OR e.time <= ?)"),
		args:  placeArgs(p, reach, limit, limit),
		order: "t.median, t.low, t.high, t.id",
	})
	if err != nil {
		return nil, err
	}
	ids := lists.Of(trials, func(t stored) string { return t.ID })
	reruns, err := from.reruns(ctx, withIdentities("a"), identities(ids))
	if err != nil {
		return nil, err
	}

	near := make([]competitor, len(trials))
	for i := range trials {
		c := competitor{stored: trials[i]}
		d.takeOut(&c.Row, c.origin)
		for _, r := range reruns[c.ID] {
			if r.LeaderRerun && r.Throttled() == 0 {
				c.finals = append(c.finals, r.Median/d.factor(r.origin, r.At))
			}
		}
		near[i] = c
	}
	slices.SortStableFunc(near, func(a, b competitor) int { return cmp.Compare(a.Median, b.Median) })
	return near, nil
}
