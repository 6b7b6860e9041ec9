package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"spmvtune/kernels"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// surely is how many times slower than the winner a trial must be, with an interval that
// does not meet the winner's, to be told apart without a look at its samples.
const surely = 1.05

// placesPerCommit is the number of places whose ties are decided in one commit.
const placesPerCommit = 64

// DecideTies decides from samples which configurations can't be told from the fastest one, in
// every place that has new trials, and returns the number of these places. The view best shows
// the result.
//
// A configuration can be told from the fastest if it is significantly slower (the test of Mann
// and Whitney with the correction of Holm), and by at least 1%, or up to 3% if sentinels show
// that trials repeat less well. If there were finals, they decide instead: see stat.Judge. If
// sentinels show a drift, times are divided by it first.
func (db *DB) DecideTies(ctx context.Context) (places int, err error) {
	if db.write == nil {
		return 0, errReadOnly
	}
	open, err := db.from().undecided(ctx)
	if err != nil {
		return 0, db.wrap("looking for ties", err)
	}
	if len(open) == 0 {
		return 0, nil
	}
	drifted, err := db.from().watch(ctx)
	if err != nil {
		return 0, db.wrap("reading sentinels", err)
	}

	for some := range slices.Chunk(open, placesPerCommit) {
		err := db.transact(ctx, "deciding ties", func(tx *sql.Tx) error {
			for _, p := range some {
				if err := decideTies(ctx, tx, p, drifted[watched(p)]); err != nil {
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
func decideTies(ctx context.Context, tx *sql.Tx, p trial.Place, d *drift) error {
	from := source{tx, len(migrations)}
	median, high, ok, err := from.fastest(ctx, p, "")
	if err != nil || !ok {
		return err
	}
	slack := d.slack()
	reach, limit := high*slack, surely*median*slack
	near, err := from.competitors(ctx, p, d, reach, limit)
	if err != nil {
		return err
	}

	var t tieSet
	if slices.ContainsFunc(near[:1], competitor.wasFinalist) {
		t = byFinals(near)
	} else if t, err = from.bySamples(ctx, p, d, near); err != nil {
		return err
	}

	next, _, outside, err := from.fastest(ctx, p, " AND NOT (ifnull(t.low, t.median) <= ? OR t.median <= ?)", reach,
		limit)
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

// A competitor is a trial in a place. Its times are as if the device had not drifted.
type competitor struct {
	stored
	again  []float64 // medians of sentinels and finals, in seconds
	finals int       // how many of them are finals
}

func (c competitor) wasFinalist() bool { return c.finals > 0 }

// competitors reads the trials that count in a place and whose intervals begin by reach or
// whose medians are at most limit, with samples and repeats, fastest first.
func (from source) competitors(ctx context.Context, p trial.Place, d *drift, reach,
	limit float64) ([]competitor, error) {
	trials, err := from.list(ctx, trialQuery{
		want:  wantSamples,
		where: append(slices.Clone(counting), inPlace, "(t.low <= ? OR t.median <= ?)"),
		args:  placeArgs(p, reach, limit),
		order: "t.median, t.low, t.high, t.id",
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(trials))
	for i := range trials {
		ids[i] = trials[i].ID
	}
	repeats, err := from.repeats(ctx, withIdentities("a"), identities(ids))
	if err != nil {
		return nil, err
	}

	near := make([]competitor, len(trials))
	for i := range trials {
		c := competitor{stored: trials[i]}
		d.takeOut(&c.Result, c.origin)
		for _, r := range repeats[c.ID] {
			if r.throttled() {
				continue
			}
			c.again = append(c.again, r.Median/d.factor(r.origin, r.At))
			if r.Final {
				c.finals++
			}
		}
		near[i] = c
	}
	slices.SortStableFunc(near, func(a, b competitor) int { return cmp.Compare(a.Median, b.Median) })
	return near, nil
}

// A tieSet says which competitors are tied, in the order of their medians.
type tieSet struct {
	times         []float64 // the times that decide, in seconds
	tied          []bool
	winner, named int
	effect        float64 // the least difference that counts, as a fraction
	margin        float64
}

// byFinals decides in a place where there were finals.
func byFinals(near []competitor) tieSet {
	list := make([]stat.Candidate, len(near))
	for i := range near {
		list[i] = stat.Candidate{Config: near[i].Config, Medians: stat.Fair(near[i].Median, near[i].again)}
	}
	v := stat.Judge(list)
	return tieSet{times: v.Times, tied: v.Tied, winner: v.Fastest, named: v.Named, effect: stat.LeastEffect}
}

// bySamples decides in a place where there were none.
func (from source) bySamples(ctx context.Context, p trial.Place, d *drift, near []competitor) (tieSet, error) {
	t := tieSet{times: make([]float64, len(near)), effect: d.least()}
	samples := make([][]float64, len(near))
	for i := range near {
		t.times[i], samples[i] = near[i].Median, near[i].Samples
	}
	t.tied = stat.Tied(t.times, samples, t.effect)

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

	t.named = index[stat.Represent(configs, robust, t.effect)]
	return t, nil
}

// keep records a tie set. Another process may have done so in the meantime.
func (t tieSet) keep(ctx context.Context, tx *sql.Tx, p trial.Place, near []competitor, drift, outside bool) error {
	const of = "(SELECT id FROM matrix WHERE name = ?), (SELECT id FROM device WHERE name = ?), ?, ?"
	if _, err := tx.ExecContext(ctx, "DELETE FROM tie_set WHERE (matrix, device, precision, cache) = ("+of+")",
		placeArgs(p)...); err != nil {
		return err
	}
	var margin any
	if outside {
		margin = t.margin
	}
	done, err := tx.ExecContext(ctx, `INSERT INTO tie_set
		(matrix, device, precision, cache, trial, winner, effect, drift, margin)
		VALUES (`+of+`, ?, ?, ?, ?, ?)`, placeArgs(p, near[t.named].id, near[t.winner].id, t.effect, drift, margin)...)
	if err != nil {
		return err
	}
	set, err := done.LastInsertId()
	if err != nil {
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

// tied returns the ids of all trials that are in a tie set.
func (db *DB) tied(ctx context.Context) (map[int64]bool, error) {
	if db.schema < schemaTies {
		return nil, nil
	}
	tied := map[int64]bool{}
	var id int64
	rows, err := db.read.QueryContext(ctx, "SELECT trial FROM tie_member")
	err = readRows(rows, err, []any{&id}, func() { tied[id] = true })
	return tied, err
}
