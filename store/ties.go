// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
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
			for _, p := range some { // with a context that may end, the driver starts a goroutine for each statement
				if err := cmp.Or(ctx.Err(), repeats.decideTies(context.WithoutCancel(ctx), tx, p)); err != nil {
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
func (t remeasured) decideTies(ctx context.Context, tx *sql.Tx, p settled) error {
	all, err := source{tx}.competitors(ctx, p)
	if err != nil || len(all) == 0 {
		return err
	}
	d, factor := t.drifted[watched(p.Case)], t.factor(p.Case)
	slack := d.slack()
	apart := max(surely, stat.Apart(factor, 1, 1)) * slack
	reach, limit := cmp.Or(all[0].high, all[0].median)*slack, apart*all[0].median
	var near []competitor
	var ties tieSet
	for again := true; again; { // the winner may have been lucky: then others are as near that were not looked at
		near = t.near(all, d, reach, limit)
		finals := lists.Sum(near, func(c competitor) int { return len(c.finals) })
		if len(near[0].finals) > 0 && finals > 1 { // one alone says nothing of how far they differ
			ties = byFinals(near, factor)
		} else {
			ties = byTrials(all, near, d, factor)
		}
		r, l := max(reach, near[ties.winner].high*slack), max(limit, apart*ties.times[ties.winner])
		again = r != reach || l != limit
		reach, limit = r, l
	}

	next := math.Inf(1)
	if i := slices.IndexFunc(all, func(c competitor) bool { return !c.within(reach, limit) }); i >= 0 {
		next = all[i].median
	}
	for i := range near {
		if !ties.tied[i] {
			next = min(next, ties.times[i])
		}
	}
	ties.margin = next/ties.times[ties.winner] - 1
	return ties.keep(ctx, tx, p, near, d != nil && d.significant)
}

// near are those of all competitors that are within reach and limit, as if the device had not drifted, with their
// finals, fastest first.
func (t remeasured) near(all []competitor, d *drift, reach, limit float64) (near []competitor) {
	for i, c := range all {
		if !c.within(reach, limit) {
			continue
		}
		c.nth = i
		f := d.factor(c.origin, c.at)
		c.median, c.low, c.high = c.median/f, c.low/f, c.high/f
		for _, r := range t.finals[c.id] {
			c.finals = append(c.finals, r.Median/d.factor(r.origin, r.At))
		}
		near = append(near, c)
	}
	slices.SortStableFunc(near, func(a, b competitor) int { return cmp.Compare(a.median, b.median) })
	return near
}

// A tieSet says which competitors are tied, in the order of their medians.
type tieSet struct {
	times         []float64 // the times that decide, in seconds
	tied          []bool
	winner, named int
	effect        float64 // the least difference that counts, as a fraction
	margin        float64 // +Inf if all are tied
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
func byTrials(all, near []competitor, d *drift, factor float64) tieSet {
	t := tieSet{times: make([]float64, len(near)), tied: make([]bool, len(near))}
	for i := range near {
		t.times[i] = stat.GeometricMeanOf(near[i].medians())
		if t.times[i] < t.times[t.winner] {
			t.winner = i
		}
	}

	t.effect = max(stat.LeastEffect, factor-1)
	var configs []kernels.Config
	var index []int
	for i, c := range near {
		t.tied[i] = t.times[i] <= (1+t.effect)*t.times[t.winner] || c.low > 0 && c.low <= near[t.winner].high
		if t.tied[i] {
			configs, index = append(configs, c.Config), append(index, i)
		}
	}

	if len(index) == 1 {
		t.named = index[0]
		return t
	}
	surroundings := stat.Robust(lists.Of(all, func(c competitor) kernels.Config {
		c.Config.Kernel = strconv.FormatInt(c.kernel, 10) // sources are kept apart
		return c.Config
	}), lists.Of(all, func(c competitor) float64 { return c.median / d.factor(c.origin, c.at) }))
	times := lists.Of(index, func(i int) float64 { return surroundings[near[i].nth] })
	t.named = index[stat.Represent(configs, times, min(t.effect, stat.MostEffect))]
	return t
}

// keep records a tie set. Another process may have done so in the meantime.
func (t tieSet) keep(ctx context.Context, tx *sql.Tx, p settled, near []competitor, drift bool) error {
	if err := forgetTies(ctx, tx, p); err != nil {
		return err
	}
	margin := any(t.margin)
	if math.IsInf(t.margin, 0) {
		margin = nil
	}
	var set int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO tie_set
		(matrix, device, precision, cache, trial, winner, effect, drift, margin)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		p.keys(near[t.named].id, near[t.winner].id, t.effect, drift, margin)...).Scan(&set); err != nil {
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
func forgetTies(ctx context.Context, tx *sql.Tx, p settled) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM tie_set WHERE matrix = ? AND device = ? AND precision = ? AND cache = ?",
		p.keys()...)
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

// A competitor is a trial that counts in a place.
type competitor struct {
	kernels.Config
	nth                int   // which it is of all, if it is near the fastest
	id, kernel, origin int64 // keys; of the kernel with its source; 0 for an origin that is not known
	at                 time.Time
	// Seconds. The interval within the run and the time by repeats are 0 if they are not known.
	median, low, high, repeated float64
	finals                      []float64 // medians, in seconds
}

// within reports whether its interval begins by reach, or its median, or that of repeats, is at most limit.
func (c competitor) within(reach, limit float64) bool {
	return c.low > 0 && c.low <= reach || c.median <= limit || c.repeated > 0 && c.repeated <= limit
}

// medians are those to judge it by. Sentinels and spreads have no say: they are repeats of few
// trials, and those of others are as lucky as before.
func (c competitor) medians() []float64 { return stat.Fair(c.median, c.finals) }

// competitors reads the trials that count in a place, fastest first.
func (from source) competitors(ctx context.Context, p settled) ([]competitor, error) {
	return collect(ctx, from, func(c *competitor) []any {
		return []any{&c.id, &c.kernel, orZero(&c.origin), moment{&c.at}, &c.Kernel, &c.Params, &c.Block, &c.Grid,
			&c.median, orZero(&c.low), orZero(&c.high), orZero(&c.repeated)}
	}, `SELECT t.id, t.kernel, t.origin, t.measured_at, k.name, t.params, t.block, t.grid, t.median, t.low, t.high, e.time
		FROM trial t CROSS JOIN kernel k ON k.id = t.kernel LEFT JOIN estimate e ON e.trial = t.id
		WHERE t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ?
			AND t.superseded = 0 AND t.median IS NOT NULL
		ORDER BY t.median, t.low, t.high, t.id`, p.keys()...)
}
