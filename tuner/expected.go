package tuner

import (
	"context"
	"fmt"
	"time"

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

// expect tells the observer what is ahead: the current matrix, and those that no device has taken. A task, which
// measures parts, leaves it to the run that it is of.
func (r *run) expect(ctx context.Context) error {
	r.crew.mu.Lock()
	ahead := append([]share{r.share}, r.crew.todo...)
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
// shows when it is loaded; until then nothing is expected of it.
func (p *previewer) expect(ctx context.Context, exact bool) (Expected, error) {
	spec := p.opt.Resolver.Foresee(p.share.Matrix)
	m, known := p.known(spec)
	size := m.Size()
	if !known {
		var err error
		if size, err = matrix.SizeOf(spec); err != nil {
			return Expected{}, nil
		}
	}

	if !exact || search.Adaptive(p.sweep.Search.Strategy) {
		o, err := NewOutlook(p.sweep, size, p.planner.device)
		return Expected{Matrix: spec.Name, Trials: o.Trials, Time: o.Time + o.Load}, err
	}
	var f Forecast
	var err error
	if known {
		f, err = p.planned(ctx, m, 0)
	} else {
		f, err = p.announced(ctx, spec, size)
	}
	return Expected{spec.Name, f.Count, f.Finished, f.Time, f.Repeating}, err
}
