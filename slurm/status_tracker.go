package slurm

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"spmvtune/tuner"
	"spmvtune/tuner/journal"
)

// A Tracker follows a run by its journals: it reads them once, and on from there
// when they have grown. Of a trial it keeps the start of its identity and its status,
// so that a run of a million takes less than 200 MB.
type Tracker struct {
	Run *Run

	plan     Plan
	jobs     []Sent
	rounds   map[int][]string // chunks of each, in the order of their tasks
	merged   *LastMerge       // nil: there was none
	glance   bool             // the journals were not read, since all is merged
	complete int              // chunks
	missing  []Missing        // as the journals say
	journals map[journal.Name]*trackedJournal

	mu       sync.Mutex
	ended    map[trialKey]tuner.Status
	families map[string]int // trials by family
	pace     pace
	best     map[bestKey]Best
}

type trackedJournal struct {
	reader *journal.Reader
	mergeFile
}

// NewTracker makes a tracker of a run. Nothing is read yet.
func NewTracker(run *Run) *Tracker {
	return &Tracker{
		Run: run, rounds: map[int][]string{}, journals: map[journal.Name]*trackedJournal{},
		ended: map[trialKey]tuner.Status{}, families: map[string]int{}, pace: pace{}, best: map[bestKey]Best{},
	}
}

// Read reads what has changed in the folder of the run since the last call. What
// is wrong with a journal is counted in the Status; an error means that the folder
// can't be read.
func (t *Tracker) Read(ctx context.Context) error {
	if err := t.readPlan(); err != nil {
		return err
	}
	t.glance = false
	return t.readJournals(ctx)
}

// Glance is Read, but leaves out the journals of a run whose merge found it
// complete: the best so far is not known then.
func (t *Tracker) Glance(ctx context.Context) error {
	if err := t.readPlan(); err != nil {
		return err
	}
	if t.merged == nil || len(t.merged.Missing) > 0 {
		return t.readJournals(ctx)
	}
	t.glance, t.complete, t.missing = true, t.merged.Complete, nil
	return nil
}

// readPlan reads all but the journals.
func (t *Tracker) readPlan() (err error) {
	if t.plan, err = t.Run.plan(); err != nil {
		return err
	}
	if t.jobs, err = t.Run.Jobs(); err != nil {
		return err
	}
	for _, j := range t.jobs {
		if _, known := t.rounds[j.Round]; known {
			continue
		}
		if t.rounds[j.Round], err = t.Run.round(j.Round); err != nil {
			return err
		}
	}
	t.merged, err = t.Run.LastMerge()
	return err
}

// readJournals reads on in all journals.
func (t *Tracker) readJournals(ctx context.Context) error {
	names, err := journal.List(t.Run.Path(journalsDir))
	if err != nil {
		return err
	}
	readers, ctx := errgroup.WithContext(ctx)
	readers.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		j := t.journals[name]
		if j == nil {
			path := t.Run.Path(journalsDir, name.String())
			j = &trackedJournal{journal.NewReader(path), mergeFile{name: name, path: path}}
			t.journals[name] = j
		}
		readers.Go(func() error { return t.readOn(ctx, j) })
	}
	if err := readers.Wait(); err != nil {
		return err
	}
	files := make([]mergeFile, len(names))
	for i, name := range names {
		files[i] = t.journals[name].mergeFile
	}
	t.complete, t.missing = missing(t.plan, files)
	return nil
}

// readOn takes what a journal has got since.
func (t *Tracker) readOn(ctx context.Context, j *trackedJournal) error {
	j.fault.Torn = false // the line may be whole by now
	for rec, err := range j.reader.Records(ctx) {
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // taken away since
		case err != nil:
			j.fault.First = err.Error()
		case rec.Trial != nil:
			t.count(j.name.Family(), rec.Trial)
		case rec.End != nil:
			j.ends = append(j.ends, *rec.End)
		case rec.Problem != nil:
			j.fault.note(*rec.Problem)
		}
	}
	return nil
}

// settled reports whether the run is complete and merged, so that Slurm can't have
// anything to add.
func (t *Tracker) settled() bool {
	return len(t.missing) == 0 && t.merged != nil && len(t.merged.Missing) == 0
}
