package tuner

import (
	"context"
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// forecast says what is left to do of a plan.
func (r *run) forecast(ctx context.Context, plan Plan, past history) (Forecast, error) {
	f := Forecast{Plan: plan, Count: len(plan.Trials)}
	e := newEstimate(r.sweep.Protocol, r.planner.device, plan.Matrix.Size(), past)
	if search.Adaptive(r.sweep.Search.Strategy) {
		work, err := r.workOn(ctx, plan)
		if err != nil {
			return f, err
		}
		f.Count, f.AtMost, f.Finished = work.trials, work.adaptive, work.finished
		if f.AtMost {
			for _, t := range plan.Trials {
				took, _ := e.full(t)
				f.Time += time.Duration(searchShare * took * float64(time.Second))
			}
			f.Known = e.known
		}
		return f, nil
	}

	todo := plan.Trials
	var good []trial.Record
	if r.rec != nil {
		var err error
		if todo, good, err = r.unfinished(ctx, plan); err != nil {
			return f, err
		}
		f.Finished = len(plan.Trials) - len(todo)
	}

	f.Time, f.Known = e.all(onlyTrials(good), todo), e.known
	return f, nil
}

// An estimate foresees how long the trials of a matrix take, one after the other.
type estimate struct {
	protocol  configs.Protocol
	device    kernels.Device
	size      trial.Size
	past      history
	best      bests
	products  map[trial.Place][]float64 // in seconds, of trials whose kernel is known
	sentinels map[trial.Cache]*sentinelEstimate
	seconds   float64
	known     int // number of trials whose kernel was measured on this matrix
}

type sentinelEstimate struct {
	takes float64 // seconds
	since int     // number of trials since it was measured
}

func newEstimate(p configs.Protocol, dev kernels.Device, size trial.Size, past history) *estimate {
	return &estimate{
		protocol: p, device: dev, size: size, past: past,
		best: bests{}, products: map[trial.Place][]float64{}, sentinels: map[trial.Cache]*sentinelEstimate{},
	}
}

// all returns how long it takes to measure what is left to do, with the sentinels in
// between and the finals, if other trials have ended well already.
func (e *estimate) all(good, todo []trial.Trial) time.Duration {
	for _, t := range good {
		e.done(t)
	}
	e.known = 0
	for _, t := range todo {
		e.trial(t)
	}
	if len(todo) > 0 {
		e.finals(todo)
	}
	return time.Duration(e.seconds * float64(time.Second))
}

// full returns how long a trial takes that is not cut short, and its product; 0 if nothing
// is known of the kernel.
func (e *estimate) full(t trial.Trial) (seconds, product float64) {
	product, same := e.past.product(t, e.size)
	if same {
		e.known++
	}
	if product == 0 {
		return e.past.factor(t.Matrix) * guess(e.size, t.Precision, t.Cache, e.protocol, e.device).Seconds(), 0
	}
	return e.past.factor(t.Matrix) * trialTime(product, e.size, t, e.protocol, e.device), product
}

// short returns how long a trial takes with the fewest samples.
func (e *estimate) short(t trial.Trial, product float64) float64 {
	fewest := e.protocol
	fewest.Samples[1] = fewest.Samples[0]
	return e.past.factor(t.Matrix) * trialTime(product, e.size, t, fewest, e.device)
}

// hopeless returns how long a trial takes whose first product ends it.
func (e *estimate) hopeless(t trial.Trial, product float64) float64 {
	return e.past.factor(t.Matrix) * (2*product + overhead(e.size, t.Precision, e.device))
}

// done notes a trial that was measured before.
func (e *estimate) done(t trial.Trial) {
	took, product := e.full(t)
	e.note(t, product)
	if e.sentinels[t.Cache] == nil {
		e.sentinels[t.Cache] = &sentinelEstimate{took, e.protocol.Sentinel}
	}
}

func (e *estimate) note(t trial.Trial, product float64) {
	if product > 0 {
		e.best.note(t, product)
		e.products[placeOf(t)] = append(e.products[placeOf(t)], product)
	}
}

// trial adds a trial that is left to do.
func (e *estimate) trial(t trial.Trial) {
	took, product := e.full(t)
	if s := e.sentinels[t.Cache]; s == nil {
		e.sentinels[t.Cache] = &sentinelEstimate{takes: took}
	} else {
		if e.protocol.Sentinel > 0 && s.since >= e.protocol.Sentinel {
			e.seconds += s.takes
			s.since = 0
		}
		s.since++
	}

	if best := e.best[placeOf(t)]; e.protocol.Slow > 0 && best > 0 && product > e.protocol.Slow*best {
		took = e.hopeless(t, product)
	}
	e.note(t, product)
	e.seconds += took
}

// finalsTaken is how many finals it takes until it is clear which configuration to name,
// as a multiple of the fewest: simulated for five sweeps on an H100, see
// docs/measuring.md.
const finalsTaken = 1.6

// finals adds the finals of the trials that are expected to lead each place.
func (e *estimate) finals(todo []trial.Trial) {
	for _, p := range places(todo) {
		products := slices.Sorted(slices.Values(e.products[p]))
		n := 0
		for n < min(len(products), mostLeaders) && products[n] <= (1+leadersWithin)*products[0] {
			n++
		}
		if n < 2 {
			continue
		}

		count := min(fewestFinals, e.protocol.Finals) * n
		if e.protocol.Finals > fewestFinals {
			count = max(count, min(len(products), int(finalsTaken*float64(count))))
		}
		one := slices.IndexFunc(todo, func(t trial.Trial) bool { return placeOf(t) == p })
		e.seconds += float64(count) * e.short(todo[one], products[0])
	}
}
