// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// Preview plans a sweep without measuring anything. Constraints and identities depend on the content of matrices:
// what the cache or rec knows of one is taken from there, small ones are read or generated for it and not kept, and
// others are planned by the sizes that they announce. A matrix that can't be used is a Failure, and none is
// downloaded. rec may be nil: nothing is measured yet.
func Preview(
	ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options,
) (kernels.Device, []Estimate, []Failure, error) {
	p, err := newPreviewer(ctx, sweep, cmp.Or(rec, Recorder(nothing{})), opt)
	if err != nil {
		return kernels.Device{}, nil, nil, err
	}
	r := p.run
	defer r.close()
	if err := r.worker(ctx); err != nil { // no device answered, if the user has not interrupted
		return kernels.Device{}, nil, nil, cmp.Or(ctx.Err(), err)
	}
	if p.past, err = readHistory(ctx, rec, sweep.Protocol, r.planner.device); err != nil {
		return kernels.Device{}, nil, nil, err
	}
	var out []Estimate
	for i, spec := range sweep.Matrices {
		if opt.Planning != nil {
			opt.Planning(spec.Name, i, len(sweep.Matrices))
		}
		f, err := p.preview(ctx, spec)
		var failure *Failure
		switch {
		case errors.Is(err, errStop):
			return r.planner.device, nil, nil, ctx.Err()
		case errors.As(err, &failure):
			r.sum.Failures = append(r.sum.Failures, *failure)
		case err != nil:
			return r.planner.device, nil, nil, err
		default:
			out = append(out, f)
		}
	}
	return r.planner.device, out, r.sum.Failures, nil
}

// nothing records nothing, and knows nothing.
type nothing struct{ Recorder }

func (nothing) Recorded(context.Context, []string, trial.Detail) (map[string]trial.Record, error) {
	return nil, nil
}

// A Librarian is a recorder that knows matrices.
type Librarian interface {
	// Library returns the matrices by their names.
	Library(ctx context.Context) (map[string]trial.Matrix, error)
}

// A previewer plans one matrix after the other.
type previewer struct {
	*run
	past     history
	recorded map[string]trial.Matrix // by name
	made     int                     // of the matrices that were read or generated: rows, nonzeros and perMade
}

// newPreviewer returns one that knows the matrices that rec does, and no past.
func newPreviewer(ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options) (p previewer, err error) {
	if opt.Resolver == nil {
		if opt.Resolver, err = matrix.NewResolver(); err != nil {
			return p, err
		}
	}
	if l, is := rec.(Librarian); is {
		if p.recorded, err = l.Library(ctx); err != nil {
			return p, fmt.Errorf("reading which matrices are known: %w", err)
		}
	}
	p.run, p.past = newRun(sweep, rec, opt), history{usual: 1}
	return p, nil
}

// A preview reads or generates matrices of at most so many rows and nonzeros, each and together: a second or two, and
// some seconds. To make one, however small, takes as long as so many of them.
const (
	mostMade    = 8_000_000
	mostMadeAll = 20_000_000
	perMade     = 20_000
)

// preview estimates the work on one matrix.
func (p *previewer) preview(ctx context.Context, spec configs.Matrix) (Estimate, error) {
	if ctx.Err() != nil {
		return Estimate{}, errStop
	}
	spec = p.opt.Resolver.Foresee(spec)
	if !spec.Resolved() {
		return p.missing(ctx, spec)
	}
	m, known := p.known(spec)
	if known {
		return p.planned(ctx, m, 0)
	}

	size, err := matrix.SizeOf(spec)
	cost := size.Rows + size.Nonzeros + perMade
	if err != nil || cost <= mostMade && p.made+cost <= mostMadeAll { // loading it says better what is wrong
		p.made += cost
		started := time.Now()
		if m, err = p.load(ctx, spec, true); err != nil {
			return Estimate{}, p.failure(spec.Name, err, false)
		}
		return p.planned(ctx, m, time.Since(started))
	}
	return p.announced(ctx, spec, size)
}

// known returns what the cache or the recorder knows of a matrix. The recorder's source of a generated matrix has all
// its arguments; a file may have changed since.
func (p *previewer) known(spec configs.Matrix) (trial.Matrix, bool) {
	if m, known := matrix.Known(spec); known {
		return m, true
	}
	m, known := p.recorded[spec.Name]
	return m, known && spec.Generate != "" && m.Source == matrix.Named(spec).Source
}

// planned estimates the work on a matrix that takes so long to load.
func (p *previewer) planned(ctx context.Context, m trial.Matrix, loading time.Duration) (Estimate, error) {
	plan, err := p.plan(m)
	if err != nil {
		return Estimate{}, err
	}
	e, err := p.estimate(ctx, plan, p.past)
	if e.Time > 0 {
		e.Load = loading
	}
	return e, err
}

// missing estimates the work on a matrix that is not downloaded, by its twin.
func (p *previewer) missing(ctx context.Context, spec configs.Matrix) (e Estimate, err error) {
	e.Matrix = matrix.Named(spec)
	if spec.HasTwin() {
		size, err := matrix.SizeOf(spec)
		if err != nil {
			return e, err
		}
		if e, err = p.announced(ctx, spec, size); err != nil {
			return e, err
		}
	}
	e.Missing = spec.SuiteSparse
	return e, nil
}

// announced estimates the work on a matrix of which only the size is known.
func (p *previewer) announced(ctx context.Context, spec configs.Matrix, size trial.Size) (Estimate, error) {
	m := matrix.Named(spec)
	m.Features.Rows, m.Features.Cols, m.Features.Nonzeros = size.Rows, size.Cols, size.Nonzeros
	m.Features.RowMax = size.Longest
	e, err := NewEstimate(p.sweep, size, p.planner.device)
	if err != nil {
		return e, fmt.Errorf("planning %s: %w", m.Name, err)
	}
	if load := e.Load; p.sweep.Search.Strategy == search.Rule { // it chooses by features
		e.Matrix, e.AtMost = m, true
	} else {
		m.Hash = "announced by " + m.Source // no content has this hash
		if e, err = p.planned(ctx, m, 0); e.Duplicate == nil {
			e.Load = load
		}
	}
	e.Announced = e.Duplicate == nil
	return e, err
}

// expectFor bounds how long a run looks for what is measured already of the matrices ahead. The rest is foreseen by
// their sizes alone.
const expectFor = time.Second

// expect tells the observer what is ahead: the matrices that devices are at, and those that none has taken. A task,
// which measures parts, leaves it to the run that it is of.
func (r *run) expect(ctx context.Context) error {
	r.devices.mu.Lock()
	ahead := slices.Concat(r.devices.running, r.devices.todo)
	told := r.devices.expected
	r.devices.expected = true
	r.devices.mu.Unlock()
	if told || r.opt.Pieces != nil {
		return nil
	}

	p, err := newPreviewer(ctx, r.sweep, r.rec, r.opt) // whose run forgets what it learns
	if err != nil {
		return err
	}
	p.planner = r.planner
	var list []Estimate
	started := time.Now()
	for _, s := range ahead {
		p.next(s)
		e, err := p.expect(ctx, time.Since(started) < expectFor)
		if err != nil {
			return err
		}
		if e.Matrix.Name != "" {
			list = append(list, e)
		}
	}
	r.opt.Observe(Event{Ahead: list})
	return nil
}

// expect foresees the work on a matrix: by its sizes alone, unless it may take its time. What is wrong with a matrix
// shows when it is loaded and planned; until then nothing is expected of it. Nor is anything of one whose size is not
// known before it is downloaded.
func (p *previewer) expect(ctx context.Context, exact bool) (Estimate, error) {
	spec := p.opt.Resolver.Foresee(p.assignment.Matrix)
	m, known := p.known(spec)
	size, err := m.Size(), error(nil)
	if !known {
		size, err = matrix.SizeOf(spec)
	}
	e, unplanned := NewEstimate(p.sweep, size, p.planner.device)
	if cmp.Or(err, unplanned) != nil || !spec.Resolved() && !spec.HasTwin() {
		return Estimate{}, nil
	}
	e.Matrix = matrix.Named(spec)
	switch {
	case !exact || e.Whole: // a rule is not asked, because it keeps what it names
		return e, nil
	case known:
		return p.planned(ctx, m, 0)
	default:
		return p.announced(ctx, spec, size)
	}
}
