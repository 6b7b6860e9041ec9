// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// Leaders of a case are the trials that are slower than its best by no more than a
// fraction, up to a number of them. Others would have to be wrong by more than trials
// differ when they are repeated. Where trials differ by more than that, see leading.
const (
	leadersWithin = 0.05
	mostLeaders   = 8
)

// fewestLeaderReruns is how often each leader is repeated in any case, to tell how far repeat
// runs differ from each other. They go on until it is clear which configuration to name,
// or until there are as many as trials.
const fewestLeaderReruns = 4

// fewestOfLate is how often each leader is repeated where the time for that is over.
const fewestOfLate = 2

// leaderReruns are the repeat runs of the leaders of each case, after all trials of a matrix, and
// of the fastest trial of cuSPARSE there. A trial may be faster or slower than its configuration
// by 1% or more, by where in memory its arrays came to lie. Each leader rerun is a trial with the fewest samples,
// whose arrays are allocated and filled again.
// Leader reruns go in rounds of all leaders in random order, so that a drift of the device favours
// none of them.
type leaderReruns struct {
	most    int // of each trial; 0: there are none
	rng     *rand.Rand
	places  []trial.Case // in the order in which their trials came
	ranking map[trial.Case]*ranking
	round   []*candidate // rest of the current round
	// bound is for how many seconds leaders are repeated more than fewestOfLate times, 0 if it does not matter, and spent what
	// their repeats took, those of earlier runs as well.
	bound, spent float64
	// programs are kernels whose times are their own: they lead beside others, and never in their place.
	programs map[string]bool
	// only says that there are no noise reruns: leaders and what they are compared with have to show how far repeats differ.
	only bool
}

// A ranking holds the good trials of a case.
type ranking struct {
	trials  []*candidate
	leaders []*candidate // who has led, once there are no more trials
	only    bool         // see leaderReruns
}

// A candidate is a trial with its median and those of its leader reruns, in seconds.
type candidate struct {
	trial.Trial
	medians []float64
	high    float64 // upper end of the interval of its first median; 0: not known
	program bool    // its times are its own
	failed  bool    // whether a leader rerun failed: it is not asked for again
}

// newLeaderReruns prepares the leader reruns of a matrix.
func newLeaderReruns(most int, seed uint64, matrix string, programs map[string]bool) *leaderReruns {
	h := fnv.New64a()
	h.Write([]byte(matrix + " finals"))
	return &leaderReruns{
		most: most, rng: rand.New(rand.NewPCG(seed, h.Sum64())), ranking: map[trial.Case]*ranking{}, programs: programs,
	}
}

// enter notes a good trial, with its leader reruns in an earlier run.
func (f *leaderReruns) enter(known trial.Record) {
	if f.most == 0 || !(known.Median > 0) {
		return
	}
	at := caseOf(known.Trial)
	if f.ranking[at] == nil {
		f.ranking[at] = &ranking{only: f.only}
		f.places = append(f.places, at)
	}
	r := f.ranking[at]
	r.trials = append(r.trials, &candidate{Trial: known.Trial, medians: append([]float64{known.Median}, known.LeaderMedians()...),
		high: known.WithinHigh, program: f.programs[known.Kernel]})
	for _, again := range known.Reruns {
		if again.LeaderRerun { // of which a database doesn't know how long it took: no longer than with all samples
			f.spent += cmp.Or(again.Seconds, known.Seconds)
		}
	}
}

// next returns the next leader rerun, nil after the last. It returns the same one until it is
// told the result. After the first call there are no more trials.
func (f *leaderReruns) next() *job {
	for i := 0; len(f.round) == 0 && i < len(f.places); i++ {
		// Cache states are not mixed; precisions are.
		for _, p := range f.places {
			if p.Cache == f.places[i].Cache {
				f.round = append(f.round, f.ranking[p].open(f.most)...)
			}
		}
		if f.bound > 0 && f.spent >= f.bound {
			f.round = lists.Where(f.round, func(c *candidate) bool { return len(c.medians) <= fewestOfLate })
		}
		f.rng.Shuffle(len(f.round), func(i, j int) { f.round[i], f.round[j] = f.round[j], f.round[i] })
	}
	if len(f.round) == 0 {
		return nil
	}
	ahead := lists.Of(f.round[1:min(len(f.round), 1+mostAhead)], func(c *candidate) trial.Trial { return c.Trial })
	return &job{Trial: f.round[0].Trial, leader: true, ahead: ahead}
}

// told takes the result of the last leader rerun.
func (f *leaderReruns) told(res trial.Result) {
	c := f.round[0]
	f.round, f.spent = f.round[1:], f.spent+res.Seconds
	if c.failed = res.Status != trial.OK; !c.failed {
		c.medians = append(c.medians, res.Median)
	}
}

// open lists the leaders that are to be measured once more. One that is alone is so once, to see whether it was only
// lucky, where others say how far repeats differ.
func (r *ranking) open(most int) []*candidate {
	if now := leaders(r.trials); len(now) > len(r.leaders) { // who has led goes on
		r.leaders = now
	}
	failed := func(c *candidate) bool { return c.failed }
	leaders := slices.DeleteFunc(slices.Clone(r.leaders), failed)
	all := slices.DeleteFunc(r.finalists(), failed)
	fewest := min(fewestLeaderReruns, most)
	if len(all) == 1 && !r.only {
		fewest = min(fewest, 1, len(r.trials)-1)
	}

	list := lists.Where(all, func(c *candidate) bool { return len(c.medians) <= fewest })
	reruns := lists.Sum(r.trials, func(c *candidate) int { return len(c.medians) - 1 })
	if len(list) > 0 || reruns >= len(r.trials) || len(leaders) < 2 {
		return list
	}

	judged := lists.Of(leaders, func(c *candidate) stat.Candidate {
		return stat.Candidate{Config: c.Config, Medians: stat.Fair(c.medians[0], c.medians[1:])}
	})
	for i, open := range stat.Judge(judged).Open {
		if open && len(leaders[i].medians) <= most {
			list = append(list, leaders[i])
		}
	}
	return list
}

// missing returns the trial of each leader rerun that is still to come at least. There are no more
// trials after it.
func (f *leaderReruns) missing() []trial.Trial {
	var list []trial.Trial
	for _, p := range f.places {
		open := f.ranking[p].open(f.most)
		for _, c := range open {
			n := 1
			if len(open) > 1 || f.only {
				n = max(1, 1+min(fewestLeaderReruns, f.most)-len(c.medians))
			}
			list = append(list, slices.Repeat([]trial.Trial{c.Trial}, n)...)
		}
	}
	return list
}

// leaders returns the leaders of a case, fastest first, and then those programs that are as fast.
func leaders(trials []*candidate) []*candidate {
	program := func(c *candidate) bool { return c.program }
	list, most := leading(slices.DeleteFunc(slices.Clone(trials), program), math.Inf(1))
	more, _ := leading(slices.DeleteFunc(slices.Clone(trials), func(c *candidate) bool { return !program(c) }), most)
	return append(list, more...)
}

// leading returns the leaders among some trials, fastest first, and the median up to which they are.
// All have at most that median. It is further from the fastest where a trial that was fast is slower when it is
// repeated: then it was lucky, and others that are as fast as it is now may be the fastest.
func leading(trials []*candidate, most float64) (list []*candidate, up float64) {
	sorted := slices.DeleteFunc(trials, func(c *candidate) bool { return c.medians[0] > most })
	slices.SortStableFunc(sorted, func(a, b *candidate) int { return cmp.Compare(a.medians[0], b.medians[0]) })
	if len(sorted) == 0 {
		return nil, most
	}
	lowest, again := 0.0, math.Inf(1)
	for _, c := range sorted {
		lowest = stat.Lower(lowest, c.high)
		if len(c.medians) > 1 {
			again = min(again, stat.GeometricMeanOf(c.medians[1:]))
		}
	}
	n, up := 0, reach(sorted[0].medians[0], lowest)
	if again < math.Inf(1) {
		up = max(up, again)
	}
	for n < min(len(sorted), mostLeaders) && sorted[n].medians[0] <= up {
		n++
	}
	return sorted[:n], up
}

// reach returns the median up to which trials are leaders of a case, in seconds, by its lowest
// median and the lowest upper end of an interval, 0 if none is known: what is below all upper
// ends may be the fastest. It only sinks as trials join.
func reach(fastest, lowestHigh float64) float64 { return max((1+leadersWithin)*fastest, lowestHigh) }

// finalists are leaders and the fastest trial of cuSPARSE, if there is one: it is repeated the fewest times, so that
// ratios over the library do not rest on the luckiest of its trials. Without noise reruns that goes for the plain kernel
// of a processor, too.
func (r *ranking) finalists() []*candidate {
	var fastest *candidate
	for _, c := range r.trials {
		k, _ := kernels.Lookup(c.Kernel)
		if (k.Library() || r.only && c.Kernel == search.Plain) && (fastest == nil || c.medians[0] < fastest.medians[0]) {
			fastest = c
		}
	}
	list := slices.Clone(r.leaders)
	if fastest != nil && !slices.Contains(list, fastest) {
		list = append(list, fastest)
	}
	return list
}

// Of the trials of a case a share is measured once more, and no fewer than a number where
// there are twice as many.
const (
	noiseShare        = 10 // one of so many
	fewestNoiseReruns = 3
)

// noiseReruns are trials that are measured once more, to see how much repeating moves a trial
// that is no leader. They are a random sample of those that ended well with all their
// samples: the trials of a case, in the random order of the plan, are cut into so many
// strata, and of each the first such trial is taken. So a run that goes on takes the same
// ones. A stratum belongs to the part that has its first trial, and where none of that part's ended
// well it goes without: so runs that each measure a part take the same ones or fewer.
type noiseReruns struct {
	most     int             // in a case; 0: there are none
	plan     []trial.Trial   // all of the matrix, in random order; nil: those that ended well
	own      map[string]bool // trials that this run measures, by identity; nil: all
	good     []trial.Trial   // in the order in which they were entered
	recorded map[string]bool // trials whose noise rerun is recorded, by identity
	todo     []trial.Trial
	chosen   bool // whether todo is known: there are no more trials
}

// newNoiseReruns prepares the noise reruns of a matrix with a plan, nil if a search decides what is
// measured. own are the trials of the plan that this run measures.
func newNoiseReruns(most int, plan, own []trial.Trial) *noiseReruns {
	s := &noiseReruns{most: most, plan: plan, recorded: map[string]bool{}}
	if plan != nil {
		s.own = lists.Keyed(own, func(t trial.Trial) (string, bool) { return t.ID, true })
	}
	return s
}

// enter notes a trial that ended well, with its noise rerun in an earlier run.
func (s *noiseReruns) enter(known trial.Record) {
	if known.Stop != trial.StopSlow {
		s.good = append(s.good, known.Trial)
	}
	if slices.ContainsFunc(known.Reruns, func(again trial.Result) bool { return again.NoiseRerun }) {
		s.recorded[known.ID] = true
	}
}

// choice returns the sample, as far as trials have ended well by now.
func (s *noiseReruns) choice() []trial.Trial {
	good := lists.Keyed(s.good, func(t trial.Trial) (string, bool) { return t.ID, true })
	plan := s.plan
	if plan == nil {
		plan = s.good
	}

	var list []trial.Trial
	for _, p := range casesOf(plan) {
		of := ofCase(plan, p)
		n := noiseRerunsOf(len(of), s.most)
		for i := range n {
			stratum := trial.Cut(trial.Part{Index: i, Of: n}, of)
			at := slices.IndexFunc(stratum, func(t trial.Trial) bool { return good[t.ID] })
			if at >= 0 && (s.own == nil || s.own[stratum[0].ID]) {
				list = append(list, stratum[at])
			}
		}
	}

	return list
}

// noiseRerunsOf returns how many of the trials of a case are measured once more.
func noiseRerunsOf(trials, most int) int {
	n := trials / noiseShare
	if trials >= 2*fewestNoiseReruns {
		n = max(n, fewestNoiseReruns)
	}
	return min(n, most)
}

// next returns the next noise rerun, nil after the last. It returns the same one until it is told
// the result. After the first call there are no more trials.
func (s *noiseReruns) next() *job {
	todo := s.missing()
	if len(todo) == 0 {
		return nil
	}
	return &job{Trial: todo[0], noise: true, ahead: todo[1:min(len(todo), 1+mostAhead)]}
}

// missing returns the trials whose noise rerun is still to come. There are no more trials after it.
func (s *noiseReruns) missing() []trial.Trial {
	if !s.chosen {
		s.chosen = true
		s.todo = slices.DeleteFunc(s.choice(), func(t trial.Trial) bool { return s.recorded[t.ID] })
	}
	return s.todo
}

// told takes the result of the last noise rerun.
func (s *noiseReruns) told(trial.Result) { s.todo = s.todo[1:] }
