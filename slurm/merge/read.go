package merge

import (
	"context"
	"fmt"
	"iter"

	"spmvtune/internal/base/panics"
	"spmvtune/slurm"
	"spmvtune/store"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A File is a journal, with what was found in it besides results.
type File struct {
	Name  journal.Name
	Path  string
	Fault Fault
	ends  []journal.End
	// trials has a key for each trial in it, repeat measurements left out.
	trials []trial.Key
}

const (
	// readAhead is the number of journals that are read ahead of the one that is imported.
	// Reading goes on during a commit, and a network file system, where opening a file takes
	// longer than reading it, is asked for many files at once.
	readAhead = 32
	// batchSize is the number of results that go from reader to importer at once.
	batchSize = 500
)

// readJournals yields what the files hold, in their order, so that the same files give the same
// database. Files are read in parallel. Problems with a file are kept in it and do not stop the
// merge.
func readJournals(ctx context.Context, files []File) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var readers panics.WaitGroup
		defer readers.Wait()
		defer cancel()

		queue := make(chan chan store.Batch, readAhead)
		readers.Go(func() {
			defer close(queue)
			for i := range files {
				batches := make(chan store.Batch, 1)
				select {
				case queue <- batches:
				case <-ctx.Done():
					return
				}
				readers.Go(func() {
					defer close(batches)
					files[i].read(ctx, batches)
				})
			}
		})

		for batches := range queue {
			for b := range batches {
				if !yield(b, nil) {
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(store.Batch{}, fmt.Errorf("reading journals: %w", err))
		}
	}
}

// read sends what a journal holds, and keeps what is wrong with it.
func (f *File) read(ctx context.Context, to chan<- store.Batch) {
	var batch store.Batch
	var run *journal.Run // the run of the results in batch
	send := func() {
		select {
		case to <- batch:
		case <-ctx.Done(): // reading ends, too
		}
		batch = store.Batch{Run: batch.Run, Started: batch.Started}
	}

	for rec, err := range journal.Read(ctx, f.Path) {
		switch {
		case err != nil && ctx.Err() != nil:
		case err == nil && rec.Matrix != nil:
			batch.Matrices = append(batch.Matrices, *rec.Matrix)
		case err == nil && rec.Trial != nil:
			f.Take(rec, nil)
			if rec.Trial.Run != run || len(batch.Results) == batchSize {
				send()
				run = rec.Trial.Run
				batch.Run, batch.Started = &run.RunInfo, run.At
			}
			if batch.Results == nil {
				batch.Results = make([]trial.Result, 0, batchSize)
			}
			batch.Results = append(batch.Results, rec.Trial.Result)
		default:
			f.Take(rec, err)
		}
	}

	send()
}

// Find finds what is missing, as the journals are now, and writes nothing.
func Find(ctx context.Context, run *slurm.Run) ([]Missing, error) {
	plan, err := run.Plan()
	if err != nil {
		return nil, err
	}
	journal.Refresh(run.Path(slurm.JournalsDir))
	names, err := journal.List(run.Path(slurm.JournalsDir))
	if err != nil {
		return nil, err
	}
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{Name: name, Path: run.Path(slurm.JournalsDir, name.String())}
		for rec, err := range journal.Read(ctx, files[i].Path) {
			files[i].Take(rec, err)
		}
	}
	_, missing, _ := Incomplete(plan, files)
	return missing, ctx.Err()
}

// Take keeps how an attempt ended, which trials there are, and problems of the journal.
func (f *File) Take(rec journal.Line, err error) {
	switch {
	case err != nil:
		f.Fault.unread(err)
	case rec.Trial != nil && !rec.Trial.Again():
		f.trials = append(f.trials, trial.KeyOf(rec.Trial.ID))
	case rec.End != nil:
		f.ends = append(f.ends, *rec.End)
	case rec.Problem != nil:
		f.Fault.note(*rec.Problem)
	}
}
