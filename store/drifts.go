package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A Drift is how a device drifted while it measured a matrix in one place.
type Drift struct {
	Device, Matrix string
	Cache          trial.Cache
	Node           string     // host name; "" if it is not known
	Points         []Sentinel // in the order of time
	Significant    bool       // it is taken out of comparisons
	stat.Drift
}

// A Sentinel is a trial that was measured again, the first time included.
type Sentinel struct {
	stat.Point
	Trial *Row // the first time
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
	trials, err := db.repeated(ctx)
	if err != nil {
		return nil, err
	}
	nodes, err := db.nodes(ctx)
	if err != nil {
		return nil, err
	}
	var list []Drift
	for w, d := range found {
		for origin, series := range d.series {
			if len(series) < 2 {
				continue
			}
			one := Drift{Cache: w.cache, Node: nodes[origin], Significant: d.significant, Drift: d.drifts[origin]}
			for _, r := range series {
				one.Points = append(one.Points, Sentinel{r.Point, trials[r.trial]})
			}
			one.Device, one.Matrix = one.Points[0].Trial.Device, one.Points[0].Trial.Matrix
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Cache, b.Cache),
			cmp.Compare(a.Points[0].At, b.Points[0].At), cmp.Compare(a.Node, b.Node))
	})
	return list, nil
}

// repeated reads the trials that sentinels measured again, by id.
func (db *DB) repeated(ctx context.Context) (map[int64]*Row, error) {
	trials := map[int64]*Row{}
	names := interner{}
	_, err := collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) {
		var r Row
		id, err := names.scanRow(rows, &r)
		trials[id] = &r
		return struct{}{}, err
	}, selectRows+fromTrials+" WHERE t.identity IN (SELECT identity FROM sentinel)")
	return trials, err
}

// nodes are the host names of origins.
func (db *DB) nodes(ctx context.Context) (map[int64]string, error) {
	names := map[int64]string{}
	_, err := collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) {
		var id int64
		var name string
		err := rows.Scan(&id, &name)
		names[id] = name
		return struct{}{}, err
	}, "SELECT id, node FROM origin")
	return names, err
}
