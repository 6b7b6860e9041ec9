// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// perBatch is how many matrices or results are given to the database at once.
const perBatch = 256

// Record gives all measurements to db, as a sweep called name that ended at the given moment, and says how many it has
// given. It is not atomic: db should be thrown away after an error.
func (m *Measurements) Record(ctx context.Context, db *store.DB, name string, at time.Time, said func(done int)) error {
	_, err := db.Import(ctx, func(yield func(store.Batch, error) bool) {
		hashes := map[string]string{}
		for part := range slices.Chunk(m.Matrices, perBatch) {
			var b store.Batch
			for _, matrix := range part {
				// Matrices are told apart by what is known of them: their content is not here.
				sum := sha256.Sum256(fmt.Appendf(nil, "imported %q %q %+v", matrix.Name, matrix.Class, matrix.Features))
				hashes[matrix.Name] = fmt.Sprintf("%x", sum)
				b.Matrices = append(b.Matrices, trial.Matrix{
					Name: matrix.Name, Class: matrix.Class, Hash: hashes[matrix.Name], Source: "imported from " + m.File,
					Field: "unknown", Symmetry: "unknown", Features: matrix.Features,
				})
			}
			if !yield(b, nil) {
				return
			}
		}
		done := 0
		sweep := &configs.Sweep{Name: name, Title: "Imported from " + m.File,
			Text:     []byte("# imported from " + m.File + "\n"),
			Protocol: configs.Protocol{Warmup: 1}, Search: configs.Search{Strategy: search.Strategies[0].Name}}
		for _, of := range lists.Groups(m.Times, func(t Time) string { return t.Device }) {
			run := &tuner.RunInfo{
				Sweep:   sweep,
				Device:  kernels.Device{Backend: Source, Name: DeviceName(of[0].Device)},
				Sources: map[string]string{}, Protocol: Source,
			}
			for _, t := range of {
				run.Sources[t.Kernel] = Source
			}
			for part := range slices.Chunk(of, perBatch) {
				results := lists.Of(part, func(t Time) trial.Result { return t.result(run.Device, hashes[t.Matrix], at) })
				if !yield(store.Batch{Run: run, Started: at, Results: results}, nil) {
					return
				}
				done += len(part)
				said(done)
			}
		}
	})
	return err
}

// result is a trial that others have made. The interval goes from the fastest to the
// slowest run, because how they were taken is not known.
func (t *Time) result(dev kernels.Device, hash string, at time.Time) trial.Result {
	made := trial.Trial{Matrix: hash, Config: t.Config, Cache: t.Cache}
	samples := t.Samples
	if len(samples) == 0 {
		samples = t.Runs
	}
	made.ID = trial.Identity(made, dev, Source, Source, 0)
	return trial.Result{
		Trial: made, Status: trial.OK,
		Message: fmt.Sprintf("imported from %s, not verified here", t.From),
		Median:  stat.Median(t.Runs), WithinLow: t.Runs[0], WithinHigh: t.Runs[len(t.Runs)-1],
		Samples: samples, Batch: 1, At: at,
	}
}
