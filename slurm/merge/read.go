package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

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

// An attempt names one attempt at a chunk. Its journals speak together: with several workers,
// the journal of the task speaks about what is in the others.
type attempt struct {
	chunk, job string
	number     int
}

func attemptOf(n journal.Name) attempt { return attempt{n.Chunk, n.Job, n.Attempt} }

// compare orders attempts at a chunk by when they began. It goes by the numbers of their jobs,
// because the clocks of nodes differ and a lost task may write on. Those outside of arrays come first,
// in the order of their claims.
func (a attempt) compare(b attempt) int {
	number := func(job string) uint64 {
		id, _, _ := strings.Cut(job, "_")
		n, _ := strconv.ParseUint(id, 10, 64) // 0 if it is no job of Slurm's
		return n
	}
	return cmp.Or(cmp.Compare(number(a.job), number(b.job)),
		cmp.Compare(a.number, b.number), cmp.Compare(a.job, b.job))
}

// A lastWord says how the last attempt at a chunk ended. The End is zero if it did not say.
type lastWord struct {
	attempt
	journal.End
}

// hear takes in how a journal of an attempt ended. Among those of one attempt the latest counts.
func (l *lastWord) hear(a attempt, end journal.End) {
	if c := a.compare(l.attempt); c > 0 || c == 0 && !end.At.Before(l.At) {
		*l = lastWord{a, end}
	}
}

// A Fault says why a journal could not be used in full. The rest of it was used.
type Fault struct {
	File string `json:"file"`
	// Unread says that the journal could not be read to its end.
	Unread bool `json:"unread,omitempty"`
	// Torn says that the last line has no end: it is being written, or its writer died.
	Torn bool `json:"torn,omitempty"`
	// Damaged is the number of lines that are not what was written.
	Damaged int `json:"damaged,omitempty"`
	// Orphans is the number of trials whose run or matrix was on a damaged line.
	Orphans int `json:"orphans,omitempty"`
	// Unknown is the number of lines that only a newer program knows.
	Unknown int `json:"unknown,omitempty"`
	// First is the first of these problems with its line, or why the file can't be read.
	First string `json:"first"`
}

// Lost is the number of lines that can't be used.
func (f *Fault) Lost() int { return f.Damaged + f.Orphans + f.Unknown }

// loses reports whether trials may be lost, so that what the journal says about its pieces is
// unreliable. A torn line was never recorded.
func (f *Fault) loses() bool { return f.Unread || f.Lost() > 0 }

// Renew forgets what may have changed when the journal is read further.
func (f *Fault) Renew() {
	f.Unread, f.Torn = false, false
	if f.Lost() == 0 {
		f.First = ""
	}
}

// unread notes that reading broke off.
func (f *Fault) unread(err error) {
	f.Unread = true
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // the name of the journal is known
	}
	if f.First == "" {
		f.First = err.Error()
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
