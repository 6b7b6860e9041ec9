package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// watched is what a sentinel watches over: a matrix on a device in one cache state. The place
// has no precision.
func watched(p trial.Case) trial.Case {
	p.Precision = ""
	return p
}

// A drift is how a device drifted while it measured a matrix, in each origin.
type drift struct {
	series      map[int64][]Sentinel // by origin, in the order of time
	drifts      map[int64]stat.Drift
	repeat      float64 // largest difference of repeated trials as a fraction, see stat.Repeatability
	significant bool
}

// A Sentinel is one measurement of a trial that was measured again. The first one counts, too.
type Sentinel struct {
	stat.Point
	Trial *Row // the first measurement
}

// points returns the points of sentinels.
func points(series []Sentinel) []stat.Point {
	list := make([]stat.Point, len(series))
	for i := range series {
		list[i] = series[i].Point
	}
	return list
}

// factor returns how many times as long a product took at a time. It is 1 if the drift is not
// significant.
func (d *drift) factor(origin int64, at time.Time) float64 {
	if d == nil || !d.significant {
		return 1
	}
	return d.drifts[origin].Factor(at.UnixMilli())
}

// takeOut divides the times of a trial by the drift at the time, and returns the factor.
func (d *drift) takeOut(r *Row, origin int64) float64 {
	f := d.factor(origin, r.At)
	for _, time := range []*float64{&r.Median, &r.WithinLow, &r.WithinHigh, &r.Time, &r.Another.Low, &r.Another.High} {
		*time /= f
	}
	return f
}

// slack is the largest factor by which times of two moments may differ.
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

// watch reads what the sentinels say, by what they watch over.
func (from source) watch(ctx context.Context) (map[trial.Case]*drift, error) {
	records, err := from.repeated(ctx)
	return watchOver(records), err
}

// watchOver returns what the sentinels among repeats say, by what they watch over. Each sentinel
// is compared with the first measurement of its trial. If several watched over one matrix, those
// of one origin form one series. Sentinels that the device throttled are left out. Finals only
// tell how well trials repeat.
func watchOver(records []rerunTrial) map[trial.Case]*drift {
	found := map[trial.Case]*drift{}
	medians := map[trial.Case][][]float64{} // medians of each sentinel, and of each finalist

	for i := range records {
		r := &records[i]
		sentinels, finals := r.told()
		over := watched(r.Place())
		if len(sentinels)+len(finals) > 0 && found[over] == nil {
			found[over] = &drift{series: map[int64][]Sentinel{}, drifts: map[int64]stat.Drift{}}
		}
		if len(sentinels) > 0 {
			medians[over] = append(medians[over], found[over].add(r, sentinels))
		}
		if len(finals) > 0 {
			medians[over] = append(medians[over], finals)
		}
	}

	for over, d := range found {
		d.conclude(stat.Repeatability(medians[over]))
	}
	return found
}

// told returns the sentinels of a trial that the device did not throttle, and the medians
// of such finals. The trial's own median is not among these: it was lucky.
func (r *rerunTrial) told() (sentinels []rerun, finals []float64) {
	for _, again := range r.again() {
		switch {
		case again.LeaderRerun:
			finals = append(finals, again.Median)
		case again.Sentinel && len(r.Samples) > 0:
			sentinels = append(sentinels, again)
		}
	}

	return sentinels, finals
}

// add adds the sentinels of a trial to the series of their origins, and returns their
// times as multiples of the first.
func (d *drift) add(r *rerunTrial, sentinels []rerun) (ratios []float64) {
	first := stat.Timed{At: r.At.UnixMilli(), Values: r.Samples}
	origins := map[int64]int64{first.At: r.origin}

	var again []stat.Timed
	for _, s := range sentinels {
		at := s.At.UnixMilli()
		again = append(again, stat.Timed{At: at, Values: s.Samples})
		origins[at] = s.origin
	}

	for _, p := range stat.Points(first, again) {
		origin := origins[p.At]
		d.series[origin] = append(d.series[origin], Sentinel{p, &r.Row})
		ratios = append(ratios, p.Value)
	}

	return ratios
}

// conclude computes the drifts of the series, and whether they are significant.
func (d *drift) conclude(repeat float64) {
	d.repeat = repeat
	var all []stat.Drift
	for origin, series := range d.series {
		slices.SortFunc(series, func(a, b Sentinel) int { return cmp.Compare(a.At, b.At) })
		d.drifts[origin] = stat.NewDrift(points(series))
		all = append(all, d.drifts[origin])
	}
	d.significant = stat.Significant(all, max(stat.LeastEffect, repeat))
}

// A Drift is how a device drifted while it measured a matrix in one cache state. The place
// has no precision: sentinels watch over all of them.
type Drift struct {
	trial.Case
	Node        string     // host name; "" if it is not known
	Points      []Sentinel // sentinels in the order of time
	Significant bool       // whether the drift is taken out of comparisons
	stat.Drift
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
			list = append(list, Drift{over, origins[origin].Node, series, d.significant, d.drifts[origin]})
		}
	}

	slices.SortFunc(list, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Cache, b.Cache),
			cmp.Compare(a.Points[0].At, b.Points[0].At), cmp.Compare(a.Node, b.Node))
	})

	return list, nil
}
