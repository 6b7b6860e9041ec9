package status

import (
	"context"
	"runtime"
	"sync"

	"spmvtune/internal/base/panics"
	"spmvtune/slurm"
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
	ledger *slurm.Ledger
	slots  map[string][]slurm.Slot // slots are the tasks that each chunk was given.
	// glance says that the journals were not read, because the run is complete and merged.
	glance   bool
	missing  []slurm.Missing
	claims   map[string]slurm.Claim // claims are those of processes outside of arrays, by chunk.
	journals map[journal.Name]*slurm.File
	err      error

	mu       sync.Mutex // mu guards what follows, which several readers fill.
	ended    map[trial.Key]trial.Status
	families map[string]int // families are the numbers of trials by family of chunks.
	pace     pace
	best     map[trial.Case]Best
	measured map[string]bool // measured has the nodes on which good trials were measured.
}

// NewTracker returns a tracker of a run. It reads nothing yet.
func NewTracker(run *slurm.Run) *Tracker {
	return &Tracker{
		Run: run, ledger: &slurm.Ledger{}, journals: map[journal.Name]*slurm.File{},
		ended: map[trial.Key]trial.Status{}, families: map[string]int{}, pace: newPace(), best: map[trial.Case]Best{},
		measured: map[string]bool{},
	}
}

// final reports whether a merge after the last submission found the run complete, so that
// Slurm has nothing to add.
func (t *Tracker) final() bool {
	merged := t.ledger.Merge
	return merged != nil && len(merged.Missing) == 0 && t.ledger.LastRound() <= merged.Round
}

// readLedger reads what was submitted and merged.
func (t *Tracker) readLedger() error {
	ledger, err := t.Run.Ledger()
	if err == nil {
		t.ledger = ledger
	}
	return err
}

// read reads what has changed in the folder since the last call, except the jobs.
func (t *Tracker) read(ctx context.Context) error {
	if !t.final() {
		journal.Refresh(t.Run.Dir) // where this fails, the listing may be some seconds old
	}
	if err := t.readPlan(); err != nil {
		return err
	}
	merged := t.Run.LastMerge() // what was sent since Slurm was asked does not count yet
	t.ledger.Merge = merged
	t.glance = t.Brief && merged != nil && len(merged.Missing) == 0
	if t.glance {
		t.missing = nil
		return nil
	}

	return t.readJournals(ctx)
}

// readPlan reads the chunks of the plan, which tasks they were given, and who has claimed some.
func (t *Tracker) readPlan() (err error) {
	if t.plan, err = t.Run.Plan(); err != nil {
		return err
	}
	if t.slots, err = t.ledger.Slots(); err != nil {
		return err
	}
	t.claims, err = t.Run.Claims()
	return err
}

// readJournals reads what was added to the journals.
func (t *Tracker) readJournals(ctx context.Context) error {
	files, err := t.Run.Files()
	if err != nil {
		return err
	}
	readers, ctx := panics.NewGroup(ctx)
	readers.SetLimit(runtime.GOMAXPROCS(0))

	for i, f := range files {
		if known := t.journals[f.Name]; known != nil {
			files[i] = known
		}
		t.journals[f.Name] = files[i]
		readers.Go(func() error {
			for line := range files[i].Lines(ctx) {
				if line.Trial != nil {
					t.count(f.Name.Family(), line.Trial)
				}
			}
			return ctx.Err()
		})
	}
	if err := readers.Wait(); err != nil {
		return err
	}
	t.missing = slurm.Incomplete(t.plan, files)
	return nil
}
