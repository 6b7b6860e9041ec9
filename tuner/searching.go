// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// searches are a source of what the strategy of a sweep asks for on one matrix. There is
// a search in each cache state and, within it, in each precision. What is recorded already
// is told to the strategy and not measured again, so that a search goes on where an
// earlier run ended.
type searches struct {
	run      *run
	queue    *queue          // that it is a source of
	ctx      context.Context // for asking the recorder
	open     []*caseSearch   // the first one is under way
	step     search.Step     // the step that current measures
	current  *job            // nil: none was asked for
	recorded []trial.Trial   // trials whose results were recorded by an earlier run
	measured int             // number of trials measured by this run
	err      error           // of the recorder; it has ended the search
}

// A caseSearch is the search in one case.
type caseSearch struct {
	at       trial.Case
	strategy search.Strategy
	trials   []trial.Trial // of the configurations, under the sweep's protocol
	left     int           // steps that the budget allows; negative: no bound
	busy     float64       // seconds that the steps so far took
	bound    float64       // seconds from which on the budget allows no step; 0: no bound
	extra    bool          // whether the last step was not the strategy's
	last     map[int]trial.Result
	recorded map[[2]int]map[string]trial.Record // by number of samples and identity
}

// places lists where trials of a matrix compete: the cache states in the order in which
// they come, and the precisions by name.
func casesOf(trials []trial.Trial) []trial.Case {
	list := lists.Distinct(trials, caseOf)
	slices.SortStableFunc(list, func(a, b trial.Case) int {
		if a.Cache != b.Cache {
			return 0 // trials come in the order of the cache states
		}
		return cmp.Compare(a.Precision, b.Precision)
	})

	return list
}

// newSearches prepares the searches of a plan.
func (r *run) newSearches(ctx context.Context, plan Plan, q *queue) (*searches, error) {
	s := &searches{run: r, queue: q, ctx: context.WithoutCancel(ctx)}
	all := casesOf(plan.Trials)

	for _, p := range all {
		one := &caseSearch{at: p, trials: ofCase(plan.Trials, p), left: -1,
			bound: r.sweep.Search.Busy.Seconds(), last: map[int]trial.Result{}, recorded: map[[2]int]map[string]trial.Record{}}
		configs := lists.Of(one.trials, func(t trial.Trial) kernels.Config { return t.Config })
		if budget := r.sweep.Search.Trials; budget > 0 { // the precisions share it
			with := lists.Where(all, func(o trial.Case) bool { return o.Cache == p.Cache })
			i, n := slices.Index(with, p), len(with)
			one.left = budget*(i+1)/n - budget*i/n
		}

		seed := fnv.New64a()
		fmt.Fprintf(seed, "%d%s{%s %s}", r.sweep.Protocol.Seed, plan.Matrix.Hash, p.Precision, p.Cache)
		space := search.NewSpace(configs)
		if r.sweep.Search.Strategy == search.Tune && r.opt.Expect != nil {
			space.Expected = r.opt.Expect(r.planner.device, plan.Matrix, p.Cache, configs)
		}
		var err error
		if one.strategy, err = search.New(r.sweep.Search.Strategy, space, seed.Sum64()); err != nil {
			return nil, err
		}
		s.open = append(s.open, one)
	}

	return s, nil
}

// most returns how many steps there are, at most.
func (s *searches) most() int {
	n := len(s.recorded)
	for _, one := range s.open {
		steps := search.Most(s.run.sweep.Search.Strategy, len(one.trials))
		if one.left >= 0 {
			steps = min(steps, one.left)
		}
		n += steps
	}
	return n
}

func (s *searches) next() *job {
	for s.current == nil && s.err == nil && len(s.open) > 0 {
		one := s.open[0]
		step, more := one.ask()
		if !more {
			s.run.searched[one.at] = true
			s.run.opt.Observe(Event{Searched: one.searched()})
			s.open = s.open[1:]
			continue
		}

		t, protocol := s.run.planner.trial(one.trials[step.Config], step)
		var recorded map[string]trial.Record
		if recorded, s.err = s.lookUp(one, step); s.err != nil {
			return nil
		}
		if r, is := recorded[t.ID]; is && !(s.run.opt.Retry && failed(r.Status)) {
			s.recorded = append(s.recorded, t)
			s.run.counts(t, r.Status)
			s.run.note(t, r.Median)
			if !step.Partial() && r.Status == trial.OK {
				r.Trial = t
				s.queue.enter(r)
			}
			one.tell(step, r.Result)
			continue
		}
		s.step, s.current = step, &job{Trial: t, partial: protocol}
	}

	return s.current
}

func (s *searches) told(r trial.Result) {
	s.measured++
	s.current = nil
	s.open[0].tell(s.step, r)
}

func (s *searches) enter(trial.Record)     {}
func (s *searches) missing() []trial.Trial { return nil }

// lookUp returns what is recorded of all configurations with the samples of a step.
func (s *searches) lookUp(one *caseSearch, step search.Step) (map[string]trial.Record, error) {
	if recorded, asked := one.recorded[step.Samples]; asked {
		return recorded, nil
	}

	ids := lists.Of(one.trials, func(t trial.Trial) string {
		t, _ = s.run.planner.trial(t, step)
		return t.ID
	})
	recorded, err := s.run.rec.Recorded(s.ctx, ids, trial.Full)
	if err != nil {
		return nil, fmt.Errorf("asking what is measured already: %w", err)
	}

	one.recorded[step.Samples] = recorded
	return recorded, nil
}

// ask returns the next step. The last one that the budget allows is kept for measuring the
// fastest configuration under the sweep's protocol.
func (p *caseSearch) ask() (search.Step, bool) {
	if p.left == 0 || p.bound > 0 && p.busy >= p.bound {
		return search.Step{}, false
	}
	best, full := p.fastest()
	if p.extra = p.left == 1 && best >= 0 && !full; p.extra {
		return search.Step{Config: best}, true
	}
	return p.strategy.Ask()
}

// tell takes the result of the last step. The strategy is told the same, to the bit,
// whether it was measured now or is read from a record.
func (p *caseSearch) tell(step search.Step, r trial.Result) {
	p.left--
	p.busy += r.Seconds
	samples := r.Samples
	r.Samples = nil
	if step.Partial() {
		r.Stop = trial.StopSearch
	}
	if r.Status == trial.OK {
		p.last[step.Config] = r
	} else {
		delete(p.last, step.Config)
	}

	r.Samples = lists.Of(samples, func(s float64) float64 { return float64(float32(s)) })
	if !p.extra {
		p.strategy.Tell(step, r)
	}
}

// searched says what the search left out that may be faster, by all that is recorded.
func (p *caseSearch) searched() *Searched {
	end := &Searched{Case: p.at}
	if t, is := p.strategy.(interface {
		Open() (config int, chance float64, worthy int)
		Seen(config int) bool
	}); is {
		for i, one := range p.trials {
			if r, recorded := p.recorded[search.Step{}.Samples][one.ID]; recorded && !t.Seen(i) {
				p.strategy.Tell(search.Step{Config: i}, r.Result)
			}
		}
		config, chance, worthy := t.Open()
		if worthy > 0 {
			end.Config, end.Chance, end.Worthy = p.trials[config].Config, chance, worthy
		}
	}
	return end
}

// fastest returns the configuration of the lowest median so far, -1 if there is none, and
// whether it was measured under the sweep's protocol.
func (p *caseSearch) fastest() (config int, full bool) {
	config = -1
	for i := range p.trials {
		if r, is := p.last[i]; is && (config < 0 || r.Median < p.last[config].Median) {
			config, full = i, !r.Partial()
		}
	}
	return config, full
}

// trial returns what a step measures: t, or for a partial measurement a trial under a
// protocol with these samples and a short warm-up, which its identity says.
func (p planner) trial(t trial.Trial, step search.Step) (trial.Trial, *configs.Protocol) {
	if !step.Partial() {
		return t, nil
	}
	protocol := p.sweep.Protocol
	protocol.Warmup = min(protocol.Warmup, search.Warmup)
	protocol.Samples = step.Samples
	t.ID = trial.Identity(t, p.device, p.sources[t.Kernel], worker.ProtocolText(protocol), worker.Version)
	return t, &protocol
}
