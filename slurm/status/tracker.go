package status

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"spmvtune/internal/base/panics"
	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A Tracker follows a run by its journals. It reads them once, and later what was added. Of a
// trial it keeps the start of the identity and the status, so that a run of a million trials
// takes less than 200 MB. An Observer brings it up to date.
type Tracker struct {
	Run *slurm.Run
	// Brief skips the journals of a run that was complete at its last merge. The best so far
	// is not known then.
	Brief bool

	plan   slurm.Plan
	jobs   []slurm.Sent
	rounds map[int][]string // rounds are the chunks of each round, in the order of their tasks.
	// uncovered are the chunks about which jobs.jsonl says nothing, with the rounds that have them.
	uncovered map[string][]int
	damaged   int         // damaged is the number of lines of jobs.jsonl that can't be used.
	merged    *merge.Last // merged is nil before the first merge.
	// glance says that the journals were not read, because the run is complete and merged.
	glance   bool
	missing  []merge.Missing
	claims   map[string]slurm.Claim // claims are those of processes outside of arrays, by chunk.
	journals map[journal.Name]*trackedJournal
	err      error

	mu       sync.Mutex // mu guards what follows, which several readers fill.
	ended    map[trial.Key]trial.Status
	families map[string]int // families are the numbers of trials by family of chunks.
	pace     pace
	best     map[trial.Case]Best
	measured map[string]bool // measured has the nodes on which good trials were measured.
}

type trackedJournal struct {
	reader *journal.Reader
	merge.File
}

// NewTracker returns a tracker of a run. It reads nothing yet.
func NewTracker(run *slurm.Run) *Tracker {
	return &Tracker{
		Run: run, rounds: map[int][]string{}, journals: map[journal.Name]*trackedJournal{},
		ended: map[trial.Key]trial.Status{}, families: map[string]int{}, pace: newPace(), best: map[trial.Case]Best{},
		measured: map[string]bool{},
	}
}

// Err says why the folder of the run could not be read the last time; nil if it could. Problems
// with a journal are counted in the Status instead.
func (t *Tracker) Err() error { return t.err }

// readJobs reads what was submitted, and the last merge.
func (t *Tracker) readJobs() (err error) {
	if t.jobs, t.damaged, err = t.Run.ReadJobs(); err != nil {
		return err
	}
	t.merged, err = merge.ReadLast(t.Run)
	return err
}

// final reports whether a merge after the last submission found the run complete, so that
// Slurm has nothing to add.
func (t *Tracker) final() bool {
	if t.merged == nil || len(t.merged.Missing) > 0 {
		return false
	}
	after := func(round int) bool { return round > t.merged.Round }
	return !slices.ContainsFunc(t.jobs, func(j slurm.Sent) bool { return after(j.Round) }) &&
		!slices.ContainsFunc(t.Run.Rounds(), after) // of which jobs.jsonl may have lost its lines
}

// read reads what has changed in the folder since the last call, except the jobs.
func (t *Tracker) read(ctx context.Context) (err error) {
	if !t.final() {
		// Where this fails, the listing may be some seconds old.
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
		t.missing = nil
		return nil
	}

	return t.readJournals(ctx)
}

// readPlan reads the chunks of the plan and of each round, and who has claimed some.
func (t *Tracker) readPlan() (err error) {
	if t.plan, err = t.Run.Plan(); err != nil {
		return err
	}
	numbers := t.Run.Rounds()
	for _, j := range t.jobs {
		numbers = append(numbers, j.Round)
	}
	for _, n := range numbers {
		if _, known := t.rounds[n]; known {
			continue
		}
		if t.rounds[n], err = t.Run.Round(n); err != nil {
			return err
		}
	}

	t.uncovered = slurm.Uncovered(t.rounds, t.jobs)
	t.claims, err = t.Run.Claims()
	return err
}

// readJournals reads what was added to the journals.
func (t *Tracker) readJournals(ctx context.Context) error {
	names, err := journal.List(t.Run.Path(slurm.JournalsDir))
	if err != nil {
		return err
	}
	readers, ctx := panics.NewGroup(ctx)
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
	_, t.missing, _ = merge.Incomplete(t.plan, files)
	return nil
}

// readOn reads what was added to a journal.
func (t *Tracker) readOn(ctx context.Context, j *trackedJournal) error {
	j.Fault.Renew()
	for rec, err := range j.reader.Records(ctx) {
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // removed since the listing
		case err == nil && rec.Trial != nil:
			j.Take(rec, nil)
			t.count(j.Name.Family(), rec.Trial)
		default:
			j.Take(rec, err)
		}
	}

	return nil
}
