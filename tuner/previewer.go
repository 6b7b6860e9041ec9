package tuner

import (
	"context"
	"fmt"
	"time"

	"spmvtune/configs"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

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
