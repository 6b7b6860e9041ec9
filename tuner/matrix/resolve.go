package matrix

import (
	"context"
	"errors"
	"sync"

	"spmvtune/configs"
	"spmvtune/sparse/fetch"
)

// A Resolver finds out what the matrices of the SuiteSparse collection in a sweep are here:
// their files, downloaded if need be, or their twins if that can't be done. It gives the
// same answer again, so that all parts of a run measure the same.
type Resolver struct {
	Collection *fetch.Collection

	mu      sync.Mutex
	answers map[fetch.ID]answer
}

// An answer is what asking for a matrix came to.
type answer struct {
	file fetch.File
	err  error
}

// NewResolver returns a resolver for the collection that the environment names.
func NewResolver() (*Resolver, error) {
	c, err := fetch.Default()
	if err != nil {
		return nil, err
	}
	return &Resolver{Collection: c}, nil
}

// Resolve returns m resolved and, if it became a twin, why. It takes as long as the
// download does. An error is one of fetch.Collection.Get.
func (r *Resolver) Resolve(ctx context.Context, m configs.Matrix) (resolved configs.Matrix, why error, err error) {
	if m.Resolved() {
		return m, nil, nil
	}
	file, err := r.get(ctx, m)
	switch {
	case err == nil:
		return m.Downloaded(file.Path), nil, nil
	case errors.Is(err, fetch.ErrUnavailable) && m.HasTwin():
		return m.AsTwin(), err, nil
	}

	return m, nil, err
}

func (r *Resolver) get(ctx context.Context, m configs.Matrix) (fetch.File, error) {
	id, err := fetch.ParseID(m.SuiteSparse)
	if err != nil {
		return fetch.File{}, err
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if a, known := r.answers[id]; known {
		return a.file, a.err
	}
	file, err := r.Collection.Get(ctx, id)
	if ctx.Err() == nil {
		if r.answers == nil {
			r.answers = map[fetch.ID]answer{}
		}
		r.answers[id] = answer{file, err}
	}

	return file, err
}

// Foresee returns m as Resolve would, as far as that is known without asking a server: the
// file is there or, offline, it is not and there is a twin.
func (r *Resolver) Foresee(m configs.Matrix) configs.Matrix {
	if m.Resolved() {
		return m
	}
	id, err := fetch.ParseID(m.SuiteSparse)
	if err != nil {
		return m
	}
	path, there := r.Collection.Path(id)

	switch {
	case there:
		return m.Downloaded(path)
	case m.HasTwin() && (r.Collection.Offline || path == ""):
		return m.AsTwin()
	}

	return m
}
