package tuner

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// searches are a source of what the strategy of a sweep asks for on one matrix: a search
// in each cache state and, within it, in each precision. What is recorded already is told
// to the strategy and not measured again; so a search goes on where an earlier run ended.
type searches struct {
	run      *run
	ctx      context.Context // of asking the recorder
	open     []*hunt         // of which the first is under way
	step     search.Step     // that is to be told
	current  *job            // of step; nil: none was asked for
	finished []trial.Trial   // told from the record
	measured int
	err      error // of the recorder: it has ended the search
}

// A hunt is one search.
type hunt struct {
	place    trial.Place
	strategy search.Strategy
	trials   []trial.Trial // of the configurations, under the sweep's protocol
	left     int           // steps of the budget; negative: no bound
	own      bool          // the last step was not the strategy's
	seen     map[int]sight
	known    map[[2]int]map[string]trial.Record // what is recorded, by samples and identity
}

// A sight is what was last seen of a configuration.
type sight struct {
	median float64
	whole  bool // under the sweep's protocol
}

// phases lists the searches of a matrix: cache states in the order of their phases, and
// precisions by name.
func phases(trials []trial.Trial) []trial.Place {
	var list []trial.Place
	for _, t := range trials {
		if !slices.Contains(list, placeOf(t)) {
			list = append(list, placeOf(t))
		}
	}
	slices.SortStableFunc(list, func(a, b trial.Place) int {
		if a.Cache != b.Cache {
			return 0 // trials come in the order of the cache states
		}
		return cmp.Compare(a.Precision, b.Precision)
	})
	return list
}

// newSearches prepares the searches of a plan.
func (r *run) newSearches(ctx context.Context, plan Plan) (*searches, error) {
	s := &searches{run: r, ctx: context.WithoutCancel(ctx)}
	all := phases(plan.Trials)
	perCache := map[trial.Cache]int{}
	for _, p := range all {
		perCache[p.Cache]++
	}
	nth := map[trial.Cache]int{}
	for _, p := range all {
		h := &hunt{place: p, left: -1, seen: map[int]sight{}, known: map[[2]int]map[string]trial.Record{}}
		var configs []kernels.Config
		for _, t := range plan.Trials {
			if placeOf(t) == p {
				h.trials = append(h.trials, t)
				configs = append(configs, t.Config)
			}
		}
		if budget := r.sweep.Search.Trials; budget > 0 { // shared by the precisions
			i, n := nth[p.Cache], perCache[p.Cache]
			h.left = budget*(i+1)/n - budget*i/n
			nth[p.Cache]++
		}
		seed := fnv.New64a()
		fmt.Fprintf(seed, "%d%s{%s %s}", r.sweep.Protocol.Seed, plan.Matrix.Hash, p.Precision, p.Cache)
		var err error
		if h.strategy, err = search.New(r.sweep.Search.Strategy, search.NewSpace(configs), seed.Sum64()); err != nil {
			return nil, err
		}
		s.open = append(s.open, h)
	}
	return s, nil
}

// most is how many steps there may be, at most.
func (s *searches) most() int {
	n := len(s.finished)
	for _, h := range s.open {
		steps := search.Most(len(h.trials))
		if h.left >= 0 {
			steps = min(steps, h.left)
		}
		n += steps
	}
	return n
}

func (s *searches) next() *job {
	for s.current == nil && s.err == nil && len(s.open) > 0 {
		h := s.open[0]
		step, more := h.ask()
		if !more {
			s.run.over[h.place] = true
			s.open = s.open[1:]
			continue
		}
		t, look := s.run.planner.trial(h.trials[step.Config], step)
		var known map[string]trial.Record
		if known, s.err = s.known(h, step); s.err != nil {
			return nil
		}
		if k, is := known[t.ID]; is && !(s.run.opt.Retry && failed(k.Status)) {
			s.finished = append(s.finished, t)
			s.run.counts(t, k.Status)
			s.run.best.note(t, k.Median)
			if look == nil && k.Status == trial.OK {
				s.run.finals.enter(t, k.Median, k.Finals())
			}
			h.tell(finding(step, k.Result))
			continue
		}
		s.step, s.current = step, &job{Trial: t, look: look}
	}
	return s.current
}

func (s *searches) told(r trial.Result) {
	s.measured++
	s.current = nil
	s.open[0].tell(finding(s.step, r))
}

// known looks up what is recorded of all configurations with the samples of a step.
func (s *searches) known(h *hunt, step search.Step) (map[string]trial.Record, error) {
	if known, asked := h.known[step.Samples]; asked {
		return known, nil
	}
	var ids []string
	for i, t := range h.trials {
		t, _ := s.run.planner.trial(t, search.Step{Config: i, Samples: step.Samples})
		ids = append(ids, t.ID)
	}
	known := map[string]trial.Record{}
	if s.run.rec != nil {
		var err error
		if known, err = s.run.rec.Recorded(s.ctx, ids, trial.Full); err != nil {
			return nil, fmt.Errorf("asking what is measured already: %w", err)
		}
	}
	h.known[step.Samples] = known
	return known, nil
}

// ask gives the next step. The last one that the budget allows is kept for measuring the
// fastest under the sweep's protocol.
func (h *hunt) ask() (search.Step, bool) {
	if h.left == 0 {
		return search.Step{}, false
	}
	if best, whole := h.fastest(); h.left == 1 && best >= 0 && !whole {
		h.own = true
		return search.Step{Config: best}, true
	}
	h.own = false
	return h.strategy.Ask()
}

// tell notes a finding of the last step.
func (h *hunt) tell(f search.Finding) {
	h.left--
	if f.OK {
		h.seen[f.Config] = sight{f.Median, f.Step.Samples == [2]int{}}
	} else {
		delete(h.seen, f.Config)
	}
	if !h.own {
		h.strategy.Tell(f)
	}
}

// fastest is the configuration of the lowest median so far, -1 if there is none, and
// whether it was measured under the sweep's protocol.
func (h *hunt) fastest() (config int, whole bool) {
	config = -1
	for i := range h.trials {
		if s, is := h.seen[i]; is && (config < 0 || s.median < h.seen[config].median) {
			config, whole = i, s.whole
		}
	}
	return config, whole
}

// finding is what a trial says to a strategy: the same, to the bit, whether it was
// measured now or is read from a record.
func finding(step search.Step, r trial.Result) search.Finding {
	f := search.Finding{Step: step, OK: r.Status == trial.OK, Median: r.Median, Low: r.Low, High: r.High}
	for _, s := range r.Samples {
		f.Samples = append(f.Samples, float64(float32(s)))
	}
	return f
}

// trial is what a step measures: t or, where the step has samples of its own, a trial
// under a protocol with these samples and a short warm-up, which its identity says.
func (p planner) trial(t trial.Trial, step search.Step) (trial.Trial, *configs.Protocol) {
	if step.Samples[1] == 0 {
		return t, nil
	}
	look := p.sweep.Protocol
	look.Warmup = min(look.Warmup, search.Warmup)
	look.Samples = step.Samples
	t.ID = trial.Identity(t, p.device, p.sources[t.Kernel], worker.ProtocolText(look), worker.Version)
	return t, &look
}
