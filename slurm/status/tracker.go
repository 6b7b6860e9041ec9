package status

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A Tracker follows a run by its journals: it reads them once, and on from there
// when they have grown. Of a trial it keeps the start of its identity and its status,
// so that a run of a million takes less than 200 MB. An Observer brings it up to date.
type Tracker struct {
	Run *slurm.Run
	// Brief leaves out the journals of a run whose merge found it complete: the best
	// so far is not known then.
	Brief bool

	plan     slurm.Plan
	jobs     []slurm.Sent
	rounds   map[int][]string // chunks of each, in the order of their tasks
	merged   *merge.Last      // nil: there was none
	glance   bool             // the journals were not read, since all is merged
	complete int              // chunks
	missing  []merge.Missing  // as the journals say
	journals map[journal.Name]*trackedJournal
	err      error

	mu       sync.Mutex
	ended    map[trialKey]trial.Status
	families map[string]int // trials by family
	pace     pace
	best     map[bestKey]Best
}

type trackedJournal struct {
	reader *journal.Reader
	merge.File
}

// NewTracker makes a tracker of a run. Nothing is read yet.
func NewTracker(run *slurm.Run) *Tracker {
	return &Tracker{
		Run: run, rounds: map[int][]string{}, journals: map[journal.Name]*trackedJournal{},
		ended: map[trialKey]trial.Status{}, families: map[string]int{}, pace: newPace(), best: map[bestKey]Best{},
	}
}

// Err is why the folder of the run could not be read the last time; nil if it could.
// What is wrong with a journal is no such error: the Status counts it.
func (t *Tracker) Err() error { return t.err }

// readJobs reads what was submitted, and whether it is merged.
func (t *Tracker) readJobs() (err error) {
	if t.jobs, err = t.Run.Jobs(); err != nil {
		return err
	}
	t.merged, err = merge.ReadLast(t.Run)
	return err
}

// settled reports whether a merge after the last submission found the run complete,
// so that Slurm can't have anything to add.
func (t *Tracker) settled() bool {
	if t.merged == nil || len(t.merged.Missing) > 0 {
		return false
	}
	return !slices.ContainsFunc(t.jobs, func(j slurm.Sent) bool { return j.Round > t.merged.Round })
}

// read reads what has changed in the folder since the last call, other than the jobs.
func (t *Tracker) read(ctx context.Context) (err error) {
	if !t.settled() {
		// Where this can't be done, the listing may be some seconds old.
		journal.Refresh(t.Run.Dir)
		journal.Refresh(t.Run.Path(slurm.JournalsDir))
	}
	if err := t.readPlan(); err != nil {
		return err
	}
	if t.merged, err = merge.ReadLast(t.Run); err != nil {
		return err
	}
	t.glance = t.Brief && t.merged != nil && len(t.merged.Missing) == 0
	if t.glance {
		t.complete, t.missing = t.merged.Complete, nil
		return nil
	}
	return t.readJournals(ctx)
}

// readPlan reads which chunks there are, and which of them each round has.
func (t *Tracker) readPlan() (err error) {
	if t.plan, err = t.Run.Plan(); err != nil {
		return err
	}
	for _, j := range t.jobs {
		if _, known := t.rounds[j.Round]; known {
			continue
		}
		if t.rounds[j.Round], err = t.Run.Round(j.Round); err != nil {
			return err
		}
	}
	return nil
}

// readJournals reads on in all journals.
func (t *Tracker) readJournals(ctx context.Context) error {
	names, err := journal.List(t.Run.Path(slurm.JournalsDir))
	if err != nil {
		return err
	}
	readers, ctx := errgroup.WithContext(ctx)
	readers.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		j := t.journals[name]
		if j == nil {
			path := t.Run.Path(slurm.JournalsDir, name.String())
			j = &trackedJournal{journal.NewReader(path), merge.File{Name: name, Path: path}}
			t.journals[name] = j
		}
		readers.Go(func() error { return t.readOn(ctx, j) })
	}
	if err := readers.Wait(); err != nil {
		return err
	}
	files := make([]merge.File, len(names))
	for i, name := range names {
		files[i] = t.journals[name].File
	}
	t.complete, t.missing = merge.Incomplete(t.plan, files)
	return nil
}

// readOn takes what a journal has got since.
func (t *Tracker) readOn(ctx context.Context, j *trackedJournal) error {
	j.Fault.Renew()
	for rec, err := range j.reader.Records(ctx) {
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // taken away since
		case err == nil && rec.Trial != nil:
			t.count(j.Name.Family(), rec.Trial)
		default:
			j.Take(rec, err)
		}
	}
	return nil
}
