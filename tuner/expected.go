package tuner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/search"
)

// Expected is what is ahead on a matrix when the first trial of a run begins. The matrix need not be loaded, and the
// times are of a model, which says little of the machine, and more of how matrices compare.
type Expected struct {
	Matrix           string // name
	Trials, Finished int    // as far as it is known by then
	// Time is what is left takes, and Repeating what of it repeat runs take.
	Time, Repeating time.Duration
}

// expectFor bounds how long a run looks for what is measured already of the matrices ahead. The rest is foreseen by
// their sizes alone.
const expectFor = time.Second

// expect tells the observer what is ahead: the matrices that devices are at, and those that none has taken. A task,
// which measures parts, leaves it to the run that it is of.
func (r *run) expect(ctx context.Context) error {
	r.crew.mu.Lock()
	ahead := slices.Concat(r.crew.running, r.crew.todo)
	told := r.crew.expected
	r.crew.expected = true
	r.crew.mu.Unlock()
	if told || r.opt.Parts != nil {
		return nil
	}

	opt := r.opt
	if opt.Resolver == nil {
		var err error
		if opt.Resolver, err = matrix.NewResolver(); err != nil {
			return err
		}
	}
	own := newRun(r.sweep, r.rec, opt) // which forgets what it learns
	own.planner = r.planner
	p := previewer{run: own, past: history{usual: 1}}
	if l, is := r.rec.(Librarian); is {
		var err error
		if p.recorded, err = l.Library(ctx); err != nil {
			return fmt.Errorf("reading which matrices are known: %w", err)
		}
	}

	var list []Expected
	started := time.Now()
	for _, s := range ahead {
		p.next()
		p.share = s
		e, err := p.expect(ctx, time.Since(started) < expectFor)
		if err != nil {
			return err
		}
		if e.Matrix != "" {
			list = append(list, e)
		}
	}
	r.opt.Observe(Event{Expected: list})
	return nil
}

// expect foresees the work on a matrix: by its sizes alone, unless it may take its time. What is wrong with a matrix
// shows when it is loaded and planned; until then nothing is expected of it. Nor is anything of one whose size is not
// known before it is downloaded.
func (p *previewer) expect(ctx context.Context, exact bool) (Expected, error) {
	spec := p.opt.Resolver.Foresee(p.share.Matrix)
	if !spec.Resolved() && !spec.HasTwin() {
		return Expected{}, nil
	}
	m, known := p.known(spec)
	size := m.Size()
	if !known {
		var err error
		if size, err = matrix.SizeOf(spec); err != nil {
			return Expected{}, nil
		}
	}

	o, err := NewOutlook(p.sweep, size, p.planner.device)
	if err != nil {
		return Expected{}, nil
	}
	strategy := p.sweep.Search.Strategy
	if strategy == search.Rule { // it is not asked, because it keeps what it names
		o = p.shortlisted(o)
	}
	if !exact || search.Adaptive(strategy) || strategy == search.Rule {
		return Expected{Matrix: spec.Name, Trials: o.Trials, Time: o.Time + o.Load}, nil
	}
	var f Forecast
	if known {
		f, err = p.planned(ctx, m, 0)
	} else {
		f, err = p.announced(ctx, spec, size)
	}
	return Expected{spec.Name, f.Count, f.Finished, f.Time, f.Repeating}, err
}

// shortlisted cuts an outlook down to the most trials that a rule names.
func (r *run) shortlisted(o Outlook) Outlook {
	precisions := map[kernels.Precision]bool{}
	for _, space := range r.sweep.Kernels {
		for _, p := range space.Precisions {
			precisions[p] = true
		}
	}
	most := cmp.Or(r.sweep.Search.Top, search.Shortlisted) * len(precisions) * len(caches(r.sweep.Protocol))
	if o.Trials > most {
		o.Time = time.Duration(float64(o.Time) * float64(most) / float64(o.Trials))
		o.Trials = most
	}
	return o
}
