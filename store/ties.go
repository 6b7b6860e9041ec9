package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/kernels"
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
// test of Mann and Whitney with the correction of Holm. Where there were finals, it is
// by these instead: see stat.Judge. Where sentinels show a drift, times are divided by it
// before.
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
	drifted, err := db.watch(ctx)
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
	if err := p.repetitions(ctx, tx, d, near); err != nil {
		return err
	}
	var s settlement
	if near[0].finals > 0 {
		s = byRepetitions(near)
	} else if s, err = p.bySamples(ctx, tx, d, near); err != nil {
		return err
	}
	next, _, outside, err := p.fastest(ctx, tx, "AND NOT (low <= ? OR median <= ?)", reach, limit)
	if err != nil {
		return err
	}
	var members []int64
	for i, c := range near {
		switch {
		case s.tied[i]:
			members = append(members, c.id)
		case !outside || s.times[i] < next:
			next, outside = s.times[i], true
		}
	}
	var margin any
	if outside {
		margin = next/s.times[s.winner] - 1
	}
	return p.keep(ctx, tx, near[s.named].id, near[s.winner].id, members, s.effect, d, margin)
}

// A settlement says which competitors are tied, in the order of their medians.
type settlement struct {
	times         []float64 // they are judged by, in seconds
	tied          []bool
	winner, named int
	effect        float64 // the least difference that counts, as a fraction
}

// byRepetitions settles a place where there were finals.
func byRepetitions(near []competitor) settlement {
	list := make([]stat.Candidate, len(near))
	for i, c := range near {
		list[i] = stat.Candidate{Config: c.config(), Medians: append([]float64{c.median}, c.again...)}
	}
	v := stat.Judge(list)
	return settlement{v.Times, v.Tied, v.Fastest, v.Named, stat.LeastEffect}
}

// bySamples settles a place where no trial was repeated.
func (p place) bySamples(ctx context.Context, tx *sql.Tx, d *drift, near []competitor) (settlement, error) {
	s := settlement{times: make([]float64, len(near)), effect: d.least()}
	samples := make([][]float64, len(near))
	for i, c := range near {
		s.times[i], samples[i] = c.median, c.samples
	}
	s.tied = stat.Tied(s.times, samples, s.effect)
	var members []competitor
	var index []int
	for i, c := range near {
		if s.tied[i] {
			members, index = append(members, c), append(index, i)
		}
	}
	configs, robust, err := p.robust(ctx, tx, d, members)
	if err != nil {
		return s, err
	}
	s.named = index[stat.Represent(configs, robust, s.effect)]
	return s, nil
}

func (c competitor) config() kernels.Config {
	return kernels.Config{Kernel: c.name, Block: c.block, Grid: c.grid, Params: kernels.Params(c.params)}
}

// robust returns the members of a tie set, and how fast they are with their neighbours.
func (p place) robust(ctx context.Context, tx *sql.Tx, d *drift, members []competitor) ([]kernels.Config, []float64, error) {
	grids := map[family]stat.Grid{}
	configs, robust := make([]kernels.Config, len(members)), make([]float64, len(members))
	for i, m := range members {
		f := family{m.kernel, m.params}
		if grids[f] == nil {
			var err error
			if grids[f], err = p.medians(ctx, tx, d, f); err != nil {
				return nil, nil, err
			}
		}
		configs[i] = m.config()
		robust[i] = grids[f].Robust(kernels.Config{Block: m.block, Grid: m.grid})
	}
	return configs, robust, nil
}

// keep records a tie set. Another process may have done so in the meantime.
func (p place) keep(ctx context.Context, tx *sql.Tx, named, winner int64, members []int64, effect float64, d *drift, margin any) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM tie_set WHERE matrix = ? AND device = ? AND precision = ? AND cache = ?", p.args()...); err != nil {
		return err
	}
	done, err := tx.ExecContext(ctx, `INSERT INTO tie_set (matrix, device, precision, cache, trial, winner, effect, drift, margin)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.args(named, winner, effect, d != nil && d.significant, margin)...)
	if err != nil {
		return err
	}
	set, err := done.LastInsertId()
	if err != nil {
		return err
	}
	for _, id := range members {
		if _, err := tx.ExecContext(ctx, "INSERT INTO tie_member (trial, tie_set) VALUES (?, ?)", id, set); err != nil {
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
