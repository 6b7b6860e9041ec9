package store

import (
	"cmp"
	"context"
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A Drift is how a device drifted while it measured a matrix in one cache state. The place
// has no precision: sentinels watch over all of them.
type Drift struct {
	trial.Case
	Node        string     // host name; "" if it is not known
	Points      []Sentinel // sentinels in the order of time
	Significant bool       // whether the drift is taken out of comparisons
	stat.Drift
}

// A Sentinel is one measurement of a trial that was measured again. The first one counts, too.
type Sentinel struct {
	stat.Point
	Trial *Row // the first measurement
}

// Drifts returns what the sentinels say, ordered by device, matrix, cache state and time.
// Series without a repetition are left out.
func (db *DB) Drifts(ctx context.Context) ([]Drift, error) {
	list, err := db.from().series(ctx)
	return list, db.wrap("reading sentinels", err)
}

func (from source) series(ctx context.Context) ([]Drift, error) {
	found, err := from.watch(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	origins, err := from.origins(ctx)
	if err != nil {
		return nil, err
	}

	var list []Drift
	for over, d := range found {
		for origin, series := range d.series {
			if len(series) < 2 {
				continue
			}
			one := Drift{Case: over, Node: origins[origin].Node, Significant: d.significant, Drift: d.drifts[origin]}
			for _, r := range series {
				one.Points = append(one.Points, Sentinel{r.Point, r.trial})
			}
			list = append(list, one)
		}
	}

	slices.SortFunc(list, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Cache, b.Cache),
			cmp.Compare(a.Points[0].At, b.Points[0].At), cmp.Compare(a.Node, b.Node))
	})

	return list, nil
}
