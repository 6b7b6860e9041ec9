// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
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
	precisions  map[kernels.Precision]bool // of the trials that are sentinels
	repeat      float64                    // largest difference of repeated trials as a fraction, see stat.Repeatability
	significant bool
}

// A Sentinel is one measurement of a trial that was measured again. The first one counts, too.
type Sentinel struct {
	stat.Point
	Trial *Row // the first measurement
}

// of puts the series of an origin into the order of time, and returns its drift.
func (d *drift) of(origin int64) stat.Drift {
	series := d.series[origin]
	slices.SortFunc(series, func(a, b Sentinel) int { return cmp.Compare(a.At, b.At) })
	return stat.NewDrift(lists.Of(series, func(s Sentinel) stat.Point { return s.Point }))
}

// factor returns how many times as long a product took at a time. It is 1 if the drift is not
// significant.
func (d *drift) factor(origin int64, at time.Time) float64 {
	if d == nil || !d.significant {
		return 1
	}
	return d.drifts[origin].Factor(at.UnixMilli())
}

// remove takes the drift out of a trial that is compared with one of another database, and returns by what its
// time was divided. Each repeat is divided by the drift at its own time. Another run may find as much more or less as
// the factor may be off: sentinels repeat no better than other trials. A precision without a sentinel may not have
// drifted with the others, so the interval holds its time as it was measured, too.
func (d *drift) remove(r *Row, origin int64, repeats *rerunTrial) float64 {
	if d == nil || !d.significant {
		return 1
	}
	measured, interval := r.Time, r.Another
	now := d.factor(origin, r.At)
	for _, time := range []*float64{&r.Median, &r.WithinLow, &r.WithinHigh, &r.Time, &r.Another.Low, &r.Another.High} {
		*time /= now
	}
	if repeats != nil {
		again := lists.Of(repeats.again(), func(m rerun) float64 { return m.Median / d.factor(m.origin, m.At) })
		r.Time = stat.GeometricMeanOf(stat.Fair(r.Median, again))
	}
	f := measured / r.Time
	if interval.Low == 0 {
		return f
	}
	off := math.Log1p(d.repeat)
	r.Another.Low = r.Time * math.Exp(-math.Hypot(math.Log(measured/interval.Low), off))
	r.Another.High = r.Time * math.Exp(math.Hypot(math.Log(interval.High/measured), off))
	if !d.precisions[r.Precision] {
		r.Another.Low, r.Another.High = min(r.Another.Low, interval.Low), max(r.Another.High, interval.High)
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

// watchOver returns what the sentinels among repeats say, by what they watch over. Each sentinel
// is compared with the first measurement of its trial. If several watched over one matrix, those
// of one origin form one series: a later one goes on where the device was when its trial was measured first. Sentinels that the device throttled are left out. Finals only
// tell how well trials repeat.
func watchOver(records []rerunTrial) map[trial.Case]*drift {
	found := map[trial.Case]*drift{}
	medians := map[trial.Case][][]float64{} // medians of each sentinel, and of each finalist

	byTime := make([]*rerunTrial, len(records))
	for i := range records {
		byTime[i] = &records[i]
	}
	slices.SortStableFunc(byTime, func(a, b *rerunTrial) int { return a.At.Compare(b.At) })
	for _, r := range byTime {
		sentinels, finals := r.told()
		over := watched(r.Place())
		if len(sentinels)+len(finals) > 0 && found[over] == nil {
			found[over] = &drift{series: map[int64][]Sentinel{}, drifts: map[int64]stat.Drift{},
				precisions: map[kernels.Precision]bool{}}
		}
		if len(sentinels) > 0 {
			medians[over] = append(medians[over], found[over].add(r, sentinels))
			found[over].precisions[r.Precision] = true
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

// add adds the sentinels of a trial, whose first measurement is later than those that were added, to the series of their
// origins, and returns their times as multiples of the first.
func (d *drift) add(r *rerunTrial, sentinels []rerun) (ratios []float64) {
	first := stat.Timed{At: r.At.UnixMilli(), Values: r.Samples}
	origins := map[int64]int64{first.At: r.origin}

	var again []stat.Timed
	for _, s := range sentinels {
		at := s.At.UnixMilli()
		again = append(again, stat.Timed{At: at, Values: s.Samples})
		origins[at] = s.origin
	}

	before := d.of(r.origin).Factor(first.At)
	for _, p := range stat.Points(first, again) {
		ratios = append(ratios, p.Value)
		p.Value, p.Low, p.High = p.Value*before, p.Low*before, p.High*before
		origin := origins[p.At]
		d.series[origin] = append(d.series[origin], Sentinel{p, &r.Row})
	}

	return ratios
}

// conclude computes the drifts of the series, and whether they are significant.
func (d *drift) conclude(repeat float64) {
	d.repeat = repeat
	for origin := range d.series {
		d.drifts[origin] = d.of(origin)
	}
	d.significant = stat.Significant(slices.Collect(maps.Values(d.drifts)), max(stat.LeastEffect, repeat))
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
func (db *DB) Drifts(ctx context.Context) (list []Drift, err error) {
	defer func() { err = db.wrap("reading sentinels", err) }()
	records, err := db.from().repeated(ctx)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	origins, err := db.from().origins(ctx)
	if err != nil {
		return nil, err
	}

	for over, d := range watchOver(records) {
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
