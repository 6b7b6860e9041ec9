package show

import (
	"context"
	"errors"
	"fmt"
	"io"

	"spmvtune/configs"
	"spmvtune/tuner/matrix"
)

// NewResolver returns a resolver of matrices whose downloads p shows. p may be nil.
func NewResolver(offline bool, p *Progress) (*matrix.Resolver, error) {
	r, err := matrix.NewResolver()
	if err != nil {
		return nil, err
	}
	r.Collection.Offline = r.Collection.Offline || offline
	if p != nil {
		r.Collection.Notify = (&downloads{p: p}).notify
	}
	return r, nil
}

// ResolveSweep returns a copy of sweep whose matrices are resolved, and notes about twins that
// replace matrices. It downloads missing matrices.
func ResolveSweep(ctx context.Context, w io.Writer, sweep *configs.Sweep, offline bool) (*configs.Sweep, []string,
	error) {
	line := New(w, w)
	resolver, err := NewResolver(offline, line)
	if err != nil {
		return nil, nil, err
	}
	defer line.Clear()

	resolved := *sweep
	resolved.Matrices = nil
	var notes []string
	var errs []error
	for _, m := range sweep.Matrices {
		m, why, err := resolver.Resolve(ctx, m)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if why != nil {
			notes = append(notes, m.Substitution(why))
		}
		errs = append(errs, err)
		resolved.Matrices = append(resolved.Matrices, m)
	}
	return &resolved, notes, errors.Join(errs...)
}

// ForeseeSweep returns a copy of sweep whose matrices are resolved as far as possible without
// a download, and notes about the others.
func ForeseeSweep(sweep *configs.Sweep, offline bool) (*configs.Sweep, []string, error) {
	resolver, err := NewResolver(offline, nil)
	if err != nil {
		return nil, nil, err
	}

	resolved := *sweep
	resolved.Matrices = nil

	var notes []string
	for _, m := range sweep.Matrices {
		m = resolver.Foresee(m)
		switch {
		case m.Resolved():
		case m.HasTwin():
			notes = append(notes, fmt.Sprintf("%s is not downloaded yet; submit will do so. The plan is for its "+
				"twin", m.Name))
		default:
			notes = append(notes, fmt.Sprintf("%s is not downloaded yet; submit will do so. "+
				"Its size is unknown, and the plan ignores its time", m.Name))
		}
		resolved.Matrices = append(resolved.Matrices, m)
	}

	return &resolved, notes, nil
}
