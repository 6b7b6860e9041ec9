package show

import (
	"context"
	"errors"
	"fmt"
	"io"

	"spmvtune/configs"
	"spmvtune/tuner/matrix"
)

// newSettler returns the settler of matrices to download, which shows on p what it does.
// p may be nil.
func NewResolver(offline bool, p *Progress) (*matrix.Resolver, error) {
	s, err := matrix.NewResolver()
	if err != nil {
		return nil, err
	}
	s.Collection.Offline = s.Collection.Offline || offline
	if p != nil {
		s.Collection.Notify = (&downloads{p: p}).notify
	}
	return s, nil
}

// settleSweep returns a copy of sweep whose matrices are settled, which downloads those
// that are missing, and what is to be said about it.
func ResolveSweep(ctx context.Context, w io.Writer, sweep *configs.Sweep, offline bool) (*configs.Sweep, []string, error) {
	show := New(w, w)
	settler, err := NewResolver(offline, show)
	if err != nil {
		return nil, nil, err
	}
	defer show.Clear()
	settled := *sweep
	settled.Matrices = nil
	var notes []string
	var errs []error
	for _, m := range sweep.Matrices {
		m, why, err := settler.Resolve(ctx, m)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if why != nil {
			notes = append(notes, m.Substitution(why))
		}
		errs = append(errs, err)
		settled.Matrices = append(settled.Matrices, m)
	}
	return &settled, notes, errors.Join(errs...)
}

// ForeseeSweep returns a copy of sweep whose matrices are settled as far as that is
// known without a download, and what is to be said about the others.
func ForeseeSweep(sweep *configs.Sweep, offline bool) (*configs.Sweep, []string, error) {
	settler, err := NewResolver(offline, nil)
	if err != nil {
		return nil, nil, err
	}
	settled := *sweep
	settled.Matrices = nil
	var notes []string
	for _, m := range sweep.Matrices {
		m = settler.Foresee(m)
		switch {
		case m.Resolved():
		case m.HasTwin():
			notes = append(notes, fmt.Sprintf("%s is not downloaded yet, which submit does first: the plan is that of its twin", m.Name))
		default:
			notes = append(notes, fmt.Sprintf("%s is not downloaded yet, which submit does first: its size is unknown, and the plan leaves out its time", m.Name))
		}
		settled.Matrices = append(settled.Matrices, m)
	}
	return &settled, notes, nil
}
