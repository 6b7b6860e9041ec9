package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/tuner/stat"
)

// Trials beyond these are told apart from the winner without a look at their samples:
// their intervals do not meet its, and they are slower by more than 5%.
const surely = 1.05

// perSettlement is how many places are settled in one commit.
const perSettlement = 64

// Settle decides, from their samples, which configurations can't be told from the
// fastest one, wherever trials have come since it was last done, and returns in how
// many places (device, matrix, precision and cache state). The view best shows it.
//
// A configuration can be told from the fastest if it is slower by 1%, or, where
// sentinels show that trials repeat less well, up to 3%, and significantly so: by the
// test of Mann and Whitney with the correction of Holm. Where sentinels show a drift,
// times are divided by it before.
func (db *DB) Settle(ctx context.Context) (places int, err error) {
	if db.write == nil {
		return 0, errReadOnly
	}
	open, err := unsettled(ctx, db.read)
	if err != nil {
		return 0, fmt.Errorf("looking for ties: %w", failed(db.path, err))
	}
	if len(open) == 0 {
		return 0, nil
	}
	drifted, err := drifts(ctx, db.read)
	if err != nil {
		return 0, fmt.Errorf("reading sentinels: %w", failed(db.path, err))
	}
	for some := range slices.Chunk(open, perSettlement) {
		err := db.transact(ctx, "settling ties", func(tx *sql.Tx) error {
			for _, p := range some {
				if err := p.settle(ctx, tx, drifted[watched{p.matrix, p.device, p.cache}]); err != nil {
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

// settle records the tie set of a place.
func (p place) settle(ctx context.Context, tx *sql.Tx, d *drift) error {
	median, high, ok, err := p.fastest(ctx, tx, "")
	if err != nil || !ok {
		return err
	}
	slack := d.slack()
	reach, limit := high*slack, surely*median*slack
	near, err := p.withSamples(ctx, tx, d, "AND (t.low <= ? OR t.median <= ?)", reach, limit)
	if err != nil {
		return err
	}
	slices.SortStableFunc(near, func(a, b competitor) int { return cmp.Compare(a.median, b.median) })
	times, samples := make([]float64, len(near)), make([][]float64, len(near))
	for i, c := range near {
		times[i], samples[i] = c.median, c.samples
	}
	tied := stat.Tied(times, samples, d.least())
	next, _, outside, err := p.fastest(ctx, tx, "AND NOT (low <= ? OR median <= ?)", reach, limit)
	if err != nil {
		return err
	}
	var members []competitor
	for i, c := range near {
		switch {
		case tied[i]:
			members = append(members, c)
		case !outside || c.median < next:
			next, outside = c.median, true
		}
	}
	choices, err := p.choices(ctx, tx, d, members)
	if err != nil {
		return err
	}
	var margin any
	if outside {
		margin = next/times[0] - 1
	}
	return p.keep(ctx, tx, members, stat.Represent(choices, d.least()), d, margin)
}

// choices gives the members of a tie set with how fast they are with their neighbours.
func (p place) choices(ctx context.Context, tx *sql.Tx, d *drift, members []competitor) ([]stat.Choice, error) {
	grids := map[family]stat.Grid{}
	choices := make([]stat.Choice, len(members))
	for i, m := range members {
		f := family{m.kernel, m.params}
		if grids[f] == nil {
			var err error
			if grids[f], err = p.medians(ctx, tx, d, f); err != nil {
				return nil, err
			}
		}
		cell := stat.Cell{Block: m.block, Grid: m.grid}
		choices[i] = stat.Choice{Cell: cell, Kernel: m.name, Params: m.params, Robust: grids[f].Robust(cell)}
	}
	return choices, nil
}

// keep records a tie set, members in the order of their times. Another process may have
// done so in the meantime.
func (p place) keep(ctx context.Context, tx *sql.Tx, members []competitor, best int, d *drift, margin any) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM tie_set WHERE matrix = ? AND device = ? AND precision = ? AND cache = ?", p.args()...); err != nil {
		return err
	}
	done, err := tx.ExecContext(ctx, `INSERT INTO tie_set (matrix, device, precision, cache, trial, winner, effect, drift, margin)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.args(members[best].id, members[0].id, d.least(), d != nil && d.significant, margin)...)
	if err != nil {
		return err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return err
	}
	for _, m := range members {
		if _, err := tx.ExecContext(ctx, "INSERT INTO tie_member (trial, tie_set) VALUES (?, ?)", m.id, id); err != nil {
			return err
		}
	}
	return nil
}

// tied returns the ids of all trials that are in a tie set.
func (db *DB) tied(ctx context.Context) (map[int64]bool, error) {
	names, err := relations(ctx, db.read)
	if err != nil || !slices.Contains(names, "tie_member") { // an older file that is only read
		return nil, err
	}
	ids, err := collect(ctx, db.read, func(rows *sql.Rows) (id int64, err error) {
		err = rows.Scan(&id)
		return id, err
	}, "SELECT trial FROM tie_member")
	tied := make(map[int64]bool, len(ids))
	for _, id := range ids {
		tied[id] = true
	}
	return tied, err
}
