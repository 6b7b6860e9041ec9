// SPDX-License-Identifier: Apache-2.0

// Package matrix turns a matrix that a sweep names into one in memory: it finds out which
// file, download or twin the name stands for, reads or generates it, describes it, and
// keeps it in the user's cache for the next time.
//
// Only a [Resolver] downloads. Everything else refuses a matrix that is not resolved yet.
package matrix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/tuner/trial"
)

// Load returns the matrix that a sweep names, with its description. The matrix comes from
// the user's cache, or it is read or generated, and kept in the cache for the next time.
// Nothing is downloaded: the matrix must be resolved.
func Load(ctx context.Context, spec configs.Matrix) (*sparse.CSR[float64], trial.Matrix, error) {
	a, m, held, err := Hold(ctx, spec)
	if held != nil {
		held.Close()
	}
	return a, m, err
}

// Hold is Load for a matrix that is in use until held is closed: the cache's limit does not remove it. held is nil
// where the cache does not have it.
func Hold(ctx context.Context, spec configs.Matrix) (a *sparse.CSR[float64], m trial.Matrix, held io.Closer, err error) {
	k := findKept(ctx, spec)
	if a, m, held, err = k.load(ctx); err == nil || ctx.Err() != nil {
		return a, m, held, err
	}
	if a, m, err = k.makeAndKeep(ctx); err == nil {
		if e, err := k.dir.Open(k.key); err == nil {
			held = e
		}
	}
	return a, m, held, err
}

// Known is Look where nothing has to be made and no file has to be read.
func Known(spec configs.Matrix) (trial.Matrix, bool) {
	if spec.Generate == "" {
		dir, _ := cache.Default()
		if !dir.Remembers(spec.Path) {
			return trial.Matrix{}, false
		}
	}
	m, err := findKept(context.Background(), spec).describe()
	return m, err == nil
}

// Describe is Load without the matrix. It reads no entry of a matrix that is kept; one that has to be made is kept if
// keep is set.
func Describe(ctx context.Context, spec configs.Matrix, keep bool) (trial.Matrix, error) {
	k := findKept(ctx, spec)
	m, err := k.describe()
	switch {
	case err == nil:
	case keep:
		_, m, err = k.makeAndKeep(ctx)
	default:
		_, m, err = obtain(ctx, spec)
	}
	return m, err
}

// obtain reads or generates a matrix and describes it.
func obtain(ctx context.Context, spec configs.Matrix) (a *sparse.CSR[float64], m trial.Matrix, err error) {
	m = Named(spec)
	if !spec.Resolved() {
		return nil, m, fmt.Errorf("loading %s: %s is not downloaded: run `spmvtune matrix get %s`", spec.Name,
			spec.SuiteSparse, spec.SuiteSparse)
	}

	m.Field, m.Symmetry = "real", "general"
	if spec.Generate != "" {
		size, err := SizeOf(spec)
		need, free := 4*int64(size.Rows)+12*int64(size.Nonzeros), cpu.FreeMemory()
		if err == nil && free > 0 && need > free {
			return nil, m, fmt.Errorf("generating %s: its %s of memory are more than the %s that are free", spec.Name,
				term.Bytes(need), term.Bytes(free))
		}
		if a, err = generate.Build(ctx, spec.Generate, spec.Args); err != nil {
			return nil, m, fmt.Errorf("generating %s: %w", spec.Name, err)
		}
	} else {
		read, err := file.Read(ctx, spec.Path, readOptions(spec))
		if err != nil {
			return nil, m, err
		}
		a, m.Field, m.Symmetry, m.NonFinite, m.Odd = read.A, read.Field, read.Symmetry, read.NonFinite, read.Odd
	}

	m.Hash = a.Hash()
	start := time.Now()
	m.Features = sparse.Analyze(a)
	m.FeaturesSeconds = time.Since(start).Seconds()
	m.Pattern = sparse.NewThumbnail(a)
	return a, m, nil
}

func readOptions(spec configs.Matrix) file.Options {
	return file.Options{Expand: spec.Expand, Complex: spec.Complex}
}

// Named returns the description of a matrix as far as the sweep says.
func Named(spec configs.Matrix) trial.Matrix {
	m := trial.Matrix{Name: spec.Name, Class: spec.Class, Source: spec.Path}
	m.TwinOf, m.TwinScale = TwinOf(spec)

	switch {
	case spec.Twin:
		m.Source = "twin of " + spec.SuiteSparse + ": " + generate.Spec(spec.Generate, spec.Args)
	case spec.SuiteSparse != "":
		m.Source = "SuiteSparse " + spec.SuiteSparse
	case spec.Generate != "":
		m.Source = generate.Spec(spec.Generate, spec.Args)
	}

	return m
}

// TwinOf returns the name of the published matrix that a twin stands for, with the scale
// of the twin; "" and 0 for a matrix that is no twin.
func TwinOf(spec configs.Matrix) (of string, scale float64) {
	if spec.Twin {
		of, scale = path.Base(spec.SuiteSparse), 1
	}
	if spec.Generate != "twin" {
		return of, scale
	}

	if name, is := spec.Args["of"].(string); is && of == "" {
		of = name
	}
	switch s := spec.Args["scale"].(type) {
	case float64:
		return of, s
	case int64:
		return of, float64(s)
	}

	return of, 1
}

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
	return &Resolver{Collection: c, answers: map[fetch.ID]answer{}}, nil
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

// SizeOf returns the size of the matrix that a sweep names, without loading it: a file's
// from its header, a generated one's from its arguments. The nonzeros may be a few per
// cent off: a symmetric file does not say how many entries lie on the diagonal, and some
// generators draw entries twice. The size of a matrix that is not downloaded yet is that
// of its twin, or zero if it has none.
func SizeOf(spec configs.Matrix) (trial.Size, error) {
	if spec.Generate != "" {
		s, err := generate.Plan(spec.Generate, spec.Args)
		if err != nil {
			return trial.Size{}, fmt.Errorf("planning %s: %w", spec.Name, err)
		}
		return trial.Size{Rows: s.Rows, Cols: s.Cols, Nonzeros: s.NNZ, Longest: s.Longest}, nil
	}

	if !spec.Resolved() {
		return trial.Size{}, nil
	}
	h, err := file.ReadSize(spec.Path, readOptions(spec))
	if err != nil {
		return trial.Size{}, err
	}
	s := trial.Size{Rows: h.Rows, Cols: h.Cols, Nonzeros: h.Entries}
	if spec.Expand && h.Symmetric {
		s.Nonzeros *= 2
	}
	return s, nil
}

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
	k.dir, k.err = cache.Default()
	switch {
	case k.dir == nil:
	case !spec.Resolved(): // making it will say so
		k.dir = nil
	case spec.Generate != "":
		k.key = cache.NewKey("generated", generate.Version, generate.Spec(spec.Generate, spec.Args))
	default:
		content, err := k.dir.Identify(ctx, spec.Path)
		if err != nil { // reading it will say what is wrong
			k.dir = nil
			break
		}
		k.file = content
		k.key = cache.NewKey("file", file.Version, fmt.Sprintf("%+v", readOptions(spec)), file.NameThatMatters(spec.Path),
			content.Digest)
	}
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
