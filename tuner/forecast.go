// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// An Estimate says what a sweep does on one matrix, and for how long.
type Estimate struct {
	// Matrix is what is known of the matrix: at least its name. Announced says that it was neither read nor
	// generated: its sizes are as its file or its generator announces them, and what is measured of it is not known.
	Matrix    trial.Matrix
	Announced bool
	// Missing is Group/Name of a matrix that is to be downloaded first, else "". The sizes and all that follows
	// are then those of its twin, or zero if it has none.
	Missing   string
	Skipped   map[string]int // number of configurations left out, by reason
	Duplicate *Duplicate     // set if the matrix is one; it has no trials then

	Trials   int  // in all
	AtMost   bool // whether Trials is how many there may be: the strategy has not decided yet
	Whole    bool // whether the trials can't be cut into parts, because a search or a rule chooses them
	Finished int  // number of trials that are measured already
	Known    int  // number of trials left whose kernel was measured on this matrix and device
	Repeats  int  // number of repeat runs that are missing at least, if all trials are measured

	Time      time.Duration // of the trials and repeat runs that are left
	Repeating time.Duration // what of Time repeat runs take, where trials are left
	Load      time.Duration // of reading or generating the matrix
}

// Left is the time of all that is left.
func (e Estimate) Left() time.Duration { return e.Time + e.Load }

// estimate says what is left to do of a plan.
func (r *run) estimate(ctx context.Context, plan Plan, past history) (Estimate, error) {
	e := Estimate{Matrix: plan.Matrix, Skipped: plan.Skipped, Duplicate: plan.Duplicate}
	work, err := r.workOn(ctx, plan)
	if err != nil {
		return e, err
	}
	e.Trials, e.AtMost, e.Finished = work.trials, work.adaptive, work.finished
	t := newTiming(r.sweep.Protocol, r.planner.device, plan.Matrix.Size(), past)
	todo := work.todo
	if t.search = work.adaptive; t.search {
		todo = plan.Trials
	}
	e.Time, e.Known, e.Repeating = t.all(work.good, todo), t.known, seconds(t.repeats)
	if len(todo) > 0 {
		return e, nil
	}
	for _, one := range work.missing() {
		_, product := t.full(one)
		e.Time += seconds(t.short(one, product))
		e.Repeats++
	}
	return e, nil
}

// A timing adds up how long the trials of a matrix take, one after the other.
type timing struct {
	protocol configs.Protocol
	device   kernels.Device
	size     trial.Size
	past     history
	best     bests
	products map[trial.Case][]float64 // in seconds, of trials whose kernel is known
	highs    map[trial.Case]float64   // lowest upper end of an interval, of trials that are measured; see reach
	begun    map[trial.Case]bool      // whether there is a trial of the case
	layouts  map[kernels.Config]bool  // that are made
	least    float64                  // in seconds, of the fastest product, where nothing is known of kernels
	share    float64                  // of the trials that are measured, by which their time is reduced
	search   bool                     // whether a search measures most of them partially
	seconds  float64
	repeats  float64 // those of them that repeat runs take
	known    int     // number of trials whose kernel was measured on this matrix
}

func newTiming(p configs.Protocol, dev kernels.Device, size trial.Size, past history) *timing {
	return &timing{
		protocol: p, device: dev, size: size, past: past, share: 1,
		best: bests{}, products: map[trial.Case][]float64{}, highs: map[trial.Case]float64{},
		begun: map[trial.Case]bool{}, layouts: map[kernels.Config]bool{},
	}
}

// all returns how long it takes to measure what is left to do, with the sentinels in
// between and the leader reruns, if other trials have ended well already.
func (e *timing) all(good []trial.Record, todo []trial.Trial) time.Duration {
	// Those that are far slower are no leaders, and not measured again.
	slow := func(r trial.Record) bool { return r.Stop == trial.StopSlow }
	good = slices.DeleteFunc(slices.Clone(good), slow)
	all := slices.Clone(todo)
	for _, r := range good {
		all = append(all, r.Trial)
		_, product := e.full(r.Trial)
		e.note(r.Trial, product)
		e.highs[caseOf(r.Trial)] = stat.Lower(e.highs[caseOf(r.Trial)], r.WithinHigh)
	}
	e.known, e.least = 0, fastest(todo, e.size, e.device)
	for _, t := range hopelessLast(todo, e.size, e.device) {
		e.trial(t)
	}
	if len(todo) > 0 {
		if e.protocol.Sentinel > 0 { // it takes what a usual trial does
			e.share *= 1 + 1/float64(e.protocol.Sentinel)
		}
		e.seconds *= e.share
		trials := e.seconds
		e.leaders(todo)
		e.noise(all, todo)
		if e.seconds > trials {
			a := assume(e.device)
			e.seconds += a.start*min(1, e.seconds/batchTime.Seconds()) + a.reload*float64(e.size.Nonzeros+e.size.Rows)
		}
		e.repeats = e.seconds - trials
	}
	return seconds(e.seconds)
}

// lay adds the time of making what a trial needs of the matrix, if no trial before it did: a format in a precision, or
// the SELL of certain parameters.
func (e *timing) lay(t trial.Trial) {
	k, _ := kernels.Lookup(t.Kernel)
	l := kernels.Config{Kernel: string(k.Format), Precision: t.Precision}
	if k.Format == kernels.SELL {
		if l.Params = t.Params; k.Backend == "cpu" {
			l.Block = t.Block
		}
	}
	if !e.layouts[l] {
		e.layouts[l] = true
		e.seconds += layoutTime(e.size, t.Precision, e.device)
	}
}

// full returns how long a trial takes that is not cut short, and its product; 0 if nothing
// is known of the kernel.
func (e *timing) full(t trial.Trial) (seconds, product float64) {
	product, same := e.past.product(t, e.size)
	if same {
		e.known++
	}
	each := cmp.Or(product, modelled(t.Config, e.size, e.device))
	return e.past.factor(t.Matrix) * trialTime(each, e.size, t, e.protocol, e.device), product
}

// short returns how long a trial takes whose arrays are allocated and filled again, with the fewest samples.
func (e *timing) short(t trial.Trial, product float64) float64 {
	fewest := e.protocol
	fewest.Samples[1] = fewest.Samples[0]
	return e.past.factor(t.Matrix)*trialTime(product, e.size, t, fewest, e.device) +
		reallocationTime(e.size, t.Precision, e.device)
}

// usualSlow is the share of trials that their first products end where nothing is known of their
// kernels: on an H200 24 to 46% in the sweeps of six databases.
const usualSlow = 0.3

// cut returns how long a trial takes if its first products end it, by that of the best, and
// whether they do.
func (e *timing) cut(t trial.Trial, product float64) (seconds float64, is bool) {
	best := e.best[caseOf(t)]
	slow := product > e.protocol.Slow*best
	if product == 0 {
		best, product = e.least, modelled(t.Config, e.size, e.device)
		slow = hopeless(t.Config, e.size, e.device, best)
	}
	products := 2.0
	if e.device.Backend == "cuda" && (worker.AtOnce(product, best) || worker.FirstSampled(t.Cache, e.protocol, best)) {
		products = 1
	}
	seconds = products*product + e.past.factor(t.Matrix)*overhead(e.size, e.device)
	return seconds, slow && e.protocol.Slow > 0 && e.begun[caseOf(t)]
}

func (e *timing) note(t trial.Trial, product float64) {
	e.begun[caseOf(t)] = true
	if product > 0 {
		e.best.note(t, product)
		e.products[caseOf(t)] = append(e.products[caseOf(t)], product)
	}
}

// trial adds a trial that is left to do.
func (e *timing) trial(t trial.Trial) {
	e.lay(t)
	took, product := e.full(t)
	short, is := e.cut(t, product)
	switch {
	case is:
		took = short
	case product == 0 && e.protocol.Slow > 0 && e.begun[caseOf(t)]:
		took -= usualSlow * (took - short)
	}
	if e.search {
		took = searchShare*took + (1-searchShare)*short
	}
	e.note(t, product)
	e.seconds += took
}

// leaderRerunsTaken is how many leader reruns it takes until it is clear which configuration to name,
// as a multiple of the fewest: simulated for three sweeps on an H200, see
// docs/measuring.md.
const leaderRerunsTaken = 2

// usualLeaderReruns is how many leader reruns a case has where nothing is known of its kernels: on an H200
// 16 to 36 in the mean over the places of six sweeps, and from none to 116. Where trials are fewer, reruns are about as
// many as these.
const usualLeaderReruns = 24

// leaders adds the leader reruns of the trials that are expected to lead each case.
func (e *timing) leaders(todo []trial.Trial) {
	for _, p := range casesOf(todo) {
		products := slices.Sorted(slices.Values(e.products[p]))
		rivals := ofCase(todo, p)
		if len(products) == 0 {
			most := min(usualLeaderReruns, len(rivals)-1, mostLeaders*e.protocol.Finals)
			e.seconds += float64(most) * e.short(rivals[0], fastest(rivals, e.size, e.device))
			continue
		}
		n := 1 // the fastest
		for n < min(len(products), mostLeaders) && products[n] <= reach(products[0], e.highs[p]) {
			n++
		}
		count := min(fewestLeaderReruns, e.protocol.Finals) * n
		switch {
		case n == 1: // it is repeated once, if there are others
			count = min(e.protocol.Finals, 1, len(products)-1)
		case e.protocol.Finals > fewestLeaderReruns:
			count = max(count, min(len(products), leaderRerunsTaken*count))
		}
		e.seconds += float64(count) * e.short(rivals[0], products[0])
	}
}

// noise adds the noise reruns of each case of todo, which are a part of all trials and take what a usual one does.
func (e *timing) noise(all, todo []trial.Trial) {
	for _, p := range casesOf(todo) {
		product := fastest(ofCase(todo, p), e.size, e.device)
		if known := slices.Sorted(slices.Values(e.products[p])); len(known) > 0 {
			product = known[len(known)/2]
			if e.protocol.Slow > 0 {
				product = min(product, e.protocol.Slow*known[0])
			}
		}
		e.seconds += float64(noiseRerunsOf(len(ofCase(all, p)), e.protocol.Repeats)) * e.short(ofCase(todo, p)[0], product)
	}
}
