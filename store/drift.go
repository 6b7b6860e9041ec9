package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/tuner/stat"
)

// watched is what one sentinel at a time watches over.
type watched struct {
	matrix, device int64
	cache          string
}

// A drift is how a device drifted while it measured a matrix, in each origin.
type drift struct {
	series      map[int64][]stat.Point // by origin, in the order of time
	drifts      map[int64]stat.Drift
	repeat      float64 // by what fraction trials differ at most, see stat.Repeatability
	significant bool
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
		identity            string
		origin, firstOrigin int64
		first, again        stat.Timed
	}
	rows, err := collect(ctx, db.read, func(rows *sql.Rows) (r row, err error) {
		var origin, firstOrigin sql.NullInt64
		var first, again []byte
		err = rows.Scan(&r.matrix, &r.device, &r.cache, &r.identity, &firstOrigin, &r.first.At, &first, &origin, &r.again.At, &again)
		r.origin, r.firstOrigin = origin.Int64, firstOrigin.Int64
		r.first.Values, r.again.Values = unpack(first), unpack(again)
		return r, err
	}, `SELECT t.matrix, t.device, t.cache, t.identity, t.origin, t.measured_at, f.data, s.origin, s.at, s.data
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
		for ; end < len(rows) && rows[end].watched == rows[start].watched && rows[end].identity == rows[start].identity; end++ {
			again = append(again, rows[end].again)
		}
		r := rows[start]
		d := found[r.watched]
		if d == nil {
			d = &drift{series: map[int64][]stat.Point{}, drifts: map[int64]stat.Drift{}}
			found[r.watched] = d
		}
		origins := map[int64]int64{r.first.At: r.firstOrigin}
		for _, o := range rows[start:end] {
			origins[o.again.At] = o.origin
		}
		var ratios []float64
		for _, p := range stat.Points(r.first, again) {
			d.series[origins[p.At]] = append(d.series[origins[p.At]], p)
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
	for origin, points := range d.series {
		slices.SortFunc(points, func(a, b stat.Point) int { return cmp.Compare(a.At, b.At) })
		d.drifts[origin] = stat.NewDrift(points)
		all = append(all, d.drifts[origin])
	}
	d.significant = stat.Significant(all, max(stat.LeastEffect, repeat))
}

// A Drift is how a device drifted while it measured a matrix in one place.
type Drift struct {
	Device, Matrix, Cache string
	Node                  string       // host name; "" if it is not known
	Points                []stat.Point // of the sentinels, in the order of time
	Significant           bool         // it is taken out of comparisons
	stat.Drift
}

// Drifts returns what the sentinels say, ordered by device, matrix, cache state and time.
// Series without a repetition are left out.
func (db *DB) Drifts(ctx context.Context) ([]Drift, error) {
	list, err := db.drifts(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading sentinels: %w", failed(db.path, err))
	}
	return list, nil
}

func (db *DB) drifts(ctx context.Context) ([]Drift, error) {
	names, err := relations(ctx, db.read)
	if err != nil || !slices.Contains(names, "sentinel") { // an older file that is only read
		return nil, err
	}
	found, err := db.watch(ctx)
	if err != nil {
		return nil, err
	}
	devices, err := byID(ctx, db.read, "SELECT id, name FROM device")
	if err != nil {
		return nil, err
	}
	matrices, err := byID(ctx, db.read, "SELECT id, name FROM matrix")
	if err != nil {
		return nil, err
	}
	nodes, err := byID(ctx, db.read, "SELECT id, node FROM origin")
	if err != nil {
		return nil, err
	}
	var list []Drift
	for w, d := range found {
		for origin, points := range d.series {
			if len(points) > 1 {
				list = append(list, Drift{devices[w.device], matrices[w.matrix], w.cache, nodes[origin], points, d.significant, d.drifts[origin]})
			}
		}
	}
	slices.SortFunc(list, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Cache, b.Cache),
			cmp.Compare(a.Points[0].At, b.Points[0].At), cmp.Compare(a.Node, b.Node))
	})
	return list, nil
}

// byID gives the names of the rows of a table.
func byID(ctx context.Context, db queryer, query string) (map[int64]string, error) {
	names := map[int64]string{}
	_, err := collect(ctx, db, func(rows *sql.Rows) (struct{}, error) {
		var id int64
		var name string
		err := rows.Scan(&id, &name)
		names[id] = name
		return struct{}{}, err
	}, query)
	return names, err
}
