package matrix

import (
	"context"
	"errors"
	"sync"

	"spmvtune/configs"
	"spmvtune/sparse/fetch"
)

// A Settler decides what the matrices of the SuiteSparse collection in a sweep are:
// their files, downloaded where they are not there yet, or their twins where that can't
// be. What it decided it says again, so that all parts of a run measure the same.
type Resolver struct {
	Collection *fetch.Collection

	mu  sync.Mutex
	had map[fetch.ID]had
}

// had is what asking for a matrix came to.
type had struct {
	file fetch.File
	err  error
}

// NewSettler returns one for the collection that the environment names.
func NewResolver() (*Resolver, error) {
	c, err := fetch.Default()
	if err != nil {
		return nil, err
	}
	return &Resolver{Collection: c}, nil
}

// Settle returns m settled, and why it is a twin, if it became one. It takes as long as
// the download does. An error is one of fetch.Collection.Get.
func (s *Resolver) Settle(ctx context.Context, m configs.Matrix) (settled configs.Matrix, why error, err error) {
	if m.Resolved() {
		return m, nil, nil
	}
	file, err := s.get(ctx, m)
	switch {
	case err == nil:
		return m.Downloaded(file.Path), nil, nil
	case errors.Is(err, fetch.ErrUnavailable) && m.HasTwin():
		return m.AsTwin(), err, nil
	}
	return m, nil, err
}

func (s *Resolver) get(ctx context.Context, m configs.Matrix) (fetch.File, error) {
	id, err := fetch.ParseID(m.SuiteSparse)
	if err != nil {
		return fetch.File{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, known := s.had[id]; known {
		return h.file, h.err
	}
	file, err := s.Collection.Get(ctx, id)
	if ctx.Err() == nil {
		if s.had == nil {
			s.had = map[fetch.ID]had{}
		}
		s.had[id] = had{file, err}
	}
	return file, err
}

// Foresee returns m settled as Settle would, as far as that is known without asking a
// server: the file is there or, offline, it is not and there is a twin.
func (s *Resolver) Foresee(m configs.Matrix) configs.Matrix {
	if m.Resolved() {
		return m
	}
	id, err := fetch.ParseID(m.SuiteSparse)
	if err != nil {
		return m
	}
	path, there := s.Collection.Path(id)
	switch {
	case there:
		return m.Downloaded(path)
	case m.HasTwin() && (s.Collection.Offline || path == ""):
		return m.AsTwin()
	}
	return m
}
