// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// Products computes n products of each of some trials on a device and a matrix.
func Products(ctx context.Context, open func(configs.Device) (kernels.Backend, error), path string, ids []string,
	n int) error {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer db.Close()
	var last store.Row
	trials, own := make([]trial.Trial, len(ids)), []kernels.Custom(nil)
	for i, id := range ids {
		list, err := db.Results(ctx, store.Filter{ID: id})
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("%s has no trial %s that is in force", path, id)
		}
		if last = list[0]; i > 0 && last.Result.Matrix != trials[0].Matrix {
			return errors.New("the trials are on several matrices: count them one matrix at a time")
		}
		trials[i] = last.Trial
		o, err := definition(ctx, db, &last)
		if err != nil {
			return err
		}
		if o != nil && o.File != "" { // a name may have had several sources: each gets one of its own
			o.Name += " " + o.Digest()[:8]
			trials[i].Kernel = o.Name
			own = append(own, *o)
		}
	}
	spec, err := specOf(ctx, db, &last)
	if err != nil {
		return err
	}
	device, err := deviceOf(ctx, db, last.Device)
	if err != nil {
		return err
	}
	compiled, remove, err := tuner.Compiled(own)
	if err != nil {
		return err
	}
	defer remove()
	return worker.Count(open, device, spec, trials, n, own, compiled)
}

// definition returns the kernel of a trial: that of the catalogue, or what the sweep defined. It is nil
// if the database does not have it.
func definition(ctx context.Context, db *store.DB, t *store.Row) (*kernels.Custom, error) {
	if k, ok := kernels.Lookup(t.Kernel); ok {
		return &kernels.Custom{Kernel: k}, nil
	}
	return db.Definition(ctx, t.ID)
}

// deviceOf finds a device by its label.
func deviceOf(ctx context.Context, db *store.DB, label string) (kernels.Device, error) {
	list, err := db.Devices(ctx)
	d, found := lists.First(list, func(d store.Device) bool { return d.Label == label })
	if !found {
		err = errors.Join(err, fmt.Errorf("the database has no device %s", label))
	}
	return d.Device, err
}

// specOf finds out how the matrix of a trial is made again.
func specOf(ctx context.Context, db *store.DB, t *store.Row) (spec configs.Matrix, err error) {
	matrices, err := db.Features(ctx)
	if err != nil {
		return spec, err
	}
	m, found := lists.First(matrices, func(m trial.Matrix) bool { return m.Hash == t.Result.Matrix })
	if !found {
		return spec, fmt.Errorf("the database has no matrix %s", t.Matrix)
	}
	return sameMatrix(ctx, &m)
}

// sameMatrix finds the matrix that a database describes in words. How its file was read is not
// among them: the digest of its content tells.
func sameMatrix(ctx context.Context, m *trial.Matrix) (configs.Matrix, error) {
	spec := configs.Matrix{Name: m.Name, Class: m.Class}
	from := m.Source
	if of, form, twin := strings.Cut(from, ": "); twin && strings.HasPrefix(of, "twin of ") {
		from = form
	}
	var err error
	switch name, collection := strings.CutPrefix(from, "SuiteSparse "); {
	case collection:
		spec.SuiteSparse = name
		resolver, err := matrix.NewResolver()
		if err != nil {
			return spec, err
		}
		spec = resolver.Foresee(spec)
	case filepath.IsAbs(from):
		spec.Path = from
	default:
		spec.Generate, spec.Args, err = generate.ParseSpec(from)
		return spec, err
	}

	for _, complex := range []string{"", "real-part"} {
		for _, expand := range []bool{true, false} {
			spec.Expand, spec.Complex = expand, complex
			found, err := matrix.Describe(ctx, spec, true)
			if err == nil && found.Hash == m.Hash {
				return spec, nil
			}
		}
	}
	_, err = matrix.Describe(ctx, spec, true)
	return spec, errors.Join(fmt.Errorf("%s is not the matrix that was measured", from), err)
}
