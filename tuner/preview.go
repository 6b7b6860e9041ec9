package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// A Forecast says what a sweep would do on one matrix.
type Forecast struct {
	Plan
	// Missing is Group/Name of a matrix that is to be downloaded first. Only the name is
	// known of its Plan then.
	Missing string
	Size    trial.Size // of the twin of a missing matrix; zero if it has none
	Outlook Outlook    // of that twin
	Count   int        // number of trials; if a strategy decides, as many as there may be
	AtMost  bool       // whether the strategy has not decided yet
	// Announced says that the matrix was neither read nor generated: its sizes are as its file or its generator
	// announces them, and what is measured of it is not known.
	Announced bool
	Finished  int           // number of trials that are measured already
	Time      time.Duration // guess for the trials and repeat runs that are left, and for loading the matrix
	Repeating time.Duration // what of Time repeat runs take, where trials are left
	Known     int           // number of trials left whose kernel was measured on this matrix and device
	Repeats   int           // number of repeat runs that are missing at least, if all trials are measured
}

// Preview plans a sweep without measuring anything. Constraints and identities depend on the content of matrices:
// what the cache or rec knows of one is taken from there, small ones are read or generated for it and not kept, and
// others are planned by the sizes that they announce. A matrix that can't be used is a Failure, and none is
// downloaded. rec may be nil: nothing is measured yet.
func Preview(
	ctx context.Context, sweep *configs.Sweep, rec Recorder, opt Options,
) (kernels.Device, []Forecast, []Failure, error) {
	r := newRun(sweep, rec, opt)
	defer r.close()
	if r.opt.Resolver == nil {
		var err error
		if r.opt.Resolver, err = matrix.NewResolver(); err != nil {
			return kernels.Device{}, nil, nil, err
		}
	}

	switch err := r.worker(ctx); {
	case errors.Is(err, errStop):
		return kernels.Device{}, nil, nil, ctx.Err()
	case err != nil: // no device answered
		return kernels.Device{}, nil, nil, err
	}
	past, err := readHistory(ctx, rec, sweep.Protocol, r.planner.device)
	if err != nil {
		return kernels.Device{}, nil, nil, err
	}

	p := previewer{run: r, past: past}
	if l, is := rec.(Librarian); is {
		if p.recorded, err = l.Library(ctx); err != nil {
			return kernels.Device{}, nil, nil, fmt.Errorf("reading which matrices are known: %w", err)
		}
	}
	var out []Forecast
	for i, spec := range sweep.Matrices {
		r.planning(spec.Name, i, len(sweep.Matrices))
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

// previewMissing forecasts the work on a matrix that is not downloaded, by its twin.
func (r *run) previewMissing(spec configs.Matrix) (Forecast, error) {
	f := Forecast{Plan: Plan{Matrix: matrix.Named(spec)}, Missing: spec.SuiteSparse}
	if !spec.HasTwin() {
		return f, nil
	}
	var err error
	if f.Size, err = matrix.SizeOf(spec); err != nil {
		return f, err
	}
	f.Outlook, err = NewOutlook(r.sweep, f.Size, r.planner.device)
	return f, err
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
	made     int                     // rows and nonzeros of the matrices that were read or generated
}

// A preview reads or generates matrices of at most so many rows and nonzeros, each and together: a second or two, and
// some seconds.
const (
	mostMade    = 8_000_000
	mostMadeAll = 20_000_000
)

// preview forecasts the work on one matrix.
func (p *previewer) preview(ctx context.Context, spec configs.Matrix) (Forecast, error) {
	if ctx.Err() != nil {
		return Forecast{}, errStop
	}
	spec = p.opt.Resolver.Foresee(spec)
	if !spec.Resolved() {
		return p.previewMissing(spec)
	}
	m, known := p.known(spec)
	if known {
		return p.planned(ctx, m, 0)
	}

	size, err := matrix.SizeOf(spec)
	cost := size.Rows + size.Nonzeros
	if err != nil || cost <= mostMade && p.made+cost <= mostMadeAll { // loading it says better what is wrong
		p.made += cost
		started := time.Now()
		if m, err = p.look(ctx, spec); err != nil {
			return Forecast{}, p.failure(spec.Name, err, false)
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

// planned forecasts the work on a matrix that takes so long to load.
func (p *previewer) planned(ctx context.Context, m trial.Matrix, loading time.Duration) (Forecast, error) {
	plan, err := p.plan(m)
	if err != nil {
		return Forecast{}, err
	}
	f, err := p.forecast(ctx, plan, p.past)
	if f.Time > 0 {
		f.Time += loading
	}
	return f, err
}

// announced forecasts the work on a matrix of which only the size is known.
func (p *previewer) announced(ctx context.Context, spec configs.Matrix, size trial.Size) (f Forecast, err error) {
	m := matrix.Named(spec)
	m.Features.Rows, m.Features.Cols, m.Features.Nonzeros = size.Rows, size.Cols, size.Nonzeros
	outlook, err := NewOutlook(p.sweep, size, p.planner.device)
	if err != nil {
		return f, fmt.Errorf("planning %s: %w", m.Name, err)
	}

	if p.sweep.Search.Strategy == search.Rule { // it chooses by features
		f = Forecast{Plan: Plan{Matrix: m}, Count: outlook.Trials, AtMost: true, Time: outlook.Time}
	} else {
		m.Hash = "announced by " + m.Source // no content has this hash
		f, err = p.planned(ctx, m, 0)
	}
	f.Announced = f.Duplicate == nil
	if f.Announced {
		f.Time += outlook.Load
	}
	return f, err
}

// look reads or generates a matrix, and keeps nothing.
func (r *run) look(ctx context.Context, spec configs.Matrix) (m trial.Matrix, err error) {
	if ctx.Err() != nil {
		return m, errStop
	}
	return r.loadAs(ctx, spec, true)
}

// planning tells which matrix is planned.
func (r *run) planning(name string, done, of int) {
	if r.opt.Planning != nil {
		r.opt.Planning(name, done, of)
	}
}

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
	r.devices.mu.Lock()
	ahead := slices.Concat(r.devices.running, r.devices.todo)
	told := r.devices.expected
	r.devices.expected = true
	r.devices.mu.Unlock()
	if told || r.opt.Pieces != nil {
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
		p.assignment = s
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
	spec := p.opt.Resolver.Foresee(p.assignment.Matrix)
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
