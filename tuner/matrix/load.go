package matrix

import (
	"context"
	"fmt"
	"io"
	"path"
	"time"

	"spmvtune/configs"
	"spmvtune/sparse"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
	"spmvtune/tuner/trial"
)

// Load returns the matrix that a sweep names, with its description. The matrix comes from
// the user's cache, or it is read or generated, and kept in the cache for the next time. Its
// arrays are memory of its own: a mapped file is laid out in other pages, and can be taken
// away in the middle of a sample. Nothing is downloaded: the matrix must be resolved.
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

// Look is Describe of a matrix that is not kept if it has to be made.
func Look(ctx context.Context, spec configs.Matrix) (trial.Matrix, error) {
	k := findKept(ctx, spec)
	if m, err := k.describe(); err == nil {
		return m, nil
	}
	_, m, err := obtain(ctx, spec)
	return m, err
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

// Describe is Load without the matrix. It reads no entry of a matrix that is kept.
func Describe(ctx context.Context, spec configs.Matrix) (trial.Matrix, error) {
	k := findKept(ctx, spec)
	if m, err := k.describe(); err == nil {
		return m, nil
	}
	_, m, err := k.makeAndKeep(ctx)
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
