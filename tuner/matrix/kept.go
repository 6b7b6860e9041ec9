package matrix

import (
	"context"
	"fmt"
	"io"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/sparse"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
	"spmvtune/tuner/trial"
)

// worthKeeping is how long a generator must take for its matrix to be kept. Most matrices
// are made faster than they are written to a disk and read again. Files are always kept.
var worthKeeping = time.Second

// kept is a matrix of a sweep, as the cache knows it.
type kept struct {
	spec configs.Matrix
	dir  *cache.Dir
	key  cache.Key
	file *cache.File // nil for a matrix that is generated
	err  error       // why the cache can't be used
}

// findKept finds out what the cache calls a matrix.
func findKept(ctx context.Context, spec configs.Matrix) kept {
	k := kept{spec: spec}
	if k.dir, k.err = cache.Default(); k.dir == nil {
		return k
	}

	if !spec.Resolved() { // making it will say so
		k.dir = nil
		return k
	}

	if spec.Generate != "" {
		k.key = cache.NewKey("generated", generate.Version, generate.Spec(spec.Generate, spec.Args))
		return k
	}

	content, err := k.dir.Identify(ctx, spec.Path)
	if err != nil { // reading it will say what is wrong
		k.dir = nil
		return k
	}

	k.file = content
	k.key = cache.NewKey("file", file.Version, fmt.Sprintf("%+v", readOptions(spec)), file.NameThatMatters(spec.Path),
		content.Digest)
	return k
}

// load returns the matrix if it is kept. A damaged entry is as good as none: the matrix is
// made again and takes its place.
func (k kept) load(ctx context.Context) (*sparse.CSR[float64], trial.Matrix, io.Closer, error) {
	e, err := k.dir.Open(k.key)
	if err != nil {
		return nil, trial.Matrix{}, nil, err
	}
	a, err := e.Copy(ctx)
	if err != nil {
		e.Close()
		return nil, trial.Matrix{}, nil, err
	}
	return a, k.described(e.Meta), e, nil
}

// describe is load without the matrix.
func (k kept) describe() (trial.Matrix, error) {
	e, err := k.dir.Open(k.key)
	if err != nil {
		return trial.Matrix{}, err
	}
	return k.described(e.Meta), e.Close()
}

// IsKept reports whether the cache has the matrix; it reads no entry of it.
func IsKept(ctx context.Context, spec configs.Matrix) bool {
	k := findKept(ctx, spec)
	return k.dir.Has(k.key)
}

// Pattern is Load of a matrix for the places of its entries: it may have no values.
func Pattern(ctx context.Context, spec configs.Matrix) (*sparse.CSR[float64], trial.Matrix, error) {
	k := findKept(ctx, spec)
	if e, err := k.dir.Open(k.key); err == nil {
		defer e.Close()
		a, err := e.Pattern(ctx)
		if err == nil || ctx.Err() != nil {
			return a, k.described(e.Meta), err
		}
	}
	return k.makeAndKeep(ctx)
}

func (k kept) described(e cache.Meta) trial.Matrix {
	m := Named(k.spec)
	m.Hash, m.Features, m.FeaturesSeconds, m.Pattern = e.Hash, e.Features, e.FeaturesSeconds, e.Pattern
	m.Field, m.Symmetry, m.NonFinite, m.Odd = e.Field, e.Symmetry, e.NonFinite, e.Odd
	return m
}

// keep stores a matrix, within the limit of the cache. The note says that others were removed for it.
func (k kept) keep(ctx context.Context, a *sparse.CSR[float64], m trial.Matrix) (note string, err error) {
	limit, err := cache.Limit()
	if err == nil {
		err = cache.Fits(a, limit)
	}
	if err == nil {
		err = k.dir.Fill(ctx, cache.Meta{
			Key: k.key, Source: m.Source, Field: m.Field, Symmetry: m.Symmetry,
			NonFinite: m.NonFinite, Odd: m.Odd, Hash: m.Hash, Features: m.Features, FeaturesSeconds: m.FeaturesSeconds,
			Pattern: m.Pattern,
		}, a)
	}
	if err != nil {
		return "", err
	}

	removed, err := k.dir.Evict(limit)
	if err == nil && len(removed) > 0 {
		note = fmt.Sprintf("the cache of matrices is at its limit of %s (%s): those that were not used for the longest "+
			"are removed from %s", term.Bytes(limit), cache.EnvLimit, k.dir.Path())
	}
	return note, err
}

// makeAndKeep reads or generates the matrix and stores it. If the cache can't be filled,
// that is a note and not an error.
func (k kept) makeAndKeep(ctx context.Context) (*sparse.CSR[float64], trial.Matrix, error) {
	start := time.Now()
	a, m, err := obtain(ctx, k.spec)
	if err != nil {
		return nil, m, err
	}

	switch {
	case k.dir == nil:
		err = k.err
	case k.file == nil && time.Since(start) < worthKeeping:
	case k.file != nil && !k.file.Unchanged(ctx): // perhaps something else was read
	default:
		m.Note, err = k.keep(ctx, a, m)
	}

	if ctx.Err() != nil {
		return nil, m, ctx.Err()
	}
	if err != nil {
		m.Note = fmt.Sprintf("matrices are not kept for the next run: %v", err)
	}
	return a, m, nil
}
