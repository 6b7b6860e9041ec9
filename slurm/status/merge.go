// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// Merge brings what the journals of a run hold into its database. It may do so at any time, also while tasks
// write: what is there already stays. Then report makes what there is to make of the database, and
// merged.json says what was merged. round is the round that ends with this merge, 0 for none.
//
// Other merges wait until report is done, so that a report never replaces one that began later
// and saw more. Problems with a journal are in the result. An error means that the database can't be
// written, or that ctx has ended; what was committed before stays.
func Merge(
	ctx context.Context, run *slurm.Run, round int, report func(*slurm.Merge) error,
) (m slurm.Merge, err error) {
	unlock, err := run.LockMerges(ctx)
	if err != nil {
		return m, err
	}
	defer unlock()

	m, err = importJournals(ctx, run)
	m.Round = round
	if store.Damaged(err) {
		return m, fmt.Errorf("database %s is damaged: delete it and merge again: the journals say what was in it",
			run.Path(slurm.DatabaseFile))
	}
	if err == nil {
		err = report(&m)
	}
	if err == nil {
		err = run.NoteMerge(&m)
	}
	return m, err
}

// importJournals writes what the journals hold into the database.
func importJournals(ctx context.Context, run *slurm.Run) (m slurm.Merge, err error) {
	began := time.Now().UTC()
	plan, err := run.Plan()
	if err != nil {
		return m, err
	}
	files, err := run.Files()
	if err != nil {
		return m, err
	}
	db, err := store.Open(run.Path(slurm.DatabaseFile))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	imported, err := db.Import(ctx, readJournals(ctx, files))
	m = slurm.Merge{At: began, Database: db.Path(), Journals: len(files), New: imported.New, Known: imported.Known}
	if err != nil {
		return m, err
	}

	for _, f := range files {
		for _, end := range f.Ends {
			m.Skipped = append(m.Skipped, end.Skipped...)
		}
	}
	slices.Sort(m.Skipped)
	m.Skipped = slices.Compact(m.Skipped)
	m.Missing = slurm.Incomplete(plan, files)
	m.Faulty = run.Faults(files, m.Missing)
	m.Complete = len(plan.Current()) - len(m.Missing)
	return m, nil
}

const (
	// readAhead is the number of batches that are read while earlier ones are imported, which takes longer.
	readAhead = 32
	// batchSize is the number of results that go from reader to importer at once.
	batchSize = 500
)

// readJournals yields what the files hold, in their order, so that the same files give the same
// database. Problems with a file are kept in it and do not stop the merge.
func readJournals(ctx context.Context, files []*slurm.File) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var reader panics.WaitGroup
		defer reader.Wait()
		defer cancel()
		batches := make(chan store.Batch, readAhead)
		reader.Go(func() {
			defer close(batches)
			for _, f := range files {
				read(ctx, f, batches)
			}
		})
		for b := range batches {
			if !yield(b, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(store.Batch{}, fmt.Errorf("reading journals: %w", err))
		}
	}
}

// read sends what a journal holds, and keeps what is wrong with it.
func read(ctx context.Context, f *slurm.File, to chan<- store.Batch) {
	var batch store.Batch
	var run *journal.Run // the run of the results in batch
	send := func() {
		select {
		case to <- batch:
		case <-ctx.Done(): // reading ends, too
		}
		batch = store.Batch{Run: batch.Run, Started: batch.Started}
	}

	for rec := range f.Lines(ctx) {
		switch {
		case rec.Matrix != nil:
			batch.Matrices = append(batch.Matrices, *rec.Matrix)
		case rec.Trial != nil:
			if rec.Trial.Run != run || len(batch.Results) == batchSize {
				send()
				run = rec.Trial.Run
				batch.Run, batch.Started = &run.RunInfo, run.At
			}
			if batch.Results == nil {
				batch.Results = make([]trial.Result, 0, batchSize)
			}
			batch.Results = append(batch.Results, rec.Trial.Result)
		}
	}

	send()
}
