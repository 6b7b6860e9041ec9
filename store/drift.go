package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// watched is what one sentinel at a time watches over.
type watched struct {
	matrix, device int64
	cache          trial.Cache
}

// A drift is how a device drifted while it measured a matrix, in each origin.
type drift struct {
	series      map[int64][]repetition // by origin, in the order of time
	drifts      map[int64]stat.Drift
	repeat      float64 // by what fraction trials differ at most, see stat.Repeatability
	significant bool
}

// A repetition is what a sentinel says, and the trial that it measured again.
type repetition struct {
	stat.Point
	trial int64
}

// points are those of repetitions.
func points(series []repetition) []stat.Point {
	list := make([]stat.Point, len(series))
	for i := range series {
		list[i] = series[i].Point
	}
	return list
}

// factor returns how many times as long a product took at a time, in milliseconds since
// 1970; 1 where that is not known for sure.
func (d *drift) factor(origin, at int64) float64 {
	if d == nil || !d.significant {
		return 1
	}
	return d.drifts[origin].Factor(at)
}

// slack is by what factor times of one moment and another may differ.
func (d *drift) slack() float64 {
	if d == nil || !d.significant {
		return 1
	}
	low, high := 1.0, 1.0
	for _, one := range d.drifts {
		l, h := one.Extremes()
		low, high = min(low, l), max(high, h)
	}
	return high / low
}

// least is the least difference between trials that counts, as a fraction.
func (d *drift) least() float64 {
	if d == nil {
		return stat.Effect(0)
	}
	return stat.Effect(d.repeat)
}

// watch reads what the sentinels say. Each is compared with the first measurement of
// its trial, and they follow each other: where several watched over one matrix, those
// of an origin are one series. Those that the device throttled are left out. How well
// trials repeat is what finals say, too.
func (db *DB) watch(ctx context.Context) (map[watched]*drift, error) {
	final, err := db.column(ctx, "sentinel", "final") // null: it has none
	if err != nil {
		return nil, err
	}
	type row struct {
		watched
		trial               int64
		origin, firstOrigin int64
		first, again        stat.Timed
	}
	rows, err := collect(ctx, db.read, func(rows *sql.Rows) (r row, err error) {
		var origin, firstOrigin sql.NullInt64
		var first, again []byte
		err = rows.Scan(&r.matrix, &r.device, &r.cache, &r.trial, &firstOrigin, &r.first.At, &first, &origin, &r.again.At, &again)
		r.origin, r.firstOrigin = origin.Int64, firstOrigin.Int64
		r.first.Values, r.again.Values = unpack(first), unpack(again)
		return r, err
	}, `SELECT t.matrix, t.device, t.cache, t.id, t.origin, t.measured_at, f.data, s.origin, s.at, s.data
		FROM sentinel s JOIN trial t ON t.identity = s.identity JOIN sample f ON f.trial = t.id
		WHERE t.status = 'ok' AND s.throttled = 0 AND NOT ifnull(`+final+`, 0)
		ORDER BY t.matrix, t.device, t.cache, t.identity, s.at`)
	if err != nil {
		return nil, err
	}
	found := map[watched]*drift{}
	medians := map[watched][][]float64{} // of each sentinel
	for start := 0; start < len(rows); {
		end := start
		var again []stat.Timed
		for ; end < len(rows) && rows[end].watched == rows[start].watched && rows[end].trial == rows[start].trial; end++ {
			again = append(again, rows[end].again)
		}
		r := rows[start]
		d := found[r.watched]
		if d == nil {
			d = &drift{series: map[int64][]repetition{}, drifts: map[int64]stat.Drift{}}
			found[r.watched] = d
		}
		origins := map[int64]int64{r.first.At: r.firstOrigin}
		for _, o := range rows[start:end] {
			origins[o.again.At] = o.origin
		}
		var ratios []float64
		for _, p := range stat.Points(r.first, again) {
			d.series[origins[p.At]] = append(d.series[origins[p.At]], repetition{p, r.trial})
			ratios = append(ratios, p.Value)
		}
		medians[r.watched] = append(medians[r.watched], ratios)
		start = end
	}
	if err := finalsOf(ctx, db.read, final, func(w watched, series []float64) {
		if found[w] == nil {
			found[w] = &drift{drifts: map[int64]stat.Drift{}}
		}
		medians[w] = append(medians[w], series)
	}); err != nil {
		return nil, err
	}
	for w, d := range found {
		d.conclude(stat.Repeatability(medians[w]))
	}
	return found, nil
}

// finalsOf gives each the medians of the finals of each trial, in the order of time. The
// trial's own is not among them: it was lucky.
func finalsOf(ctx context.Context, db queryer, final string, each func(watched, []float64)) error {
	type row struct {
		watched
		identity string
		median   float64
	}
	rows, err := collect(ctx, db, func(rows *sql.Rows) (r row, err error) {
		err = rows.Scan(&r.matrix, &r.device, &r.cache, &r.identity, &r.median)
		return r, err
	}, `SELECT t.matrix, t.device, t.cache, s.identity, s.median
		FROM sentinel s JOIN trial t ON t.identity = s.identity
		WHERE t.status = 'ok' AND s.throttled = 0 AND `+final+` = 1 ORDER BY s.identity, s.at`)
	for start := 0; start < len(rows); {
		end := start
		var series []float64
		for ; end < len(rows) && rows[end].identity == rows[start].identity; end++ {
			series = append(series, rows[end].median)
		}
		each(rows[start].watched, series)
		start = end
	}
	return err
}

// conclude makes of the series what follows from them.
func (d *drift) conclude(repeat float64) {
	d.repeat = repeat
	var all []stat.Drift
	for origin, series := range d.series {
		slices.SortFunc(series, func(a, b repetition) int { return cmp.Compare(a.At, b.At) })
		d.drifts[origin] = stat.NewDrift(points(series))
		all = append(all, d.drifts[origin])
	}
	d.significant = stat.Significant(all, max(stat.LeastEffect, repeat))
}
