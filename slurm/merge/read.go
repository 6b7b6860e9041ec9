package merge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"spmvtune/store"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A mergeFile is a journal, and what a merge found in it besides results.
type File struct {
	Name  journal.Name
	Path  string
	Fault Fault
	ends  []journal.End
}

const (
	// mergeAhead is how many journals are read ahead of the one that is imported:
	// enough that reading goes on during a commit, and that a network file system,
	// where opening a file takes longer than reading it, is asked for many at once.
	mergeAhead = 32
	// mergeBatch is how many results go from reader to importer at once.
	mergeBatch = 500
)

// readJournals yields what the files hold, in their order, so that the same
// files give the same database. They are read in parallel. What is wrong with a
// file is kept in it; nothing of that stops the merge.
func readJournals(ctx context.Context, files []File) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var readers sync.WaitGroup
		defer readers.Wait()
		defer cancel()
		queue := make(chan chan store.Batch, mergeAhead)
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
	var run *journal.Run // of the results in batch
	var batch store.Batch
	send := func() {
		select {
		case to <- batch:
		case <-ctx.Done(): // which ends the reading, too
		}
		batch = store.Batch{Run: batch.Run, Started: batch.Started}
	}
	for rec, err := range journal.Read(ctx, f.Path) {
		switch {
		case err != nil && ctx.Err() != nil:
		case err == nil && rec.Matrix != nil:
			batch.Matrices = append(batch.Matrices, *rec.Matrix)
		case err == nil && rec.Trial != nil:
			if rec.Trial.Run != run || len(batch.Results) == mergeBatch {
				send()
				run = rec.Trial.Run
				batch.Run, batch.Started = &run.RunInfo, run.At
			}
			if batch.Results == nil {
				batch.Results = make([]trial.Result, 0, mergeBatch)
			}
			batch.Results = append(batch.Results, rec.Trial.Result)
		default:
			f.Take(rec, err)
		}
	}
	send()
}

// take keeps what is no result: how an attempt ended, and what is wrong with the journal.
func (f *File) Take(rec journal.Record, err error) {
	switch {
	case err != nil:
		f.Fault.unread(err)
	case rec.End != nil:
		f.ends = append(f.ends, *rec.End)
	case rec.Problem != nil:
		f.Fault.note(*rec.Problem)
	}
}

// unread notes that reading broke off.
func (f *Fault) unread(err error) {
	f.Unread = true
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // which journal it is stands beside it
	}
	if f.First == "" {
		f.First = err.Error()
	}
}

// renew forgets what may be otherwise when the journal is read on.
func (f *Fault) Renew() {
	f.Unread, f.Torn = false, false
	if f.Lost() == 0 {
		f.First = ""
	}
}

// note counts a problem.
func (f *Fault) note(p journal.Problem) {
	if f.First == "" {
		f.First = fmt.Sprintf("line %d: %v", p.Line, p.Err)
	}
	switch p.Kind {
	case journal.Torn:
		f.Torn = true
	case journal.Orphan:
		f.Orphans++
	case journal.Unknown:
		f.Unknown++
	default:
		f.Damaged++
	}
}
