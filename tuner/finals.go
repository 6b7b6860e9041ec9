package tuner

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// Who is in the finals: the trials that are slower than the best of their precision by
// no more than this fraction, and of these so many. Others would have to be wrong by
// more than trials differ when they are repeated.
const (
	leadersWithin = 0.05
	mostLeaders   = 8
)

// Finals of a precision go on until it is settled which configuration is to be named
// there: for a few rounds in any case, to tell how far repetitions differ from each
// other, and further until there are as many as trials.
const fewestFinals = 4

// finals measure again the leaders of each precision, when the trials of a matrix are
// over: a trial may be faster or slower than its configuration is by 1% or more, by where
// in memory its arrays came to lie. Each of them is a trial with the fewest samples,
// prepared anew. They go in rounds of all leaders in random order, so that no drift of
// the device favours one.
type finals struct {
	most   int // of a trial; 0: there are none
	rng    *rand.Rand
	places []trial.Place // in the order in which their trials came
	at     map[trial.Place]*contest
	round  []*finalist // the rest of it
}

// A contest is between the trials of a phase.
type contest struct {
	trials  []*finalist // that ended well
	leaders []*finalist // nil while there may be more trials
	finals  int         // of all, also of earlier runs
}

// A finalist is a trial with its median and those of its finals, in seconds.
type finalist struct {
	trial.Trial
	medians []float64
}

// newFinals prepares the finals of a matrix.
func newFinals(most int, seed uint64, matrix string) *finals {
	h := fnv.New64a()
	h.Write([]byte(matrix + " finals"))
	return &finals{most: most, rng: rand.New(rand.NewPCG(seed, h.Sum64())), at: map[trial.Place]*contest{}}
}

// enter takes note of a trial that ended well, with the medians of its finals in an
// earlier run.
func (f *finals) enter(t trial.Trial, median float64, again []float64) {
	if f.most == 0 || !(median > 0) {
		return
	}
	c := f.at[placeOf(t)]
	if c == nil {
		c = &contest{}
		f.at[placeOf(t)] = c
		f.places = append(f.places, placeOf(t))
	}
	c.trials = append(c.trials, &finalist{t, append([]float64{median}, again...)})
	c.finals += len(again)
}

// recall takes note of what an earlier run has recorded of finals. Who leads among the
// trials of now may be behind those that are still to come; the others are no leaders.
func (f *finals) recall(ctx context.Context, rec Recorder) error {
	var ids []string
	for _, c := range f.at {
		for _, l := range leaders(c.trials) {
			ids = append(ids, l.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	known, err := rec.Recorded(ctx, ids, trial.Full)
	if err != nil {
		return fmt.Errorf("asking for the finals so far: %w", err)
	}
	for _, c := range f.at {
		for _, l := range leaders(c.trials) {
			again := known[l.ID].Finals()
			l.medians = append(l.medians, again...)
			c.finals += len(again)
		}
	}
	return nil
}

// next gives the next of them, nil after the last. It gives the same one until it is told
// what became of it. From the first time on there are no more trials.
func (f *finals) next() *job {
	for i := 0; len(f.round) == 0 && i < len(f.places); i++ {
		// Cache states are not mixed; precisions are.
		cache := f.places[i].Cache
		if slices.IndexFunc(f.places, func(p trial.Place) bool { return p.Cache == cache }) < i {
			continue
		}
		for _, p := range f.places {
			if p.Cache == cache {
				f.round = append(f.round, f.at[p].open(f.most)...)
			}
		}
		f.rng.Shuffle(len(f.round), func(i, j int) { f.round[i], f.round[j] = f.round[j], f.round[i] })
	}
	if len(f.round) == 0 {
		return nil
	}
	return &job{Trial: f.round[0].Trial, final: true}
}

// told takes note of the result of the one that was given last. One that fails is not
// asked for again.
func (f *finals) told(r trial.Result) {
	c, one := f.at[placeOf(r.Trial)], f.round[0]
	f.round = f.round[1:]
	c.finals++
	if r.Status == trial.OK {
		one.medians = append(one.medians, r.Median)
		return
	}
	c.leaders = slices.DeleteFunc(c.leaders, func(l *finalist) bool { return l == one })
}

// open lists the leaders that are to be measured once more.
func (c *contest) open(most int) []*finalist {
	if c.leaders == nil {
		c.leaders = leaders(c.trials)
	}
	if len(c.leaders) < 2 {
		return nil
	}
	var list []*finalist
	for _, l := range c.leaders {
		if len(l.medians) <= min(fewestFinals, most) {
			list = append(list, l)
		}
	}
	if len(list) > 0 || c.finals >= len(c.trials) {
		return list
	}
	judged := make([]stat.Finalist, len(c.leaders))
	for i, l := range c.leaders {
		judged[i] = stat.Finalist{Medians: l.medians, Choice: stat.Choice{
			Cell: stat.Cell{Block: l.Block, Grid: l.Grid}, Kernel: l.Kernel, Params: l.Params.String()}}
	}
	for i, open := range stat.Judge(judged).Open {
		if open && len(c.leaders[i].medians) <= most {
			list = append(list, c.leaders[i])
		}
	}
	return list
}

// leaders gives those of a phase, fastest first.
func leaders(trials []*finalist) []*finalist {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b *finalist) int { return cmp.Compare(a.medians[0], b.medians[0]) })
	n := 0
	for n < min(len(sorted), mostLeaders) && sorted[n].medians[0] <= (1+leadersWithin)*sorted[0].medians[0] {
		n++
	}
	return sorted[:n]
}
